/** Where in a run something goes wrong, and what: the names by which a run is replayed. */

/** What goes wrong at a write of the operator. */
export type WriteFault =
  /** The process ends after the answer to the write, before its next one; another begins. */
  | "crash"
  /** The write is stored, and the process ends before it hears of it. */
  | "crash-lost"
  /** The write is stored, and the connection breaks before the answer. */
  | "lost"
  /** The process stands still before the write is sent; another takes over and comes to rest; then the write arrives. */
  | "deposed"
  /** After the write all watches stand still until the next pass of the same object is over. */
  | "stale"
  /** The write is refused with 409. */
  | "conflict"
  /** The write is refused with 500, as often as the client tries it. */
  | "error"
  /** The connection breaks before the server hears of the write, as often as the client tries it. */
  | "reset";

/**
 * The kinds of faults. `crash-stale`: as `crash`, and the next process begins with an older state. `skip`: an event is never
 * seen, only the state after the next one of the same object. `away`: no process runs while the user goes on.
 */
export type PointType = WriteFault | "crash-stale" | "skip" | "away";

export const WRITE_FAULTS: readonly WriteFault[] = ["crash", "crash-lost", "lost", "deposed", "stale", "conflict", "error", "reset"];
export const POINT_TYPES: readonly PointType[] = [...WRITE_FAULTS, "crash-stale", "skip", "away"];

/** One fault of a run. */
export type PointFault = WriteFaultPoint | CrashStalePoint | SkipPoint | AwayPoint;
export interface WriteFaultPoint {
  readonly type: WriteFault;
  /** The number of the write, from 1; with `crash` 0 is the time before the first. */
  readonly write: number;
}
export interface CrashStalePoint {
  readonly type: "crash-stale";
  /** The write after which the process ends. */
  readonly write: number;
  /** The next one is shown the state before this write; not above `write`. */
  readonly before: number;
}
export interface SkipPoint {
  readonly type: "skip";
  /** The watch: the plural, with the namespace before it where it is of one only. */
  readonly watch: string;
  /** The number of the event in it, from 1, without the initial ones. */
  readonly event: number;
}
export interface AwayPoint {
  readonly type: "away";
  /** The number of the scenario's `settled()`, from 1. */
  readonly wait: number;
}

/** The faults of one run: one, or a pair. Empty: the reference. */
export type Point = readonly PointFault[];

/** E.g. `crash@3`, `crash-stale@5:2`, `skip@secrets#2`, `conflict@1+crash@4`. */
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

/** @throws TypeError when it is no id */
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
    `explore: "${part}" names no point; they look like crash@3, crash-stale@5:2, skip@secrets#2 or away@1, and a failure says its own`,
  );
}
