/** Users' stories. They run on the in-memory API server and, unchanged, on a real control plane. */
import "@treadle/testing/matchers";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { secretText, startTestCluster } from "@treadle/testing";
import { Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { Bucket, StoreConfig, User } from "./kinds.ts";
import { begun, type World } from "./story.ts";

/** On a real server time is real. For 30 s after a create, the absence of a resource is not trusted. */
const GRACE = { timeout: 90_000 };

/** A bucket `films` and a user `player` of it, Ready. */
async function films(world: World): Promise<void> {
  const { cluster } = world;
  await cluster.create(User, { metadata: { name: "player" }, spec: { bucket: "films" } });
  await cluster.create(Bucket, { metadata: { name: "films" }, spec: { region: "north", versioning: true } });
  await ready(world);
}

async function ready({ cluster, conditionOf }: World): Promise<void> {
  await cluster.settled({ horizonMs: 60_000 });
  for (const [kind, name] of [
    [Bucket, "films"],
    [User, "player"],
  ] as const) {
    await expect.poll(() => conditionOf(kind, name, "Ready"), GRACE).toContain("True Available");
  }
}

const FILMS = { name: "default-films", region: "north", versioning: true, quotaGb: 100 };

test("a kind takes at most 25 lines beside its declaration", () => {
  const source = readFileSync(join(import.meta.dirname, "controller.ts"), "utf8");
  for (const kind of ["Bucket", "User"]) {
    const lines = new RegExp(`managed\\(${kind}, \\{\\n([^]*?)\\n  \\}\\);`).exec(source)?.[1]?.split("\n") ?? expect.fail(kind);
    expect(lines.length).toBeLessThanOrEqual(23);
  }
});

test("a Bucket and a User become Ready, and a program gets their connection details", async () => {
  await using world = await begun(startTestCluster, { createMs: 3_000, visibleAfterMs: 1_000 });
  const { cluster, store } = world;
  await films(world);
  expect([...store.buckets.values()]).toMatchObject([FILMS]);
  expect([...store.users.values()]).toMatchObject([{ id: "u-1", bucket: "default-films", readOnly: false }]);
  const endpoint = "https://default-films.north.store.example.com";
  expect((await cluster.get(Bucket, "films"))?.status).toMatchObject({ externalName: "default-films", endpoint });
  expect((await cluster.get(User, "player"))?.status).toMatchObject({ externalName: "u-1" });
  expect(secretText(await cluster.get(Secret, "films-bucket"))).toEqual({ endpoint });
  const password = store.users.get("u-1")?.password;
  expect(secretText(await cluster.get(Secret, "player-user"))).toEqual({ user: "u-1", bucket: "default-films", password });
  expect(password).toMatch(/^.{16,}$/);
});

test("a user waits for its bucket", async () => {
  await using world = await begun(startTestCluster);
  const { cluster, store } = world;
  await cluster.create(User, { metadata: { name: "player" }, spec: { bucket: "films" } });
  await cluster.settled();
  expect(await world.conditionOf(User, "player", "Synced")).toContain("WaitingForReference");
  expect(store.users.size).toBe(0);
  await cluster.create(Bucket, { metadata: { name: "films" }, spec: { region: "north", versioning: true } });
  await ready(world);
});

test("changes by hand are reverted, and a bucket that was deleted by hand is created again", async () => {
  await using world = await begun(startTestCluster);
  const { store } = world;
  await films(world);
  const bucket = store.buckets.get("default-films") ?? expect.fail();
  store.buckets.set("default-films", { ...bucket, versioning: false, quotaGb: 7 });
  await world.look(Bucket, "films");
  expect(store.buckets.get("default-films"), "the quota is the store's").toMatchObject({ versioning: true, quotaGb: 7 });
  store.buckets.delete("default-films");
  await world.look(Bucket, "films");
  await ready(world);
  expect([...store.buckets.values()]).toMatchObject([FILMS]);
});

test("changes of the specs are applied", async () => {
  await using world = await begun(startTestCluster);
  const { cluster, store } = world;
  await films(world);
  await cluster.update(Bucket, "films", ({ spec }) => void Object.assign(spec, { quotaGb: 9, versioning: false }));
  await cluster.update(User, "player", ({ spec }) => void (spec.readOnly = true));
  await cluster.settled();
  await expect.poll(() => store.buckets.get("default-films")).toMatchObject({ quotaGb: 9, versioning: false });
  await expect.poll(() => store.users.get("u-1")).toMatchObject({ readOnly: true });
});

test("a bucket of another owner is not modified, and the message imports it", async () => {
  await using world = await begun(startTestCluster);
  const { cluster, store } = world;
  const others = { ...FILMS, visibleAtMs: 0, availableAtMs: 0, versioning: false };
  store.buckets.set("default-films", others);
  await cluster.create(Bucket, { metadata: { name: "films" }, spec: { region: "north", versioning: true } });
  await cluster.settled();
  const message = await world.conditionOf(Bucket, "films", "Synced");
  expect(message).toContain("AlreadyExists");
  expect(message).toContain("treadle.dev/external-name");
  expect(store.buckets.get("default-films")).toEqual(others);
  await cluster.update(Bucket, "films", ({ metadata }) => {
    metadata.annotations = { "treadle.dev/external-name": "default-films" };
  });
  await cluster.settled();
  await expect.poll(() => store.buckets.get("default-films")).toMatchObject({ versioning: true });
});

test.for([
  { name: "the answer of the create is lost", fault: { method: "POST", what: "lost" } },
  { name: "the connection breaks before the create", fault: { method: "POST", what: "refused" } },
  { name: "the create fails", fault: { method: "POST", what: 500 } },
  { name: "the answer of the create is no JSON", fault: { method: "POST", what: "garbage" } },
  { name: "the store has too many requests", fault: { method: "POST", what: 429, retryAfterSeconds: 5, times: 3 } },
] as const)("exactly one user exists in the end when $name", { tags: ["memory"] }, async ({ fault }) => {
  await using world = await begun(startTestCluster, { visibleAfterMs: 1_000 });
  world.store.faults.next(fault);
  await world.cluster.create(User, { metadata: { name: "player" }, spec: { bucket: "films" } });
  await world.cluster.create(Bucket, { metadata: { name: "films" }, spec: { region: "north" } });
  await world.cluster.settled({ horizonMs: 400_000 });
  expect(await world.cluster.get(User, "player")).toBeReady();
  expect([...world.store.users.values()]).toHaveLength(1);
});

test("deleted objects are deleted in the store", async () => {
  await using world = await begun(startTestCluster);
  const { cluster, store } = world;
  await films(world);
  await cluster.delete(User, "player");
  await cluster.delete(Bucket, "films");
  await cluster.settled({ horizonMs: 60_000 });
  await expect
    .poll(async () => [await cluster.get(User, "player"), await cluster.get(Bucket, "films")], GRACE)
    .toEqual([undefined, undefined]);
  expect([store.users.size, store.buckets.size]).toEqual([0, 0]);
  expect(await cluster.get(Secret, "player-user")).toBeUndefined();
});

test("a token that the store refuses is reported, and a new one is used at once", async () => {
  await using world = await begun(startTestCluster);
  const { cluster, store } = world;
  await films(world);
  store.tokens.clear();
  store.tokens.set("rotated", "write");
  await world.look(Bucket, "films");
  expect(await world.conditionOf(Bucket, "films", "Synced")).toContain("CredentialsRefused");
  await cluster.update(Secret, "store", (secret) => void (secret.data = { token: btoa("rotated") }));
  await cluster.settled();
  await expect.poll(() => world.conditionOf(Bucket, "films", "Synced")).toContain("True");
});

test("a config in use is not deleted before its objects", async () => {
  await using world = await begun(startTestCluster);
  const { cluster } = world;
  await films(world);
  await cluster.delete(StoreConfig, "default");
  await cluster.settled();
  const config = await cluster.get(StoreConfig, "default");
  expect(config?.status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "False", reason: "InUse" });
  await cluster.delete(User, "player");
  await cluster.delete(Bucket, "films");
  await cluster.settled({ horizonMs: 60_000 });
  await expect.poll(() => cluster.get(StoreConfig, "default"), GRACE).toBeUndefined();
});
