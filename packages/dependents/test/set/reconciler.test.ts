/** A set without a controller: a pass of `createReconciler()` over an object that stands for a release. It also shows what it measures. */
import { apiVersionOf, fakeClock, groupKindOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import type { Cache } from "@treadle/reconcile";
import { createReconciler, type ReconcilerEnv } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { Platform, platforms } from "./platforms.ts";

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
