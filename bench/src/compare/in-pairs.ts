/** Measures both sides in turns: the one that is first in a round is second in the next. */
import type { Measured } from "../measures.ts";
import { inTurn } from "../plan.ts";
import { type Pairs, type Side, SIDES } from "./verdict.ts";

export interface PairsOptions {
  readonly rounds: number;
  readonly log: (line: string) => void;
  /** After so long no further round begins once there are three. @defaultValue all rounds run */
  readonly lateMs?: number;
  /** Milliseconds since some point in time. @defaultValue the clock of the process */
  readonly now?: () => number;
}

/** A median of fewer pairs is that of one disturbance. */
const LEAST_ROUNDS = 3;

export async function inPairs(options: PairsOptions, measure: (side: Side) => Promise<Measured>): Promise<Pairs> {
  const { rounds, log, lateMs = Number.POSITIVE_INFINITY, now = () => performance.now() } = options;
  const measured: Record<Side, Measured[]> = { old: [], new: [] };
  const startedAt = now();
  for (let round = 0; round < rounds; round++) {
    if (round >= LEAST_ROUNDS && now() - startedAt > lateMs) {
      log(`the machine is slow: ${round} rounds instead of ${rounds}`);
      break;
    }
    for (const side of inTurn(SIDES, round)) {
      const found = await measure(side);
      measured[side].push(found);
      const numbers = Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(2)}`);
      log(`round ${round + 1} of ${rounds}, ${side}: ${numbers.join(", ")}`);
    }
  }
  return measured;
}
