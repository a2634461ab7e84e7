/** The stop of `httpService`, and its certificates: real sockets, and the clock of the test. */
import { Agent, get } from "node:http";
import { Agent as TlsAgent, request as tlsRequest, type RequestOptions } from "node:https";
import { connect } from "node:net";
import type { TLSSocket } from "node:tls";
import { type FakeClock, sleep } from "@treadle/apimachinery";
import { handler, step } from "@treadle/reconcile";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type CertificateSource, type CertifiedKey, type HttpService, httpService, type HttpServiceOptions } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startWorld, Widget, type World } from "./world.ts";

const idle = handler(Widget)
  .step(step(Widget, { name: "idle" }))
  .build();

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly bytes: number;
}

const agents: { destroy(): void }[] = [];
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});

function keptConnections(): Agent {
  const agent = new Agent({ keepAlive: true });
  agents.push(agent);
  return agent;
}

/** Sends a GET and reads the whole answer. */
async function ask(url: string, agent: Agent): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const sent = get(url, { agent }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => void (bytes += chunk.length));
      response.on("end", () => resolve({ status: response.statusCode, connection: response.headers.connection, bytes }));
      response.on("error", reject);
    });
    sent.on("error", reject);
  });
}

async function serving(
  given: Partial<HttpServiceOptions> = {},
): Promise<{ world: World; service: HttpService; url: string; clock: FakeClock }> {
  const service = httpService({ name: "hooks", host: "127.0.0.1", handler: (_, response) => void response.end("hello"), ...given });
  const world = await startWorld({ handlers: [idle], start: false });
  world.manager.add(service);
  await world.manager.start();
  return { world, service, url: service.address?.url ?? "", clock: world.clock };
}

async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });
}

describe("the stop of an httpService", () => {
  test("takes requests for 5 s, and asks for the end of their connections", async () => {
    const { world, url, clock } = await serving();
    const agent = keptConnections();
    expect(await ask(url, agent)).toMatchObject({ status: 200, connection: "keep-alive" });
    const stopped = world.manager.stop();
    await clock.advance(4_999);
    expect(await ask(url, agent)).toMatchObject({ status: 200, connection: "close" });
    expect(await isListening(url)).toBe(true);
    await clock.advance(1);
    await stopped;
    expect(await isListening(url)).toBe(false);
  });

  test("counts the grace from the begin of the manager's stop", async () => {
    const service = httpService({ name: "hooks", host: "127.0.0.1", handler() {} });
    const world = await startWorld({ handlers: [idle], start: false });
    world.manager.add(service).add({ name: "slow", start() {}, stop: () => sleep(world.clock, 3_000) });
    await world.manager.start();
    const { url = "" } = service.address ?? {};
    const stopped = world.manager.stop();
    await world.clock.advance(4_999);
    expect(await isListening(url)).toBe(true);
    await world.clock.advance(1);
    await stopped;
    expect(await isListening(url)).toBe(false);
  });

  test("closes idle connections at the end of the grace, and waits for a request in progress", async () => {
    const answering = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { world, url, clock } = await serving({
      graceMs: 1_000,
      async handler(request, response) {
        if (request.url === "/slow") {
          arrived.resolve();
          await answering.promise;
        }
        response.end("done");
      },
    });
    const [idleAgent, agent] = [keptConnections(), keptConnections()];
    await ask(url, idleAgent);
    const [socket] = Object.values(idleAgent.freeSockets).flat();
    const closed = new Promise<void>((resolve) => void socket?.once("close", () => resolve()));
    const answer = ask(`${url}/slow`, agent);
    await arrived.promise;
    let isStopped = false;
    const stopped = world.manager.stop().then(() => (isStopped = true));
    await clock.advance(10_000);
    await closed;
    expect(isStopped).toBe(false);
    answering.resolve();
    expect(await answer).toMatchObject({ status: 200, bytes: 4 });
    await stopped;
  });

  test("does not cut off an answer that is complete but not yet sent", async () => {
    const bytes = 30_000_000;
    const { world, url, clock } = await serving({ graceMs: 0, handler: (_, response) => void response.end(Buffer.alloc(bytes)) });
    const stopped = Promise.withResolvers<void>();
    const received = await new Promise<number>((resolve, reject) => {
      get(url, { agent: false }, (response) => {
        // The client reads nothing until the server has begun to stop.
        void world.manager.stop().then(stopped.resolve, stopped.reject);
        void clock.advance(0).then(() => {
          let count = 0;
          response.on("data", (chunk: Buffer) => void (count += chunk.length));
          response.on("end", () => resolve(count));
          response.on("error", reject);
        });
      }).on("error", reject);
    });
    expect(received).toBe(bytes);
    await stopped.promise;
  });

  test("cuts off what does not end, before the time of the manager's stop is over", async () => {
    const arrived = Promise.withResolvers<void>();
    const { world, url, clock } = await serving({ handler: () => arrived.resolve() });
    const answer = ask(url, keptConnections());
    const failed = expect(answer).rejects.toThrow(/socket hang up|ECONNRESET/);
    await arrived.promise;
    const stopped = world.manager.stop();
    await clock.advance(27_000);
    expect(await isListening(url)).toBe(false);
    await clock.advance(1_000);
    await stopped;
    await failed;
  });

  test("closes a connection that never sends a request", async () => {
    const { world, url, clock } = await serving({ graceMs: 0 });
    const { hostname, port } = new URL(url);
    const closed = Promise.withResolvers<void>();
    const socket = connect(Number(port), hostname, () => void world.manager.stop().then(() => clock.advance(0)));
    socket.on("error", () => undefined).on("close", () => closed.resolve());
    await closed.promise;
  });

  test("after a failed start there is no grace", async () => {
    const service = httpService({ name: "hooks", host: "127.0.0.1", handler() {} });
    const world = await startWorld({ handlers: [idle], start: false });
    const boom = new Error("boom");
    world.manager.add(service).add({ name: "broken", start: () => Promise.reject(boom) });
    await expect(world.manager.start()).rejects.toThrow("boom");
    expect(service.address).toBeUndefined();
  });
});

