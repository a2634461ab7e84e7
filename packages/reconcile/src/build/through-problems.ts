/** Finds the problems of reads that go through other reads: the first one is missing, or the reads form a circle. */
import type { AnyRead } from "../reads.ts";

/** Returns the problems of the reads of a step, each with its fix. `where` names the step. */
export function throughProblems(where: string, reads: Readonly<Record<string, AnyRead>>): string[] {
  const names = new Map(Object.entries(reads).map(([name, read]) => [read, name] as const));
  const reported = new Set<string>();
  return Object.entries(reads).flatMap(([name, read]) => {
    const chain = [name];
    for (let next = throughOf(read); next !== undefined; next = throughOf(next)) {
      const named = names.get(next);
      // The problem belongs to the last read of the chain that is in the list; it reports it itself.
      if (named === undefined)
        return chain.length > 1
          ? []
          : [
              `${where}: reads.${name} goes through a read of ${next.kind?.kind} that is not in the reads of this step: add it there, as in reads: { first, ${name}: one(..., through(first, ...)) }`,
            ];
      if (chain.includes(named)) return circle(chain.slice(chain.indexOf(named)));
      chain.push(named);
    }
    return [];
  });

  function circle(chain: readonly string[]): string[] {
    const members = chain.toSorted().join(", ");
    if (reported.has(members)) return [];
    reported.add(members);
    const path = [...chain, chain[0]].map((each) => `reads.${each}`).join(" -> ");
    return [`${where}: reads go through each other in a circle (${path}): let the primary name one of these objects`];
  }
}

function throughOf(read: AnyRead | undefined): AnyRead | undefined {
  return read?.type === "one" ? read.through : undefined;
}
