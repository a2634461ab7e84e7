/** Go programs of the modules beside this folder, built once for each state of their sources. */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { capture } from "../../src/run.ts";

const modules: string = resolve(import.meta.dirname, "..");

/** With them Go finds again what it compiled for the control plane, the standard library above all. */
const LIKE_CONTROL_PLANE = { flags: ["-trimpath", "-buildvcs=false"], env: { CGO_ENABLED: "0" } } as const;

/** Builds the test program of a package, or with `isProgram` its main program, to `file`. @throws Error with the compiler's output */
export async function build(module: "clients" | "kubernetes", packageName: string, file: string, isProgram = false): Promise<void> {
  const args = [...(isProgram ? ["build"] : ["test", "-c"]), ...LIKE_CONTROL_PLANE.flags, "-o", file, packageName];
  // Go would find out as well, in some ten seconds for each, and where its own cache is gone compile for minutes.
  const record = `${file}.made-of`;
  const sources = digestOf(join(modules, module), args);
  if (existsSync(file) && existsSync(record) && readFileSync(record, "utf8") === sources) return;
  rmSync(record, { force: true });
  const { code, output } = await capture("go", args, { cwd: join(modules, module), env: { ...process.env, ...LIKE_CONTROL_PLANE.env } });
  if (code !== 0) throw new Error(`go ${args.join(" ")} in ${join(modules, module)} ended with ${code}:\n${output}`);
  writeFileSync(record, sources);
}

/** Of all that a program is made of: what is in other modules is in go.sum. */
function digestOf(dir: string, args: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify([process.platform, process.arch, args]));
  for (const name of globSync("{go.mod,go.sum,**/*.go}", { cwd: dir }).toSorted()) hash.update(name).update(readFileSync(join(dir, name)));
  return hash.digest("hex");
}

/** Where the sources of a package are: tests find their files from there. */
export async function folderOf(module: "clients" | "kubernetes", packageName: string): Promise<string> {
  const { code, output } = await capture("go", ["list", "-f", "{{.Dir}}", packageName], { cwd: join(modules, module) });
  if (code !== 0) throw new Error(`go list ${packageName} ended with ${code}:\n${output}`);
  return output.trim().split("\n").at(-1) ?? "";
}
