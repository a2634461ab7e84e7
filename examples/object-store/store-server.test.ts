/** The store and its client, over HTTP and in memory: they must not differ. */
import { describe, expect, onTestFinished, test } from "vitest";
import { StoreApi } from "./store-api.ts";
import type { FaultType } from "./store-faults.ts";
import { startStore } from "./store-server.ts";
import { Store, type StoreOptions } from "./store.ts";

interface World {
  readonly store: Store;
  readonly api: (token?: string) => StoreApi;
}

const FRONTS: readonly { readonly name: string; readonly start: (options?: StoreOptions) => Promise<World> }[] = [
  {
    name: "over HTTP",
    async start(options) {
      const server = await startStore(options);
      onTestFinished(() => server.close());
      return { store: server.store, api: (token = "secret") => new StoreApi(server.url, token) };
    },
  },
  {
    name: "in memory",
    async start(options) {
      const store = new Store(options);
      return { store, api: (token = "secret") => new StoreApi("http://store", token, store.fetch) };
    },
  },
];

describe.for(FRONTS)("$name", ({ start }) => {
  test("a bucket is created, changed and deleted", async () => {
    const { store, api } = await start();
    const client = api();
    expect(await client.getBucket("films")).toBeUndefined();
    const created = await client.putBucket("films", { region: "north", versioning: true });
    const films = { name: "films", region: "north", versioning: true, quotaGb: 100, endpoint: "https://films.north.store.example.com" };
    expect(created).toEqual({ ...films, state: "available" });
    await client.patchBucket("films", { quotaGb: 5, versioning: undefined });
    expect(await client.getBucket("films")).toEqual({ ...films, quotaGb: 5, state: "available" });
    await client.deleteBucket("films");
    await client.deleteBucket("films");
    expect([...store.buckets]).toEqual([]);
    expect(store.calls).toEqual(["GET", "PUT", "PATCH", "GET", "DELETE", "DELETE"].map((method) => `${method} /buckets/films`));
  });

  test("a put of an existing bucket makes no other, and another region is a conflict", async () => {
    const { store, api } = await start();
    await api().putBucket("films", { region: "north" });
    await api().putBucket("films", { region: "north", quotaGb: 7 });
    expect([...store.buckets.values()]).toMatchObject([{ name: "films", quotaGb: 7 }]);
    await expect(api().putBucket("films", { region: "south" })).rejects.toMatchObject({ status: 409 });
  });

  test("each post makes another user with an id of the server, which is found by its tag", async () => {
    const { store, api } = await start();
    await api().putBucket("films", { region: "north" });
    const user = { bucket: "films", readOnly: false, password: "pw", tag: "t/1" };
    const answers = [await api().addUser(user), await api().addUser({ ...user, tag: "t/2" })];
    expect(answers.map(({ id }) => id)).toEqual(["u-1", "u-2"]);
    expect(await api().findUser("t/2")).toEqual({ id: "u-2", bucket: "films", readOnly: false, tag: "t/2", state: "available" });
    expect(await api().findUser("t/3")).toBeUndefined();
    await api().patchUser("u-2", { readOnly: true });
    expect(await api().getUser("u-2")).toMatchObject({ readOnly: true });
    await api().deleteUser("u-1");
    await api().deleteUser("u-1");
    expect([...store.users.keys()]).toEqual(["u-2"]);
  });

  test("a password is returned once, by the create that chose it", async () => {
    const { store, api } = await start();
    await api().putBucket("films", { region: "north" });
    const chosen = await api().addUser({ bucket: "films", readOnly: false, tag: "a" });
    expect(chosen.password).toBe("chosen-for-u-1");
    expect(await api().addUser({ bucket: "films", readOnly: false, tag: "b", password: "pw" })).not.toHaveProperty("password");
    expect(store.users.get("u-2")?.password).toBe("pw");
    expect(await api().getUser("u-1")).not.toHaveProperty("password");
    expect(await api().findUser("a")).not.toHaveProperty("password");
  });

  test.for([
    { name: "a token that is not valid", token: "wrong", status: 401 },
    { name: "a token that may only read", token: "guest", status: 403 },
  ])("a create with $name is refused", async ({ token, status }) => {
    const { store, api } = await start();
    await expect(api(token).putBucket("films", { region: "north" })).rejects.toMatchObject({ status });
    expect([...store.buckets]).toEqual([]);
    expect(await api("guest").getBucket("films")).toBeUndefined();
  });

  test.for<{ name: string; ask: (api: StoreApi) => Promise<unknown>; status: number }>([
    { name: "a name that is no bucket's", ask: (api) => api.putBucket("Films!", { region: "north" }), status: 422 },
    { name: "a bucket without a region", ask: (api) => api.putBucket("films", { region: "" }), status: 422 },
    { name: "a quota of 0", ask: (api) => api.putBucket("films", { region: "north", quotaGb: 0 }), status: 422 },
    { name: "a user of no bucket", ask: (api) => api.addUser({ bucket: "none", readOnly: false, tag: "" }), status: 422 },
    { name: "a patch to no bucket", ask: (api) => userOf(api).then(({ id }) => api.patchUser(id, { bucket: "none" })), status: 422 },
    { name: "a patch of no bucket", ask: (api) => api.patchBucket("none", {}), status: 404 },
  ])("$name is refused with $status", async ({ ask, status }) => {
    await expect(ask((await start()).api())).rejects.toMatchObject({ status });
  });

  test("a new bucket is invisible, then creating, then available", async () => {
    let now = 0;
    const { store, api } = await start({ now: () => now, visibleAfterMs: 100, createMs: 200 });
    await api().putBucket("films", { region: "north" });
    expect([await api().getBucket("films"), store.buckets.size]).toEqual([undefined, 1]);
    now = 100;
    expect(await api().getBucket("films")).toMatchObject({ state: "creating" });
    now = 200;
    expect(await api().getBucket("films")).toMatchObject({ state: "available" });
  });

  test("a new user is invisible to its tag and to its id", async () => {
    let now = 0;
    const { api } = await start({ now: () => now, visibleAfterMs: 100 });
    await api().putBucket("films", { region: "north" });
    await api().addUser({ bucket: "films", readOnly: false, tag: "a" });
    expect([await api().findUser("a"), await api().getUser("u-1")]).toEqual([undefined, undefined]);
    now = 100;
    expect((await api().findUser("a"))?.id).toBe("u-1");
  });

  test.for<{ what: FaultType; error: object; made: number }>([
    { what: "lost", error: { message: "fetch failed" }, made: 1 },
    { what: "refused", error: { message: "fetch failed" }, made: 0 },
    { what: 429, error: { status: 429, retryAfterMs: 3_000 }, made: 0 },
    { what: 500, error: { status: 500, retryAfterMs: undefined }, made: 0 },
    { what: "garbage", error: { status: 502 }, made: 0 },
  ])("the fault $what fails one put, after which $made buckets exist", async ({ what, error, made }) => {
    const { store, api } = await start();
    store.faults.next({ method: "PUT", what, retryAfterSeconds: 3 });
    await api().getBucket("films");
    await expect(api().putBucket("films", { region: "north" })).rejects.toMatchObject(error);
    expect(store.buckets.size).toBe(made);
    await api().putBucket("films", { region: "north" });
  });

  test("a request that hangs ends with the signal of the caller", async () => {
    const { store, api } = await start();
    store.faults.next({ path: "/buckets/", what: "hang", times: 2 });
    const controller = new AbortController();
    const failed = expect(api().getBucket("films", controller.signal)).rejects.toThrow("deadline");
    await expect.poll(() => store.calls.length).toBe(1);
    controller.abort(new Error("deadline"));
    await failed;
    store.faults.clear();
    expect(await api().getBucket("films")).toBeUndefined();
  });

  test("a change that the option onChange refuses does not happen", async () => {
    const changes: string[] = [];
    const { store, api } = await start({
      onChange(what) {
        changes.push(what);
        if (what.startsWith("delete")) throw new Error("no");
      },
    });
    await api().putBucket("films", { region: "north" });
    await expect(api().deleteBucket("films")).rejects.toThrow();
    expect([changes, store.buckets.size]).toEqual([["put bucket films", "delete bucket films"], 1]);
  });
});

async function userOf(api: StoreApi): Promise<{ readonly id: string }> {
  await api.putBucket("films", { region: "north" });
  return await api.addUser({ bucket: "films", readOnly: false, tag: "a" });
}

test("a request that is no request of the API is refused over HTTP", async () => {
  const server = await startStore();
  onTestFinished(() => server.close());
  const ask = async (method: string, path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${server.url}${path}`, { method, headers: { authorization: "Bearer secret" }, ...init })).status;
  expect(await ask("GET", "/nothing")).toBe(404);
  expect(await ask("POST", "/buckets/films")).toBe(405);
  expect(await ask("PUT", "/buckets/films", { body: "[" })).toBe(400);
  expect(await ask("GET", "/users", { headers: {} })).toBe(401);
  expect(await ask("GET", "/users/%ff")).toBe(400);
});
