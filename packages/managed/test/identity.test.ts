/** Which external resource belongs to an object: names, imports, changes by hand, and resources that disappear. */
import { defineResource, fakeClock } from "@treadle/apimachinery";
import { conditions, handler, RetryAfterError, type Step } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { externalNames, managed, managedSpec, managedStatus, managedTraits } from "../src/index.ts";
import type { AnyManagedOptions } from "../src/types.ts";
import { bucketOf, IMPORTED, restarted, scene, type Scene } from "./scene.ts";
import { Bucket, bucketOptions, conditionsOf, CONFIG, LOGIN, outside, storeProvider } from "./stage.ts";

const ANNOTATION = "treadle.dev/external-name";
const AVAILABLE = { Ready: "True/Available", Synced: "True/ReconcileSuccess", UpToDate: "True/ObserveMatched" };

async function created(given: Parameters<typeof scene>[0] = {}): Promise<Scene> {
  const made = scene(given);
  await made.w.create(Bucket, bucketOf() as never);
  await made.w.settled();
  await made.after(5_000);
  expect(await conditionsOf(made.w)).toEqual(AVAILABLE);
  return made;
}

async function annotate({ w }: Scene, value: string | undefined): Promise<void> {
  await w.update(Bucket, "a", ({ metadata }) => {
    const { [ANNOTATION]: _before, ...others } = metadata.annotations ?? {};
    metadata.annotations = value === undefined ? others : { ...others, [ANNOTATION]: value };
  });
  await w.settled();
}

describe("a resource that exists, and that neither an annotation nor a record names", () => {
  test("is refused with the annotation that imports it, and is not modified", async () => {
    const { api, w, said, verbs, after, bucket } = scene();
    api.add("default-a", { sizeGb: 50 });
    const before = api.items;
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    expect(await said("Synced")).toBe(
      'False/AlreadyExists: Bucket "default-a" exists at the provider, and this object did not create it: to import it, set the annotation treadle.dev/external-name: default-a',
    );
    await after(3_600_000);
    expect(new Set(verbs())).toEqual(new Set(["observe"]));
    expect(api.items).toEqual(before);
    expect((await bucket())?.metadata).not.toHaveProperty("finalizers");
  });

  test("stays when the object is deleted", async () => {
    const { api, w, bucket } = scene();
    api.add("default-a");
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await w.delete(Bucket, "a");
    await w.settled();
    expect([await bucket(), api.items.length, api.count("delete")]).toEqual([undefined, 1, 0]);
  });

  test("is imported as soon as the annotation of the message is set", async () => {
    const given = scene();
    const { api, w, events, bucket } = given;
    api.add("default-a");
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await annotate(given, "default-a");
    expect(await conditionsOf(w)).toEqual(AVAILABLE);
    expect(events()).toEqual(["Imported: default-a"]);
    expect((await bucket())?.status?.externalName).toBe("default-a");
    await given.after(66_000);
    expect(events(), "the event is recorded once").toHaveLength(1);
    expect(api.count("create")).toBe(0);
  });

  test("is refused to the second of two objects with the same name", async () => {
    const same = { externalName: externalNames.metadataName };
    const { api, w } = scene({ options: () => same });
    await w.create(Bucket, bucketOf() as never);
    await w.create(Bucket, { metadata: { name: "a", namespace: "other" } } as never);
    await w.apply({ ...CONFIG, metadata: { name: "default", namespace: "other" } });
    await w.apply({ ...LOGIN, metadata: { name: "login", namespace: "other" } });
    await w.settled();
    await w.advance(66_000);
    await w.settled();
    expect([(await conditionsOf(w))["Synced"], (await conditionsOf(w, "other/a"))["Synced"]]).toEqual([
      "True/ReconcileSuccess",
      "False/AlreadyExists",
    ]);
    expect(api.count("create")).toBe(1);
  });
});

