/** The examples of the repository as programs, for tests of what is generated of them. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoadedProgram, loadProgram } from "@treadle/controller/unstable/program";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../src/generate/manifest.ts";
import { type Operator, operatorOf, type OperatorOptions } from "../src/generate/operator.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "examples");

/** The names of the examples that are one operator. The demo shows two of the others. */
export const EXAMPLE_NAMES: readonly string[] = readdirSync(EXAMPLES).filter((name) => moduleOf(name) !== undefined && name !== "demo");

/** The module that a user names: the one that starts the manager. */
function moduleOf(name: string): string | undefined {
  return ["main.ts", "controller.ts"].map((file) => join(EXAMPLES, name, file)).find((file) => existsSync(file));
}

/** Loads an example. A module starts its manager once in a process, so a copy with another path is loaded. */
async function loadExample(name: string): Promise<LoadedProgram> {
  const folder = mkdtempSync(join(import.meta.dirname, "..", ".results-example-"));
  try {
    mkdirSync(folder, { recursive: true });
    const text = readFileSync(moduleOf(name) ?? "", "utf8").replaceAll(/from "\.\//g, `from "${join(EXAMPLES, name)}/`);
    writeFileSync(join(folder, "main.ts"), text);
    return await loadProgram(join(folder, "main.ts"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns an example as an operator. */
export async function exampleOperator(name: string, options: Partial<OperatorOptions> = {}): Promise<Operator> {
  return operatorOf(await loadExample(name), { name, module: "main.ts", image: `registry.example.com/${name}:1.2.3`, ...options });
}

/** The objects in the files of an example: those of its users, and `rbac.yaml`. */
export function filesOf(name: string): ReadonlyMap<string, readonly Manifest[]> {
  const folder = join(EXAMPLES, name, "manifests");
  if (!existsSync(folder)) return new Map();
  return new Map(readdirSync(folder).map((file) => [file, parsed(readFileSync(join(folder, file), "utf8"))]));
}

/** The objects in a text of YAML. */
export function parsed(text: string): readonly Manifest[] {
  // Files of the repository and of the programs have manifests only.
  return parseAllDocuments(text).flatMap((each) => (each.toJS() as Manifest | null) ?? []);
}
