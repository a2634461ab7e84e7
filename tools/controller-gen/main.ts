/**
 * Records what controller-gen makes of the types in `api/v1`, for `packages/treadle/test/controller-gen.test.ts`. Run it after a step to
 * another Kubernetes (`go get k8s.io/api@VERSION sigs.k8s.io/controller-tools@VERSION && go mod tidy` in this folder). It needs Go 1.26:
 *
 *     node --conditions=@treadle/source tools/controller-gen/main.ts
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { parse } from "yaml";
import { pinnedVersion } from "../controlplane/src/programs.ts";
import { root } from "../src/workspaces.ts";

const GROUP = "batch.tutorial.kubebuilder.io";

const complete = generated("crd", "cronjobs");
// Without descriptions, and with the metadata of templates, which controller-gen leaves out by default.
const options = "crd:generateEmbeddedObjectMeta=true,maxDescLen=0";
const crds = { cronJob: generated(options, "cronjobs").crd, shapes: generated(options, "shapes").crd };
const recorded = {
  kubernetes: pinnedVersion("k8s.io/api", import.meta.dirname),
  controllerGen: pinnedVersion("sigs.k8s.io/controller-tools", import.meta.dirname),
  cronJobBytes: { json: JSON.stringify(complete.crd).length, yaml: complete.yaml.length },
  crds: brotliCompressSync(JSON.stringify(crds)).toString("base64"),
};
writeFileSync(join(root, "packages/treadle/test/controller-gen.json"), `${JSON.stringify(recorded, null, 2)}\n`);

function generated(generator: string, plural: string): { readonly yaml: string; readonly crd: unknown } {
  const dir = mkdtempSync(join(tmpdir(), "controller-gen-"));
  try {
    const args = ["tool", "controller-gen", generator, "paths=./api/...", `output:crd:dir=${dir}`];
    execFileSync("go", args, { cwd: import.meta.dirname, stdio: "inherit" });
    const yaml = readFileSync(join(dir, `${GROUP}_${plural}.yaml`), "utf8");
    return { yaml, crd: parse(yaml) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
