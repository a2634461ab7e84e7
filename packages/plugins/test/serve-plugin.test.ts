/** Programs of `servePlugin` as processes, and a plain client of gRPC in place of the host. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { afterAll, afterEach, expect, test } from "vitest";
import { type CertifiedKey, newCertificate } from "../src/wire/certificate.ts";
import { COOKIE, loadProtos } from "../src/wire/protos.ts";

const folder = mkdtempSync(join(tmpdir(), "serve-plugin-"));
const running = new Set<ChildProcess>();
const clients = new Set<Client>();
const owner = { apiVersion: "v1", kind: "Capability", metadata: { name: "orders" } };

afterEach(() => {
  for (const client of clients) client.close();
  for (const child of running) child.kill("SIGKILL");
  for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

function start(file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(join(import.meta.dirname, "plugins", `${file}.ts`), args, {
    env: { PATH: process.env["PATH"], PLUGIN_UNIX_SOCKET_DIR: folder, ...env },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("no stdout");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return line;
}

/** The exit code and what the process wrote to stderr. */
async function ended(child: ChildProcess): Promise<readonly [number, string]> {
  if (child.stderr === null) throw new Error("no stderr");
  const [[code], written] = await Promise.all([once(child, "exit") as Promise<[number]>, text(child.stderr)]);
  return [code, written];
}

/** Starts a plugin as a host does. */
async function startAsHost(file: string, own: CertifiedKey): Promise<{ child: ChildProcess; target: string; cert: string }> {
  const child = start(file, [], { [COOKIE.name]: COOKIE.value, PLUGIN_PROTOCOL_VERSIONS: "1", PLUGIN_CLIENT_CERT: own.cert });
  const [core, app, network, path, protocol, base64 = ""] = (await firstLine(child)).split("|");
  expect([core, app, network, protocol]).toEqual(["1", "1", "unix", "grpc"]);
  const der = Buffer.from(base64, "base64").toString("base64");
  expect(base64).toBe(der.replaceAll("=", ""));
  return { child, target: `unix:${path}`, cert: `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n` };
}

function connect(target: string, tls?: { ca: string; own?: CertifiedKey }): Client {
  const pem = (given: string | undefined) => (given === undefined ? null : Buffer.from(given));
  const client = new Client(
    target,
    tls === undefined ? credentials.createInsecure() : credentials.createSsl(pem(tls.ca), pem(tls.own?.key), pem(tls.own?.cert)),
    tls === undefined ? {} : { "grpc.ssl_target_name_override": "localhost", "grpc.default_authority": "localhost" },
  );
  clients.add(client);
  return client;
}

async function call(client: Client, service: "capability" | "health" | "controller", name: string, request: object): Promise<unknown> {
  const method = (await loadProtos())[service][name];
  if (method === undefined) throw new Error(name);
  const { path, requestSerialize, responseDeserialize } = method;
  return await new Promise((resolve, reject) =>
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), {}, (error, answer) =>
      error === null ? resolve(answer) : reject(error),
    ),
  );
}

function planRequest(type: string, parameters: object, given: object = owner): object {
  return { type, version: "", owner: Buffer.from(JSON.stringify(given)), parameters: Buffer.from(JSON.stringify(parameters)), live: [] };
}

/** The failure of a call. */
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "no error",
    (error: ServiceError) => error.code,
  );

