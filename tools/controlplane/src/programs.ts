/** What is built: the Go package of each program, and the versions that go.mod pins. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Program {
  /** Name of the binary, as the envtest convention has it. */
  readonly name: string;
  /** Go package with its `main`; a `tool` of go.mod, so that `go mod tidy` keeps what it needs. */
  readonly package: string;
}

/** The folder of go.mod and go.sum. */
export const moduleDir: string = resolve(import.meta.dirname, "..");

/** In the order in which they are built: what a plain API server needs comes first. */
export const programs: readonly Program[] = [
  { name: "etcd", package: "go.etcd.io/etcd/server/v3" },
  { name: "kube-apiserver", package: "k8s.io/kubernetes/cmd/kube-apiserver" },
  { name: "kubectl", package: "k8s.io/kubernetes/cmd/kubectl" },
  { name: "kube-controller-manager", package: "k8s.io/kubernetes/cmd/kube-controller-manager" },
  { name: "kube-scheduler", package: "k8s.io/kubernetes/cmd/kube-scheduler" },
];

/** @returns e.g. `v1.36.3`. @throws when go.mod does not require `module`. */
export function pinnedVersion(module: string): string {
  const path = join(moduleDir, "go.mod");
  const line = readFileSync(path, "utf8")
    .split("\n")
    .map((text) => text.replace(/^require\s/, "").trim())
    .find((text) => text.startsWith(`${module} v`));
  const version = line?.split(" ")[1];
  if (version === undefined) throw new Error(`${path} does not require ${module}: run \`main.ts pin VERSION\``);
  return version;
}

/** File name of a program in `dir`, which depends on the platform. */
export function binaryPath(dir: string, name: string): string {
  return join(dir, process.platform === "win32" ? `${name}.exe` : name);
}

/** The programs that `dir` lacks, by name. */
export function missingPrograms(dir: string, names: readonly string[] = programs.map(({ name }) => name)): string[] {
  return names.filter((name) => !existsSync(binaryPath(dir, name)));
}
