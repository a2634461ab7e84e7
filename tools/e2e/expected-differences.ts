/** Which differences between the in-memory server and the real one are known, each with its reason. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A difference as the comparers write them down with `--json`. */
export interface Difference {
  readonly name: string;
  readonly request: string;
  readonly parts: readonly { readonly path: string }[];
}

export interface ExpectedDifference {
  /** The comparison. */
  readonly of: string;
  /** The scenario and the step in it; with `*` at its end, all that begin so. */
  readonly name: string;
  readonly request?: string;
  /** Of the answer; every part whose path begins so. */
  readonly path: string;
  readonly because: string;
  /** It depends on time, or on the order in which the real server does two things: that it is not found is no problem. @defaultValue false */
  readonly isOccasional?: boolean;
}

/** What of `found` is not expected, and what is expected and was not found, one sentence each. */
export function differenceProblems(of: string, found: unknown, expected: readonly ExpectedDifference[] = listed()): readonly string[] {
  if (!Array.isArray(found)) return [`${of}: the list of differences is no list`];
  const relevant = expected.filter((each) => each.of === of);
  const met = new Set<ExpectedDifference>();
  const news: string[] = [];
  for (const { name, request, parts } of found as readonly Difference[]) {
    const unknown = parts.filter(({ path }) => {
      const known = relevant.filter(
        (each) => fits(each.name, name) && (each.request === undefined || each.request === request) && path.startsWith(each.path),
      );
      for (const each of known) met.add(each);
      return known.length === 0;
    });
    if (unknown.length > 0) news.push(`${of}: ${name} (${request}) differs at ${unknown.map(({ path }) => path).join(", ")}`);
  }
  const stale = relevant.filter((each) => !met.has(each) && each.isOccasional !== true);
  return [...news, ...stale.map(({ name, path }) => `${of}: ${name} does not differ at ${path} any more: take it from the list`)];
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function listed(): readonly ExpectedDifference[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "expected-differences.json"), "utf8"));
}
