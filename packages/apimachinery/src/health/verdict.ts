/** What `health()` answers, and how the rules make it. */

/** How an object is, as its status reports it. */
export interface Health {
  /**
   * `Ready`: the object does what its spec asks for. `Pending`: it is on the way. `Failed`: its controller gave up, or reports
   * an error. `Unknown`: the object does not have the shape of its kind.
   */
  readonly type: "Ready" | "Pending" | "Failed" | "Unknown";
  /** Reason as one CamelCase word, valid as the reason of a condition. It is `Ready` unless there is more to say. */
  readonly reason: string;
  /** Message for people, without a full stop; empty when the reason says all. */
  readonly message: string;
}

/** Judges an object of one kind, after the rules that hold for all kinds. @throws Malformed */
export type Rule = (subject: Subject) => Health;

/** Parts of an object that rules look at. */
export interface Subject {
  /** Version of the API without its group, e.g. `v1`. */
  readonly version: string;
  readonly metadata: Fields;
  /** Absent in objects that were read without their contents. */
  readonly spec: Fields | undefined;
  /** Empty if the object has no status yet. */
  readonly status: Fields;
  readonly conditions: readonly StatusCondition[];
}

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** A condition, as far as its fields have the right types. */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
}

export const READY: Health = Object.freeze({ type: "Ready", reason: "Ready", message: "" });

export function ready(reason: string, message: string): Health {
  return { type: "Ready", reason, message };
}

export function pending(reason: string, message: string): Health {
  return { type: "Pending", reason, message };
}

export function failed(reason: string, message: string): Health {
  return { type: "Failed", reason, message };
}

export function unknown(reason: string, message: string): Health {
  return { type: "Unknown", reason, message };
}
