/** A gate for versions. */
import { createRequire } from "node:module";
import type { CombinedGate } from "@treadle/apimachinery";
import type * as semver from "semver";
import { nameOfAnswer } from "../core/ask.ts";

/**
 * Makes a gate that holds if the version that `of` returns is in `range`, a range of npm such as `">=1.2 <2"`.
 *
 * A pre-release counts as the release that it precedes: `2.0.0-rc.1` is not in `"<2"`. A bound that names a pre-release is compared
 * exactly: `2.0.0-beta.1` is not in `">=2.0.0-rc.1"`. No version, and a text that is no version, is not known.
 *
 * @throws TypeError when `range` is not a range
 */
export function version<A, B, C>(of: (a: A, b: B, c: C) => string | undefined, range: string): CombinedGate<A, B, C> {
  if (typeof of !== "function") throw new TypeError("version: the first argument must be a function that returns a version");
  // Loaded here, because most operators have no gate for versions.
  const { parse, Range } = createRequire(import.meta.url)("semver") as typeof semver;
  const bounds = rangeOf(range, Range);
  return (...args) => {
    // A caller passes as many arguments as its gate has parameters.
    const text: unknown = of(...(args as unknown as readonly [A, B, C]));
    if (text === undefined || text === null) return undefined;
    if (typeof text !== "string")
      throw new TypeError(`version: the function returned ${nameOfAnswer(text)}, but must return a version as text`);
    const exact = parse(text);
    if (exact === null) return undefined;
    const release = parse(`${exact.major}.${exact.minor}.${exact.patch}`) ?? exact;
    return bounds.set.some((all) => all.every((bound) => bound.test(isPrerelease(bound.semver) ? exact : release)));
  };
}

function rangeOf(range: unknown, Range: typeof semver.Range): semver.Range {
  if (typeof range === "string" && range.trim() !== "") {
    try {
      return new Range(range);
    } catch {
      // Reported below, with the fix.
    }
  }
  throw new TypeError(`version: ${JSON.stringify(range)} is not a range of versions: write it as npm does, such as ">=1.2 <2"`);
}

/** A bound without a version, `*`, has none to compare. */
function isPrerelease(bound: { readonly prerelease?: readonly unknown[] }): boolean {
  return bound.prerelease !== undefined && bound.prerelease.length > 0;
}