describe("the certificates of an httpService", () => {
  let [first, second]: CertifiedKey[] = [];
  beforeAll(async () => {
    [first, second] = await Promise.all([selfSigned("first"), selfSigned("second")]);
  });

  /** A source whose certificate a test replaces. */
  function source(current: CertifiedKey): CertificateSource & { replace(next: CertifiedKey): void; readonly listeners: Set<unknown> } {
    const listeners = new Set<(next: CertifiedKey) => void>();
    return {
      current,
      listeners,
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      replace(next) {
        for (const listener of listeners) listener(next);
      },
    };
  }

  async function subjectOf(url: string, options: RequestOptions = {}): Promise<string> {
    return await new Promise((resolve, reject) => {
      const agent = new TlsAgent({ maxCachedSessions: 0 });
      const sent = tlsRequest(url, { agent, rejectUnauthorized: false, ...options }, (response) => {
        const { subject } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume().on("end", () => resolve(String(subject.CN)));
      });
      sent.on("error", reject).end();
    });
  }

  test("a source in memory is served, also after a change, and unsubscribed at the stop", async () => {
    const tls = source(first as CertifiedKey);
    const { world, url, clock } = await serving({ tls });
    expect(url).toMatch(/^https:/);
    expect(await subjectOf(url)).toBe("first");
    tls.replace(second as CertifiedKey);
    expect(await subjectOf(url)).toBe("second");
    const stopped = world.manager.stop();
    await clock.advance(5_000);
    await stopped;
    expect(tls.listeners.size).toBe(0);
  });

  test("a connection that never begins its handshake does not delay the stop", async () => {
    const { world, url } = await serving({ tls: source(first as CertifiedKey), graceMs: 0 });
    const { hostname, port } = new URL(url);
    const closed = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    // The server has accepted it when a later client is served.
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    socket.on("close", () => closed.resolve());
    await subjectOf(url);
    void world.manager.stop().then(stopped.resolve, stopped.reject);
    await Promise.all([closed.promise, stopped.promise]);
  });

  test("an invalid change is logged without the key, and the previous certificate is served", async () => {
    const tls = source(first as CertifiedKey);
    const { world, url } = await serving({ tls });
    tls.replace({ cert: (second as CertifiedKey).cert, key: (first as CertifiedKey).key });
    tls.replace({ cert: "", key: "" });
    tls.replace(undefined as unknown as CertifiedKey);
    expect(await subjectOf(url)).toBe("first");
    const warnings = world.logs.filter(({ level }) => level === "warn").map(({ text }) => text);
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain("the new certificate cannot be served; the previous one is served");
    expect(warnings.join()).not.toContain("PRIVATE KEY");
  });

  test("a source without a valid certificate ends the start", async () => {
    const service = httpService({ name: "hooks", host: "127.0.0.1", handler() {}, tls: source({ cert: "no", key: "no" }) });
    const world = await startWorld({ handlers: [idle], start: false });
    world.manager.add(service);
    await expect(world.manager.start()).rejects.toMatchObject({
      message: expect.stringContaining("cannot serve hooks by the certificate of its source"),
      cause: { code: "ERR_CERTIFICATE" },
    });
  });

  test("with clientCa only a client with a certificate of it is served, also after a change", async () => {
    const tls = source(first as CertifiedKey);
    const { url } = await serving({ tls, clientCa: (second as CertifiedKey).cert });
    await expect(subjectOf(url)).rejects.toThrow();
    await expect(subjectOf(url, { ...(first as CertifiedKey) })).rejects.toThrow();
    expect(await subjectOf(url, { ...(second as CertifiedKey) })).toBe("first");
    tls.replace(second as CertifiedKey);
    await expect(subjectOf(url)).rejects.toThrow();
    expect(await subjectOf(url, { ...(second as CertifiedKey) })).toBe("second");
  });
});

test.for([
  { name: "a negative grace", given: { graceMs: -1 }, want: /graceMs is -1: give milliseconds from 0/ },
  { name: "clientCa without tls", given: { clientCa: "x" }, want: /clientCa needs tls/ },
  { name: "tls that is neither files nor a source", given: { tls: { cert: "x" } }, want: /tls needs certFile and keyFile/ },
  {
    name: "clientCa that is no certificate",
    given: { tls: { certFile: "a", keyFile: "b" }, clientCa: "x" },
    want: /clientCa is not a certificate/,
  },
])("$name is refused", ({ given, want }) => {
  expect(() => httpService({ name: "hooks", handler() {}, ...(given as object) })).toThrow(want);
});
