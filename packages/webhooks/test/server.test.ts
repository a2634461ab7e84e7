/** The server in a manager: TLS with a certificate from files, bad input, metrics, and the stop. Real sockets and real time. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isDefinitionError, type Transport } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Certificates, type KeyPair, makeCertificates } from "@treadle/apiserver/unstable/certificates";
import { createClient } from "@treadle/client";
import { createManager, type Manager } from "@treadle/controller";
import { one } from "@treadle/reconcile";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Webhooks, webhooks, webhookServer, type WebhookServer, type WebhookServerOptions } from "../src/index.ts";
import { bodyFor, Website, website } from "./reviews.ts";

const PATH = "/validate/web.example.com/websites";
const SERVICE = { service: { name: "website-operator", namespace: "ops" } };

let certificates: Certificates;
let files: { readonly certFile: string; readonly keyFile: string };
let directory: string;

beforeAll(async () => {
  certificates = await makeCertificates(["localhost", "127.0.0.1"]);
  directory = await mkdtemp(join(tmpdir(), "treadle-"));
  files = { certFile: join(directory, "tls.crt"), keyFile: join(directory, "tls.key") };
  const { certPem, keyPem } = certificates.server;
  await Promise.all([writeFile(files.certFile, certPem), writeFile(files.keyFile, keyPem)]);
});
afterAll(async () => await rm(directory, { recursive: true }));

interface Line {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

interface Running {
  readonly manager: Manager;
  readonly server: WebhookServer;
  readonly lines: readonly Line[];
  send(path: string, body: string | object, options?: { readonly identity?: KeyPair }): Promise<Answer>;
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly connection: string | undefined;
}

interface RunningOptions extends Partial<WebhookServerOptions> {
  /** Holds the requests for ConfigMaps, so that the caches do not sync. */
  readonly held?: Promise<void>;
}

async function running(list: readonly Webhooks[], { held, ...given }: RunningOptions = {}): Promise<Running> {
  const api = createApiServer();
  const direct = api.transport();
  const transport: Transport = {
    async request(sent) {
      if (sent.path.includes("/configmaps")) await held;
      return await direct.request(sent);
    },
    close: () => direct.close(),
  };
  const lines: Line[] = [];
  const note = (level: string) => (fields: object, message: string) => void lines.push({ level, fields: { ...fields }, message });
  const server = webhookServer(list, { ...SERVICE, host: "127.0.0.1", port: 0, tls: files, graceMs: 0, ...given });
  const manager = createManager({
    client: (wish) => createClient({ ...wish, transport }),
    probes: { host: "127.0.0.1", port: 0 },
    metrics: { host: "127.0.0.1", port: 0 },
    signals: false,
    log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
  });
  const agents: Agent[] = [];
  onTestFinished(async () => {
    for (const agent of agents) agent.destroy();
    await manager.stop();
    await api.close();
  });
  const started = manager.add(server).start();
  started.catch(() => undefined); // A test that holds the caches stops the manager before they sync.
  if (held === undefined) await started;
  await expect.poll(() => server.address).toBeDefined();
  const { port } = server.address ?? {};
  return {
    manager,
    server,
    lines,
    async send(path, body, { identity } = {}) {
      const agent = new Agent({ ca: certificates.caPem, ...(identity && { cert: identity.certPem, key: identity.keyPem }) });
      agents.push(agent);
      const sent = request({ port, host: "127.0.0.1", path, method: "POST", agent, headers: { "content-type": "application/json" } });
      const answered = new Promise<IncomingMessage>((resolve, reject) => void sent.once("response", resolve).once("error", reject));
      sent.end(typeof body === "string" ? body : JSON.stringify(body));
      const response = await answered;
      return { status: response.statusCode, text: await text(response), connection: response.headers.connection };
    },
  };
}

const rules = webhooks(Website, { problems: ({ spec }) => (spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []) });
const create = (spec: object): object => bodyFor(rules, { object: website(spec) });
const responseOf = ({ text: answer }: Answer): unknown => JSON.parse(answer).response;

test("a review is answered over TLS with a certificate from files", async () => {
  const { send } = await running([rules]);
  expect(responseOf(await send(PATH, create({ replicas: 1 })))).toEqual({ uid: "705ab4f5", allowed: true });
  expect(responseOf(await send(PATH, create({ replicas: 11 })))).toMatchObject({
    allowed: false,
    status: { code: 422, details: { causes: [{ field: "spec.replicas", message: "at most 10" }] } },
  });
});

