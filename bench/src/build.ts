/** Makes the operators: of Treadle what an image has (compiled packages, plain JavaScript), of others what their tools build. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { buildOperator } from "@treadle/build";

const bench = resolve(import.meta.dirname, "..");
const dist = join(bench, "dist");

/**
 * Builds the operator of a checkout, with the packages of that checkout.
 * @param checkout this one when absent
 * @returns the program to be given to node
 */
export function buildTreadle(checkout: string = resolve(bench, "..")): string {
  const dist = join(checkout, "bench", "dist");
  execFileSync("turbo", ["run", "build", "--filter=treadle", "--output-logs=errors-only"], { cwd: checkout, stdio: "inherit" });
  mkdirSync(dist, { recursive: true });
  for (const name of ["kinds", "slices", "stacks", "treadle"]) {
    const file = join(checkout, "bench", "src", "operators", `${name}.ts`);
    // An older checkout has fewer of them.
    if (!existsSync(file)) continue;
    const source = readFileSync(file, "utf8");
    writeFileSync(join(dist, `${name}.js`), stripTypeScriptTypes(source).replaceAll('.ts";', '.js";'));
  }
  return join(dist, "treadle.js");
}

/** One operator in plain JavaScript, which needs nothing but its own packages. @returns the program to be given to node */
export function buildClientNode(): string {
  mkdirSync(dist, { recursive: true });
  const program = join(dist, "client-node.js");
  writeFileSync(program, stripTypeScriptTypes(readFileSync(join(bench, "src", "operators", "client-node.ts"), "utf8")));
  return program;
}

/** The same as `treadle-build` makes it for production. @returns the program to be given to node */
export async function buildBuilt(): Promise<string> {
  const { program } = await buildOperator({ entry: join("src", "operators", "treadle.ts"), cwd: bench, out: join("dist", "built") });
  return program;
}

/** @returns the program. Its first build takes some minutes; Go keeps what it compiled. */
export function buildControllerRuntime(): string {
  mkdirSync(dist, { recursive: true });
  const program = join(dist, "controller-runtime");
  execFileSync("go", ["build", "-trimpath", "-o", program, "."], { cwd: join(bench, "peers", "controller-runtime"), stdio: "inherit" });
  return program;
}
