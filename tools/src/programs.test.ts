import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { moduleDir, pinnedVersion, renderers } from "../programs/src/catalog.ts";
import { leftOut } from "../programs/src/left-out.ts";
import { withLock } from "../programs/src/lock.ts";
import { obtainPrograms, programFile } from "../programs/src/obtain.ts";
import { builtByFakeGo, goThatMakesEmptyPrograms } from "./fake-go.ts";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "programs-test-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const packages = renderers.map((program) => program.package);

describe.skipIf(process.platform === "win32")("Helm and Kustomize", () => {
  test("are built once, each in a folder with its version", async () => {
    const options = { dir: join(dir, "out"), env: goThatMakesEmptyPrograms(dir) };
    const { variables } = await obtainPrograms(options);
    expect(await obtainPrograms(options)).toEqual({ dir: options.dir, variables });
    expect(builtByFakeGo(dir)).toEqual(packages);
    expect(Object.keys(variables).toSorted()).toEqual(["TREADLE_HELM", "TREADLE_HELM3", "TREADLE_KUSTOMIZE"]);
    for (const file of Object.values(variables)) expect(existsSync(file)).toBe(true);
    expect(variables["TREADLE_HELM"]).toMatch(/helm-v4\.\d+\.\d+\/helm$/);
  });

  test("are built once by two callers at a time", async () => {
    const options = { dir: join(dir, "out"), env: goThatMakesEmptyPrograms(dir) };
    await Promise.all([obtainPrograms(options), obtainPrograms(options)]);
    expect(builtByFakeGo(dir)).toEqual(packages);
  });

  test("are completed after a build that failed, whose lock is free", async () => {
    const out = join(dir, "out");
    const failed = obtainPrograms({ dir: out, env: goThatMakesEmptyPrograms(dir, "kustomize") });
    await expect(failed).rejects.toThrow(/cannot build kustomize.*\n.*it does not compile/);
    await obtainPrograms({ dir: out, env: goThatMakesEmptyPrograms(dir) });
    expect(builtByFakeGo(dir)).toEqual(packages);
    expect(readdirSync(out).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("are built again when they were made of other modules", async () => {
    const options = { dir: join(dir, "out"), env: goThatMakesEmptyPrograms(dir) };
    await obtainPrograms(options);
    const [first] = renderers;
    if (first !== undefined) writeFileSync(join(programFile(options.dir, first), "..", "build.json"), "{}");
    await obtainPrograms(options);
    expect(builtByFakeGo(dir)).toEqual([...packages, packages[0]]);
  });

  test("are taken from the variables that are set, and not built", async () => {
    const given = join(dir, "given");
    writeFileSync(given, "");
    chmodSync(given, 0o755);
    const env = { ...goThatMakesEmptyPrograms(dir), TREADLE_HELM: given };
    const { variables } = await obtainPrograms({ dir: join(dir, "out"), env });
    expect(variables["TREADLE_HELM"]).toBe(given);
    expect(builtByFakeGo(dir)).toEqual(packages.slice(1));
  });

  test("are never replaced by a build where a variable is wrong", async () => {
    const env = { ...goThatMakesEmptyPrograms(dir), TREADLE_KUSTOMIZE: join(dir, "nothing") };
    await expect(obtainPrograms({ env })).rejects.toThrow(/TREADLE_KUSTOMIZE=.*nothing is no program: correct or unset it/);
    expect(builtByFakeGo(dir)).toEqual([]);
  });

  test("cannot be built without Go, and the error reports what to do", async () => {
    const result = obtainPrograms({ dir: join(dir, "out"), env: { PATH: dir } });
    await expect(result).rejects.toThrow(/no `go` on PATH; install Go \d.* or set TREADLE_HELM, TREADLE_KUSTOMIZE, TREADLE_HELM3/);
  });
});

test.for(renderers)("go.mod of $id pins its version and its program", (program) => {
  expect(pinnedVersion(program)).toMatch(/^v\d+\.\d+\.\d+$/);
  expect(readFileSync(join(moduleDir(program), "go.mod"), "utf8")).toContain(`tool ${program.package}\n`);
});

test("the README of the programs names the pinned version of Helm", () => {
  const [helm] = renderers;
  const version = helm === undefined ? "" : pinnedVersion(helm);
  expect(readFileSync(join(import.meta.dirname, "..", "programs", "README.md"), "utf8")).toContain(`pin helm ${version}`);
});

test("the lock of a process that no longer exists is taken over", async () => {
  const path = join(dir, "lock");
  // No process has this pid: it is above the maximum of all systems.
  writeFileSync(path, "999999999");
  expect(
    await withLock(
      path,
      () => undefined,
      async () => "done",
    ),
  ).toBe("done");
  expect(existsSync(path)).toBe(false);
});

test("a test of programs that was skipped is a problem, except a long one and one of a real server", () => {
  const results = [
    { fullName: "ran", status: "passed" },
    { fullName: "broke", status: "failed" },
    { fullName: "skipped", status: "pending" },
    { fullName: "planned", status: "todo", tags: ["part"] },
    { fullName: "long", status: "pending", tags: ["long"] },
    { fullName: "of a server", status: "skipped", tags: ["real"] },
  ];
  const problems = leftOut("a", { testResults: [{ name: "x", status: "passed", assertionResults: results }] });
  expect(problems.map((problem) => problem.split(",")[0])).toEqual([
    'a: "skipped" did not run (pending)',
    'a: "planned" did not run (todo)',
  ]);
});
