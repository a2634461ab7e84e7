/** `treadle generate`: what it writes, checks, keeps and refuses. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generatedFiles } from "../scripts/schemas.ts";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal, type FakeTerminalOptions } from "./fake-terminal.ts";
import { parsed } from "./generated-examples.ts";

let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(import.meta.dirname, "..", ".results-generate-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let loads = 0;
/** A module starts its manager once in a process, so each run has a module of its own. */
function program(options = "", more = ""): string {
  const folder = join(dir, "project");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "@acme/widgets", version: "1.4.0", type: "module" }));
  const file = join(folder, `main-${loads++}.ts`);
  writeFileSync(
    file,
    `
import { createManager, defineResource, handler, step } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { z } from "zod";
const spec = z.object({ size: z.int32().describe("How many.") });
const Widget = defineResource({ group: "example.dev", version: "v1", kind: "Widget", scope: "Namespaced", spec, description: "A widget." });
const widgets = handler(Widget).step(step(Widget, { name: "s", owns: [ConfigMap] })).build();
const manager = createManager({ ${options} }).add(widgets);
${more}
await manager.run();
`,
  );
  return file;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function generate(args: readonly string[], options?: FakeTerminalOptions): Promise<Ended> {
  const terminal = fakeTerminal(options);
  return { code: await runTreadle(["generate", ...args], terminal), ...terminal.output };
}

/** Runs with a copy of a module, whose name is in the first lines of the files. */
async function again(module: string, ...args: readonly string[]): Promise<Ended> {
  const { code, out, err } = await generate([...args, module]);
  return { code, out, err };
}

const out = (name: string): string => join(dir, name);
const read = (...path: readonly string[]): string => readFileSync(join(dir, ...path), "utf8");

