import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock } from "@treadle/apimachinery";
import { hostOf } from "@treadle/dependents/unstable/render";
import { afterAll, describe, expect, test } from "vitest";
import { HELM, KUSTOMIZE, type Program, ProgramFailed, Programs, type ProgramResult } from "./programs.ts";
import { PrivateFolder } from "./temporary.ts";

const { signal } = new AbortController();
const dir = mkdtempSync(join(tmpdir(), "real-"));
const folder = new PrivateFolder(() => dir);
const variable = (name: string): string => process.env[name] ?? `${name} is not set: use npm run test:programs`;

afterAll(async () => {
  await folder.close();
  rmSync(dir, { recursive: true, force: true });
});

async function run(program: Program, file: string, args: readonly string[], input?: string): Promise<ProgramResult> {
  const programs = new Programs({ clock: fakeClock(), folder, env: { [program.variable]: file, KUBECONFIG: "/nothing", HELM_DEBUG: "1" } });
  return await programs.inSlot(hostOf({}), (ran) => ran(program, { args, signal, ...(input !== undefined && { input }) }));
}

/** A folder with these files. */
function files(name: string, given: Readonly<Record<string, string>>): string {
  const root = join(dir, name);
  for (const [path, text] of Object.entries(given)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe.each([
  { name: "Helm 4", file: () => variable("TREADLE_HELM"), version: /^v4\.\d+\.\d+/ },
  { name: "Helm 3", file: () => variable("TREADLE_HELM3"), version: /^v3\.\d+\.\d+/ },
])("$name", ({ file, version }) => {
  const chart = (template: string): string =>
    files(`chart-${Math.abs(template.length)}`, {
      "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
      "templates/a.yaml": template,
    });

  test("is found with its version, and renders values of standard input", async () => {
    const path = chart("kind: {{ .Values.kind }}\n");
    const { stdout, program } = await run(HELM, file(), ["template", "x", path, "--values", "-"], "kind: Widget\n");
    expect(stdout).toMatch(/^kind: Widget$/m);
    expect(program).toMatchObject({ name: "helm", version: expect.stringMatching(version) });
  });

  test("has no settings but those of its private folder", async () => {
    const { stdout } = await run(HELM, file(), ["env"]);
    const settings = new Map(Array.from(stdout.matchAll(/^(\w+)="(.*)"$/gm), ([, name, value]) => [name, value]));
    for (const name of [
      "HELM_CACHE_HOME",
      "HELM_CONFIG_HOME",
      "HELM_DATA_HOME",
      "HELM_PLUGINS",
      "HELM_REGISTRY_CONFIG",
      "HELM_REPOSITORY_CONFIG",
    ])
      expect(settings.get(name)).toMatch(new RegExp(`^${dir}/treadle-programs-`));
    expect(settings.get("HELM_DEBUG")).toBe("false");
  });

  test("fails with its text, of which the message of the error shows nothing", async () => {
    const error = await run(HELM, file(), ["template", "x", chart('{{ fail "it is broken" }}')]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("it is broken"),
      message: expect.not.stringContaining("broken"),
    });
  });

  test("leaves no file behind", () => {
    for (const name of readdirSync(dir).filter((each) => each.startsWith("treadle-programs-")))
      expect(readdirSync(join(dir, name))).toEqual(["live"]);
  });
});

describe("Kustomize", () => {
  test("is found with its version, and builds a folder", async () => {
    const path = files("plain", {
      "kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n",
      "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n",
    });
    const { stdout, program } = await run(KUSTOMIZE, variable("TREADLE_KUSTOMIZE"), ["build", path]);
    expect(stdout).toContain("name: x-a");
    expect(program).toMatchObject({ name: "kustomize", version: expect.stringMatching(/^v5\.\d+\.\d+/) });
  });

  test.for([
    { name: "HTTP", resource: "https://kustomize.invalid/a.yaml" },
    { name: "git", resource: "https://git.invalid/a/b.git//c?ref=main" },
    { name: "ssh", resource: "git@git.invalid:a/b.git" },
  ])("fetches nothing by $name, although nothing was refused before", async ({ name, resource }) => {
    const path = files(`remote-${name}`, { "kustomization.yaml": `resources: ["${resource}"]\n` });
    const error = await run(KUSTOMIZE, variable("TREADLE_KUSTOMIZE"), ["build", path]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProgramFailed);
    // Not a name that cannot be resolved: no name is looked up.
    expect(error).toMatchObject({ stderr: expect.stringMatching(/127\.0\.0\.1:0|transport '\w+' not allowed|git.* not found/) });
  });
});
