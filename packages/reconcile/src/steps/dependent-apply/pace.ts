/**
 * How fast a dependent is written: at once, until it turns out that nothing is won by it. An object that another program
 * puts back each time, or one for which `desired` never gives the same answer twice, would be written as fast as the
 * server answers, for ever.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { digestOf } from "./dependent.ts";
import { inputsOf, memoryOf, type Unit } from "./unit.ts";

interface Pace {
  readonly generation: number | undefined;
  readonly strain: number;
  readonly lastMs: number;
  /** Digest of what the step had seen when it wrote. */
  readonly seen: string;
  readonly why: string;
}

/** So much is written at once: five times for one and the same input, or twenty times because somebody else changed it. */
const FREE = 20;
const COST_OF_CHANGE_BY_OTHERS = 1;
const COST_OF_SAME_INPUT = 4;
/** As the waiting curve of passes: 50 ms doubling to 10 s. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 10_000;
/** After so long without a write all is forgotten: longer than the longest delay. */
const QUIET_MS = 60_000;

/** Milliseconds until the next write may be made; 0: now. */
export function heldBackMs(unit: Unit): number {
  const pace = paceOf(unit);
  return pace === undefined ? 0 : Math.max(0, pace.lastMs + delayOf(pace) - unit.pass.clock.now());
}

/** Why it is written again and again, for people; `undefined` as long as it is not. */
export function contested(unit: Unit): string | undefined {
  const pace = paceOf(unit);
  return pace === undefined || pace.strain < FREE ? undefined : pace.why;
}

/** To be called before a write of `live`, absent where it is created. `why`: a path, or what else made it necessary. */
export function noteWrite(unit: Unit, live: KubernetesObject | undefined, why: string): void {
  const { owner, pass, ext, dependent, req } = unit;
  const before = paceOf(unit);
  const seen = seenBy(unit);
  const isUntouched = live !== undefined && live.metadata.resourceVersion === memoryOf(unit)?.resourceVersion;
  const cost = isUntouched && before?.seen === seen ? COST_OF_SAME_INPUT : COST_OF_CHANGE_BY_OTHERS;
  const strain = before === undefined ? cost : before.strain + (before.strain >= FREE ? COST_OF_SAME_INPUT : cost);
  if (strain >= FREE && (before?.strain ?? 0) < FREE)
    req.log.warn({ kind: dependent.kind.kind, difference: why }, "a dependent has to be written again and again: from now on with delays");
  ext.memory.set(keyOf(unit), {
    generation: owner.metadata.generation,
    strain,
    lastMs: pass.clock.now(),
    seen,
    why,
  } satisfies Pace);
}

function delayOf({ strain }: Pace): number {
  return strain < FREE ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(30, Math.floor((strain - FREE) / COST_OF_SAME_INPUT)));
}

/** Nothing where the owner asks for something else now, or where it was quiet. */
function paceOf(unit: Unit): Pace | undefined {
  const pace = unit.ext.memory.get(keyOf(unit)) as Pace | undefined; // Only this file puts something there.
  if (pace === undefined || pace.generation !== unit.owner.metadata.generation) return undefined;
  return unit.pass.clock.now() - pace.lastMs > QUIET_MS ? undefined : pace;
}

function keyOf({ dependent }: Unit): string {
  return `${dependent.name}: pace`;
}

/** What `desired` is made of, as far as it can be told: a new answer to a new question is no contest. */
function seenBy(unit: Unit): string {
  const { labels, annotations } = unit.owner.metadata;
  const { reads, dependents, vars } = inputsOf(unit);
  try {
    return digestOf([labels, annotations, versionsIn(reads), versionsIn(dependents), vars]);
  } catch {
    return ""; // What a step handed over need not be JSON.
  }
}

function versionsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(versionsIn);
  if (typeof value !== "object" || value === null) return value;
  const { metadata } = value as Partial<KubernetesObject>;
  if (metadata?.uid !== undefined) return [metadata.uid, metadata.resourceVersion];
  return Object.entries(value).map(([key, member]) => [key, versionsIn(member)]);
}