describe("an annotation that names nothing, and that we never saw", () => {
  test("creates nothing, and says so", async () => {
    const { api, w, said, after, verbs } = scene();
    await w.create(Bucket, bucketOf({}, { [ANNOTATION]: "typo" }) as never);
    await w.settled();
    const says = `the annotation ${ANNOTATION} names "typo", which does not exist at the provider; nothing is created for it`;
    expect(await said("Synced")).toBe(`False/ExternalNotFound: ${says}`);
    expect(await said("Ready")).toBe(`False/WaitingForExternal: ${says}`);
    await after(3_600_000);
    expect([new Set(verbs()), api.items]).toEqual([new Set(["observe"]), []]);
  });

  test("lets the object be deleted without a call that changes anything", async () => {
    const { w, bucket, api } = scene();
    await w.create(Bucket, bucketOf({}, { [ANNOTATION]: "typo" }) as never);
    await w.settled();
    await w.delete(Bucket, "a");
    await w.settled();
    expect([await bucket(), api.count("delete")]).toEqual([undefined, 0]);
  });

  test("is imported when the resource appears", async () => {
    const { api, w, after, events } = scene();
    await w.create(Bucket, bucketOf({}, IMPORTED) as never);
    await w.settled();
    api.add("default-a");
    await after(66_000);
    expect([await conditionsOf(w), events()]).toEqual([AVAILABLE, ["Imported: default-a"]]);
  });
});

describe("a resource that we created or imported, and that disappeared", () => {
  test.for([
    { name: "created", annotations: {} },
    { name: "imported", annotations: IMPORTED },
  ])("is drift, and is created again: $name", async ({ annotations }) => {
    const made = scene();
    const { api, w, after, events, forget } = made;
    if (annotations === IMPORTED) api.add("default-a");
    await w.create(Bucket, bucketOf({}, annotations) as never);
    await w.settled();
    await after(120_000);
    forget();
    api.remove("default-a");
    await after(66_000);
    expect(events()).toEqual(["Created: default-a"]);
    await after(5_000);
    expect([await conditionsOf(w), api.items.length]).toEqual([AVAILABLE, 1]);
  });

  test("is drift also after a restart: that we saw it is in the step state", async () => {
    const before = await created();
    await before.after(120_000);
    before.api.remove("default-a");
    const next = await restarted(before);
    await next.w.settled();
    expect(next.events()).toEqual(["Created: default-a"]);
    await next.after(5_000);
    expect(await conditionsOf(next.w)).toEqual(AVAILABLE);
  });

  test("is not created again without Create, and Ready says so", async () => {
    const { api, w, after, said } = await created();
    await w.update(Bucket, "a", ({ spec }) => void (spec.managementPolicies = ["Update", "Delete"]));
    await after(120_000);
    api.remove("default-a");
    await after(66_000);
    expect(await said("Ready")).toContain("False/WaitingForExternal");
    expect(api.items).toEqual([]);
  });

  test("is not Ready while it cannot be created", async () => {
    const { api, w, after } = await created();
    await after(120_000);
    api.remove("default-a");
    api.fail("create", 500, 3);
    await after(66_000);
    expect(await conditionsOf(w)).toMatchObject({ Ready: "False/Creating", Synced: "False/ReconcileError" });
  });

  test("is waited for during the grace period after its create", async () => {
    const { api, w, after, said, verbs } = scene({ outside: { visibleAfterMs: 20_000 } });
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    expect(await said("Ready")).toBe("False/Creating: default-a was created, and the provider does not show it yet");
    await after(10_000);
    await after(20_000);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    expect([api.items.length, verbs().filter((verb) => verb === "create").length]).toEqual([1, 1]);
  });
});

