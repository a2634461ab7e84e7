/** Minimises a failing sequence: removes operations, then parts of their bodies. */
import type { Operation } from "./generate.ts";

/** Limit of tries, because each one is a run on both servers. */
const MOST_TRIES = 150;

/** Minimises a sequence. `fails` reports whether a sequence still shows the difference. */
export async function minimise(
  operations: readonly Operation[],
  fails: (operations: readonly Operation[]) => Promise<boolean>,
): Promise<readonly Operation[]> {
  let best = operations;
  let tries = 0;
  for (let i = 0; i < best.length && tries < MOST_TRIES; ) {
    const shorter = best.toSpliced(i, 1);
    tries++;
    if (shorter.length > 0 && (await fails(shorter))) best = shorter;
    else i++;
  }
  for (let changed = true; changed && tries < MOST_TRIES; ) {
    changed = false;
    for (const candidate of smaller(best)) {
      if (tries++ >= MOST_TRIES) break;
      if (!(await fails(candidate))) continue;
      best = candidate;
      changed = true;
      break;
    }
  }
  return best;
}

/** Returns each sequence with one member or item less. */
function* smaller(operations: readonly Operation[]): Generator<readonly Operation[]> {
  for (const [i, operation] of operations.entries()) {
    for (const body of without(operation.body)) yield operations.with(i, { ...operation, body });
  }
}

function* without(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) yield value.toSpliced(i, 1);
    for (const [i, item] of value.entries()) for (const less of without(item)) yield value.with(i, less);
  } else if (typeof value === "object" && value !== null) {
    const members = Object.entries(value);
    for (const [key] of members) yield Object.fromEntries(members.filter(([other]) => other !== key));
    for (const [key, member] of members) for (const less of without(member)) yield { ...value, [key]: less };
  }
}
