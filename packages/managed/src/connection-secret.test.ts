/** The connection Secret, behind a step that gives what `managed()` gives. */
import { defineResource, type KubernetesObject, ownerLabels, type ObjectOf } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { dependentsOf } from "@treadle/dependents";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { fakeWorld, type FakeWorld, secretText } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { connectionSecret, type ConnectionSecretOptions } from "./connection-secret.ts";
import { keptSecret } from "./secrets/kept-secret.ts";
import type { External, ManagedStep } from "./types.ts";

const Bucket = defineResource({
  group: "store.example.com",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ secret: z.string().optional(), round: z.int32().optional() }),
  status: z.object({}),
});
type Bucket = ObjectOf<typeof Bucket>;

type Given = Partial<External<object>>;
const KEYS = "treadle.dev/create-keys";
const BY = "treadle.dev/created-by";

/** A world in which the managed step gives what the test says. */
class Story {
  given: Given;
  readonly world: FakeWorld;
  #round = 0;

  constructor(given: Given, options: ConnectionSecretOptions<Bucket> = {}, objects: readonly object[] = []) {
    this.given = given;
    const bucket = { apiVersion: "store.example.com/v1", kind: "Bucket", metadata: { name: "b" }, spec: {} };
    this.world = fakeWorld(this.#handler(options), { objects: [bucket, ...objects] });
  }

  /** Runs a pass in which the managed step gives `given`. */
  async gives(given: Given): Promise<void> {
    this.given = given;
    await this.change(() => undefined);
  }

  async change(change: (spec: { secret?: string | undefined }) => void): Promise<void> {
    this.#round += 1;
    await this.world.update(Bucket, "b", ({ spec }) => {
      spec.round = this.#round;
      change(spec);
    });
    await this.world.settled();
  }

  /** The texts of the Secret, and our annotations of it. */
  async secret(name = "b-bucket"): Promise<object | undefined> {
    const live = await this.world.get(Secret, name);
    if (live === undefined) return undefined;
    const { [KEYS]: keys, [BY]: by } = live.metadata.annotations ?? {};
    return { data: secretText(live), keys, by };
  }

  #handler(options: ConnectionSecretOptions<Bucket>): AnyHandler {
    const external = (): External<object> => ({
      name: "ext",
      state: "Available",
      seen: { anything: () => undefined },
      connection: {},
      createdKeys: [],
      creation: 1,
      ...this.given,
    });
    const bucket = step(Bucket, { name: "bucket", do: (req) => req.next({ bucket: external() }) });
    const managed = bucket as unknown as ManagedStep<Bucket, "bucket", object>; // It gives the same vars.
    return handler(Bucket).step(conditions()).step(bucket).step(connectionSecret(managed, options)).build();
  }
}

const created: Given = { connection: { endpoint: "e1", password: "p1" }, createdKeys: ["password"], creation: 1 };
const settled: Given = { connection: { endpoint: "e1" }, createdKeys: [], creation: 1 };

test("the Secret has the connection details under the name of the object and its kind, with labels", async () => {
  const labels = (bucket: Bucket): Readonly<Record<string, string>> => ({ app: bucket.metadata.name });
  const story = new Story({ connection: { endpoint: "e1", port: undefined as never }, creation: 0 }, { labels });
  await story.world.settled();
  expect(await story.secret()).toEqual({ data: { endpoint: "e1" }, keys: undefined, by: undefined });
  expect((await story.world.get(Secret, "b-bucket"))?.metadata.labels).toMatchObject({ app: "b" });
  expect(dependentsOf((await story.world.get(Bucket, "b")) as Bucket)).toMatchObject([{ step: "bucket-connection", type: "Ready" }]);
  expect(story.world.undeclared).toEqual([]);
});

test("a settled object with a connection Secret sends no request", async () => {
  const story = new Story(created);
  await story.world.settled();
  await story.gives(settled);
  story.world.requests.clear();
  await story.world.pass("default/b");
  await story.world.pass("default/b");
  expect(story.world.requests.filter()).toEqual([]);
});

