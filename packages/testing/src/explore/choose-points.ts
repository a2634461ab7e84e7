/** Chooses the points of an exploration: a fault at each write and each event of the reference, and pairs of them. */
import { type Random, seededRandom } from "@treadle/apimachinery";
import { type PointFault, idOf, type Point, type PointType, WRITE_FAULTS } from "./fault-point.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { ExploreOptions } from "./scenario.ts";

type Reference = Pick<RunOutcome, "writes" | "events" | "waits" | "journal">;

/** Returns the points that the options select: single faults, then pairs. */
export function chosenPoints(reference: Reference, { points, pairs = 0, seed = 1 }: ExploreOptions): readonly Point[] {
  const singles = singlePoints(reference, points);
  return [...singles, ...pairsOf(singles, pairs, seed)];
}

/** All single faults, by type and then in the order of the reference. */
function singlePoints(reference: Reference, points: ExploreOptions["points"]): readonly Point[] {
  const { writes, events, waits } = reference;
  const isWanted = filterOf(points);
  const first: PointFault = { type: "crash", write: 0 };
  const atWrites = writes.flatMap(({ number }) => WRITE_FAULTS.map((type): PointFault => ({ type, write: number })));
  // No event replaces the last event of an object.
  const replaced = events.filter(({ watch, key }, index) =>
    events.slice(index + 1).some((later) => later.watch === watch && later.key === key),
  );
  const skips = replaced.map(({ watch, number }): PointFault => ({ type: "skip", watch, event: number }));
  const away = Array.from({ length: waits }, (_, index): PointFault => ({ type: "away", wait: index + 1 }));
  return [...(writes.length === 0 ? [] : [first]), ...atWrites, ...rewinds(reference), ...skips, ...away]
    .map((fault) => [fault])
    .filter((point) => isWanted(point[0], idOf(point)));
}

/**
 * The restarts on an older state: back by one write at each write, and from the last write of each chapter back to the first
 * write of every earlier chapter.
 */
function rewinds({ writes, journal }: Reference): readonly PointFault[] {
  const chapters = chaptersOf(journal);
  const byOne = writes.map(({ number }) => [number, number] as const);
  const byChapters = chapters.flatMap(({ last }, index) => chapters.slice(0, index + 1).map(({ first }) => [last, first] as const));
  const unique = new Map([...byOne, ...byChapters].map(([write, before]) => [`${write}:${before}`, { write, before }]));
  return [...unique.values()].map((where) => ({ type: "crash-stale", ...where }));
}

/** The chapters of a run: the writes between one action of the user and the next. */
function chaptersOf(journal: RunOutcome["journal"]): readonly { readonly first: number; readonly last: number }[] {
  const chapters: { readonly first: number; last: number }[] = [];
  let isNew = true;
  for (const entry of journal) {
    const chapter = chapters.at(-1);
    if (entry.type === "user") isNew = true;
    if (entry.type !== "write") continue;
    if (chapter === undefined || isNew) chapters.push({ first: entry.number, last: entry.number });
    else chapter.last = entry.number;
    isNew = false;
  }
  return chapters;
}

/** Chooses `count` pairs by the seed. The second fault counts the writes and events of a run with the first fault. */
function pairsOf(singles: readonly Point[], count: number, seed: number): readonly Point[] {
  const faults = singles.flat();
  const random = seededRandom(seed);
  const pairs = new Map<string, Point>();
  // The number of draws is limited, because there may be fewer pairs than requested.
  for (let draws = 0; pairs.size < count && draws < count * 20; draws++) {
    const [a, b] = [draw(faults, random), draw(faults, random)];
    if (a === undefined || b === undefined || positionOf(a) >= positionOf(b)) continue;
    pairs.set(idOf([a, b]), [a, b]);
  }
  return [...pairs.values()];
}

function filterOf(points: ExploreOptions["points"]): (fault: PointFault | undefined, id: string) => boolean {
  if (points === undefined) return () => true;
  if (typeof points === "function") return (fault, id) => fault !== undefined && points({ type: fault.type, id });
  const kinds: ReadonlySet<PointType> = new Set(points);
  return (fault) => fault !== undefined && kinds.has(fault.type);
}

function draw(faults: readonly PointFault[], random: Random): PointFault | undefined {
  return faults[Math.floor(random.next() * faults.length)];
}

/** The position of a fault in a run, to order a pair; a pair at one position is not tried. */
function positionOf(fault: PointFault): number {
  return fault.type === "skip" ? fault.event : fault.type === "away" ? fault.wait : fault.write;
}
