/** The programs that render: the Go package of each, and the version that its go.mod pins. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** One program of one version. */
export interface Rendering {
  /** The folder with its go.mod, below `modules/`. */
  readonly id: "helm" | "helm3" | "kustomize";
  /** The name of its file. */
  readonly name: "helm" | "kustomize";
  readonly module: string;
  /** Go package with its `main`; the `tool` of go.mod. */
  readonly package: string;
  /** The variable of the linker that has the version. */
  readonly versionVariable: string;
  /** The environment variable that names the file for tests. Those of Helm 4 and Kustomize are those of the generators. */
  readonly variable: string;
}

/** In the order in which they are built. */
export const renderers: readonly Rendering[] = [
  {
    id: "helm",
    name: "helm",
    module: "helm.sh/helm/v4",
    package: "helm.sh/helm/v4/cmd/helm",
    versionVariable: "helm.sh/helm/v4/internal/version.version",
    variable: "TREADLE_HELM",
  },
  {
    id: "kustomize",
    name: "kustomize",
    module: "sigs.k8s.io/kustomize/kustomize/v5",
    package: "sigs.k8s.io/kustomize/kustomize/v5",
    versionVariable: "sigs.k8s.io/kustomize/api/provenance.version",
    variable: "TREADLE_KUSTOMIZE",
  },
  {
    id: "helm3",
    name: "helm",
    module: "helm.sh/helm/v3",
    package: "helm.sh/helm/v3/cmd/helm",
    versionVariable: "helm.sh/helm/v3/internal/version.version",
    variable: "TREADLE_HELM3",
  },
];

/** The folder of go.mod and go.sum of a program. */
export function moduleDir({ id }: Rendering): string {
  return resolve(import.meta.dirname, "..", "modules", id);
}

/** Returns the pinned version, e.g. `v4.3.1`. @throws when go.mod does not require the module */
export function pinnedVersion(program: Rendering): string {
  const path = join(moduleDir(program), "go.mod");
  const line = readFileSync(path, "utf8")
    .split("\n")
    .map((text) => text.replace(/^require\s/, "").trim())
    .find((text) => text.startsWith(`${program.module} v`));
  const version = line?.split(" ")[1];
  if (version === undefined) throw new Error(`${path} does not require ${program.module}: run \`main.ts pin ${program.id} VERSION\``);
  return version;
}
