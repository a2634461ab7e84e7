/** What is built: the Go package of each program, and the versions that go.mod pins. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Program {
  /** Name of the binary, as the envtest convention has it. */
  readonly name: string;
  /** Go package with its `main`; a `tool` of go.mod, so that `go mod tidy` keeps what it needs. */
  readonly package: string;
}

/** In the order in which they are built: what a plain API server needs comes first. */
export const programs: readonly Program[] = [
  { name: "etcd", package: "go.etcd.io/etcd/server/v3" },
  { name: "kube-apiserver", package: "k8s.io/kubernetes/cmd/kube-apiserver" },
  { name: "kubectl", package: "k8s.io/kubernetes/cmd/kubectl" },
  { name: "kube-controller-manager", package: "k8s.io/kubernetes/cmd/kube-controller-manager" },
];

const KUBERNETES = "k8s.io/kubernetes";
const current = resolve(import.meta.dirname, "..");
const older = join(current, "versions");

/** The versions of Kubernetes that can be built: the current one, which is the default, then those kept beside it. */
export function kubernetesVersions(): readonly string[] {
  return [pinnedVersion(KUBERNETES), ...(existsSync(older) ? readdirSync(older).toSorted() : [])];
}

/** @param name as in `v1.30.14`, `1.30.14` or `1.30`. @defaultValue the current one. @throws Error when it is none of them, with those that there are */
export function kubernetesVersion(name?: string): string {
  const versions = kubernetesVersions();
  const text = name === undefined ? versions[0] : `v${name.replace(/^v/, "")}`;
  const version = versions.find((each) => each === text || each.startsWith(`${text}.`));
  if (version === undefined)
    throw new Error(`Kubernetes ${name} is not pinned: there are ${versions.join(", ")}; \`main.ts add VERSION\` pins another`);
  return version;
}

/** The folder of go.mod and go.sum of a version as {@link kubernetesVersions} has it. */
export function moduleDir(kubernetes?: string): string {
  return kubernetes === undefined || kubernetes === pinnedVersion(KUBERNETES) ? current : join(older, kubernetes);
}

/** @returns e.g. `v1.36.3`. @throws Error when go.mod in `dir` does not require `module`. */
export function pinnedVersion(module: string, dir: string = current): string {
  const path = join(dir, "go.mod");
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