/** The objects of `--out -`, by kind and name. */
async function printed(module: string, ...args: readonly string[]): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const { code, out: text, err } = await generate([module, "--out", "-", ...args]);
  expect(code, err).toBe(0);
  return Object.fromEntries(parsed(text).map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

describe("the objects", () => {
  test("of an operator without leader election are those of one pod with least privilege", async () => {
    const objects = await printed(program("gracefulShutdownMs: 12_300"));
    expect(Object.keys(objects)).toEqual([
      "Namespace widgets-system",
      "CustomResourceDefinition widgets.example.dev",
      "ServiceAccount widgets",
      "ClusterRole widgets",
      "ClusterRoleBinding widgets",
      "NetworkPolicy widgets",
      "Service widgets-metrics",
      "Deployment widgets",
    ]);
    expect(objects["Deployment widgets"]).toMatchObject({
      metadata: { namespace: "widgets-system" },
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        template: {
          spec: {
            serviceAccountName: "widgets",
            terminationGracePeriodSeconds: 18,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              {
                name: "operator",
                image: "widgets:1.4.0",
                livenessProbe: { httpGet: { path: "/healthz", port: "probes" } },
                readinessProbe: { httpGet: { path: "/readyz", port: "probes" } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ["ALL"] },
                },
              },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(objects["CustomResourceDefinition widgets.example.dev"])).toContain('"description":"How many."');
  });

  test("of an operator with leader election are those of two pods, with a budget and the right to its lease", async () => {
    const objects = await printed(program("leaderElection: true"));
    expect(objects["Deployment widgets"]).toMatchObject({ spec: { replicas: 2, strategy: { type: "RollingUpdate" } } });
    expect(objects["PodDisruptionBudget widgets"]).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect(objects["Role widgets-leader-election"]).toMatchObject({ metadata: { namespace: "widgets-system" } });
  });

  test("of an operator for some namespaces have a Role in each of them, and the setting", async () => {
    const objects = await printed(program(), "--namespaces", "a,b");
    expect(Object.keys(objects).filter((name) => name.startsWith("ClusterRole"))).toEqual([]);
    expect(JSON.stringify(objects["Deployment widgets"])).toContain('{"name":"TREADLE_NAMESPACES","value":"a,b"}');
    const own = await printed(program(), "--namespaced", "--namespace", "ops");
    expect(own["Role widgets"]).toMatchObject({ metadata: { namespace: "ops" } });
  });

  test("follow the ports and the settings of the manager, also those of its config file", async () => {
    writeFileSync(join(dir, "settings.yaml"), "gracefulShutdownMs: 60000\nmetrics: { port: 9000 }\n");
    const objects = await printed(program(`configFile: ${JSON.stringify(join(dir, "settings.yaml"))}, probes: { port: 9001 }`));
    expect(objects["Deployment widgets"]).toMatchObject({
      spec: {
        template: {
          spec: {
            terminationGracePeriodSeconds: 65,
            containers: [{ ports: [{ containerPort: 9001 }, { containerPort: 9000 }] }],
          },
        },
      },
    });
    expect(objects["Service widgets-metrics"]).toMatchObject({ spec: { ports: [{ port: 9000 }] } });
  });

  test("have no probes, Service and monitoring where nobody could reach them, and say so", async () => {
    const module = program('host: "127.0.0.1"');
    const { out: text, err } = await generate([module, "--out", "-", "--monitoring"]);
    expect(text).not.toMatch(/Probe|kind: Service\n|ServiceMonitor/);
    expect(err).toMatch(/Note: The kubelet can reach no probes/);
    expect(err).toMatch(/Note: Nobody can reach the metrics/);
  });

  test("of metrics that are authorized have the right to ask, and a monitor with a token and a checked certificate", async () => {
    const metrics = 'metrics: { port: 8443, authorize: true, tls: { certFile: "/tls/tls.crt", keyFile: "/tls/tls.key" } }';
    const objects = await printed(program(metrics), "--monitoring");
    expect(JSON.stringify(objects["ClusterRole widgets"])).toContain("tokenreviews");
    expect(objects["ServiceMonitor widgets"]).toMatchObject({
      spec: { endpoints: [{ scheme: "https", tlsConfig: { serverName: "widgets-metrics.widgets-system.svc" } }] },
    });
  });

  test("of webhooks whose files cert-manager keeps have its Certificate, and no right to a Secret", async () => {
    const more = `
const { webhookServer, webhooks } = await import("treadle/webhooks");
const tls = { certFile: "/certs/tls.crt", keyFile: "/certs/tls.key" };
manager.add(webhookServer([webhooks(Widget, { problems: () => [] })], { service: { name: "hooks", namespace: "ops" }, tls }));`;
    const objects = await printed(program("leaderElection: true", more));
    expect(objects["Certificate widgets-webhook-certificate"]).toMatchObject({
      spec: { dnsNames: ["hooks.ops.svc", "hooks.ops.svc.cluster.local"] },
    });
    expect(objects["ValidatingWebhookConfiguration hooks"]).toMatchObject({
      metadata: { annotations: { "cert-manager.io/inject-ca-from": "ops/widgets-webhook-certificate" } },
    });
    expect(JSON.stringify(objects["Deployment widgets"])).toContain('"mountPath":"/certs"');
    expect(objects["Secret hooks-webhook-certificate"]).toBeUndefined();
  });
});

describe("the files", () => {
  test("are the same for the same program, and --check accepts them", async () => {
    const module = program();
    const first = await generate([module, "--out", out("same")]);
    expect(first).toMatchObject({ code: 0, err: "" });
    const before = read("same", "base", "rbac.yaml");
    expect(before).toMatch(/^# Generated by treadle generate \(base\/rbac\.yaml\) from \.\.\/project\/main-\d+\.ts\. Do not edit it/);
    // A module gives its manager once, and then its exports only: this program has none.
    const next = program();
    writeFileSync(next, read("project", module.slice(module.lastIndexOf("/") + 1)));
    expect(await generate([next, "--out", out("same2")])).toMatchObject({ code: 0 });
    const name = (path: string): string => path.slice(path.lastIndexOf("main-"));
    expect(read("same2", "base", "rbac.yaml").replace(name(next), name(module))).toBe(before);
  });

  test("of overlays are written once, and stay as the user has edited or deleted them", async () => {
    const module = program("", "export { widgets };");
    await generate([module, "--out", out("overlays")]);
    const production = join(out("overlays"), "overlays", "production", "kustomization.yaml");
    writeFileSync(production, "# mine\n");
    unlinkSync(join(out("overlays"), "overlays", "development", "kustomization.yaml"));
    expect(await again(module, "--check", "--out", out("overlays"))).toMatchObject({ code: 0 });
    await again(module, "--out", out("overlays"));
    expect(readFileSync(production, "utf8")).toBe("# mine\n");
  });

  test("that are stale, missing or superfluous are listed by --check, and written or removed without it", async () => {
    const folder = out("check");
    const args = ["--out", folder, "--format", "yaml"] as const;
    const module = program("", "export { widgets };");
    await generate([module, "--out", folder]);
    rmSync(join(folder, "overlays"), { recursive: true });
    await again(module, ...args);
    writeFileSync(join(folder, "crds.yaml"), `${read("check", "crds.yaml")}# edited\n`);
    unlinkSync(join(folder, "monitoring", "monitoring.yaml"));
    writeFileSync(join(folder, "old.yaml"), read("check", "operator.yaml").replace("(operator.yaml)", "(old.yaml)"));
    mkdirSync(join(folder, "samples"));
    writeFileSync(join(folder, "samples", "copy.yaml"), read("check", "operator.yaml"));
    const { code, out: text } = await again(module, ...args, "--check", "-o", "json");
    expect(code).toBe(1);
    const { files } = generatedFiles.parse(JSON.parse(text));
    expect(files.filter(({ isAccepted }) => !isAccepted).map(({ path, state }) => `${state} ${path}`)).toEqual([
      "stale crds.yaml",
      "missing monitoring/monitoring.yaml",
      "superfluous old.yaml",
    ]);
    expect(await again(module, ...args)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/written {2}crds\.yaml[^]*removed {2}old\.yaml/),
    });
    expect([existsSync(join(folder, "old.yaml")), existsSync(join(folder, "samples", "copy.yaml"))]).toEqual([false, true]);
    expect(await again(module, ...args, "--check")).toMatchObject({ code: 0, out: expect.stringContaining("is up to date: 3 files.") });
  });

  test("of the user are not overwritten, and then nothing is written", async () => {
    mkdirSync(join(out("mine"), "base"), { recursive: true });
    writeFileSync(join(out("mine"), "base", "rbac.yaml"), "# mine\n");
    const { code, err } = await generate([program(), "--out", out("mine")]);
    expect([code, err]).toEqual([2, expect.stringContaining("rbac.yaml was not generated, and would be overwritten")]);
    expect(existsSync(join(out("mine"), "base", "crds.yaml"))).toBe(false);
  });
});

test.for([40, 80, undefined])("the output fits into %s columns", async (columns) => {
  const more = `const { targets } = await import("treadle/targets"); manager.add(targets());`;
  const { out: text } = await generate([program("", more), "--out", out(`wide-${columns}`)], columns === undefined ? {} : { columns });
  const lines = text.split("\n");
  if (columns !== undefined) expect(lines.filter((line) => line.length > columns && !line.startsWith("  written"))).toEqual([]);
  expect(lines.filter((line) => line.startsWith("  written")).every((line) => line.length < 80)).toBe(true);
  expect(text.replaceAll(/\s+/g, " ")).toContain("Objects in target clusters need rights there");
});

const NAMED = `const { webhookServer, webhooks } = await import("treadle/webhooks");
manager.add(webhookServer([webhooks(Widget, { problems: () => [] })], { service: { name: "hooks", namespace: "ops" } }));`;

test.for([
  {
    name: "a namespace that the webhooks do not have",
    args: ["--namespace", "other"],
    more: NAMED,
    says: /webhookServer has service\.namespace "ops"/,
  },
  {
    name: "a name that is none",
    args: ["--name", "Bad_Name"],
    says: /name "Bad_Name" cannot be the name of the objects: give another one with --name/,
  },
  { name: "a namespace that is none", args: ["--namespaces", "a,B"], says: /namespaces "B" is not a name/ },
  { name: "replicas that are no number", args: ["--replicas", "many"], says: /--replicas "many" is not a number/ },
  { name: "two scopes", args: ["--namespaces", "a", "--namespaced"], says: /do not go together/ },
  { name: "a check of a pipe", args: ["--out", "-", "--check"], says: /--out - prints manifests, so it does not go together with --check/ },
  { name: "a chart in a pipe", args: ["--out", "-", "--format", "helm"], says: /leave out --format helm/ },
  { name: "another form", args: ["--format", "jsonnet"], says: /Allowed choices are yaml, kustomize, helm/ },
  { name: "a lease without a name", options: "leaderElection: true", more: second(), args: [], says: /give leaderElection: \{ name \}/ },
  {
    name: "a file of settings that does not exist",
    options: 'configFile: "no.yaml"',
    args: [],
    says: /cannot read no\.yaml[^]*Run the command where/,
  },
])("$name is refused", async ({ args, says, options, more }) => {
  const { code, err } = await generate([program(options, more), "--out", out("refused"), ...args]);
  expect([code, err]).toEqual([2, expect.stringMatching(says)]);
  expect(existsSync(out("refused"))).toBe(false);
});

function second(): string {
  return `manager.add(handler(Widget, { name: "others.example.dev" }).step(step(Widget, { name: "s" })).build());`;
}

describe("files of the user", () => {
  const precious = "precious\n";

  test.for([
    { name: "a link to a file", path: "base/crds.yaml", target: "file" },
    { name: "a link to a folder", path: "base", target: "folder" },
  ])("behind $name are not overwritten", async ({ path, target }, { task }) => {
    const outside = out(`outside-${task.id}`);
    mkdirSync(join(outside, "folder"), { recursive: true });
    for (const file of ["file", "folder/crds.yaml"]) writeFileSync(join(outside, file), precious);
    const folder = out(`links-${task.id}`);
    mkdirSync(join(folder, path, ".."), { recursive: true });
    symlinkSync(join(outside, target), join(folder, path));
    const { code, err } = await generate([program(), "--out", folder]);
    expect([code, err]).toEqual([2, expect.stringContaining("base/crds.yaml")]);
    expect(err).toMatch(/(?:was|were) not generated/);
    for (const file of ["file", "folder/crds.yaml"]) expect(readFileSync(join(outside, file), "utf8")).toBe(precious);
    expect(readdirSync(join(outside, "folder"))).toEqual(["crds.yaml"]);
  });

  test("with the name of a generated file are kept where they are too large to be read, and so are folders", async () => {
    const folder = out("large");
    mkdirSync(join(folder, "base", "crds.yaml"), { recursive: true });
    const large = join(folder, "base", "rbac.yaml");
    writeFileSync(large, Buffer.alloc(11 * 2 ** 20, "x"));
    const { code, err } = await generate([program(), "--out", folder]);
    expect([code, err]).toEqual([2, expect.stringMatching(/nothing was written: .*crds\.yaml, .*rbac\.yaml were not generated/)]);
    expect(readFileSync(large).byteLength).toBe(11 * 2 ** 20);
  });

  test("in node_modules are not read", async () => {
    const folder = out("modules");
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    // It looks like a generated file that is no longer needed.
    writeFileSync(join(folder, "node_modules", "a.yaml"), "# Generated by treadle generate (node_modules/a.yaml)\n");
    expect((await generate([program(), "--out", folder])).code).toBe(0);
    expect(existsSync(join(folder, "node_modules", "a.yaml"))).toBe(true);
  });
});

test("a checkout with the line breaks of Windows is up to date", async () => {
  const [folder, module] = [out("windows"), program("", "export { widgets };")];
  await again(module, "--out", folder);
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
    const path = join(file.parentPath, file.name);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"));
  }
  expect(await again(module, "--out", folder, "--check")).toMatchObject({ code: 0, err: "" });
});

test("a file that cannot be written leaves no other one, and the message is a sentence", async () => {
  const folder = out("half");
  mkdirSync(folder);
  writeFileSync(join(folder, "components"), "a file where a folder must be");
  const { code, err } = await generate([program(), "--out", folder]);
  expect([code, err]).toEqual([2, expect.stringContaining("a part of the path is a file")]);
  expect(err).not.toContain("not an expected failure");
  expect(readdirSync(folder)).toEqual(["components"]);
});

test.for([
  [["--name", "my_operator"], "give another one with --name"],
  // Its Service of the metrics would have 64 letters.
  [["--name", "a".repeat(56)], "at most 55"],
  [["--name", "1shop"], "with a letter first"],
  [["--image", 'a"b\nc'], "is not an image"],
  [["--namespaces", ",,"], "--namespaces is empty"],
  // A script whose variable has no value.
  [["--out", ""], "--out is empty"],
] as const)("%j is refused with what to do", async ([flags, says]) => {
  const { code, err } = await generate([program(), "--out", out("refused"), ...flags]);
  expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  expect(err).not.toContain("not an expected failure");
});

test("the build of a version is no part of the tag of the image that the registry refuses", async () => {
  const module = program();
  writeFileSync(join(dir, "project", "package.json"), JSON.stringify({ name: "widgets", version: "1.0.0+build.1", type: "module" }));
  const text = JSON.stringify(await printed(module));
  expect(text).toContain('"image":"widgets:1.0.0-build.1"');
});
