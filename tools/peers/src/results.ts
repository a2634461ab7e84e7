/** What a Ginkgo suite found before each server, and where the one in memory does not do what the real one does. */

/** `passed`, or why not; what did not run has no entry. */
export type Results = ReadonlyMap<string, string>;

/** A spec that is known to end otherwise in memory. */
export interface KnownDifference {
  /** Of the suite. */
  readonly of: string;
  /** Of the spec; with `*` at its end, of all that begin so. */
  readonly name: string;
  readonly because: string;
}

export interface Comparison {
  /** Passed before both servers. */
  readonly agreed: readonly string[];
  /** Passed before the real one only. */
  readonly differ: readonly string[];
  /** Did not pass before the real one: they need what neither server has, and say nothing. */
  readonly uncounted: readonly string[];
}

interface Spec {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** Reads a report of `--ginkgo.json-report`. @throws Error when it is none. */
export function readReport(text: string): Results {
  const suites = JSON.parse(text) as readonly { readonly SpecReports: readonly Spec[] | null }[]; // as Ginkgo writes it
  if (!Array.isArray(suites)) throw new Error("the report of the suite is no list");
  const results = new Map<string, string>();
  for (const spec of suites.flatMap((suite) => suite.SpecReports ?? [])) {
    if (spec.LeafNodeType !== "It" || spec.State === "skipped" || spec.State === "pending") continue;
    const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" ");
    results.set(name, spec.State === "passed" ? "passed" : `${spec.State}: ${spec.Failure?.Message ?? ""}`);
  }
  return results;
}

export function compareResults(real: Results, memory: Results): Comparison {
  const names = [...real.keys()].toSorted();
  const passed = names.filter((name) => real.get(name) === "passed");
  return {
    agreed: passed.filter((name) => memory.get(name) === "passed"),
    differ: passed.filter((name) => memory.get(name) !== "passed"),
    uncounted: names.filter((name) => real.get(name) !== "passed"),
  };
}

/** What differs and is not known, and what is known and does not differ any more, one sentence each. */
export function resultProblems(of: string, { agreed, differ }: Comparison, known: readonly KnownDifference[]): readonly string[] {
  if (agreed.length === 0) return [`${of}: no spec passed before both servers`];
  const relevant = known.filter((each) => each.of === of);
  const news = differ.filter((name) => !relevant.some((each) => fits(each.name, name)));
  const stale = relevant.filter((each) => !differ.some((name) => fits(each.name, name)) && agreed.some((name) => fits(each.name, name)));
  return [
    ...news.map((name) => `${of}: "${name}" passes before the real server only`),
    ...stale.map(({ name }) => `${of}: "${name}" passes before both servers: take it from the list`),
  ];
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
