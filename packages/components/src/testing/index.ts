/**
 * `@treadle/components/testing`: components in tests, without a cluster. `expectGoldens()` needs vitest.
 */
export { expectGoldens, type GoldenOptions } from "./expect-goldens.ts";
export type { GoldenCase, GoldenCases, NamedGoldenCase } from "./golden-plan.ts";
export { toYaml } from "./to-yaml.ts";
