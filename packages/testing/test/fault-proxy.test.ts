/** Faults on a socket, in front of a server that knows nothing of them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createClient, httpTransport, isConnectionError, loadConfig } from "@treadle/client";
import { configMap, type FaultProxy, startFaultProxy, startTestCluster, type TestCluster } from "@treadle/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

describe("a proxy", { tags: ["memory"] }, () => {
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

  test("without faults it changes nothing", async () => {
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

  test("a reset is one on the socket, and the server heard nothing", async () => {
    proxy.faults.add({ on: { verb: "delete" }, nth: 1, fault: "reset" });
    const code = await new Promise<string | undefined>((resolve) => {
      request(`${proxy.url}/api/v1/namespaces/default/configmaps/a`, { method: "DELETE" }, () => resolve("answered"))
        .on("error", (error: NodeJS.ErrnoException) => resolve(error.code))
        .end();
    });
    expect(code).toBe("ECONNRESET");
    expect(await cluster.get(ConfigMap, "a")).toBeDefined();
  });

  test("a lost response: the server has done it, the caller hears of a broken connection", async () => {
    const through = client();
    const lost = proxy.faults.add({ on: { verb: "delete" }, nth: 1, fault: "lostResponse" });
    await expect(through.delete(ConfigMap, REF)).rejects.toSatisfy((error) => isConnectionError(error) && error.isOutcomeUnknown);
    expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
    expect(lost.hits).toBe(1);
    await through.close();
  });

  test("429 with Retry-After is waited for by a client that retries", async () => {
    const through = createClient({ transport: httpTransport({ server: proxy.url }) });
    const busy = proxy.faults.add({ nth: 1, fault: { type: "tooManyRequests", retryAfterSeconds: 1 } });
    const startedMs = performance.now();
    expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "one" });
    expect(performance.now() - startedMs).toBeGreaterThan(950);
    expect(busy.hits).toBe(1);
    await through.close();
  });

  test("a half-open connection gives nothing until the caller gives up", async () => {
    const through = client();
    proxy.faults.add({ nth: 1, fault: "halfOpen" });
    await expect(through.get(ConfigMap, REF, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: "TimeoutError" });
    expect((await through.get(ConfigMap, REF))?.data).toEqual({ text: "one" });
    await through.close();
  });

  test("a watch is frozen, thaws, tells twice, and is cut", async () => {
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
    expect(twice.hits).toBe(1);

    const rest = next();
    expect(proxy.faults.cutWatches({ kind: ConfigMap })).toBe(1);
    await expect(rest).rejects.toSatisfy(isConnectionError);
    await through.close();
  });

  test("in front of a server that wants credentials it has its own, and asks for a token itself", async () => {
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

  test("a target of a kubeconfig: TLS and credentials are the proxy's", async () => {
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
