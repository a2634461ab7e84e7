/** Writes go.mod and go.sum for a version of a program; the result is committed. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../../src/run.ts";
import { moduleDir, type Rendering, renderers } from "./catalog.ts";

/** Pins a program. @throws when the version does not exist or its dependencies cannot be resolved; go.mod may then be half done */
export async function pin(id: string, version: string): Promise<void> {
  const program = renderers.find((each) => each.id === id);
  if (program === undefined) throw new Error(`there is no program ${id}: there are ${renderers.map((each) => each.id).join(", ")}`);
  if (!/^v\d+\.\d+\.\d+$/.test(version)) throw new Error(`${JSON.stringify(version)} is not a version such as v4.3.1`);
  const go = /^go (\S+)/m.exec(await goModOf(program, version))?.[1];
  if (go === undefined) throw new Error(`go.mod of ${program.module} ${version} is not understood`);
  const dir = moduleDir(program);
  const text = [
    "// Written by `main.ts pin`; the programs are those of src/catalog.ts.",
    "module treadle.dev/programs",
    `go ${go}`,
    `tool ${program.package}`,
    `require ${program.module} ${version}`,
  ];
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "go.mod"), `${text.join("\n\n")}\n`);
  writeFileSync(join(dir, "go.sum"), "");
  const { code, output } = await capture("go", ["mod", "tidy"], { cwd: dir });
  if (code !== 0) throw new Error(`go mod tidy ended with ${code}\n${output}`);
}

async function goModOf(program: Rendering, version: string): Promise<string> {
  const { code, output } = await capture("go", ["mod", "download", "-json", `${program.module}@${version}`], { cwd: moduleDir(program) });
  const path = /"GoMod": (".*")/.exec(output)?.[1];
  if (code !== 0 || path === undefined) throw new Error(`cannot get ${program.module} ${version}:\n${output}`);
  return readFileSync(JSON.parse(path) as string, "utf8"); // a path is a string
}
