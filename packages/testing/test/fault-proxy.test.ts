/** Faults on a socket, in front of a server that knows nothing of them. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, get, request } from "node:http";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createClient, httpTransport, isConnectionError, loadConfig } from "@treadle/client";
import { configMap, type FaultProxy, startFaultProxy, startTestCluster, type TestCluster } from "@treadle/testing";
import { generate } from "selfsigned";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

describe("a fault proxy", { tags: ["memory"] }, () => {
  let cluster: TestCluster;
  let proxy: FaultProxy;
  beforeEach(async () => {
    cluster = await startTestCluster({ time: "real", http: true, objects: [configMap("default/a", { text: "one" })] });
    proxy = await startFaultProxy({ target: cluster.url });
  });
  afterEach(async () => {
    await proxy.close();
    await cluster.stop();
  });

  const REF = { namespace: "default", name: "a" };
  const client = () => createClient({ transport: httpTransport({ server: proxy.url }), retry: false });

  test("changes nothing without faults", async () => {
    const through = client();
    const made = await through.create(ConfigMap, { metadata: { namespace: "default", name: "b" }, data: { text: "ü" } });
    expect(made.data).toEqual({ text: "ü" });
    expect((await through.list(ConfigMap, { namespace: "default" })).items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    await through.apply(
      ConfigMap,
      { ...made, metadata: { namespace: "default", name: "b" }, data: { text: "x" } },
      { fieldManager: "me", force: true },
    );
    await through.delete(ConfigMap, { namespace: "default", name: "b" });
    expect(await through.get(ConfigMap, { namespace: "default", name: "b" })).toBeUndefined();
    await through.close();
  });

  test("resets the socket, and the server gets no request", async () => {
    proxy.faults.add({ on: { verb: "delete" }, nth: 1, fault: "reset" });
    const code = await new Promise<string | undefined>((resolve) => {
      request(`${proxy.url}/api/v1/namespaces/default/configmaps/a`, { method: "DELETE" }, () => resolve("answered"))
        .on("error", (error: NodeJS.ErrnoException) => resolve(error.code))
        .end();
    });
    expect(code).toBe("ECONNRESET");
    expect(await cluster.get(ConfigMap, "a")).toBeDefined();
  });

  test("breaks the connection after the server executed a request whose response is lost", async () => {
    const through = client();
    const lost = proxy.faults.add({ on: { verb: "delete" }, nth: 1, fault: "lostResponse" });
    await expect(through.delete(ConfigMap, REF)).rejects.toSatisfy((error) => isConnectionError(error) && error.isOutcomeUnknown);
    expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
    expect(lost.hits).toHaveLength(1);
    await through.close();
  });

  test("answers 429 with Retry-After, which a retrying client waits for", async () => {
    const through = createClient({ transport: httpTransport({ server: proxy.url }) });
    const busy = proxy.faults.add({ nth: 1, fault: { type: "tooManyRequests", retryAfterSeconds: 1 } });
    const startedMs = performance.now();
    expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "one" });
    expect(performance.now() - startedMs).toBeGreaterThan(950);
    expect(busy.hits).toHaveLength(1);
    await through.close();
  });

  test("gives no answer on a half-open connection until the caller times out", async () => {
    const through = client();
    proxy.faults.add({ nth: 1, fault: "halfOpen" });
    await expect(through.get(ConfigMap, REF, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: "TimeoutError" });
    expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "one" });
    await through.close();
  });

  test("freezes a watch, releases it, duplicates an event and cuts it", async () => {
    const through = client();
    const events = (await through.watch(ConfigMap, { namespace: "default" }))[Symbol.asyncIterator]();
    const next = async (): Promise<string> => {
      const { value } = await events.next();
      return `${value?.type} ${(value?.object as ConfigMap | undefined)?.data?.["text"]}`;
    };
    const write = (text: string) =>
      cluster.update(ConfigMap, "a", (object) => {
        object.data = { text };
      });
    expect(await next()).toBe("ADDED one");
    const frozen = proxy.faults.add({ on: { kind: ConfigMap }, fault: "frozenWatch" });
    await write("two");
    const second = next();
    let isTold = false;
    void second.then(() => (isTold = true));
    expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "two" });
    expect(isTold).toBe(false);
    frozen.remove();
    expect(await second).toBe("MODIFIED two");

    const twice = proxy.faults.add({ on: { kind: ConfigMap, name: "a" }, nth: 1, fault: "duplicateEvents" });
    await write("three");
    expect([await next(), await next()]).toEqual(["MODIFIED three", "MODIFIED three"]);
    expect(twice.hits).toHaveLength(1);

    const rest = next();
    expect(proxy.faults.cutWatches({ kind: ConfigMap })).toBe(1);
    await expect(rest).rejects.toSatisfy(isConnectionError);
    await through.close();
  });

  test.for([
    { how: "end", gives: "nothing more" },
    { how: "truncate", gives: "ERR_STREAM_TRUNCATED" },
    { how: "gone", gives: "ERROR 410" },
    { how: "reset", gives: "ERR_CONNECTION_LOST" },
    { how: "silence", gives: "nothing at all" },
  ] as const)("ends a watch by $how with $gives", async ({ how, gives }) => {
    const through = client();
    const abort = new AbortController();
    const events = (await through.watch(ConfigMap, { namespace: "default", signal: abort.signal }))[Symbol.asyncIterator]();
    await events.next();
    const next = events.next().then(
      ({ done, value }) => (done === true ? "nothing more" : `${value.type} ${value.type === "ERROR" ? value.object.code : ""}`),
      (error: unknown) => (abort.signal.aborted ? "nothing at all" : isConnectionError(error) ? error.code : String(error)),
    );
    expect(proxy.faults.cutWatches({}, how)).toBe(1);
    if (how === "silence") {
      // What the server says now is not heard; another request is answered.
      await cluster.update(ConfigMap, "a", (object) => void (object.data = { text: "two" }));
      expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "two" });
      abort.abort();
    }
    expect(await next).toBe(gives);
    expect(proxy.faults.cutWatches()).toBe(how === "silence" ? 1 : 0);
    await through.close();
  });

  test("delivers a slow event whole, and later events after it", async () => {
    const through = client();
    const events = (await through.watch(ConfigMap, { namespace: "default" }))[Symbol.asyncIterator]();
    await events.next();
    const slow = proxy.faults.add({ on: { name: "a" }, nth: 1, fault: { type: "slowEvents", ms: 300 } });
    const startedMs = performance.now();
    for (const text of ["two", "three"]) await cluster.update(ConfigMap, "a", (object) => void (object.data = { text }));
    for (const text of ["two", "three"]) expect((await events.next()).value).toMatchObject({ object: { data: { text } } });
    expect(performance.now() - startedMs).toBeGreaterThan(290);
    expect(slow.hits).toHaveLength(1);
    await through.close();
  });

  test("makes a client of HTTP/1.1 reconnect", async () => {
    const agent = new Agent({ keepAlive: true });
    const ask = (): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        get(`${proxy.url}/version`, { agent }, (response) => {
          response.resume().on("end", () => resolve(response.headers.connection));
        }).on("error", reject);
      });
    expect(await ask()).toBe("keep-alive");
    proxy.goAway();
    expect([await ask(), await ask()]).toEqual(["close", "keep-alive"]);
    agent.destroy();
  });

  test("speaks HTTP/2 over TLS, and makes clients reconnect by GOAWAY", async () => {
    const { cert, private: key } = await generate([{ name: "commonName", value: "proxy" }], {
      keyType: "ec",
      extensions: [
        { name: "basicConstraints", cA: true },
        { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
      ],
    });
    await using secure = await startFaultProxy({ target: cluster.url, tls: { cert, key } });
    const session = connect(secure.url, { ca: cert });
    const answer = session.request({ ":path": "/version" }).resume();
    const [headers] = (await once(answer, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(200);
    const left = once(session, "goaway");
    secure.goAway();
    expect((await left)[0]).toBe(0);
    session.destroy();
    const through = createClient({
      transport: httpTransport({ server: secure.url, credentials: { ca: cert }, http2: true }),
      retry: false,
    });
    expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "one" });
    secure.goAway();
    // A request on the way out may be lost with its connection; the next one has another.
    await through.get(ConfigMap, REF).catch(() => undefined);
    expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "one" });
    await through.close();
  });

  test("sends its own credentials to the server and requires a token from its clients", async () => {
    const secured = await startFaultProxy({
      target: { server: cluster.url, credentials: { headers: { authorization: "Bearer secret" } } },
    });
    try {
      const anonymous = createClient({ transport: httpTransport({ server: secured.url }), retry: false });
      await expect(anonymous.get(ConfigMap, REF)).rejects.toMatchObject({ status: 401 });
      const response = await fetch(`${secured.url}/api/v1/namespaces/default/configmaps/a`, {
        headers: { authorization: `Bearer ${secured.token}`, accept: "application/vnd.kubernetes.protobuf" },
      });
      expect(await response.json()).toMatchObject({ data: { text: "one" } });
    } finally {
      await secured.close();
    }
  });

  test("uses TLS and credentials of a kubeconfig target", async () => {
    await using secure = await startTestCluster({ time: "real", https: true, objects: [configMap("default/a", { text: "one" })] });
    const folder = await mkdtemp(join(tmpdir(), "treadle-proxy-"));
    const kubeconfig = join(folder, "config");
    await writeFile(kubeconfig, secure.kubeconfig);
    await using front = await startFaultProxy({ target: await loadConfig({ kubeconfig }) });
    front.faults.add({ on: { resource: "configmaps" }, nth: 2, fault: { type: "serverError", status: 503 } });
    const get = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${front.token}` };
      return (await fetch(`${front.url}/api/v1/namespaces/default/configmaps/a`, { headers })).status;
    };
    expect([await get(), await get(), await get()]).toEqual([200, 503, 200]);
    await rm(folder, { recursive: true });
  });
});
