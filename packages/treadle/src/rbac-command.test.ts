import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "./rbac-command.ts";

let dir: string;
let module: string;

beforeAll(async () => {
  dir = await mkdtemp(join(import.meta.dirname, "..", ".results-rbac-"));
  module = join(dir, "operator.ts");
  const text = `
import { handler, kind, step } from "../src/index.ts";
import { ConfigMap } from "../src/kinds.ts";
const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const Gadget = kind({ group: "example.dev", version: "v1", kind: "Gadget" });
export const widgets = handler(Widget).step(step(Widget, { name: "s", owns: [ConfigMap] })).build();
export const gadgets = handler(Gadget).step(step(Gadget, { name: "s" })).build();
export const other = 1;
`;
  await writeFile(module, text);
});

afterAll(async () => await rm(dir, { recursive: true, force: true }));

async function said(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  const code = await main([module, ...args], (text) => lines.push(text));
  return { code, text: lines.join("\n") };
}

test("prints the rights of every handler that is exported", async () => {
  const { code, text } = await said("--name", "op", "--namespace", "system");
  expect(code).toBe(0);
  expect(text.match(/^kind: .*$/gm)).toEqual(["kind: ServiceAccount", "kind: ClusterRole", "kind: ClusterRoleBinding"]);
  for (const resource of ["widgets", "widgets/status", "widgets/finalizers", "gadgets", "configmaps"])
    expect(text).toContain(`- ${resource}\n`);
  expect(text).toContain("namespace: system");
});

test("prints those of one of them, and a Role for each namespace", async () => {
  const { text } = await said("--export", "gadgets", "--namespaces", "a,b");
  expect(text).not.toContain("configmaps");
  expect(text.match(/^kind: Role$/gm)).toHaveLength(2);
  expect(text).toContain("name: gadgets.example.dev");
});

test("says what each right is for", async () => {
  const { text } = await said("--explain", "--export", "gadgets");
  expect(text.split("\n")[0]).toBe("list gadgets.example.dev: handler gadgets.example.dev reconciles it");
  expect(text).toContain("patch gadgets.example.dev/status: its status is stored");
});

