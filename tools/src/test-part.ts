/**
 * Decides which part of the long tests runs. `npm run test:long` runs all of them. `npm test` runs a random part, chosen by a seed that is
 * printed and that `TREADLE_TEST_SEED` overrides. vitest.config.ts loads this file before each test file.
 *
 * - A test with the tag `long` runs whole or not at all.
 * - A test with the tag `part` always runs, and asks `part` of its context how much it does.
 */

/** One of so many long tests, and of the cases of a test with a part, is in the random part. */
const ONE_OF = 8;

/** The part of a test that this run does. */
export interface TestPart {
  /** Whether the test does everything, as in `npm run test:long` and on a real server. */
  readonly isWhole: boolean;
  /** Parameters of `fc.assert`: all runs with a new seed, or an eighth of them with the seed of this call of `npm test`. */
  runs(whole: number): { readonly numRuns: number; readonly seed?: number };
  /** Whether a case is in the part. `oneOf` is the share of the cases; 8 when absent. */
  has(name: string, oneOf?: number): boolean;
  /** The filter `points` of `explore()`: all of them, or the first and an eighth of the others. */
  points(point: { readonly id: string }): boolean;
  /** All cases, or one of them. */
  pick<T>(cases: readonly T[]): readonly T[];
}

declare module "vitest" {
  interface ProvidedContext {
    /** `isWhole` and `seed` of vitest.config.ts. */
    readonly part: { readonly isWhole: boolean; readonly seed: number };
  }
  interface TestContext {
    /** The part of this test that this run does, for tests with the tag `part`. */
    part: TestPart;
  }
}

/** Makes the part of a run. The same seed and name always give the same answer, on each machine and in each order of tests. */
export function testPart({ isWhole, seed }: { readonly isWhole: boolean; readonly seed: number }): TestPart {
  const has: TestPart["has"] = (name, oneOf = ONE_OF) => isWhole || hash(`${seed} ${name}`) % oneOf === 0;
  return {
    isWhole,
    has,
    points: ({ id }) => id === "crash@0" || has(id),
    runs: (whole) => (isWhole ? { numRuns: whole } : { numRuns: Math.ceil(whole / ONE_OF), seed }),
    pick: (cases) => (isWhole ? cases : cases.slice(seed % cases.length).slice(0, 1)),
  };
}

/** FNV-1a with a final mix, so that names which differ in one digit are spread. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
