/** Go programs of the modules beside this folder. Go keeps what it compiled, so a second build takes seconds. */
import { capture } from "../../src/run.ts";
import { join, resolve } from "node:path";

const modules: string = resolve(import.meta.dirname, "..");

/** Builds the test program of a package, or with `isProgram` its main program, to `file`. @throws Error with the compiler's output */
export async function build(module: "clients" | "kubernetes", packageName: string, file: string, isProgram = false): Promise<void> {
  const args = isProgram ? ["build", "-o", file, packageName] : ["test", "-c", "-o", file, packageName];
  const { code, output } = await capture("go", args, { cwd: join(modules, module) });
  if (code !== 0) throw new Error(`go ${args.join(" ")} in ${join(modules, module)} ended with ${code}:\n${output}`);
}

/** Where the sources of a package are: tests find their files from there. */
export async function folderOf(module: "clients" | "kubernetes", packageName: string): Promise<string> {
  const { code, output } = await capture("go", ["list", "-f", "{{.Dir}}", packageName], { cwd: join(modules, module) });
  if (code !== 0) throw new Error(`go list ${packageName} ended with ${code}:\n${output}`);
  return output.trim().split("\n").at(-1) ?? "";
}
