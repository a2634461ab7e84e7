/** What the process of the operator and the process of `treadle dev` say to each other. Plain data, because it is sent as JSON. */
import type { CustomResourceDefinition } from "@treadle/apimachinery";
import type { PhaseReport } from "@treadle/reconcile";

/** One pass that has ended. */
export interface PassMessage {
  readonly controller: string;
  /** The kind of the object. */
  readonly kind: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly object: string;
  readonly cause?: string;
  readonly outcome: string;
  readonly steps: readonly PhaseReport[];
  readonly durationMs: number;
  /** The time until the next pass; absent if none is due by a time that the pass chose. */
  readonly nextMs?: number;
}

/** A line of the log. Its fields hold no values of Secrets. */
export interface LogLine {
  readonly level: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** From the process of the operator. */
export type FromOperator =
  /** A file is loaded, or does not exist. The stamp is its state before that; see `stampOf`. */
  | { readonly type: "file"; readonly path: string; readonly stamp: string }
  /** A manager is about to start, and waits for `prepared` with this number. */
  | {
      readonly type: "starting";
      readonly manager: number;
      readonly handlers: readonly string[];
      readonly crds: readonly CustomResourceDefinition[];
      /** Whether the program has webhooks that the API server cannot reach. */
      readonly lacksWebhooks: boolean;
    }
  /** A manager has started, and is on standby or works. */
  | { readonly type: "running" }
  | { readonly type: "line"; readonly line: LogLine }
  | { readonly type: "pass"; readonly pass: PassMessage }
  /** The program has failed, and ends. */
  | { readonly type: "failed"; readonly message: string; readonly isPortInUse: boolean };

/** To the process of the operator. */
export type ToOperator =
  | { readonly type: "prepared"; readonly manager: number }
  /** The managers may work: no other process of this operator does. */
  | { readonly type: "lead" }
  /** Stop gracefully. */
  | { readonly type: "stop" };

/** The program may have messages of its own, so ours have a name. */
export interface Envelope<M> {
  readonly treadleDev: M;
}

/** Returns the message in what was received; undefined for a message of the program. */
export function opened<M>(received: unknown): M | undefined {
  if (typeof received !== "object" || received === null || !("treadleDev" in received)) return undefined;
  return received.treadleDev as M; // Only this package makes such messages.
}

/** What the process of the operator is told at its start, in the URL of its preload. */
export interface OperatorSettings {
  /** Whether the cluster ends with `treadle dev`. */
  readonly isOwnCluster: boolean;
  /** The host name or address by which the API server reaches this machine; empty: it does not. */
  readonly webhookHost: string;
}
