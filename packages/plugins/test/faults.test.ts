/**
 * What a bad program does to an operator: its message, and nothing else. One host runs all cases, beside a good plugin.
 *
 * @module-tag memory
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { PluginSource } from "../src/connection.ts";
import { type GrantedKinds, release } from "../src/index.ts";
import { platformOf } from "../src/sources/release-name.ts";
import { newCertificate } from "../src/wire/certificate.ts";
import { archive, sha256 } from "./archive.ts";
import { type FaultStage, faultStage, nodeScript, program } from "./fault-stage.ts";
import { processesWith } from "./programs.ts";
import { Capability } from "./stage.ts";

interface Case {
  readonly name: string;
  readonly message: string;
  /** What hangs, of `connect` and `plan`. */
  readonly hangs?: string;
}

const line = (text: string): string => nodeScript(`process.stdout.write(${JSON.stringify(text)}); setInterval(() => {}, 1e6);`);
const CERTIFICATE = "bm90IGEgY2VydGlmaWNhdGU";

/** Programs that never serve. */
const STARTS: readonly (Case & { readonly content: string; readonly isRefused?: boolean })[] = [
  { name: "text", content: "just a text\n", message: "it is not a program for this system" },
  {
    name: "cookie",
    content: nodeScript(`console.error("This is a plugin. Its token=hunter2hunter2"); process.exit(1);`),
    message: "ended with code 1 before it served; check that",
  },
  { name: "no-line", content: line("hello\n"), message: `\\"hello\\", not a handshake` },
  { name: "before", content: line("hello\n1|1|unix|/a|grpc|x\n"), message: `\\"hello\\", not a handshake` },
  { name: "after", content: line(`1|1|unix|/a|grpc|${CERTIFICATE}|x y|z\n`), message: "not a handshake" },
  { name: "endless-line", content: line("x".repeat(70_000)), message: "65536 bytes without a handshake line" },
  {
    name: "core",
    content: line("2|1|unix|/a|grpc|x\n"),
    message: "version 2 of go-plugin's protocol, the host version 1",
    isRefused: true,
  },
  { name: "app", content: line("1|5|unix|/a|grpc|x\n"), message: "application protocol 5, the host 1", isRefused: true },
  { name: "netrpc", content: line("1|1|unix|/a|netrpc|x\n"), message: `the protocol \\"netrpc\\"`, isRefused: true },
  { name: "certificate", content: program("certificate", "hasOtherCertificate: true"), message: "certificate" },
  { name: "ends", content: nodeScript("process.exit(0);"), message: "ended with code 0 before it served" },
  {
    name: "other-name",
    content: program("another-name"),
    message: `it describes itself as \\"another-name\\", but its name is \\"other-name\\"`,
    isRefused: true,
  },
  {
    name: "major",
    content: program("major", `describe: () => ({ ...described, apiVersions: { oldest: "2.0", newest: "2.1" } })`),
    message: "it supports the API versions 2.0 to 2.1, but the operator has 1.0",
    isRefused: true,
  },
  {
    name: "hang-in-start",
    content: nodeScript("setInterval(() => {}, 1e6);"),
    message: "it has written no handshake line within 60 s",
    hangs: "connect",
  },
  { name: "zero-describe", content: program("zero-describe", "describe: () => ({})"), message: "name is empty; set it" },
];

/** Answers that are refused. */
const PLANS: readonly (Case & { readonly plan: string })[] = [
  { name: "large", plan: `objects(map("b", { data: { value: "x".repeat(5e6) } }))`, message: "an answer may have 4 MiB" },
  { name: "zero", plan: "({})", message: "it has no answer" },
  { name: "zero-object", plan: `objects({ id: "b" })`, message: "dependents[0].object is empty; give a JSON object" },
  { name: "ids", plan: `objects(map("b"), map("b"))`, message: `dependents has "b" twice; give each its own` },
  {
    name: "namespace",
    plan: `objects(map("b"), map("c", { metadata: { namespace: "kube-system" } }))`,
    message: `is in namespace "kube-system"`,
  },
  {
    name: "invalid-name",
    plan: `objects(map("b"), map("c", { metadata: { name: "A b" } }))`,
    message: `has the name "A b", which is not valid`,
  },
  {
    name: "owner",
    plan: `objects(map("b"), map("c", { apiVersion: "test.treadle.dev/v1", kind: "Capability", metadata: { name: "owner" } }))`,
    message: "is its owner, Capability owner: give it another name",
  },
  {
    name: "equal",
    plan: `objects(map("b", { metadata: { name: "x" } }), map("c", { metadata: { name: "x" } }))`,
    message: `is ConfigMap x, as object "b"`,
  },
  {
    name: "wide",
    plan: `objects(map("b"), map("c", { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" }))`,
    message: `object "c" is a ClusterRole, which is cluster-scoped`,
  },
  { name: "kind", plan: `objects(map("b"), map("c", { kind: "Secret" }))`, message: "is a Secret of v1, which is not granted" },
  {
    name: "deep",
    plan: `objects(map("b"), { id: "c", object: Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","data":' + "[".repeat(1e5) + "]".repeat(1e5) + "}") })`,
    message: "dependents[1].object has more than 200 levels; give a flatter one",
  },
  { name: "hang-in-call", plan: "hang()", message: "it did not answer within 10 s", hangs: "plan" },
  { name: "exception", plan: `(() => { throw new Error("password=hunter2hunter2") })()`, message: "status 2" },
];

