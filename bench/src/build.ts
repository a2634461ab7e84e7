/** Makes the operators: of Treadle what an image has (compiled packages, plain JavaScript), of others what their tools build. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";

const bench = resolve(import.meta.dirname, "..");

/** @returns the program to be given to node */
export function buildTreadle(): string {
  execFileSync("tsc", ["-b", "packages/treadle"], { cwd: resolve(bench, ".."), stdio: "inherit" });
  const dist = join(bench, "dist");
  mkdirSync(dist, { recursive: true });
  for (const name of ["kinds", "treadle"]) {
    const source = readFileSync(join(bench, "operators", `${name}.ts`), "utf8");
    writeFileSync(join(dist, `${name}.js`), stripTypeScriptTypes(source).replaceAll('.ts";', '.js";'));
  }
  return join(dist, "treadle.js");
}

/** @returns the program. Its first build takes some minutes; Go keeps what it compiled. */
export function buildControllerRuntime(): string {
  const program = join(bench, "dist", "controller-runtime");
  execFileSync("go", ["build", "-trimpath", "-o", program, "."], { cwd: join(bench, "peers", "controller-runtime"), stdio: "inherit" });
  return program;
}
