/** The options of an operator's own certificates. */
import type { Clock, Random } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";
import type { Target } from "./target.ts";

/** A certificate or its authority has changed, for an event of the Secret. It contains no key. */
export interface CertificateNote {
  readonly type: "Normal" | "Warning";
  /** A word in CamelCase. */
  readonly reason: "AuthorityCreated" | "CertificatesReplaced" | "CertificateIssued" | "PreviousAuthorityRemoved";
  readonly message: string;
}

/** These are the options of `OwnCertificates`. */
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
  /** Whether a Secret that does not exist is created. @defaultValue true */
  readonly createSecret?: boolean;
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
