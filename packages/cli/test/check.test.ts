/** `treadle check`: a module alone, and against every source of an old version. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkReport } from "../scripts/check-schemas.ts";
import { CHANGE_IDS } from "../src/check/change-ids.ts";
import { CRD_RULES } from "../src/check/rules/crds.ts";
import { PIPELINE_RULES } from "../src/check/rules/pipelines.ts";
import { sampleRefused } from "../src/check/rules/samples.ts";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal, type FakeTerminalOptions, treadle } from "./fake-terminal.ts";

let dir: string;
const file = (name: string): string => join(dir, name);

/** A module whose Shop has these fields in spec. */
function operator(fields: string, step = `step(Shop, { name: "s" })`): string {
  return `import { conditions, defineResource, handler, step } from "treadle";
import { ClusterRole } from "treadle/kinds";
import { z } from "zod";
export const Shop = defineResource({
  group: "check.example.dev", version: "v1", kind: "Shop", scope: "Namespaced",
  spec: z.object({ domain: z.string().describe("Domain."), ${fields} }), status: z.object({}),
});
export const shops = handler(Shop).step(conditions()).step(${step}).build();
`;
}

const SIZE = `size: z.enum(["small", "large"]).default("small").describe("Size."), owner: z.string().optional().describe("Owner."),`;
const NEXT = `size: z.enum(["small"]).default("small").describe("Size."), team: z.string().describe("Team."),`;