test("a host gets the description and a plan by mutual TLS, and ends the plugin", async () => {
  const own = await newCertificate();
  const { child, target, cert } = await startAsHost("kube-postgres", own);
  const client = connect(target, { ca: cert, own });
  expect(await call(client, "health", "Check", { service: "plugin" })).toEqual({ status: "SERVING" });
  expect(await call(client, "capability", "Describe", { hostApiVersion: "1.0" })).toMatchObject({
    name: "kube-postgres",
    category: "database",
    apiVersions: { oldest: "1.0", newest: "1.0" },
    types: [{ name: "postgresql", versions: ["16", "17"], parameterSchema: expect.any(Uint8Array) as Uint8Array }],
    kinds: [{ kind: "Secret" }, { kind: "Service" }, { group: "apps", version: "v1", kind: "StatefulSet" }],
  });
  const answer = (await call(client, "capability", "Plan", planRequest("postgresql", { storageGb: 5 }))) as {
    dependents: { dependents: readonly { id: string; object: Uint8Array; config: object; state: object | null }[] };
  };
  const [credential, server, address] = answer.dependents.dependents;
  expect(credential).toMatchObject({ id: "credentials", config: { updated: false } });
  expect(credential?.config).not.toHaveProperty("owned");
  expect(server?.state ?? undefined).toBeUndefined();
  expect(JSON.parse(Buffer.from(server?.object ?? "").toString())).toMatchObject({
    kind: "StatefulSet",
    metadata: { name: "orders-server" },
  });
  expect(address?.state).toMatchObject({ type: "Pending", message: "it has no address yet" });
  expect(await call(client, "capability", "Plan", planRequest("postgresql", { storageGb: "a" }))).toMatchObject({
    problems: { problems: [{ path: "spec.parameters.storageGb" }] },
  });
  const exit = ended(child);
  await call(client, "controller", "Shutdown", {});
  expect(await exit).toEqual([0, ""]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a client without the certificate of the host is refused", async () => {
  const own = await newCertificate();
  const { target, cert } = await startAsHost("kube-postgres", own);
  const check = (client: Client) => codeOf(call(client, "health", "Check", { service: "plugin" }));
  expect(await check(connect(target, { ca: cert }))).toBe(14);
  expect(await check(connect(target, { ca: cert, own: await newCertificate() }))).toBe(14);
  expect(await check(connect(target))).toBe(14);
  expect(await check(connect(target, { ca: cert, own }))).toBe("no error");
});

test("an exception, a large answer and a large request fail one call and not the plugin", async () => {
  const own = await newCertificate();
  const { child, target, cert } = await startAsHost("odd", own);
  const client = connect(target, { ca: cert, own });
  const plan = (what: string) => call(client, "capability", "Plan", planRequest("odd", { do: what }));
  expect(await plan("throw")).toMatchObject({ error: { code: "PlanFailed", message: "the plan failed: boom", terminal: false } });
  expect(await plan("reject")).toMatchObject({ error: { code: "NoDisk", message: "boom", retryAfterMs: 500 } });
  expect(await codeOf(plan("large"))).toBe(8);
  const large = planRequest("odd", { do: "log" }, { ...owner, spec: { a: "a".repeat(5 * 1024 * 1024) } });
  expect(await codeOf(call(client, "capability", "Plan", large))).toBe(8);
  const noJson = { ...planRequest("odd", {}), owner: Buffer.from("{") };
  expect(await codeOf(call(client, "capability", "Plan", noJson))).toBe(3);
  expect(await plan("log")).toMatchObject({ dependents: { dependents: [] } });
  const exit = ended(child);
  child.stdin?.end();
  const [code, written] = await exit;
  expect([
    code,
    ...written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ]).toEqual([
    0,
    { "@level": "info", "@message": "a line of the author" },
    { "@level": "warn", "@message": "a warning with [ 'two\\nlines' ]" },
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test("an exception in a plan is written with its place and without its message", async () => {
  const own = await newCertificate();
  const { child, target, cert } = await startAsHost("odd", own);
  const answer = await call(connect(target, { ca: cert, own }), "capability", "Plan", planRequest("odd", { do: "bug" }));
  expect(answer).toMatchObject({ error: { code: "PlanFailed", message: "a bug with the password hunter2" } });
  const exit = ended(child);
  child.stdin?.end();
  const [code, written] = await exit;
  expect([code, JSON.parse(written)]).toEqual([
    0,
    { "@level": "error", "@message": expect.stringMatching(/^the plan of odd failed at .*odd\.ts:\d+:\d+\)?$/) as string },
  ]);
});

test("a host without version 1 is refused with both versions", async () => {
  const [code, written] = await ended(start("kube-postgres", [], { [COOKIE.name]: COOKIE.value, PLUGIN_PROTOCOL_VERSIONS: "2,11" }));
  expect(code).toBe(1);
  expect(written).toContain("the plugin speaks protocol version 1, the host 2,11");
});

test("a plugin that is started by hand explains itself and fails", async () => {
  const [code, written] = await ended(start("kube-postgres"));
  expect(code).toBe(1);
  expect(written).toContain("database/postgresql, versions 16, 17");
  expect(written).toContain("v1/Secret, v1/Service, apps/v1/StatefulSet");
});

test("a plugin on a socket replaces the socket of a killed one, and ends by SIGTERM", async () => {
  const path = join(folder, "pg.sock");
  const killed = start("kube-postgres", ["--socket", path]);
  await firstLine(killed);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  expect(existsSync(path)).toBe(true);
  const child = start("kube-postgres", ["--socket", path]);
  expect(await firstLine(child)).toBe(`the plugin listens on ${path}`);
  expect(await call(connect(`unix:${path}`), "capability", "Describe", {})).toMatchObject({ name: "kube-postgres" });
  const exit = ended(child);
  child.kill("SIGTERM");
  expect(await exit).toEqual([0, ""]);
  expect(existsSync(path)).toBe(false);
});

test("a plugin on an address serves only clients of its authority", async () => {
  const [own, other] = await Promise.all([newCertificate(), newCertificate()]);
  const files = { cert: own.cert, key: own.key, ca: other.cert };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const tls = Object.keys(files).flatMap((name) => [`--tls-${name}`, join(folder, name)]);
  const child = start("kube-postgres", ["--address", "127.0.0.1:0", ...tls]);
  const port = /:(\d+)$/.exec(await firstLine(child))?.[1];
  const check = (client: Client) => codeOf(call(client, "health", "Check", { service: "" }));
  expect(await check(connect(`127.0.0.1:${port}`, { ca: own.cert, own: other }))).toBe("no error");
  expect(await check(connect(`127.0.0.1:${port}`, { ca: own.cert, own }))).toBe(14);
});

test.for([
  { name: "an address of the network without TLS", args: ["--address", "0.0.0.0:0"], message: "without mutual TLS" },
  { name: "a name that begins like loopback", args: ["--address", "127.0.0.1.example.com:1"], message: "without mutual TLS" },
  { name: "TLS without an authority", args: ["--address", "0.0.0.0:0", "--tls-cert", "a"], message: "no such file" },
  { name: "a socket in no folder", args: ["--socket", "/none/a.sock"], message: "cannot listen on unix:/none/a.sock" },
  { name: "an unknown option", args: ["--port", "1"], message: "--port" },
])("$name is refused", async ({ args, message }) => {
  const [code, written] = await ended(start("kube-postgres", args));
  expect(code).toBe(1);
  expect(written).toContain(message);
});

test("a plugin whose stdin is no pipe does not end by it", async () => {
  const child = spawn(join(import.meta.dirname, "plugins", "kube-postgres.ts"), [], {
    env: { PATH: process.env["PATH"], PLUGIN_UNIX_SOCKET_DIR: folder, [COOKIE.name]: COOKIE.value },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const [, , , path] = (await firstLine(child)).split("|");
  expect(await call(connect(`unix:${path}`), "health", "Check", { service: "" })).toEqual({ status: "SERVING" });
  const exit = ended(child);
  child.kill("SIGTERM");
  expect(await exit).toEqual([0, ""]);
});
