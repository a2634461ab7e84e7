/** The members that `fakeReq`, `fakeWorld`, the test cluster and its operators share, so that a test reads the same with each. */
import type { Clock, Kind, ObjectOf } from "@treadle/apimachinery";
import type { EventNote, PassResult, UndeclaredUse } from "@treadle/reconcile";
import type { RequestLog, RequestObserver } from "./requests.ts";

/** An API server under test: its objects, its time and the requests of the operator. */
export interface TestEnvironment {
  /** Reads an object from the server; undefined when it does not exist. A key without a namespace means `default`. */
  get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined>;
  /** Lists the objects of a kind, of all namespaces by default. */
  list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]>;
  /** The requests of the operator, and those by the kubeconfig of a server in memory. Those of the user are not recorded. */
  readonly requests: RequestLog;
  /**
   * Calls `observe` before each request of the operator is sent, until the returned function is called. An ApiError that
   * `observe` throws becomes the server's answer. Any other error breaks the connection.
   */
  onRequest(observe: RequestObserver): () => void;
  /** The time of the server and the operator. */
  readonly clock: Clock;
  /** Moves virtual time, in milliseconds. @throws Error in real time */
  advance(ms: number): Promise<void>;
}

/** The output of an operator under test, kept for the test. */
export interface OperatorOutput {
  /** The events that the operator recorded, oldest first. */
  readonly events: readonly RecordedEvent[];
  /** The log lines of the operator, oldest first. */
  readonly logs: readonly LogLine[];
  /** Each use of a kind by `req.client` that the handler does not declare. */
  readonly undeclared: readonly UndeclaredUse[];
}

/** An event, with the key of the object that it is about. */
export interface RecordedEvent extends EventNote {
  /** Key of the object: `namespace/name`, or `name` for a cluster-scoped kind. */
  readonly object: string;
}

/** A line of the log. */
export interface LogLine {
  /** The level. */
  readonly level: "debug" | "info" | "warn" | "error";
  /** The structured fields. */
  readonly data: object;
  /** The message. */
  readonly text: string;
}

/** A pass that ended. */
export interface RecordedPass extends PassResult {
  /** Name of the handler. */
  readonly handler: string;
  /** Key of the primary: `namespace/name`, or `name` for a cluster-scoped kind. */
  readonly key: string;
  /** Time at which the pass ended, in milliseconds of the environment's clock. */
  readonly atMs: number;
}