/** What a release page answers, by the name of the repository. */
const RELEASES: readonly (Case & { readonly body?: () => Promise<Buffer>; readonly sum?: string })[] = [
  { name: "missing", message: "404" },
  { name: "checksum", body: () => archive([{ name: "checksum", mode: 0o755 }, "x"]), sum: "0".repeat(64), message: "has the checksum" },
  { name: "outside", body: () => archive([{ name: "../outside", mode: 0o755 }, "x"]), message: '"../outside"' },
  { name: "link", body: () => archive([{ name: "link", type: "symlink", linkname: "/bin/sh" }, ""]), message: "symlink" },
];

const OTHERS = ["good", "hang-at-end", "category", "no-right", "log"];

let stage: FaultStage;
let page: Server;
let store: string;

beforeAll(async () => {
  const names = [...OTHERS, ...[...STARTS, ...PLANS, ...RELEASES].map(({ name }) => name)];
  const kinds = names.map((name) => [name, name === "wide" ? ("any" as const) : name === "owner" ? [ConfigMap, Capability] : [ConfigMap]]);
  const granted = Object.fromEntries(kinds) as Readonly<Record<string, GrantedKinds>>;
  stage = await faultStage(granted, await released());
  await stage.put("good", program("good"));
  await stage.own("good");
  await stage.until(async () => (await stage.condition("good", "Ready")).startsWith("True"), "the good plugin is Ready");
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await new Promise((resolve) => page.close(resolve));
  await rm(store, { recursive: true, force: true });
});

/** Serves the releases, and returns their sources. */
async function released(): Promise<readonly PluginSource[]> {
  const { cert, key } = await newCertificate();
  const bodies = new Map(await Promise.all(RELEASES.map(async ({ name, body }) => [name, await body?.()] as const)));
  page = createServer({ cert, key }, ({ url = "" }, response) => {
    const body = bodies.get(url.split("/")[2] ?? "");
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => page.listen(0, "localhost", resolve));
  store = await realpath(await mkdtemp(join(tmpdir(), "tfr-")));
  const base = `https://localhost:${(page.address() as AddressInfo).port}`; // It listens on a port.
  const platform = platformOf(process.platform, process.arch);
  return RELEASES.map(({ name, sum = sha256(bodies.get(name) ?? Buffer.alloc(0)) }) =>
    release(`acme/${name}@v1`, { base, ca: cert, folder: join(store, "in"), sha256: { [platform]: sum } }),
  );
}

/** A plugin that was good once, with its owner. */
async function begun(name: string, content = program(name)): Promise<void> {
  // A case that fails must not fail the next one.
  onTestFinished(() => gone(name));
  await stage.put(name, content);
  await stage.own(name);
  await isReady(name);
  expect(await stage.maps(name)).toEqual({ [`${name}-a`]: "" });
}

const isReady = (name: string): Promise<void> =>
  stage.until(async () => (await stage.condition(name, "Ready")).startsWith("True"), `${name} is Ready`);

const reports = (name: string, type: string, text: string): Promise<void> =>
  stage.until(async () => (await stage.condition(name, type)).startsWith(text), `${name} has ${type} ${text}`);

let nth = 0;

/** The operator and another plugin go on; the bad one leaves nothing behind. */
async function ended(name: string): Promise<void> {
  nth += 1;
  await stage.set("good", { value: nth });
  await stage.until(async () => (await stage.maps("good"))["good-a"] === String(nth), "the good plugin goes on");
  expect(await stage.condition("good", "Ready")).toMatch(/^True/);
  expect(stage.logs() + (await stage.condition(name, "PluginReady"))).not.toContain("hunter2");
  // Nothing was applied, and nothing was pruned.
  expect(await stage.maps(name)).toEqual({ [`${name}-a`]: "" });
  await gone(name);
  await stage.cluster.delete(Capability, name);
}

test.for(STARTS)(
  "a new program with the fault $name replaces no good one, and is reported",
  async ({ name, content, message, isRefused, hangs }) => {
    await begun(name);
    if (hangs !== undefined) stage.hanging.add(`${name} ${hangs}`);
    const [old] = await stage.pids(name);
    if (old === undefined) throw new Error("no process");
    await stage.put(name, content);
    await stage.until(
      async () =>
        JSON.stringify(await stage.infos()).includes(message.replaceAll("\\", "\\\\")) ||
        JSON.stringify(await stage.infos()).includes(message),
      `the message about ${name} is shown`,
    );
    expect(stage.logs()).toContain(message);
    expect(await stage.condition(name, "Ready")).toMatch(/^True/);
    process.kill(old, "SIGKILL");
    await reports(name, "PluginReady", "False PluginUnavailable");
    expect(JSON.stringify(await stage.condition(name, "PluginReady"))).toContain(message);
    expect(await stage.condition(name, "Ready")).not.toMatch(/^True/);
    const restarts = stage.logs().split(`"plugin":"${name}"`).length;
    if (isRefused === true) {
      await stage.pass(60_000);
      expect(stage.logs().split(`"plugin":"${name}"`)).toHaveLength(restarts);
      expect(await processesWith(`${stage.folder}/${name}`)).toEqual([]);
    }
    await ended(name);
  },
);

test.for(PLANS)("an answer with the fault $name is reported, and nothing of it is applied", async ({ name, plan, message, hangs }) => {
  await begun(name, program(name, `plan: (_, request) => (parametersOf(request).isBad ? ${plan} : good(request))`));
  if (hangs !== undefined) stage.hanging.add(`${name} ${hangs}`);
  await stage.set(name, { isBad: true });
  await reports(name, "PluginReady", "False PluginUnavailable");
  expect(await stage.condition(name, "PluginReady")).toContain(message);
  expect(await stage.condition(name, "Ready")).not.toMatch(/^True/);
  await ended(name);
});

test("a program that hangs at its end is killed, and is reported", async () => {
  const name = "hang-at-end";
  await begun(name, program(name, "shutdown: () => hang()"));
  stage.hanging.add(`${name} close`);
  const [old] = await stage.pids(name);
  await stage.put(name, program(name));
  await stage.until(async () => !(await stage.pids(name)).includes(old ?? 0), "the old program has ended");
  expect(stage.logs()).toContain("the plugin has not ended within 2 s, and is killed");
  await isReady(name);
  await ended(name);
});

test("a program that writes 100 MB to its log in a call gives its answer, and what was dropped is reported", async () => {
  const name = "log";
  const flood = `for (let i = 0; i < 1_000; i++) process.stderr.write(("x".repeat(99) + "\\n").repeat(1_000))`;
  await begun(name, program(name, `plan: (_, request) => { if (parametersOf(request).isBad) ${flood}; return good(request); }`));
  await stage.set(name, { isBad: true });
  await stage.until(() => stage.logs().includes("the plugin logs too much: lines were dropped or cut"), "the dropped lines are reported");
  await isReady(name);
  await ended(name);
});

test("a program that is started by hand explains what it is, and fails", async () => {
  const file = fileURLToPath(new URL("./plugins/kube-postgres.ts", import.meta.url));
  const run = promisify(execFile)(process.execPath, ["--conditions=@treadle/source", file]);
  await expect(run).rejects.toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("is a plugin for operators") });
});