test("writes a file, and knows whether it is up to date", async () => {
  const file = join(dir, "rbac.yaml");
  expect(await said("--check", file)).toEqual({ code: 1, text: `${file} does not exist: make it anew with --out ${file}` });
  await said("--out", file);
  expect(await readFile(file, "utf8")).toMatch(/^# Made by treadle-rbac of the handlers in operator.ts/);
  expect(await said("--check", file)).toEqual({ code: 0, text: "" });
  expect((await said("--check", file, "--name", "another")).code).toBe(1);
});

test.for([
  { args: ["--export", "other"], says: /exports no handler "other"/ },
  { args: ["second.ts"], says: /name one module/ },
  { args: ["--name", "Bad_Name"], says: /name "Bad_Name" is no name/ },
])("$args is refused", async ({ args, says }) => {
  await expect(said(...args)).rejects.toThrow(says);
});

test("a program that runs its manager at import is only looked at", async () => {
  const program = join(dir, "main.ts");
  await writeFile(
    program,
    `
import { createManager, handler, kind, step } from "../src/index.ts";
const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const widgets = handler(Widget).step(step(Widget, { name: "s" })).build();
const client = () => { throw new Error("it connects"); };
await createManager({ client, namespaces: ["a", "b"] }).add(widgets).run();
`,
  );
  const lines: string[] = [];
  expect(await main([program], (text) => lines.push(text))).toBe(0);
  expect(lines.join("\n").match(/^kind: Role$/gm)).toHaveLength(2);
  expect(lines.join("\n")).toContain("- widgets\n");
});

test("the runnables of a manager have their rights, also without a handler", async () => {
  const program = `
import { createManager, one } from "../src/index.ts";
import { ConfigMap, Secret } from "../src/kinds.ts";
const reads = [one(ConfigMap, () => "a")];
const permissions = [{ kind: Secret, verbs: ["update"], names: ["certificates"], because: "it renews its certificate" }];
await createManager().add({ name: "hooks", start() {}, reads, permissions }).run();
`;
  let loads = 0;
  const print = async (...args: string[]): Promise<string> => {
    const lines: string[] = [];
    // A module runs once only.
    const file = join(dir, `runnables-${loads++}.ts`);
    await writeFile(file, program);
    await main([file, ...args], (line) => lines.push(line));
    return lines.join("\n");
  };
  const text = await print("--name", "op");
  expect(text).toContain("- configmaps\n");
  expect(text).toContain('# update secrets: runnable "hooks" asks for it: it renews its certificate');
  expect(await print("--explain")).toContain('watch configmaps: runnable "hooks" reads it');
  await expect(print()).rejects.toThrow("give --name NAME");
});

test("writes the reasons that authors give as comments beside their rules", async () => {
  const file = join(dir, "explained.ts");
  await writeFile(
    file,
    `import { handler, kind, step } from "../src/index.ts";
import { Role } from "../src/kinds.ts";
const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const because = "the Roles of a platform may grant what the operator may not do";
const permissions = [{ kind: Role, verbs: ["get", "patch"] }, { kind: Role, verbs: ["escalate"], because }];
export const widgets = handler(Widget).step(step(Widget, { name: "s", permissions })).build();
`,
  );
  const lines: string[] = [];
  await main([file, "--name", "op"], (text) => lines.push(text));
  expect(lines.join("\n")).toContain(`
  # escalate roles.rbac.authorization.k8s.io: step "s" of widgets.example.dev asks for it: the Roles of a platform may grant what the operator may not do
  - apiGroups:
      - rbac.authorization.k8s.io
    resources:
      - roles
    verbs:
      - get
      - patch
      - escalate
`);
});

test("makes the folder of the file", async () => {
  await said("--out", join(dir, "manifests", "deep", "rbac.yaml"));
  expect((await said("--check", join(dir, "manifests", "deep", "rbac.yaml"))).code).toBe(0);
});

test("an explanation is no check", async () => {
  await expect(said("--explain", "--check", "rbac.yaml")).rejects.toThrow("--check and --explain do not go together");
});

test("a program with leader election may use its lease, and no other", async () => {
  const program = `
import { createManager, handler, kind, step } from "../src/index.ts";
const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const widgets = handler(Widget).step(step(Widget, { name: "s" })).build();
await createManager({ leaderElection: { formerNames: ["old-lock"] } }).add(widgets).run();
`;
  let loads = 0;
  const print = async (...args: string[]): Promise<string> => {
    const lines: string[] = [];
    // A module runs once only.
    const file = join(dir, `elected-${loads++}.ts`);
    await writeFile(file, program);
    expect(await main([file, ...args], (line) => lines.push(line))).toBe(0);
    return lines.join("\n");
  };
  const text = await print("--name", "op", "--namespace", "system");
  const role = text.split("---\n").find((document) => document.includes("kind: Role\n")) ?? "";
  expect(role).toContain("name: op-leader-election\n  namespace: system\n");
  expect(role.slice(role.indexOf("rules:")).trim()).toBe(`rules:
  - apiGroups:
      - coordination.k8s.io
    resources:
      - leases
    verbs:
      - create
  - apiGroups:
      - coordination.k8s.io
    resources:
      - leases
    verbs:
      - get
      - list
      - watch
      - update
    resourceNames:
      - old-lock
      - widgets.example.dev`);
  expect(await print("--explain")).toContain("create leases.coordination.k8s.io: only one replica works: leader election");
  expect(await print("--lease", "mine")).toContain("- mine");
});

test("a program without leader election gets no right to leases", async () => {
  expect((await said()).text).not.toContain("leases");
});

test("a program that asks who may read its metrics may ask that; others may not", async () => {
  const file = join(dir, "reviewing.ts");
  await writeFile(
    file,
    `import { createManager } from "../src/index.ts";
import { gadgets } from "./operator.ts";
await createManager({ metrics: { tls: { certFile: "a", keyFile: "b" }, authorize: true } }).add(gadgets).run();
`,
  );
  const lines: string[] = [];
  await main([file, "--explain"], (text) => lines.push(text));
  const because = "metrics.authorize asks the server who may read the metrics";
  expect(lines.slice(-2)).toEqual([
    `create tokenreviews.authentication.k8s.io: ${because}`,
    `create subjectaccessreviews.authorization.k8s.io: ${because}`,
  ]);
  expect((await said("--namespaces", "a")).text).not.toContain("ClusterRole\n");
  const { text } = await said("--namespaces", "a", "--reviews");
  expect(text).toContain("kind: ClusterRole\n");
  expect(text).toContain("- tokenreviews\n");
  expect(text).toContain("- subjectaccessreviews\n");
});
