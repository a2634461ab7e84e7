/** A set without a controller: a pass of `createReconciler()` over an object that stands for a release. It also shows what it measures. */
import { apiVersionOf, fakeClock, groupKindOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { type Cache, TerminalError } from "@treadle/reconcile";
import { createReconciler, type ReconcilerEnv } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { config, type Options, Platform, platforms } from "./platforms.ts";

/** A cache that shows the server as it was when it was loaded, and the writes of the pass. */
async function cacheOf(client: Client, kinds: readonly Kind[]): Promise<{ cache: Cache; put(object: KubernetesObject): void }> {
  const objects = new Map<string, KubernetesObject>();
  const keyIn = (kind: Pick<Kind, "group" | "kind">, ref: Ref): string => `${groupKindOf(kind)} ${keyOf(ref)}`;
  const put = (object: KubernetesObject): void => {
    const group = object.apiVersion.includes("/") ? (object.apiVersion.split("/")[0] ?? "") : "";
    objects.set(keyIn({ group, kind: object.kind }, object.metadata), object);
  };
  for (const kind of kinds)
    for (const item of (await client.list(kind)).items as readonly KubernetesObject[])
      put({ ...item, apiVersion: apiVersionOf(kind), kind: kind.kind });
  const cache = {
    get: (kind: Kind, ref: Ref) => objects.get(keyIn(kind, ref)),
    list: (kind: Kind, { matchLabels = {} }: { readonly matchLabels?: Readonly<Record<string, string>> } = {}) =>
      [...objects]
        .filter(([key]) => key.startsWith(`${groupKindOf(kind)} `))
        .map(([, object]) => object)
        .filter(({ metadata }) => Object.entries(matchLabels).every(([key, value]) => metadata.labels?.[key] === value)),
  };
  return { cache: cache as unknown as Cache, put }; // The kinds of the test are whole.
}

interface Counting {
  /** The values of `treadle_dependents`, by type. */
  readonly sums: Map<string, number>;
  readonly client: Client;
  pass(name: string): Promise<void>;
}

/** One process that applies sets, with the sums of its gauge. */
async function counting(options: Partial<Options>, client?: Client): Promise<Counting> {
  const clock = fakeClock();
  const user = client ?? createClient({ transport: createApiServer({ clock, resources: [Platform] }).transport(), clock });
  const sums = new Map<string, number>();
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const now = { shown: await cacheOf(user, [Platform, ConfigMap]) };
  const cache = {
    get: (kind: Kind, ref: Ref) => now.shown.cache.get(kind, ref),
    list: (...given: Parameters<Cache["list"]>) => now.shown.cache.list(...given),
  } as unknown as Cache; // As above.
  const reconciler = createReconciler(platforms({ kinds: [ConfigMap], ...options }) as never, {
    client: user,
    cache,
    clock,
    log,
    observeWrite: (object) => now.shown.put(object),
    observeOther: (_kind, object) => now.shown.put(object),
    measure: (metric, labels, value) => {
      if (metric === "treadle_dependents") sums.set(labels["type"] ?? "", (sums.get(labels["type"] ?? "") ?? 0) + value);
    },
  });
  return {
    sums,
    client: user,
    async pass(name) {
      now.shown = await cacheOf(user, [Platform, ConfigMap]);
      await reconciler.pass({ name, namespace: "default" });
    },
  };
}
const create = (client: Client, name: string, names: readonly string[]): Promise<unknown> =>
  client.create(Platform, { metadata: { name, namespace: "default" }, spec: { names } } as never);

test("the objects of the sets of all owners are counted by state, and not after their deletion", async () => {
  const { sums, client, pass } = await counting({
    objects: ({ spec }) => spec.names.map((name) => config(name, name === "bad" ? ({ a: 1 } as never) : {})),
  });
  await create(client, "a", ["one", "two"]);
  await create(client, "b", ["three"]);
  await pass("a");
  await pass("b");
  await pass("b");
  expect(Object.fromEntries(sums)).toEqual({ Ready: 3, Pending: 0, Failed: 0, Unknown: 0 });
  await client.patch(Platform, { name: "a", namespace: "default" }, { type: "merge", body: { spec: { names: ["two", "bad"] } } });
  await pass("a");
  expect(Object.fromEntries(sums)).toEqual({ Ready: 2, Pending: 1, Failed: 1, Unknown: 0 });
  await client.patch(Platform, { name: "a", namespace: "default" }, { type: "merge", body: { spec: { names: ["two"] } } });
  for (let i = 0; i < 3; i++) await pass("a");
  expect(Object.fromEntries(sums)).toEqual({ Ready: 2, Pending: 0, Failed: 0, Unknown: 0 });
  await client.delete(Platform, { name: "a", namespace: "default" });
  for (let i = 0; i < 4; i++) await pass("a");
  expect(Object.fromEntries(sums)).toEqual({ Ready: 1, Pending: 0, Failed: 0, Unknown: 0 });
});

test("the objects that an earlier process reported are counted while the renderer fails", async () => {
  const first = await counting({});
  await create(first.client, "a", ["one", "two"]);
  await first.pass("a");
  const objects = (): never => {
    throw new TerminalError("no chart");
  };
  const second = await counting({ objects }, first.client);
  await second.pass("a");
  expect(Object.fromEntries(second.sums)).toEqual({ Ready: 2, Pending: 0, Failed: 0, Unknown: 0 });
});

test("a set is applied by a pass without a controller, counts its objects and measures its waves", async () => {
  const clock = fakeClock();
  const server = createApiServer({ clock, resources: [Platform] });
  const client = createClient({ transport: server.transport(), clock });
  const metadata = { name: "a", namespace: "default" };
  await client.create(Platform, { metadata, spec: {} } as never);
  const measured: string[] = [];
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const pass = async (): Promise<string> => {
    const { cache, put } = await cacheOf(client, [Platform, ConfigMap]);
    const env: ReconcilerEnv = {
      client,
      cache,
      clock,
      log,
      observeWrite: put,
      observeOther: (_kind, object) => put(object),
      measure: (metric, labels, value) => void measured.push(`${metric} ${JSON.stringify(labels)} ${value}`),
    };
    return (await createReconciler(platforms({ kinds: [ConfigMap] }) as never, env).pass(metadata)).outcome.type;
  };
  expect(await pass()).toBe("done");
  expect((await client.list(ConfigMap, { namespace: "default" })).items.map((each) => each.metadata.name)).toEqual(["one", "two"]);
  const operation = '{"set":"stack","kind":"ConfigMap","operation":"created"}';
  expect(measured.filter((each) => each.includes("operations"))).toEqual(
    ["one", "two"].map(() => `treadle_set_operations_total ${operation} 1`),
  );
  expect(measured.filter((each) => each.includes("seconds")).map((each) => each.split(" ")[0])).toEqual([
    "treadle_set_apply_seconds",
    "treadle_set_apply_seconds",
    "treadle_set_wave_seconds",
  ]);
  measured.length = 0;
  expect(await pass()).toBe("done");
  expect(measured.filter((each) => each.includes("operations"))).toEqual([]);
});