test("a program whose category is another one after a restart is refused", async () => {
  const name = "category";
  const flag = join(stage.folder, ".changed");
  const category = `fs.existsSync(${JSON.stringify(flag)}) ? "queue" : described.category`;
  await begun(name, program(name, `describe: () => ({ ...described, category: ${category} })`, `import fs from "node:fs";`));
  await writeFile(flag, "");
  const [pid] = await stage.pids(name);
  if (pid === undefined) throw new Error("no process");
  process.kill(pid, "SIGKILL");
  const message = `its category was "database", and is "queue" after a restart`;
  const info = async (): Promise<string> => (await stage.infos())[`database-${name}`] ?? "";
  await stage.until(async () => (await info()).startsWith(`Refused: ${message}`), "the category is reported");
  expect(await stage.condition(name, "PluginReady")).toMatch(/^False PluginUnavailable/);
  expect(await stage.condition(name, "PluginReady")).toContain(message);
  expect(stage.logs()).toContain(message.replaceAll('"', '\\"'));
  expect(await processesWith(`${stage.folder}/${name}`)).toEqual([]);
  await rm(flag);
  await ended(name);
});

test("a program that loses the right to execute ends, and is reported", async () => {
  const name = "no-right";
  await begun(name);
  await stage.put(name, program(name), 0o644);
  await reports(name, "PluginReady", "False NoPlugin");
  expect(stage.logs()).toContain(`/${name} is not used as a plugin: it is not executable: run chmod +x`);
  expect(await stage.condition(name, "Ready")).not.toMatch(/^True/);
  await ended(name);
});

test.for(RELEASES)("a release with the fault $name is reported, and nothing of it is kept", async ({ name, message }) => {
  const line = (): string | undefined =>
    stage
      .logs()
      .split("\n")
      .find((each) => each.includes(`cannot load release acme/${name}@v1`));
  await stage.until(() => line() !== undefined, `release ${name} is reported`);
  expect(line()).toContain(message.replaceAll('"', '\\"'));
  await stage.own(name);
  await reports(name, "PluginReady", "False NoPlugin");
  expect(await readdir(store)).toEqual(["in"]);
  // Another release may be loading again.
  await stage.until(async () => (await readdir(join(store, "in"))).length === 0, "nothing is kept");
  await stage.cluster.delete(Capability, name);
});

/** Removes a program, and everything of it. */
async function gone(name: string): Promise<void> {
  await stage.remove(name);
  stage.hanging.clear();
  expect(await processesWith(`${stage.folder}/${name}`)).toEqual([]);
  await stage.until(async () => (await stage.folders()).length === 1, "its folder is removed");
}