describe("an annotation that was changed by hand", () => {
  test("makes the new name count, and the old resource stays as it is", async () => {
    const given = await created();
    const { api, w, events, forget, bucket } = given;
    api.add("other", { sizeGb: 7 });
    forget();
    await annotate(given, "other");
    expect(events()[0]).toBe(`ExternalNameChanged: the annotation ${ANNOTATION} now names other; default-a stays as it is`);
    expect(events()[1]).toBe("Imported: other");
    await given.after(66_000);
    expect(api.items).toMatchObject([
      { name: "default-a", values: { sizeGb: 1 } },
      { name: "other", values: { sizeGb: 1 } },
    ]);
    expect((await bucket())?.status?.externalName).toBe("other");
    await w.delete(Bucket, "a");
    await w.settled();
    await given.after(30_000);
    expect([await bucket(), api.items.map(({ name }) => name)]).toEqual([undefined, ["default-a"]]);
  });

  test("to a name that does not exist creates nothing, and records one event", async () => {
    const given = await created();
    const { api, said, events, forget, after } = given;
    forget();
    await annotate(given, "typo");
    expect(await said("Synced")).toContain('False/ExternalNotFound: the annotation treadle.dev/external-name names "typo"');
    expect(await said("Ready")).toContain("False/WaitingForExternal");
    await after(200_000);
    expect(events()).toHaveLength(1);
    expect(api.items.map(({ name }) => name)).toEqual(["default-a"]);
  });

  test("back to the old name imports the old resource", async () => {
    const given = await created();
    await annotate(given, "typo");
    await annotate(given, "default-a");
    expect([await conditionsOf(given.w), given.api.count("create")]).toEqual([AVAILABLE, 1]);
  });

  test("and removed by hand is written again: the step state has the name", async () => {
    const given = await created();
    const { api, bucket } = given;
    await annotate(given, undefined);
    expect((await bucket())?.metadata.annotations).toMatchObject({ [ANNOTATION]: "default-a" });
    expect([api.count("create"), await conditionsOf(given.w)]).toEqual([1, AVAILABLE]);
  });

  test("and removed from an object that is deleted does not hide the resource", async () => {
    const given = await created();
    const { api, w, bucket } = given;
    await w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = {}));
    await w.delete(Bucket, "a");
    await w.settled();
    await given.after(30_000);
    expect([await bucket(), api.items]).toEqual([undefined, []]);
  });
});

describe("a provider that assigns names", () => {
  const assigned = { options: () => ({ externalName: undefined }), outside: { names: "assigned" as const } };

  test("gives the name of the create, which is stored and observed", async () => {
    const { api, w, bucket, after, verbs } = scene(assigned);
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    expect(verbs(), "nothing is observed before the first create").toEqual(["create"]);
    expect((await bucket())?.metadata.annotations).toMatchObject({ [ANNOTATION]: "item-1" });
    await after(5_000);
    expect([await conditionsOf(w), (await bucket())?.status?.externalName]).toEqual([AVAILABLE, "item-1"]);
    expect(api.items[0]?.token, "the token is the uid and the number of the create").toBe(`${(await bucket())?.metadata.uid}-1`);
  });

  test("and that asks to return later has perhaps created something, so nothing is created until it is known", async () => {
    const { api, w, said, after } = scene(assigned);
    api.hook = ({ verb }, when) => {
      if (verb === "create" && when === "after") throw new RetryAfterError("the create takes a while", 1_000);
    };
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    for (let i = 0; i < 3; i++) await after(30_000);
    expect([api.count("create"), api.items.length]).toEqual([1, 1]);
    expect(await said("Synced")).toBe("True/ReconcileSuccess: ");
  });

  test("gets the next token for a resource that is created again, which has another name", async () => {
    const { api, w, bucket, after } = scene(assigned);
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(120_000);
    api.remove("item-1");
    await after(66_000);
    await after(5_000);
    expect(api.items).toMatchObject([{ name: "item-2", token: `${(await bucket())?.metadata.uid}-2` }]);
    expect([(await bucket())?.metadata.annotations?.[ANNOTATION], (await bucket())?.status?.externalName]).toEqual(["item-2", "item-2"]);
    expect(await conditionsOf(w)).toEqual(AVAILABLE);
  });
});

describe("names", () => {
  const metadata = { name: "a", namespace: "n", uid: "11111111-2222-3333-4444-555555555555" } as never;

  test("of the uid are the default, and unique over namespaces", async () => {
    const { api, w, bucket } = scene({
      options: ({ create }) => ({ externalName: undefined, create: async (args) => void (await create(args)) }),
    });
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    expect(api.items.map(({ name }) => name)).toEqual([`bucket-${(await bucket())?.metadata.uid}`]);
    expect(externalNames.uid({ singular: "bucket", metadata })).toBe("bucket-11111111-2222-3333-4444-555555555555");
  });

  test("of metadata are the name alone", () => expect(externalNames.metadataName({ metadata })).toBe("a"));

  test("that are short have the prefix, the length and the alphabet, and depend on the uid alone", () => {
    const short = externalNames.short({ prefix: "b", maxLength: 20, alphabet: "0123456789" });
    expect(short({ metadata })).toMatch(/^b[0-9]{19}$/);
    expect(short({ metadata: { ...(metadata as object), name: "z" } as never })).toBe(short({ metadata }));
    const names = new Set(Array.from({ length: 2_000 }, (_, i) => short({ metadata: { name: "a", uid: `uid-${i}` } as never })));
    expect(names.size).toBe(2_000);
    expect(externalNames.short()({ metadata })).toMatch(/^[a-z0-9]{24}$/);
  });

  test.for([
    { name: "too few characters are left", options: { prefix: "x".repeat(20) }, says: 'prefix "xxxxxxxxxxxxxxxxxxxx", maxLength 24' },
    { name: "the alphabet has one character", options: { alphabet: "aaaa" }, says: "1 characters leave too few names" },
    { name: "the length is no number", options: { maxLength: Number.NaN }, says: "maxLength NaN" },
  ])("that are short are refused where $name", ({ options, says }) => {
    expect(() => externalNames.short(options)).toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.stringContaining(says) }),
    );
  });
});

