/** What people, backups and providers do at the worst moment. */
import { ApiError, fakeClock } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one } from "@treadle/reconcile";
import { secretText, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { connectionSecret, managed, providerConfigs } from "../src/index.ts";
import { bucketOf, IMPORTED, scene, sceneOf, type Scene } from "./scene.ts";
import { Bucket, bucketHandler, bucketOptions, conditionsOf, CONFIG, LOGIN, outside, StoreConfig, storeProvider, world } from "./stage.ts";

const NAME = "treadle.dev/external-name";
const AVAILABLE = { Ready: "True/Available", Synced: "True/ReconcileSuccess", UpToDate: "True/ObserveMatched" };

async function created(given: Parameters<typeof scene>[0] = {}): Promise<Scene> {
  const made = scene(given);
  await made.w.create(Bucket, bucketOf() as never);
  await made.w.settled();
  await made.after(5_000);
  return made;
}

describe("the password that only create returned", () => {
  async function withPassword(): Promise<{ readonly made: Scene; readonly login: () => Promise<unknown> }> {
    const clock = fakeClock();
    const api = outside({ clock, connection: ({ name }) => ({ password: `of-${name}` }) });
    const bucket = managed(Bucket, bucketOptions(api));
    const w = world(handler(Bucket).step(conditions()).step(bucket).step(connectionSecret(bucket)).build(), { clock });
    const made = sceneOf(api, w, clock);
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await made.after(5_000);
    return { made, login: async () => secretText((await w.get(Secret, "a-bucket")) as never) };
  }

  test("stays in the Secret when the status of the object is lost, as in a restored backup", async () => {
    const { made, login } = await withPassword();
    await made.w.updateStatus(Bucket, "a", (object) => {
      delete (object as { status?: unknown }).status;
    });
    await made.w.settled();
    await made.after(66_000);
    expect(await login()).toEqual({ password: "of-default-a" });
    expect([await conditionsOf(made.w), made.api.count("create")]).toEqual([AVAILABLE, 1]);
  });

  test("is removed when a person names another resource", async () => {
    const { made, login } = await withPassword();
    made.api.add("other");
    await made.w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { [NAME]: "other" }));
    await made.w.settled();
    expect(await login()).toEqual({});
  });
});

describe("an outage whose errors have a request id", () => {
  test("is reported by a few events, not by one for each attempt", async () => {
    const { api, after, events, forget } = await created();
    forget();
    let attempt = 0;
    api.hook = () => {
      throw new Error(`500, request id ${++attempt}`);
    };
    for (let i = 0; i < 60; i++) await after(60_000);
    expect(attempt).toBeGreaterThan(30);
    expect(events()).toHaveLength(5);
    api.hook = undefined;
    await after(60_000);
    api.fail("observe", 500);
    await after(66_000);
    expect(events(), "the next outage is reported").toHaveLength(6);
  });
});

describe("secrets in differences", () => {
  test.for([
    { name: "one that is longer than what a condition shows", secret: "S3cretS3cret".repeat(20) },
    { name: "one with lines", secret: "-----BEGIN\nS3cretS3cret\nEND-----" },
  ])("do not appear: $name", async ({ secret }) => {
    const pem = { apiVersion: "v1", kind: "Secret", metadata: { name: "pem" }, data: { key: btoa(secret) } };
    const { w, api, said, events } = scene({
      world: { objects: [pem] },
      options: () => ({
        reads: { pem: one(Secret, () => "pem") } as never,
        desired: (({ reads }: { readonly reads: { readonly pem: { readonly data: { readonly key: string } } } }) => ({
          region: { key: Buffer.from(reads.pem.data.key, "base64").toString() },
        })) as never,
        update: (() => undefined) as never,
      }),
    });
    api.add("default-a");
    await w.create(Bucket, bucketOf({}, IMPORTED) as never);
    await w.settled();
    expect(await said("UpToDate")).toMatch(/^False\/UpdateRequested: region: "eu" -> .*<redacted>/);
    expect(JSON.stringify([await w.get(Bucket, "a"), events(), w.logs])).not.toContain("S3cret");
  });
});

test("a value that is cut in a condition has no half of a character, which the server would replace in each pass", async () => {
  const { w, api, said } = scene({ options: () => ({ desired: (() => ({ region: "😀".repeat(100) })) as never, update: undefined }) });
  api.add("default-a", { region: `x${"😀".repeat(100)}` });
  await w.create(Bucket, bucketOf({}, IMPORTED) as never);
  await w.settled();
  const text = (await said("UpToDate")) as string;
  expect(text).toContain("😀…");
  expect(text.isWellFormed()).toBe(true);
});

test("an external name with a half of a character is refused", async () => {
  const { w, api, said } = scene({ options: () => ({ externalName: () => "a\ud83d" }) });
  await w.create(Bucket, bucketOf() as never);
  await w.settled();
  expect(await said("Synced")).toContain("externalName returned a name that cannot be used: it contains a half of a character");
  expect(api.items).toEqual([]);
});

