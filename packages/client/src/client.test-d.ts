import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { kind, type KubernetesList, type KubernetesObject, metadataOnly, type UntypedObject } from "@treadle/apimachinery";
import { expectTypeOf, test } from "vitest";
import {
  type Client,
  type DiscoveredKind,
  discovery,
  evict,
  type Eviction,
  follow,
  type FollowEvent,
  getScale,
  intercept,
  items,
  modify,
  pages,
  podLogs,
  type Scale,
  type WatchEvent,
} from "./index.ts";

declare const client: Client;
const ref = { name: "a", namespace: "ns" };
const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });

test("reads have the type of the kind", async () => {
  expectTypeOf(await client.get(Secret, ref)).toExtend<Secret | undefined>();
  expectTypeOf((await client.get(Secret, ref))?.data?.["a"]).toEqualTypeOf<string | undefined>();
  expectTypeOf(await client.list(Secret)).toExtend<KubernetesList<Secret>>();
  expectTypeOf(await client.get(Widget, ref)).toEqualTypeOf<UntypedObject | undefined>();
  expectTypeOf(await client.watch(ConfigMap)).toExtend<AsyncIterable<WatchEvent<ConfigMap>>>();
  for await (const page of pages(client, Secret)) expectTypeOf(page.items).toExtend<readonly Secret[]>();
});

test("metadata-only objects have no contents, and cannot be created", async () => {
  const secret = await client.get(metadataOnly(Secret), ref);
  expectTypeOf(secret).toEqualTypeOf<KubernetesObject | undefined>();
  // @ts-expect-error data is not read
  void secret?.data;
  // @ts-expect-error there is nothing to create it from
  void client.create(metadataOnly(Secret), { metadata: ref });
});

test("writes take what the kind takes", () => {
  void client.create(Secret, { metadata: { generateName: "a-", namespace: "ns" }, stringData: { a: "b" } });
  // @ts-expect-error data holds texts
  void client.create(Secret, { metadata: ref, data: { a: 1 } });
  // @ts-expect-error a typed kind needs a name
  void client.create(Secret, { metadata: { namespace: "ns" } });
  void client.create(Widget, { spec: {} });
  // @ts-expect-error a patch has a type
  void client.patch(Secret, ref, { data: {} });
});

test("what is built on a client has the type of the kind, too", async () => {
  for await (const object of items(client, Secret)) expectTypeOf(object).toExtend<Secret>();
  for await (const event of follow(client, Secret)) {
    expectTypeOf(event).toEqualTypeOf<FollowEvent<Secret>>();
    if (event.type === "ADDED") expectTypeOf(event.object.data?.["a"]).toEqualTypeOf<string | undefined>();
    // @ts-expect-error a restart is of no object
    if (event.type === "RESTARTED") void event.object;
  }
  const changed = await modify(client, ConfigMap, ref, (draft) => {
    draft.data = { a: "b" };
    // @ts-expect-error data holds texts
    draft.data["a"] = 1;
  });
  expectTypeOf(changed).toExtend<ConfigMap>();
  // @ts-expect-error a draft is given back, not something else
  void modify(client, ConfigMap, ref, () => 7);
  expectTypeOf(await getScale(client, Widget, ref)).toEqualTypeOf<Scale | undefined>();
  expectTypeOf(await evict(client, ref)).toEqualTypeOf<Eviction>();
  for await (const text of podLogs(client, ref)) expectTypeOf(text).toEqualTypeOf<string>();
});

test("a discovered kind is one that calls take", async () => {
  const found = await discovery(client).kindOf({ apiVersion: "v1", kind: "Pod" });
  expectTypeOf(found).toEqualTypeOf<DiscoveredKind>();
  expectTypeOf(await client.get(found, ref)).toEqualTypeOf<UntypedObject | undefined>();
  // @ts-expect-error a kind has a group or an apiVersion
  void discovery(client).kindOf({ kind: "Pod" });
});

test("an interceptor has the verb's types", () => {
  void intercept(client, (next) => ({
    get(kind, given, options) {
      expectTypeOf(given.name).toEqualTypeOf<string>();
      return next.get(kind, given, options);
    },
  }));
  // @ts-expect-error there is no such verb
  void intercept(client, () => ({ fetch: () => undefined }));
});
