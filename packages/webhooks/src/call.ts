/** A call of the API server, and what is answered: the same in a server, in a test cluster and in `review()`. */
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";

/** What the functions of authors need besides the request. */
export interface CallEnv {
  /** A client with the rights of the operator. */
  readonly client: Client;
  /** The clock of the operator. */
  readonly clock: Clock;
  /** The log of the server. */
  readonly log: Logger;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** How long the caller waits for this call, in milliseconds. @defaultValue the `timeoutSeconds` of the webhooks, which no call exceeds */
  readonly timeoutMs?: number;
  /** Returns the values of the reads that the called webhooks declare, for an object. Waits for the caches, until the signal is aborted. */
  read(object: KubernetesObject, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Called for each object whose kept fields could not be used in a conversion. */
  onIgnored(kind: string, name: string, reason: string): void;
}

/** The codes of {@link CallError}. */
export type CallErrorCode =
  | "ERR_ABORTED"
  | "ERR_BODY_TOO_LONG"
  | "ERR_DEADLINE"
  | "ERR_DRY_RUN_NOT_READ"
  | "ERR_FILL_RESULT"
  | "ERR_FORBIDDEN_CHANGE"
  | "ERR_FUNCTION_FAILED"
  | "ERR_INVALID_REVIEW"
  | "ERR_NOT_AT_REST"
  | "ERR_NOT_JSON"
  | "ERR_NOT_PROBLEMS"
  | "ERR_NO_SPEC"
  | "ERR_READS_FAILED"
  | "ERR_TOO_MANY_BYTES"
  | "ERR_UNKNOWN_PATH"
  | "ERR_WEBHOOK_FAILED";

/** An answer that is not a review. Its message is for the API server and names no values of the object. */
export class CallError extends Error {
  /** The name of the class. */
  override readonly name = "CallError";
  /** The status of HTTP: 400 for what is no review, 404, 413, 500 for a function that threw, 503. */
  readonly status: 400 | 404 | 413 | 500 | 503;
  /** The code, such as `ERR_NOT_AT_REST`. */
  readonly code: CallErrorCode;

  constructor(status: CallError["status"], code: CallErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}
