import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultDir, obtainAssets } from "../controlplane/src/assets.ts";
import { kubernetesVersion, kubernetesVersions, moduleDir, pinnedVersion, programs } from "../controlplane/src/programs.ts";
import { builtByFakeGo, goThatMakesEmptyPrograms } from "./fake-go.ts";
import { root } from "./workspaces.ts";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "controlplane-test-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const fakeGo = (failing?: string): NodeJS.ProcessEnv => goThatMakesEmptyPrograms(dir, failing);
const built = (): string[] => builtByFakeGo(dir);

describe.skipIf(process.platform === "win32")("programs of the control plane", () => {
  test("are built once", async () => {
    const options = { dir: join(dir, "out"), env: fakeGo() };
    expect(await obtainAssets(options)).toBe(options.dir);
    await obtainAssets(options);
    expect(built()).toEqual(programs.map((program) => program.package));
    expect(readdirSync(options.dir).toSorted()).toEqual([...programs.map(({ name }) => name), "build.json"].toSorted());
  });

  test("are completed after a build that failed, which leaves nothing half done", async () => {
    const out = join(dir, "out");
    await expect(obtainAssets({ dir: out, env: fakeGo("kubectl") })).rejects.toThrow(/cannot build kubectl.*\n.*it does not compile/);
    expect(readdirSync(out).toSorted()).toEqual(["build.json", "etcd", "kube-apiserver"]);
    await obtainAssets({ dir: out, env: fakeGo() });
    expect(built()).toEqual(programs.map((program) => program.package));
  });

  test("are built again when they were made of other modules", async () => {
    const options = { dir: join(dir, "out"), env: fakeGo() };
    await obtainAssets(options);
    writeFileSync(join(options.dir, "build.json"), "{}");
    await obtainAssets(options);
    expect(built()).toHaveLength(2 * programs.length);
  });

  test("of each version are in a folder of their own", async () => {
    const older = kubernetesVersions()[1] ?? "";
    const env = { ...fakeGo(), TREADLE_CONTROLPLANE_DIR: join(dir, "out") };
    expect(await obtainAssets({ env, kubernetes: older })).toBe(join(dir, "out", older));
    expect(await obtainAssets({ env })).toBe(join(dir, "out"));
    for (const kubernetes of kubernetesVersions()) await obtainAssets({ env, kubernetes });
    expect(built()).toHaveLength(2 * programs.length);
  });

  test("of a version and those of KUBEBUILDER_ASSETS cannot both be wanted", async () => {
    const env = { ...fakeGo(), KUBEBUILDER_ASSETS: dir };
    await expect(obtainAssets({ env, kubernetes: "1.30" })).rejects.toThrow(/1\.30 is asked for, and KUBEBUILDER_ASSETS=.* unset one/);
    expect(built()).toEqual([]);
  });

  test("are taken from KUBEBUILDER_ASSETS, whatever else is said", async () => {
    for (const name of ["etcd", "kube-apiserver"]) writeFileSync(join(dir, name), "");
    const env = { ...fakeGo(), KUBEBUILDER_ASSETS: dir, TREADLE_CONTROLPLANE_DIR: join(dir, "other") };
    expect(await obtainAssets({ dir: join(dir, "out"), env })).toBe(dir);
    expect(built()).toEqual([]);
  });

  test("are never replaced by a build where KUBEBUILDER_ASSETS is wrong", async () => {
    const env = { ...fakeGo(), KUBEBUILDER_ASSETS: dir };
    await expect(obtainAssets({ env })).rejects.toThrow(`KUBEBUILDER_ASSETS=${dir}: no etcd, no kube-apiserver there`);
    expect(built()).toEqual([]);
  });

  test("cannot be built without Go, and the error says what to do", async () => {
    const result = obtainAssets({ dir: join(dir, "out"), env: { PATH: dir } });
    await expect(result).rejects.toThrow(/no `go` on PATH; install Go \d.* or set KUBEBUILDER_ASSETS/);
    expect(existsSync(join(dir, "out"))).toBe(false);
  });
});

test.for([
  {
    name: "the cache folder of the user",
    env: { XDG_CACHE_HOME: "/c" },
    want: join("/c", "treadle", "controlplane", pinnedVersion("k8s.io/kubernetes")),
  },
  { name: "a folder that the environment names", env: { XDG_CACHE_HOME: "/c", TREADLE_CONTROLPLANE_DIR: "/d" }, want: "/d" },
])("programs are kept in $name", ({ env, want }) => {
  expect(defaultDir(env)).toBe(want);
});

test.for(kubernetesVersions())("go.mod of %s pins it, every program that is built, and all staging modules alike", (version) => {
  expect(pinnedVersion("k8s.io/kubernetes", moduleDir(version))).toBe(version);
  const text = readFileSync(join(moduleDir(version), "go.mod"), "utf8");
  const tools = Array.from(text.matchAll(/^(?:tool )?\s*(\S+)$/gm), ([, path]) => path);
  expect(tools).toEqual(expect.arrayContaining(programs.map((program) => program.package)));
  const staging = Array.from(text.matchAll(/^\s*k8s\.io\/\S+ => \S+ (\S+)$/gm), ([, pinned]) => pinned);
  expect(new Set(staging)).toEqual(new Set([version.replace("v1.", "v0.")]));
});

test("docs/kubernetes-versions.md says how each of them is tested", () => {
  const text = readFileSync(join(root, "docs", "kubernetes-versions.md"), "utf8");
  for (const version of kubernetesVersions()) expect(text).toContain(`\n| ${version.split(".").slice(0, 2).join(".").slice(1)} | `);
});

test("a version is known by its number, whole or without the last part; one that is not pinned is refused with those that are", () => {
  const [current, older] = kubernetesVersions();
  expect(kubernetesVersion()).toBe(current);
  expect(["v1.30.14", "1.30.14", "1.30"].map((name) => kubernetesVersion(name))).toEqual([older, older, older]);
  for (const name of ["1.3", "1.12.0", "", "latest"])
    expect(() => kubernetesVersion(name)).toThrow(`Kubernetes ${name} is not pinned: there are ${current}, ${older}`);
});
