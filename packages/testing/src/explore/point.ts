/** Where in a run something goes wrong, and what: the names by which a run is replayed. */

/** What goes wrong at a write of the operator. */
export type WriteFault =
  /** The process ends after the answer to the write, before its next one; another begins. */
  | "crash"
  /** The write is stored, and the process ends before it hears of it. */
  | "crash-lost"
  /** The write is stored, and the connection breaks before the answer. */
  | "lost"
  /** After the write all watches stand still until the next pass of the same object is over. */
  | "stale"
  /** The write is refused with 409. */
  | "conflict"
  /** The write is refused with 500, as often as the client tries it. */
  | "error"
  /** The connection breaks before the server hears of the write, as often as the client tries it. */
  | "reset";

/** The kinds of faults; `skip`: an event is never seen, only the state after the next one of the same object. */
export type PointKind = WriteFault | "skip";

export const WRITE_FAULTS: readonly WriteFault[] = ["crash", "crash-lost", "lost", "stale", "conflict", "error", "reset"];
export const POINT_KINDS: readonly PointKind[] = [...WRITE_FAULTS, "skip"];

/** One fault of a run. */
export type Fault = WriteFaultPoint | SkipPoint;
export interface WriteFaultPoint {
  readonly type: WriteFault;
  /** The number of the write, from 1; with `crash` 0 is the time before the first. */
  readonly write: number;
}
export interface SkipPoint {
  readonly type: "skip";
  /** The watch: the plural, with the namespace before it where it is of one only. */
  readonly watch: string;
  /** The number of the event in it, from 1, without the initial ones. */
  readonly event: number;
}

/** The faults of one run: one, or a pair. Empty: the reference. */
export type Point = readonly Fault[];

/** E.g. `crash@3`, `skip@secrets#2`, `conflict@1+crash@4`. */
export function idOf(point: Point): string {
  if (point.length === 0) return "reference";
  return point.map((fault) => (fault.type === "skip" ? `skip@${fault.watch}#${fault.event}` : `${fault.type}@${fault.write}`)).join("+");
}

/** @throws TypeError when it is no id */
export function parsePoint(id: string): Point {
  if (id === "reference") return [];
  return id.split("+").map((part) => {
    const [, type = "", where = ""] = /^([a-z-]+)@(.+)$/.exec(part) ?? [];
    const skip = /^(.+)#(\d+)$/.exec(where);
    if (type === "skip" && skip !== null) return { type, watch: skip[1] ?? "", event: Number(skip[2]) };
    const known = WRITE_FAULTS.find((one) => one === type);
    if (known !== undefined && /^\d+$/.test(where)) return { type: known, write: Number(where) };
    throw new TypeError(`explore: "${part}" names no point; they look like crash@3 or skip@secrets#2, and a failure says its own`);
  });
}
