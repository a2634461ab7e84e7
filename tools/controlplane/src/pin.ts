/** Writes go.mod and go.sum for a version of Kubernetes; the result is committed. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../../src/run.ts";
import { moduleDir, programs } from "./programs.ts";

const KUBERNETES = "k8s.io/kubernetes";
const ETCD = "go.etcd.io/etcd/server/v3";

export interface PinOptions {
  /** Where go.mod and go.sum are written. @defaultValue where those of the current version are: it becomes the current one */
  readonly dir?: string;
  /** Told of what is pinned. @defaultValue nobody */
  readonly log?: (line: string) => void;
}

/**
 * Pins Kubernetes, the staging modules of that version, and the etcd that it was tested with.
 * @param version e.g. `v1.36.3`
 * @throws when the version does not exist or its dependencies cannot be resolved; go.mod may then be half done.
 */
export async function pin(version: string, { dir = moduleDir(), log = () => {} }: PinOptions = {}): Promise<void> {
  const [, minor] = /^v1\.(\d+\.\d+)$/.exec(version) ?? [];
  if (minor === undefined) throw new Error(`${JSON.stringify(version)} is not a version of Kubernetes such as v1.36.3`);
  const upstream = await goModOf(version);
  const go = /^go (\S+)/m.exec(upstream)?.[1];
  const etcd = /^\s*go\.etcd\.io\/etcd\/server\/v3 (\S+)/m.exec(upstream)?.[1];
  const staging = Array.from(upstream.matchAll(/^\s*(k8s\.io\/\S+) v0\.0\.0$/gm), ([, module = ""]) => module);
  if (go === undefined || etcd === undefined || staging.length === 0)
    throw new Error(`go.mod of ${KUBERNETES} ${version} is not understood`);
  log(`Kubernetes ${version} with etcd ${etcd} and ${staging.length} staging modules v0.${minor}, Go ${go}`);
  const text = [
    "// Written by `main.ts pin`; the programs are those of src/programs.ts.",
    "module treadle.dev/controlplane",
    `go ${go}`,
    ...programs.map((program) => `tool ${program.package}`),
    `require (\n\t${ETCD} ${etcd}\n\t${KUBERNETES} ${version}\n)`,
    "// Modules that are developed in Kubernetes' own repository, where they have no version.",
    `replace (\n${staging.map((module) => `\t${module} => ${module} v0.${minor}`).join("\n")}\n)`,
  ];
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "go.mod"), `${text.join("\n\n")}\n`);
  writeFileSync(join(dir, "go.sum"), "");
  const { code, output } = await capture("go", ["mod", "tidy"], { cwd: dir });
  if (code !== 0) throw new Error(`go mod tidy ended with ${code}\n${output}`);
}

async function goModOf(version: string): Promise<string> {
  const { code, output } = await capture("go", ["mod", "download", "-json", `${KUBERNETES}@${version}`], { cwd: moduleDir() });
  const path = /"GoMod": (".*")/.exec(output)?.[1];
  if (code !== 0 || path === undefined) throw new Error(`cannot get ${KUBERNETES} ${version}:\n${output}`);
  return readFileSync(JSON.parse(path) as string, "utf8"); // a path is a string
}
