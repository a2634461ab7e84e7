import { fakeClock, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { definitionOfProvider, provider } from "./provider.ts";
import { ProviderRuntime, versionOf } from "./runtime.ts";

const meta = (metadata: Partial<KubernetesObject["metadata"]>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Config",
  metadata: { name: "c", uid: "u", resourceVersion: "7", ...metadata },
});

function world() {
  const definition = definitionOfProvider(provider(ConfigMap, { connect: () => ({}), rate: { perSecond: 1 } }));
  if (definition === undefined) throw new Error("not a provider");
  const disposed: string[] = [];
  const api = (name: string): AsyncDisposable => ({ [Symbol.asyncDispose]: async () => void disposed.push(name) });
  const clock = fakeClock();
  const runtime = new ProviderRuntime(definition, { clock, onError: (error) => disposed.push(String(error)) });
  return { runtime, disposed, api, clock };
}

test("objects of one config share its limits, those of another config do not", () => {
  const { runtime } = world();
  const { credential } = runtime.of("shop/a");
  expect(runtime.of("shop/a").credential).toBe(credential);
  expect(credential.ask("x", { isUrgent: false, nowMs: 0 }).type).toBe("granted");
  expect(credential.ask("y", { isUrgent: false, nowMs: 0 }).type).toBe("wait");
  expect(runtime.of("shop/b").credential.ask("y", { isUrgent: false, nowMs: 0 }).type).toBe("granted");
  expect([...runtime.configs.keys()]).toEqual(["shop/a", "shop/b"]);
});

test("a new version of the config closes the breaker at once", () => {
  const { runtime } = world();
  const entry = runtime.of("shop/a");
  const ask = () => entry.credential.ask("x", { isUrgent: false, nowMs: 1 });
  entry.use("v1");
  entry.credential.refused(0);
  entry.use("v1");
  expect(ask()).toMatchObject({ reason: "CredentialsRefused" });
  entry.use("v2");
  expect(ask()).toEqual({ type: "granted" });
});

test("a config whose objects stay away is forgotten, and its connection disposed after its last lease", async () => {
  const { runtime, disposed, api, clock } = world();
  const { credential, connections } = runtime.of("shop/a");
  credential.seen("x", clock.now());
  const lease = await connections.acquire("v1", () => api("a"));
  (await runtime.of("shop/b").connections.acquire("v1", () => api("b"))).release();
  for (let minute = 0; minute < 5; minute++) {
    runtime.of("shop/b").credential.seen("y", clock.now());
    expect([...runtime.configs.keys()]).toEqual(minute < 4 ? ["shop/a", "shop/b"] : ["shop/b"]);
    await clock.advance(60_000);
  }
  expect(disposed).toEqual([]);
  lease.release();
  await runtime[Symbol.asyncDispose]();
  expect(disposed.toSorted()).toEqual(["a", "b"]);
});

test("a config with a stop or missing tokens is not forgotten", async () => {
  const { runtime, clock } = world();
  const { credential } = runtime.of("shop/a");
  credential.refused(clock.now());
  await clock.advance(600_000);
  runtime.of("shop/b").credential.seen("y", clock.now());
  expect([...runtime.configs.keys()]).toEqual(["shop/a", "shop/b"]);
});

test("no connection opens after the end of the operator", async () => {
  const { runtime, api } = world();
  runtime.of("shop/a");
  await runtime[Symbol.asyncDispose]();
  for (const key of ["shop/a", "shop/b"])
    await expect(runtime.of(key).connections.acquire("v1", () => api(key))).rejects.toThrow("the operator ends");
});

test.for([
  { name: "generation", config: meta({ generation: 2 }), secret: undefined, want: "u/2/-" },
  { name: "resourceVersion of a kind without generation", config: meta({}), secret: undefined, want: "u/v7/-" },
  { name: "Secret", config: meta({ generation: 2 }), secret: meta({ uid: "s", resourceVersion: "9" }), want: "u/2/s/9" },
])("the version names the $name", ({ config, secret, want }) => {
  expect(versionOf(config, secret)).toBe(want);
});