test("a password that only create returned stays in the passes after it", async () => {
  const story = new Story(created);
  await story.world.settled();
  expect(await story.secret()).toEqual({ data: { endpoint: "e1", password: "p1" }, keys: "password", by: "bucket/1/ext" });
  await story.gives({ ...settled, connection: { endpoint: "e2" } });
  await story.gives({ ...settled, connection: { endpoint: "e3" } });
  expect(await story.secret()).toEqual({ data: { endpoint: "e3", password: "p1" }, keys: "password", by: "bucket/1/ext" });
});

test.for<{ name: string; given: Given; want: object }>([
  {
    name: "an observation returns the key",
    given: { connection: { endpoint: "e1", password: "p2" } },
    want: { data: { endpoint: "e1", password: "p2" }, keys: undefined, by: "bucket/1/ext" },
  },
  {
    name: "the resource is created again",
    given: { connection: { password: "p2" }, createdKeys: ["password"], creation: 2 },
    want: { data: { password: "p2" }, keys: "password", by: "bucket/2/ext" },
  },
  {
    name: "the resource is created again, and returns no key",
    given: { connection: { endpoint: "e1" }, creation: 2 },
    want: { data: { endpoint: "e1" }, keys: undefined, by: "bucket/2/ext" },
  },
  {
    name: "another resource is imported",
    given: { name: "other", connection: { endpoint: "e1" } },
    want: { data: { endpoint: "e1" }, keys: undefined, by: "bucket/1/other" },
  },
  {
    name: "another resource is imported, and the status of the object was lost",
    given: { name: "other", connection: { endpoint: "e1" }, creation: 0 },
    want: { data: { endpoint: "e1" }, keys: undefined, by: undefined },
  },
  {
    name: "the status of the object was lost",
    given: { connection: { endpoint: "e1" }, creation: 0 },
    want: { data: { endpoint: "e1", password: "p1" }, keys: "password", by: "bucket/1/ext" },
  },
  {
    name: "a later call returns another key",
    given: { connection: { token: "t" }, createdKeys: ["token"] },
    want: { data: { password: "p1", token: "t" }, keys: "password,token", by: "bucket/1/ext" },
  },
])("after a create that returned a password, the Secret is right when $name", async ({ given, want }) => {
  const story = new Story(created);
  await story.world.settled();
  await story.gives(given);
  await story.gives({ ...given, createdKeys: [], connection: without(given.connection, given.createdKeys) });
  expect(await story.secret()).toEqual(want);
});

function without(connection: Given["connection"] = {}, keys: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(connection).filter(([key]) => !keys.includes(key)));
}

test("a key that is no longer observed disappears", async () => {
  const story = new Story({ connection: { endpoint: "e1", region: "eu" } });
  await story.world.settled();
  await story.gives({ connection: { endpoint: "e1" } });
  expect(await story.secret()).toMatchObject({ data: { endpoint: "e1" } });
});

test("only the keys of the option are published, those of create included", async () => {
  const story = new Story(
    { ...created, connection: { endpoint: "e", password: "p", token: "t" }, createdKeys: ["password", "token"] },
    { keys: ["endpoint", "token"] },
  );
  await story.world.settled();
  await story.gives({ ...settled, connection: { endpoint: "e", region: "eu" } });
  expect(await story.secret()).toEqual({ data: { endpoint: "e", token: "t" }, keys: "token", by: "bucket/1/ext" });
});

test("a Secret of another owner is not changed, and the status says so", async () => {
  const foreign = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "b-bucket", annotations: { [KEYS]: "x", [BY]: "bucket/1/ext" } },
    data: { x: "eA==" },
  };
  const story = new Story(settled, {}, [foreign]);
  await story.world.settled();
  expect(await story.secret()).toEqual({ data: { x: "x" }, keys: "x", by: "bucket/1/ext" });
  expect(dependentsOf((await story.world.get(Bucket, "b")) as Bucket)).toMatchObject([{ type: "Failed", reason: "NotOurs" }]);
});