test.for<[string, string, () => string | object, number, string]>([
  ["no body", PATH, () => "", 400, "ERR_INVALID_REVIEW"],
  ["a body that is not JSON", PATH, () => "{", 400, "ERR_INVALID_REVIEW"],
  ["a body of another kind", PATH, () => ({ apiVersion: "v1", kind: "Pod" }), 400, "ERR_"],
  ["a review of v1beta1", PATH, () => ({ ...create({}), apiVersion: "admission.k8s.io/v1beta1" }), 400, "ERR_"],
  ["a review of another kind", PATH, () => bodyFor(webhooks(ConfigMap, { problems: () => [] }), { object: {} }), 400, "ERR_"],
  [
    "an object without metadata",
    PATH,
    () => bodyFor(rules, { object: { apiVersion: "web.example.com/v1", kind: "Website" } }),
    400,
    "ERR_",
  ],
  ["an unknown path", "/validate/web.example.com/others", () => create({}), 404, "ERR_UNKNOWN_PATH"],
  ["9 MiB", PATH, () => create({ host: "x".repeat(9 * 2 ** 20) }), 413, "ERR_BODY_TOO_LONG"],
])("%s is answered with a status and a code, and the server goes on", async ([, path, body, status, code]) => {
  const { send } = await running([rules]);
  const answer = await send(path, body());
  expect({ status: answer.status, text: answer.text }).toEqual({ status, text: expect.stringContaining(`(${code}`) });
  expect((await send(PATH, create({}))).status).toBe(200);
});

test("a promise that never ends is answered before the API server stops waiting", async () => {
  const never = webhooks(Website, { timeoutSeconds: 1, problems: () => new Promise<never>(() => {}) });
  const { send, lines } = await running([never]);
  const { status, text: answer } = await send(PATH, create({}));
  expect([status, answer]).toEqual([500, expect.stringContaining("problems has not ended after 900 ms")]);
  expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
});

test("a function that throws is a 500, is logged once, and is counted", async () => {
  const throwing = webhooks(Website, {
    problems: () => {
      throw new TypeError("password=hunter2 is not a function");
    },
  });
  const { send, lines, manager } = await running([throwing]);
  const { status, text: answer } = await send(PATH, create({}));
  expect([status, answer]).toEqual([500, expect.stringContaining("(ERR_FUNCTION_FAILED)")]);
  const errors = lines.filter(({ level }) => level === "error");
  expect(errors).toMatchObject([{ fields: { user: "ada", uid: "705ab4f5", object: expect.stringContaining("ops/a") } }]);
  expect(JSON.stringify([errors, answer])).not.toContain("hunter2");
  const metrics = await (await fetch(`${manager.addresses.metrics?.url}/metrics`)).text();
  expect(metrics).toContain(`controller_runtime_webhook_requests_total{webhook="${PATH}",code="500"} 1\n`);
  expect(metrics).toContain("controller_runtime_webhook_panics_total 1\n");
});

test("every series exists from the start", async () => {
  const { manager } = await running([rules]);
  const metrics = await (await fetch(`${manager.addresses.metrics?.url}/metrics`)).text();
  for (const series of [
    `controller_runtime_webhook_requests_total{webhook="${PATH}",code="200"} 0`,
    `controller_runtime_webhook_requests_total{webhook="${PATH}",code="500"} 0`,
    `controller_runtime_webhook_requests_in_flight{webhook="${PATH}"} 0`,
    `controller_runtime_webhook_latency_seconds_bucket{le="0.005",webhook="${PATH}"} 0`,
    "controller_runtime_webhook_panics_total 0",
    "controller_runtime_conversion_webhook_panics_total 0",
    "certwatcher_read_certificate_total 1",
  ])
    expect(metrics).toContain(`${series}\n`);
});

