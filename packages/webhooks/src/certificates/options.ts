/** The options and the interface of {@link ownCertificates}. */
import type { Clock, Random } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { CertificateSource } from "@treadle/controller";
import type { Logger } from "@treadle/reconcile";
import type { Target } from "./target.ts";

/** A certificate or its authority has changed, for an event of the Secret. It contains no key. */
export interface CertificateNote {
  readonly type: "Normal" | "Warning";
  /** A word in CamelCase. */
  readonly reason: "AuthorityCreated" | "CertificatesReplaced" | "CertificateIssued" | "PreviousAuthorityRemoved";
  readonly message: string;
}

/** Options of {@link ownCertificates}. */
export interface OwnCertificatesOptions {
  /** Name of the operator. It owns the Secret, and `<name>/certificates` is the field manager of what is written. */
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Namespace of the Secret. */
  readonly namespace: string;
  /** Name of the Secret. */
  readonly secretName: string;
  /** Host names and addresses that the API server calls. */
  readonly dnsNames: readonly string[];
  /** Name of the pod. The renewals of pods with different names are up to a day apart. */
  readonly podName: string;
  /** Objects whose `caBundle` is kept. */
  readonly targets: readonly Target[];
  /** Called after a change, for an event of the Secret. */
  readonly onNote?: (note: CertificateNote) => void;
  /** Called when a serving certificate was read from the Secret, with `false` where it cannot be used. For metrics. */
  readonly onRead?: (isUsable: boolean) => void;
}

/** The certificates of {@link ownCertificates}. It is a source for `tls` of `httpService`; `current` throws before `start` has resolved. */
export interface OwnCertificates extends CertificateSource {
  /**
   * Begins to watch, and resolves when there is a certificate to serve. It waits without a limit; {@link problem} says for what.
   * @throws the reason of the signal, or an Error after {@link stop}
   */
  start(signal: AbortSignal): Promise<void>;
  /** What a person must look at: all that is missing, refused or not yet trusted, for the log; `undefined` when all is well. */
  problem(): string | undefined;
  /**
   * Why calls of the API server fail now, for `/readyz`; `undefined`: they do not. All replicas see the same objects, so what breaks no call
   * must not take all of them out of the Service.
   */
  failure(): string | undefined;
  /** Ends watches and timers. Resolves when nothing runs any more. */
  stop(): Promise<void>;
}
