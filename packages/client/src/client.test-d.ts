import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { kind, type KubernetesList, type KubernetesObject, type UntypedObject } from "@treadle/apimachinery";
import { expectTypeOf, test } from "vitest";
import { type Client, metadataOnly, pages, type WatchEvent } from "./index.ts";

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
  // @ts-expect-error a patch has a type
  void client.patch(Secret, ref, { data: {} });
});