test("a stop answers the review that runs, and listens no longer", async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = webhooks(Website, {
    problems: async () => {
      begun.resolve();
      await gate.promise;
      return ["too slow"];
    },
  });
  const { send, manager } = await running([slow]);
  const answered = send(PATH, create({}));
  await begun.promise;
  const stopped = manager.stop();
  await expect.poll(() => manager.status().state).toBe("stopping");
  gate.resolve();
  const answer = await answered;
  expect([answer.status, responseOf(answer)]).toEqual([200, expect.objectContaining({ allowed: false })]);
  await stopped;
  await expect(send(PATH, create({}))).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("with clientCa, connections of strangers are refused", async () => {
  const { send } = await running([rules], { clientCa: certificates.caPem });
  const { client: stranger } = await makeCertificates(["localhost"]);
  await expect(send(PATH, create({}))).rejects.toThrow();
  await expect(send(PATH, create({}), { identity: stranger })).rejects.toThrow();
  expect((await send(PATH, create({}), { identity: certificates.client })).status).toBe(200);
});

test("reads give the objects of the caches, and their kinds are watched without a handler", async () => {
  const seen: unknown[] = [];
  const reading = webhooks(Website, {
    reads: { settings: one(ConfigMap, () => "settings") },
    problems: (_, { reads }) => {
      seen.push(reads.settings?.data?.["limit"]);
      return [];
    },
  });
  const { send, server, manager } = await running([reading]);
  expect(server.reads).toHaveLength(1);
  await expect.poll(() => manager.informers?.all().map(({ kind }) => kind.kind)).toEqual(["ConfigMap"]);
  expect(responseOf(await send(PATH, create({})))).toMatchObject({ allowed: true });
  expect(seen).toEqual([undefined]);
});

const reading = (timeoutSeconds: number): Webhooks =>
  webhooks(Website, {
    timeoutSeconds,
    reads: { settings: one(ConfigMap, () => "settings") },
    problems: (_, { reads }) => (reads.settings === undefined ? [] : ["there are settings"]),
  });

test("a review that comes before the caches have synced waits for them", async () => {
  const gate = Promise.withResolvers<void>();
  const { send, manager } = await running([reading(30)], { held: gate.promise });
  const answered = send(PATH, create({}));
  await expect.poll(() => manager.informers?.all()).toHaveLength(1);
  expect(manager.status().state).toBe("starting");
  gate.resolve();
  expect(responseOf(await answered)).toMatchObject({ allowed: true });
});

test("a review does not wait for the caches longer than its deadline", async () => {
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const { send } = await running([reading(1)], { held: gate.promise });
  const { status, text: answer } = await send(PATH, create({}));
  expect([status, answer]).toEqual([500, expect.stringContaining("its reads have no values after 900 ms")]);
});

test("a function that blocks the event loop is named", { timeout: 20_000 }, async () => {
  const blocking = webhooks(Website, {
    problems: () => {
      const beganMs = performance.now();
      while (performance.now() - beganMs < 700);
      return [];
    },
  });
  const { send, lines } = await running([blocking]);
  expect((await send(PATH, create({}))).status).toBe(200);
  await expect
    .poll(() => lines.filter(({ message }) => message.includes("the event loop was blocked")))
    .toMatchObject([{ fields: { step: "problems of Website.web.example.com", object: "ops/a" } }]);
});

test.for<[string, Partial<WebhookServerOptions>, readonly Webhooks[], string]>([
  ["no Service and no URL", { service: undefined as never }, [rules], "service"],
  ["two webhooks of one name", {}, [rules, rules], "webhooks[1]"],
  ["install without a URL", { install: true }, [rules], "install"],
  ["a limit that is no number", { maxBytes: Number.NaN }, [rules], "maxBytes"],
  ["a client CA that is not a certificate", { clientCa: "x" }, [rules], "clientCa"],
])("%s is refused at definition", ([, options, list, path]) => {
  const make = (): unknown => webhookServer(list, { ...SERVICE, ...options });
  expect(make).toThrow(path);
  expect(make).toThrow(expect.toSatisfy(isDefinitionError));
});

test("an operator in a dry run starts without the server: it could not write its certificates", async () => {
  const api = createApiServer();
  const logged: string[] = [];
  const note = (_: object, message: string): void => void logged.push(message);
  const server = webhookServer([rules], { ...SERVICE, port: 0 });
  const manager = createManager({
    client: (wish) => createClient({ ...wish, transport: api.transport() }),
    dryRun: true,
    probes: false,
    metrics: false,
    signals: false,
    log: { debug: note, info: note, warn: note, error: note },
  });
  onTestFinished(async () => {
    await manager.stop();
    await api.close();
  });
  await manager.add(server).start();
  expect(server.address).toBeUndefined();
  expect(logged.join()).toContain("dry run: the webhooks are not served");
});