test("an operation that no status can hold is an error, and the resource is not lost", async () => {
  const made = scene({
    options: (api) => ({ update: async (args) => (await api.update(args as never), { operation: "x".repeat(100_000) }) }),
  });
  const { w, api, said, after } = made;
  await w.create(Bucket, bucketOf() as never);
  await w.settled();
  await after(5_000);
  await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 5));
  await w.settled();
  expect(await said("Synced")).toMatch(
    /^False\/ReconcileError: .*the operation that was returned has 100002 characters, and at most 65536/,
  );
  expect(api.items).toMatchObject([{ values: { sizeGb: 5 } }]);
});

test.for([{ managementPolicies: "Observe" }, { managementPolicies: {} }, { deletionPolicy: "delete" }, { deletionPolicy: "" }])(
  "a policy that the schema of today does not allow gives no right to delete: %o",
  async (spec) => {
    const { allowedFor } = await import("../src/policies.ts");
    expect(allowedFor({ spec } as never, bucketOptions(outside())).delete).toBe(false);
  },
);

test("an error that throws when it is looked at is reported", async () => {
  const trap = (): never => {
    throw new Error("trap");
  };
  const { w, said } = await created({
    options: () => ({
      update: () => {
        throw new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap });
      },
    }),
  });
  await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 3));
  await w.settled();
  expect(await said("Synced")).toMatch(/^False\//);
});

test("an API server that refuses the record of a create is reported by an object that was Ready", async () => {
  const { w, api, said, after } = await created();
  w.onRequest(({ body }: { readonly body?: unknown }) => {
    if (JSON.stringify(body ?? "").includes("startedMs"))
      throw new ApiError({ status: 403, reason: "Forbidden", message: "denied by policy" });
  });
  await after(66_000);
  api.remove("default-a");
  await after(66_000);
  expect(await said("Synced")).toBe("False/ReconcileError: cannot patch status of Bucket default/a: denied by policy");
  expect(await said("Ready")).toMatch(/^False\/Creating/);
  expect(api.items).toEqual([]);
});

test("a resource that stays because its object was given another name and deleted at once is named by an event", async () => {
  const { w, api, events, after, bucket } = await created({ outside: { deleteMs: 20_000 } });
  api.add("other");
  await w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { [NAME]: "other" }));
  await w.delete(Bucket, "a");
  await w.settled();
  for (let i = 0; i < 4; i++) await after(30_000);
  expect([await bucket(), api.items.map(({ name }) => name)]).toEqual([undefined, ["default-a"]]);
  expect(events().filter((each) => each.startsWith("ExternalNameChanged"))).toEqual([
    `ExternalNameChanged: the annotation ${NAME} now names other; default-a stays as it is`,
  ]);
});

test("of two objects that choose the same name at once, one creates the resource, and the other one is refused", {
  tags: ["memory"],
}, async () => {
  const clock = fakeClock();
  await using cluster = await startTestCluster({ clock, objects: [LOGIN, CONFIG], kinds: [StoreConfig, Bucket] });
  const api = outside({ clock, latencyMs: 500 });
  const operator = await cluster.start([bucketHandler(api, { externalName: () => "shared" })]);
  const reasons = async (): Promise<unknown> =>
    (await Promise.all(["a", "b"].map((name) => conditionsOf(cluster, name)))).map(({ Synced }) => Synced);
  for (const name of ["a", "b"]) await cluster.create(Bucket, { metadata: { name }, spec: {} } as never);
  await operator.settled({ horizonMs: 200_000 });
  expect(await reasons()).toEqual(["True/ReconcileSuccess", "False/AlreadyExists"]);
  expect(api.count("create")).toBe(1);
  await cluster.delete(Bucket, "b");
  await operator.settled({ horizonMs: 100_000 });
  expect(api.items).toHaveLength(1);
  await cluster.create(Bucket, { metadata: { name: "b" }, spec: {} } as never);
  await cluster.delete(Bucket, "a");
  await operator.settled({ horizonMs: 200_000 });
  expect(await conditionsOf(cluster, "b"), "the name is free").toEqual(AVAILABLE);
});

test("the deletion of a config in use starts no pass of all its objects for each of them that is deleted", {
  tags: ["memory"],
}, async () => {
  const clock = fakeClock();
  await using cluster = await startTestCluster({ clock, objects: [LOGIN, CONFIG], kinds: [StoreConfig, Bucket] });
  const api = outside({ clock });
  const store = storeProvider(api);
  const operator = await cluster.start([bucketHandler(api, { provider: store, graceMs: 0 }), providerConfigs(store, [Bucket])]);
  for (let i = 0; i < 30; i++) await cluster.create(Bucket, { metadata: { name: `b${i}` }, spec: {} } as never);
  await operator.settled({ horizonMs: 20_000 });
  await cluster.delete(StoreConfig, "default");
  await operator.settled({ horizonMs: 0 });
  const before = operator.passes.length;
  for (let i = 0; i < 30; i++) {
    await cluster.delete(Bucket, `b${i}`);
    await operator.settled({ horizonMs: 5_000 });
  }
  expect(await cluster.get(StoreConfig, "default")).toBeUndefined();
  expect(operator.passes.length - before, "30 objects, and 150 s of polls").toBeLessThan(200);
});
