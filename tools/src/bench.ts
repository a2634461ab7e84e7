/**
 * `npm run bench -- NAME...`: runs the programs of `bench/`, `packages/*\/bench/` and `examples/*\/bench/` of that name, or where there
 * is none those whose path contains it, one after the other (never two at once: they measure). `.` is in the path of each. Without a name
 * it lists them. Files in subfolders are helpers. What follows from the first argument with `--` on is given to each program.
 * All arguments after `compare` are given to it: they are commits.
 */
import { globSync } from "node:fs";
import { run } from "./run.ts";
import { root } from "./workspaces.ts";

const given = process.argv.slice(2);
const firstOption = given.findIndex((argument) => argument.startsWith("--"));
const names = given[0] === "compare" ? ["compare"] : firstOption === -1 ? given : given.slice(0, firstOption);
const options = given.slice(names.length);
const all = globSync(["bench/*.ts", "packages/*/bench/*.ts", "examples/*/bench/*.ts"], { cwd: root })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.endsWith(".test.ts"))
  .toSorted();
const programs = names.length === 0 ? all : all.filter((path) => names.some((name) => isMeant(path, name)));
if (names.length === 0) {
  console.log(["which ones? `npm run bench -- NAME...` runs those whose path contains a name:", ...programs].join("\n  "));
  process.exit();
}
if (programs.length === 0) {
  console.error(`there is no benchmark whose path contains ${names.join(" or ")}`);
  process.exit(1);
}

const failed: string[] = [];
for (const program of programs) {
  console.log(`--- ${program}`);
  if ((await run(process.execPath, [...process.execArgv, program, ...options])) !== 0) failed.push(program);
}
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** A name is that of a program, or a part of the path where no program has that name. */
function isMeant(path: string, name: string): boolean {
  const isNamed = !name.includes("/") && all.some((each) => each.endsWith(`/${name}.ts`));
  return isNamed ? path.endsWith(`/${name}.ts`) : path.includes(name);
}