test("a Secret that moves takes the password with it, and the old one is deleted", async () => {
  const story = new Story(created, { objectName: ({ spec, metadata }) => spec.secret ?? metadata.name });
  await story.world.settled();
  story.given = settled;
  await story.change((spec) => void (spec.secret = "new"));
  expect(await story.secret("new")).toEqual({ data: { endpoint: "e1", password: "p1" }, keys: "password", by: "bucket/1/ext" });
  expect(await story.secret("b")).toBeUndefined();
});

test("a Secret that cannot move yet keeps the password until it can", async () => {
  const blocking = { apiVersion: "v1", kind: "Secret", metadata: { name: "new" } };
  const story = new Story(created, { objectName: ({ spec, metadata }) => spec.secret ?? metadata.name }, [blocking]);
  await story.world.settled();
  story.given = settled;
  await story.change((spec) => void (spec.secret = "new"));
  await story.gives(settled);
  await story.world.delete(Secret, "new");
  await story.world.settled();
  expect(await story.secret("new")).toMatchObject({ data: { endpoint: "e1", password: "p1" } });
});

test("an object with a connection Secret gets no finalizer by it", async () => {
  const story = new Story(settled);
  await story.world.settled();
  expect((await story.world.get(Bucket, "b"))?.metadata.finalizers ?? []).toEqual([]);
});

test("a value that is not a text is an error that names the key", async () => {
  const story = new Story({ connection: { port: 5432 as never } });
  await story.world.settled();
  const ready = (await story.world.get(Bucket, "b"))?.status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready?.message).toContain(`the connection detail "port" of step "bucket" is not a text`);
});

const owner = { apiVersion: "e.dev/v1", kind: "Bucket", metadata: { name: "b", namespace: "default", uid: "u" } } as KubernetesObject;
const labels = ownerLabels(owner, "h");
const stored = (by: string): ObjectOf<typeof Secret> =>
  ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", namespace: "default", labels, annotations: { [BY]: by } },
    data: {},
  }) as never;

test.for<{
  name: string;
  cached: string | undefined;
  live?: string;
  creation?: number;
  createdKeys?: readonly string[];
  want: string | undefined;
  gets: number;
}>([
  { name: "the cached Secret of the same create", cached: "bucket/2/n", want: "bucket/2/n", gets: 0 },
  { name: "the live Secret, if the cache is older than the create", cached: "bucket/1/n", live: "bucket/2/n", want: "bucket/2/n", gets: 1 },
  { name: "nothing, if the Secret is of an older create", cached: "bucket/1/n", live: "bucket/1/n", want: undefined, gets: 1 },
  { name: "nothing, if the create has just returned keys", cached: "bucket/1/n", createdKeys: ["p"], want: undefined, gets: 0 },
  { name: "nothing, if another resource was imported", cached: "bucket/1/m", creation: 0, want: undefined, gets: 0 },
  {
    name: "the cached Secret of the same resource, if the status was lost",
    cached: "bucket/1/n",
    creation: 0,
    want: "bucket/1/n",
    gets: 0,
  },
  { name: "the cached Secret of the create, if the provider named the resource later", cached: "bucket/2/", want: "bucket/2/", gets: 0 },
  { name: "nothing, if its annotation was written by hand", cached: "x", creation: 0, want: undefined, gets: 0 },
  { name: "nothing, if there is no Secret", cached: undefined, want: undefined, gets: 0 },
])("the kept Secret is $name", async ({ cached, live, creation = 2, createdKeys = [], want, gets }) => {
  let count = 0;
  const req = {
    object: owner,
    handlerNames: ["h"],
    reads: { secret: cached === undefined ? undefined : stored(cached) },
    cache: { list: () => [], get: () => undefined },
    client: { get: () => Promise.resolve(((count += 1), live === undefined ? undefined : stored(live)) as never) },
  };
  const kept = await keptSecret(req, {
    step: "bucket",
    external: { name: "n", creation, createdKeys },
    ref: { name: "s", namespace: "default" },
  });
  expect(kept?.metadata.annotations?.[BY]).toBe(want);
  expect(count).toBe(gets);
});