describe("a prefix", () => {
  const Pair = defineResource({
    ...managedTraits,
    group: "store.test",
    version: "v1",
    kind: "Pair",
    scope: "Namespaced",
    spec: z.object({ ...managedSpec, sizeGb: z.int32().default(1) }),
    status: z.object({ leftExternalName: z.string(), BackupBucketExternalName: z.string() }),
  });
  const part = (prefix: string, api: ReturnType<typeof outside>): Step<never> =>
    managed(Pair, {
      ...api.functions,
      name: prefix.toLowerCase(),
      prefix,
      provider: storeProvider(api),
      externalName: ({ metadata }: { readonly metadata: { readonly name: string } }) => `${prefix}-${metadata.name}`,
      desired: () => ({}),
    } as unknown as AnyManagedOptions) as unknown as Step<never>;

  test("gives conditions, an annotation and a status field of its own", async () => {
    const clock = fakeClock();
    const api = outside({ clock });
    const made = handler(Pair)
      .step(conditions())
      .step(part("Left", api) as never)
      .step(part("BackupBucket", api) as never)
      .build();
    const w = fakeWorld(made as never, { clock, objects: [CONFIG, LOGIN] });
    await w.create(Pair, { metadata: { name: "a" }, spec: {} } as never);
    await w.settled();
    await w.advance(5_000);
    await w.settled();
    const object = await w.get(Pair, "a");
    expect(object?.metadata.annotations).toMatchObject({
      "treadle.dev/left-external-name": "Left-a",
      "treadle.dev/backup-bucket-external-name": "BackupBucket-a",
    });
    expect(object?.status).toMatchObject({ leftExternalName: "Left-a", BackupBucketExternalName: "BackupBucket-a" });
    const types = object?.status?.conditions?.map(({ type, status }) => `${type}=${status}`).toSorted();
    expect(types).toEqual([
      "BackupBucketReady=True",
      "BackupBucketSynced=True",
      "BackupBucketUpToDate=True",
      "LeftReady=True",
      "LeftSynced=True",
      "LeftUpToDate=True",
      "Ready=True",
    ]);
  });

  test("is missing where two steps have none, and build() says so", () => {
    const api = outside();
    const step = (name: string): never => managed(Bucket, { ...bucketOptions(api), name }) as never;
    expect(() => handler(Bucket).step(conditions()).step(step("one")).step(step("two")).build()).toThrow(
      'the managed steps "one" and "two" share their conditions and annotation: give each a prefix: managed(Bucket, { prefix: "..." })',
    );
  });
});

test("a kind without the fragments is refused by build(), which names each of them", () => {
  const Bare = defineResource({
    group: "store.test",
    version: "v1",
    kind: "Bare",
    scope: "Namespaced",
    spec: z.object({ sizeGb: z.int32().optional() }),
    status: z.object({}),
  });
  const step = managed(Bare, bucketOptions(outside()) as never) as never;
  const build = (): unknown => handler(Bare).step(conditions()).step(step).build();
  for (const says of [
    "Bare lacks stepState: true: add ...managedTraits",
    "Bare lacks spec.providerConfigRef: add ...managedSpec to the spec",
    "Bare lacks spec.managementPolicies: add ...managedSpec to the spec",
    "Bare lacks spec.deletionPolicy: add ...managedSpec to the spec",
    "Bare lacks status.externalName: add ...managedStatus to the status",
  ])
    expect(build).toThrow(says);
  expect(managedStatus.externalName).toBeDefined();
});
