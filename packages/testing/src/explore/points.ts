/** Which runs there are: a fault at each write and each event of the reference, and pairs of them. */
import { type Random, seededRandom } from "@treadle/apimachinery";
import { type Fault, idOf, type Point, type PointKind, WRITE_FAULTS } from "./point.ts";
import type { Outcome } from "./run.ts";
import type { ExploreOptions } from "./scenario.ts";

/** All single faults, in the order in which they come in the reference's story. */
export function singlePoints({ writes, events }: Pick<Outcome, "writes" | "events">, points: ExploreOptions["points"]): readonly Point[] {
  const isWanted = filterOf(points);
  const first: Fault = { type: "crash", write: 0 };
  const atWrites = writes.flatMap(({ number }) => WRITE_FAULTS.map((type): Fault => ({ type, write: number })));
  // Of the last event of an object nothing takes the place.
  const replaced = events.filter(({ watch, key }, index) =>
    events.slice(index + 1).some((later) => later.watch === watch && later.key === key),
  );
  const skips = replaced.map(({ watch, number }): Fault => ({ type: "skip", watch, event: number }));
  return [...(writes.length === 0 ? [] : [first]), ...atWrites, ...skips]
    .map((fault) => [fault])
    .filter((point) => isWanted(point[0], idOf(point)));
}

/** `count` pairs, chosen by the seed. The second fault counts writes and events of the run that the first has changed. */
export function pairsOf(singles: readonly Point[], count: number, seed: number): readonly Point[] {
  const faults = singles.flat();
  const random = seededRandom(seed);
  const pairs = new Map<string, Point>();
  // Enough draws to find them where there are any; fewer pairs than asked where there are not.
  for (let draws = 0; pairs.size < count && draws < count * 20; draws++) {
    const [a, b] = [draw(faults, random), draw(faults, random)];
    if (a === undefined || b === undefined || positionOf(a) >= positionOf(b)) continue;
    pairs.set(idOf([a, b]), [a, b]);
  }
  return [...pairs.values()];
}

function filterOf(points: ExploreOptions["points"]): (fault: Fault | undefined, id: string) => boolean {
  if (points === undefined) return () => true;
  if (typeof points === "function") return (fault, id) => fault !== undefined && points({ type: fault.type, id });
  const kinds: ReadonlySet<PointKind> = new Set(points);
  return (fault) => fault !== undefined && kinds.has(fault.type);
}

function draw(faults: readonly Fault[], random: Random): Fault | undefined {
  return faults[Math.floor(random.next() * faults.length)];
}

/** Where in a run, as far as the two can be compared; two at one place hide each other. */
function positionOf(fault: Fault): number {
  return fault.type === "skip" ? fault.event : fault.write;
}
