/** The points of an exploration: a fault and its place in a run, with the ids that replay them. */

/** The type of a fault in a run. */
export type PointType =
  /** The process ends after the answer to the write and before its next write; another process starts. */
  | "crash"
  /** The write is stored, and the process ends before it gets the answer. */
  | "crash-lost"
  /** The write is stored, and the connection breaks before the answer. */
  | "lost"
  /** The process pauses before it sends the write; another process takes over and settles; then the write arrives. */
  | "deposed"
  /** After the write all watches stand still until the end of the next pass of the same object. */
  | "stale"
  /** The write is refused with 409. */
  | "conflict"
  /** The write is refused with 500 at each attempt of the client. */
  | "error"
  /** The connection breaks before the write reaches the server, at each attempt of the client. */
  | "reset"
  /** As `crash`, and the next process starts with an older state. */
  | "crash-stale"
  /** An event is never delivered, only the next one of the same object. */
  | "skip"
  /** No process runs while the user goes on. */
  | "away";

/** A fault at a write of the operator. */
export type WriteFault = Exclude<PointType, "crash-stale" | "skip" | "away">;

/** All faults at a write. */
export const WRITE_FAULTS: readonly WriteFault[] = ["crash", "crash-lost", "lost", "deposed", "stale", "conflict", "error", "reset"];
/** All types of faults. */
export const POINT_TYPES: readonly PointType[] = [...WRITE_FAULTS, "crash-stale", "skip", "away"];

/** One fault of a run. */
export type PointFault = WriteFaultPoint | CrashStalePoint | SkipPoint | AwayPoint;
/** A fault at a write. */
export interface WriteFaultPoint {
  readonly type: WriteFault;
  /** Number of the write, from 1; for `crash`, 0 is before the first write. */
  readonly write: number;
}
/** A crash at a write, and a start with an older state. */
export interface CrashStalePoint {
  readonly type: "crash-stale";
  /** Number of the write after which the process ends. */
  readonly write: number;
  /** Number of the write before which the next process sees the state; at most `write`. */
  readonly before: number;
}
/** An event that is never delivered. */
export interface SkipPoint {
  readonly type: "skip";
  /** The watch: the plural of its kind, after the namespace if it watches one. */
  readonly watch: string;
  /** Number of the event in the watch, from 1, without the initial list. */
  readonly event: number;
}
/** A wait of the scenario after which no process runs. */
export interface AwayPoint {
  readonly type: "away";
  /** Number of the scenario's `settled()`, from 1. */
  readonly wait: number;
}

/** The faults of one run: one, or a pair. The reference has none. */
export type Point = readonly PointFault[];

/** Returns the id of a point: `crash@3`, `crash-stale@5:2`, `skip@secrets#2`, `conflict@1+crash@4`. */
export function idOf(point: Point): string {
  return point.length === 0 ? "reference" : point.map((fault) => `${fault.type}@${placeOf(fault)}`).join("+");
}

function placeOf(fault: PointFault): string {
  switch (fault.type) {
    case "skip":
      return `${fault.watch}#${fault.event}`;
    case "away":
      return String(fault.wait);
    case "crash-stale":
      return `${fault.write}:${fault.before}`;
    default:
      return String(fault.write);
  }
}

/** Returns the point of an id. @throws TypeError for an invalid id */
export function parsePoint(id: string): Point {
  return id === "reference" ? [] : id.split("+").map(parseFault);
}

function parseFault(part: string): PointFault {
  const [, type = "", where = ""] = /^([a-z-]+)@(.+)$/.exec(part) ?? [];
  const [, watch, event] = /^(.+)#([1-9]\d*)$/.exec(where) ?? [];
  if (type === "skip" && watch !== undefined) return { type, watch, event: Number(event) };
  const [, write, before] = /^([1-9]\d*):([1-9]\d*)$/.exec(where) ?? [];
  if (type === "crash-stale" && Number(before) <= Number(write)) return { type, write: Number(write), before: Number(before) };
  const known = WRITE_FAULTS.find((one) => one === type);
  const number = /^\d+$/.test(where) ? Number(where) : 0;
  if (known !== undefined && (number > 0 || part === "crash@0")) return { type: known, write: number };
  if (type === "away" && number > 0) return { type, wait: number };
  throw new TypeError(
    `explore: "${part}" names no point; an id is e.g. crash@3, crash-stale@5:2, skip@secrets#2 or away@1, and each failure has one`,
  );
}
