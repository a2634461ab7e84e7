/** Compares the objects of a component with files that people have reviewed. For tests that run in vitest. */
import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { PreviewOptions } from "../preview.ts";
import type { AnyComponent, ComponentStep } from "../types.ts";
import { type GoldenCases, goldenPlanOf, staleGoldens } from "./golden-plan.ts";

/** Options of {@link expectGoldens}. The values for previews count for all cases; a case can replace each of them. */
export interface GoldenOptions<Owner, V extends object = Readonly<Record<string, unknown>>> extends PreviewOptions<V> {
  /** The cases, in the order in which they name the files. */
  readonly cases: GoldenCases<Owner, V>;
  /** The folder of the files, relative to the test file. @defaultValue "goldens" */
  readonly dir?: string;
}

/**
 * Compares the objects of a component with golden files: `toYaml(component.preview(object))`, as a file snapshot of vitest. `vitest -u`
 * writes the files.
 *
 * Cases in which the same layers fire, for the same resources, share one file. The first of them gives its text, and its name:
 * `<component>.<case>.yaml`. The others are rendered, but not compared.
 *
 * The test fails for a file that differs, for a layer that no case fires, and for a file of the component in the folder that belongs
 * to no case. So call it once for each component and folder. Objects with
 * `created: false` are in no file.
 *
 * @throws TypeError for no cases, and for two cases of one name; Error for what makes the test fail
 */
export async function expectGoldens<T extends KubernetesObject, N extends object, P extends object, C extends string, W>(
  component: ComponentStep<T, N, P, C, W>,
  options: GoldenOptions<T | W, N & P>,
): Promise<void> {
  const { cases, dir = "goldens", ...shared } = options;
  const plan = goldenPlanOf(component as AnyComponent, cases as GoldenCases<unknown>, shared as PreviewOptions);
  // Other exports of this module also work without vitest.
  const { expect } = await import("vitest");
  const { testPath } = expect.getState();
  if (testPath === undefined) throw new TypeError("expectGoldens: call it in a test of vitest");
  const folder = resolve(dirname(testPath), dir);
  const stale = staleGoldens(component.name, plan, await namesIn(folder));
  const problems = [...plan.problems, ...stale.map((name) => `${join(dir, name)} belongs to no case: delete it`)];
  const differing: { readonly name: string; readonly error: Error }[] = [];
  for (const [name, text] of plan.files) {
    try {
      await expect(text, join(dir, name)).toMatchFileSnapshot(join(folder, name));
    } catch (error) {
      differing.push({ name, error: error as Error }); // vitest throws errors only.
    }
  }
  const where = `goldens of component "${component.name}"`;
  const [first, ...others] = differing;
  if (first === undefined) {
    if (problems.length > 0) throw new Error(`${where}: ${problems.join("; ")}`);
    return;
  }
  // The error has the difference, which vitest shows.
  const more = [...others.map(({ name }) => `${join(dir, name)} differs, too`), ...problems];
  first.error.message = `${where}: ${first.error.message}; ${[...more, "if the objects are right, run vitest -u"].join("; ")}`;
  throw first.error;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
