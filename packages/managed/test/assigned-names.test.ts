/** Resources whose names the provider assigns: late names, refused creates, and the limits. */
import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import type { AnyManagedOptions } from "../src/types.ts";
import { Bucket, bucketHandler, conditionsOf, messageOf, type Outside, outside, world } from "./stage.ts";

/** Options of a kind whose names the provider assigns. */
type Given = { readonly [Member in keyof AnyManagedOptions]?: AnyManagedOptions[Member] | undefined };
const assigned = (options: Given = {}): Partial<AnyManagedOptions> =>
  ({ externalName: undefined, ...options }) as Partial<AnyManagedOptions>;

function start(given: Parameters<typeof outside>[0], options: (api: Outside) => Given) {
  const clock = fakeClock();
  const api = outside({ clock, names: "assigned", ...given });
  const w = world(bucketHandler(api, assigned(options(api))), { clock });
  const run = async (seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at += 5) {
      await w.settled();
      await w.advance(5_000);
    }
    await w.settled();
  };
  return { api, w, run };
}

test("a name that arrives after the create is found by recoverCreate, which gets the operation", async () => {
  const operations: unknown[] = [];
  let isNamed = false;
  const { api, w, run } = start({}, (fake) => ({
    create: async (args: Parameters<Outside["create"]>[0]) => {
      await fake.create(args);
      return { operation: { id: "op-1" } };
    },
    recoverCreate: ({ token, operation }: { readonly token: string; readonly operation: unknown }) => {
      operations.push(operation);
      return isNamed ? fake.recoverCreate({ token }) : undefined;
    },
  }));
  await w.create(Bucket, { metadata: { name: "a" } });
  await run(300);
  expect(await conditionsOf(w)).toMatchObject({ Ready: "False/Creating", Synced: "True/ReconcileSuccess" });
  expect(await messageOf(w, "Ready")).toBe("the resource was created, and the provider has not named it yet");
  expect((await w.get(Bucket, "a"))?.metadata.annotations).toBeUndefined();
  isNamed = true;
  await run(60);
  expect(await conditionsOf(w)).toMatchObject({ Ready: "True/Available" });
  expect(await w.get(Bucket, "a")).toMatchObject({ status: { externalName: "item-1" } });
  expect(operations[0]).toEqual({ id: "op-1" });
  expect(api.count("create")).toBe(1);
});

test("the deletion of a resource that is not named yet waits for a name, or for a person", async () => {
  const { api, w, run } = start({}, (fake) => ({
    create: async (args: Parameters<Outside["create"]>[0]) => void (await fake.create(args)),
    recoverCreate: () => undefined,
  }));
  await w.create(Bucket, { metadata: { name: "a" } });
  await run(10);
  await w.delete(Bucket, "a");
  await run(300);
  expect(await conditionsOf(w)).toMatchObject({ Synced: "Unknown/CreateInterrupted" });
  await w.update(Bucket, "a", ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, "treadle.dev/external-name": "item-1" };
  });
  await run(60);
  expect([api.items, await w.get(Bucket, "a")]).toEqual([[], undefined]);
});

test("a create that returns no name is not repeated, and the condition says what is missing", async () => {
  const { api, w, run } = start({}, (fake) => ({
    create: async (args: Parameters<Outside["create"]>[0]) => void (await fake.create(args)),
    recoverCreate: undefined,
  }));
  await w.create(Bucket, { metadata: { name: "a" } });
  await run(600);
  expect(api.count("create")).toBe(1);
  expect(await conditionsOf(w)).toMatchObject({ Ready: "False/WaitingForExternal", Synced: "False/ExternalNotFound" });
  expect(await messageOf(w, "Synced")).toContain("create returned no name");
});

test.for([
  { name: "with recoverCreate", recover: true, seconds: 40 },
  { name: "without recoverCreate", recover: false, seconds: 5 },
])("a create that the provider refuses with 422 is repeated when the spec is correct, $name", async ({ recover, seconds }) => {
  const { api, w, run } = start({}, () => (recover ? {} : { recoverCreate: undefined }));
  api.fail("create", { status: 422, message: "the quota is too large" });
  await w.create(Bucket, { metadata: { name: "a" } });
  await w.settled();
  await w.advance(2_000);
  await w.settled();
  expect(recover ? await conditionsOf(w) : { Synced: "False/ReconcileError" }).toMatchObject({ Synced: "False/ReconcileError" });
  if (recover) expect(await messageOf(w, "Synced")).toContain("the quota is too large");
  await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
  await run(seconds);
  expect(await conditionsOf(w)).toMatchObject({ Ready: "True/Available" });
  expect(api.items).toHaveLength(1);
});

test("the event of a create names the resource as the provider does", async () => {
  const { w } = start({}, () => ({}));
  await w.create(Bucket, { metadata: { name: "a" } });
  await w.settled();
  expect(w.events).toMatchObject([{ reason: "Created", note: "item-1" }]);
});

test("a pass that an event starts takes no step of the backoff", async () => {
  const { api, w } = start({ createMs: 20_000 }, (fake) => ({ state: fake.state }));
  await w.create(Bucket, { metadata: { name: "a" } });
  await w.settled();
  for (const size of [2, 3, 4]) {
    await w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { ...metadata.annotations, touched: String(size) }));
    await w.settled();
  }
  expect(w.dueIn("a")).toBe(5_000);
  expect(api.count("create")).toBe(1);
});