beforeAll(() => {
  dir = mkdtempSync(join(import.meta.dirname, "..", ".results-check-"));
  writeFileSync(file("old.ts"), operator(SIZE));
  writeFileSync(file("next.ts"), operator(NEXT));
  writeFileSync(file("good.ts"), operator(SIZE));
  writeFileSync(
    file("bad.ts"),
    operator(`${SIZE} ratio: z.number(),`, `step(Shop, { name: "s", owns: [ClusterRole], do: (req) => req.next() })`),
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function checked(line: string, options: FakeTerminalOptions = {}): Promise<{ code: number; out: string; err: string }> {
  const terminal = fakeTerminal({ env: { HOME: "/nowhere" }, ...options });
  const code = await runTreadle(["check", ...line.split(" ").map((word) => word.replace(/(^|:)@/, `$1${dir}/`))], terminal);
  return { code, out: terminal.output.out.replaceAll(`${dir}/`, ""), err: terminal.output.err.replaceAll(`${dir}/`, "") };
}

async function oldCrd(): Promise<CustomResourceDefinition> {
  const { Shop } = (await import(file("old.ts"))) as { Shop: { resource: { crd(): CustomResourceDefinition } } };
  return Shop.resource.crd();
}

const CHANGES = [
  "limit-narrowed clients check.example.dev v1 spec.size",
  "field-removed objects check.example.dev v1 spec.owner",
  "field-required objects check.example.dev v1 spec.team",
  "field-added nothing check.example.dev v1 spec.team",
].map((text) => text.replace("check.example.dev", "shops.check.example.dev"));

function changesIn(out: string): readonly string[] {
  const { changes = [] } = checkReport.parse(JSON.parse(out));
  return changes.map(({ id, breaks, where }) => `${id} ${breaks} ${where}`);
}

test("a program without problems ends with 0", async () => {
  expect(await checked("@good.ts")).toEqual({ code: 0, out: "Nothing to correct.\n", err: "" });
  expect(await checked("@good.ts --against @old.ts")).toEqual({
    code: 0,
    out: "Nothing to correct. The CRDs have no changes to report.\n",
    err: "",
  });
});

test("problems have their place and remedy, and an error ends with 1", async () => {
  const { code, out } = await checked("@bad.ts", { columns: 80 });
  expect(code).toBe(1);
  expect(out).toMatchInlineSnapshot(`
    "error: shops.check.example.dev, step s (owned-not-removed)
      Its ClusterRole is never deleted: an object of the whole cluster cannot have
      an owner in a namespace.
      Add a cleanup that deletes the objects, or use dependentApply(), which does.

    warning: shops.check.example.dev v1 spec (field-without-description)
      No description: spec.ratio.
      Add .describe(...) to the fields.

    warning: shops.check.example.dev v1 spec.ratio (number-in-spec)
      Floating-point numbers change when clients of different languages read and
      write them.
      Use an integer in a smaller unit, or a quantity as text, such as 500m.

    1 error, 2 warnings.
    "
  `);
  const { out: narrow } = await checked("@bad.ts", { columns: 40 });
  expect(narrow).toMatchInlineSnapshot(`
    "error: shops.check.example.dev, step s
      (owned-not-removed)
      Its ClusterRole is never deleted: an
      object of the whole cluster cannot
      have an owner in a namespace.
      Add a cleanup that deletes the
      objects, or use dependentApply(),
      which does.

    warning: shops.check.example.dev v1
      spec (field-without-description)
      No description: spec.ratio.
      Add .describe(...) to the fields.

    warning: shops.check.example.dev v1
      spec.ratio (number-in-spec)
      Floating-point numbers change when
      clients of different languages read
      and write them.
      Use an integer in a smaller unit, or a
      quantity as text, such as 500m.

    1 error, 2 warnings.
    "
  `);
  expect(Math.max(...narrow.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
});

test("a sample that the server refuses is found, with its unknown fields", async () => {
  mkdirSync(file("project/deploy/samples"), { recursive: true });
  writeFileSync(file("project/package.json"), "{}");
  writeFileSync(file("project/main.ts"), operator(SIZE));
  const shop = (spec: object): string =>
    JSON.stringify({ apiVersion: "check.example.dev/v1", kind: "Shop", metadata: { name: "a", namespace: "x" }, spec });
  writeFileSync(file("project/deploy/samples/good.yaml"), `${shop({ domain: "a" })}\n---\n{ apiVersion: v1, kind: Other }\n---\n`);
  expect(await checked("@project/main.ts")).toMatchObject({ code: 0, out: "Nothing to correct.\n" });
  writeFileSync(file("project/deploy/samples/bad.yaml"), `${shop({ domain: "a", siz: "small" })}\n---\n${shop({ size: "tiny" })}`);
  const { code, out } = await checked("@project/main.ts");
  expect(code).toBe(1);
  expect(out).toMatch(/^error: .*deploy\/samples\/bad\.yaml, document 1 \(sample-refused\)\n {2}.*unknown field "spec\.siz"/);
  expect(out).toMatch(/bad\.yaml, document 2 \(sample-refused\)\n {2}.*spec\.domain: Required value/);
  writeFileSync(file("project/deploy/samples/bad.yaml"), "kind: [");
  expect((await checked("@project/main.ts")).out).toMatch(
    /^error: .*deploy\/samples \(sample-refused\)\n {2}.*deploy\/samples\/bad\.yaml: .*\. Correct the file, or take it out/,
  );
});

test("a pipe gets no colours and no broken lines, and a terminal gets colours", async () => {
  const { out } = await checked("@bad.ts");
  expect(out).not.toContain("\u001B");
  expect(out).toContain("  Its ClusterRole is never deleted: an object of the whole cluster cannot have an owner in a namespace.\n");
  expect((await checked("@bad.ts", { columns: 80, hasColors: true })).out).toContain("\u001B[31merror: ");
});

test("changes have what they break, and those that break nothing are listed", async () => {
  const { code, out } = await checked("@next.ts --against @old.ts", { columns: 80 });
  expect(code).toBe(1);
  expect(out).toMatchInlineSnapshot(`
    "error: shops.check.example.dev v1 spec.size (limit-narrowed, breaks clients)
      These values are not valid any more: "large".
      Make sure that nobody writes such values, or add a version. Stored values stay
      valid until someone changes them.

    error: shops.check.example.dev v1 spec.owner (field-removed, breaks stored
      objects)
      The field was removed: the server drops its value.
      Keep the field and mark it as deprecated. Or add a version.

    error: shops.check.example.dev v1 spec.team (field-required, breaks stored
      objects)
      The field is required and has no default: updates of stored objects without it
      are refused.
      Give it a default, or make it optional.

    Changes that break nothing:
      - shops.check.example.dev v1 spec.team: The field was added.

    3 errors, 0 warnings.
    "
  `);
});

test("warnings end with 0, and with 1 by --strict", async () => {
  writeFileSync(file("warns.ts"), operator(`ratio: z.number().describe("Ratio."),`));
  expect((await checked("@warns.ts")).code).toBe(0);
  expect((await checked("@warns.ts --strict")).code).toBe(1);
  expect((await checked("@warns.ts --strict --ignore number-in-spec")).code).toBe(0);
});

test("the old CRDs come from a file, a folder, a module, and a revision of git", async () => {
  mkdirSync(file("deploy/crds"), { recursive: true });
  const crd = JSON.stringify(await oldCrd());
  writeFileSync(file("deploy/crds/shops.yaml"), `# CRDs\n---\n${crd}\n---\nkind: ConfigMap\n`);
  writeFileSync(file("deploy/chart.yaml"), "{{ if .Values.x }}: [\n");
  writeFileSync(file("list.json"), `{"kind":"List","items":[${crd}]}`);
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.dev", ...args], { cwd: dir, stdio: "pipe" });
  git("init", "-q");
  git("add", "deploy");
  git("commit", "-qm", "one");
  const before = process.cwd();
  process.chdir(dir);
  try {
    rmSync(file("deploy/crds/shops.yaml"));
    for (const source of ["@old.ts", "@list.json", "git:HEAD", "git:HEAD:deploy/crds"])
      expect(changesIn((await checked(`@next.ts --against ${source} -o json`)).out), source).toEqual(CHANGES);
    writeFileSync(file("deploy/crds/shops.yaml"), crd);
    expect(changesIn((await checked("@next.ts --against @deploy -o json")).out)).toEqual(CHANGES);
    expect((await checked("@next.ts --against git:nowhere")).err).toMatch(/--against git:nowhere: git ls-tree failed: .*nowhere/i);
    expect((await checked("@next.ts --against git:HEAD:src")).err).toMatch(/HEAD has no YAML in src; write git:REV:FOLDER/);
  } finally {
    process.chdir(before);
  }
});

test("the old CRDs come from the cluster, with the versions in which objects are stored", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ https: true });
  const line = (module: string): string => `check ${file(module)} --against-cluster -o json`;
  expect(changesIn((await treadle(cluster, line("next.ts"))).out)).toEqual([]);
  await cluster.create(CustomResourceDefinition, await oldCrd());
  await cluster.settled();
  const { code, out } = await treadle(cluster, line("next.ts"));
  expect([code, changesIn(out)]).toEqual([1, CHANGES]);
});

test.for([
  { args: "@nothing.ts", text: /nothing\.ts is not a file/ },
  { args: "@good.ts --against @nowhere.yaml", text: /--against nowhere\.yaml does not exist; name a YAML file, a folder/ },
  { args: "@good.ts --against @broken.yaml", text: /cannot read .*broken\.yaml: / },
  { args: "@good.ts --against @other.yaml", text: /has no CRD of the groups check\.example\.dev/ },
  { args: "@good.ts --against git:", text: /names no revision/ },
  { args: "@good.ts --against git:-h", text: /names no revision/ },
  { args: "@good.ts --against @old.ts --against-cluster", text: /do not go together/ },
  { args: "@good.ts --ignore field-remove", text: /there is no rule "field-remove"; did you mean field-removed/ },
  { args: "@good.ts --ignore x", text: /there is no rule "x"; docs\/cli\/check\.md lists the rules/ },
])("`treadle check $args` is refused with what to write instead", async ({ args, text }) => {
  writeFileSync(file("broken.yaml"), "kind: CustomResourceDefinition\n  a: [");
  writeFileSync(file("other.yaml"), "kind: ConfigMap\n");
  const { code, out, err } = await checked(args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(text);
});

test("docs/cli/check.md lists every rule with its severity, and every change", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "cli", "check.md"), "utf8");
  for (const { id, severity, demands } of [...PIPELINE_RULES, ...CRD_RULES, sampleRefused])
    expect(page).toContain(`| \`${id}\` | ${severity} | ${demands} |`);
  expect(CHANGE_IDS.filter((id) => !page.includes(`| \`${id}\` |`))).toEqual([]);
});
