/** Users' stories. They run on the in-memory API server in virtual time and, unchanged, on a real control plane in real time. */
import { defineResource, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { Namespace, Secret } from "@treadle/apimachinery/kinds";
import { all, type AnyHandler, conditions, handler, type Step, step } from "@treadle/reconcile";
import { secretText, startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  connectionSecret,
  CredentialsRefused,
  managed,
  managedSpec,
  managedStatus,
  managedTraits,
  provider,
  providerConfigs,
} from "../src/index.ts";
import type { AnyManagedOptions } from "../src/types.ts";
import { Bucket, bucketOptions, CONFIG, LOGIN, outside, type Outside, StoreConfig } from "./stage.ts";

/** Short, because the tests also run in real time. */
const POLL = { pollMs: 1_000, graceMs: 2_000 };
const NAME = "treadle.dev/external-name";

interface World extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly operator: TestOperator;
  readonly api: Outside;
  /** Waits until something holds: virtual time moves, and real time passes. */
  eventually(read: () => unknown): ReturnType<typeof expect.poll>;
  /** Lets at least three polls pass. */
  polls(): Promise<void>;
  /** A condition as `Status/Reason: message`. */
  said(type: string, name?: string, kind?: Kind): Promise<string>;
}

interface WorldOptions {
  readonly outside?: Parameters<typeof outside>[0];
  readonly options?: Partial<AnyManagedOptions>;
  readonly handlers?: (api: Outside) => readonly AnyHandler[];
  readonly token?: { value: string };
}

async function begun(given: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startTestCluster({ kinds: [Bucket, StoreConfig] }));
  const api = outside({ clock: cluster.clock, ...given.outside });
  const operator = await cluster.start(given.handlers?.(api) ?? program(api, given));
  for (const manifest of [LOGIN, CONFIG]) await cluster.apply(manifest);
  const owned = stack.move();
  const settled = (): Promise<void> => operator.settled({ horizonMs: 6_000 });
  return {
    cluster,
    operator,
    api,
    eventually: (read) =>
      expect.poll(
        async () => {
          await settled(); // Moves virtual time.
          return await read();
        },
        { interval: 20 },
      ),
    async polls() {
      const before = api.count("observe");
      await settled();
      await expect.poll(() => api.count("observe")).toBeGreaterThan(before + 2);
    },
    async said(type, name = "a", kind = Bucket) {
      const object = (await cluster.get(kind, name)) as Conditioned | undefined;
      const found = object?.status?.conditions?.find((each) => each.type === type);
      return found === undefined ? "none" : `${found.status}/${found.reason}: ${found.message ?? ""}`;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Conditioned = KubernetesObject & {
  readonly status?: { readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] };
};

/** The handlers of the buckets and of their configs. */
function program(api: Outside, { options, token }: WorldOptions): readonly AnyHandler[] {
  const store = provider(StoreConfig, {
    secret: (config) => config.spec.secret,
    connect: ({ secret }) => {
      const given = Buffer.from(secret?.data?.["token"] ?? "", "base64").toString();
      return {
        check() {
          if (token !== undefined && given !== token.value) throw new CredentialsRefused(`the token ${given} is not valid`);
        },
      };
    },
  });
  const { functions } = api;
  const bucket = managed(
    Bucket,
    bucketOptions(api, {
      provider: store as never,
      observe: (async (args: { readonly api: { check(): void }; readonly name: string }) => {
        args.api.check();
        return await functions.observe(args);
      }) as never,
      connection: (({ name }: { readonly name: string }) => ({ endpoint: `https://${name}` })) as never,
      ...POLL,
      ...options,
    }),
  );
  return [handler(Bucket).step(conditions()).step(bucket).step(connectionSecret(bucket)).build(), providerConfigs(store, [Bucket])];
}

async function ready(world: World, spec: object = {}, metadata: object = {}): Promise<void> {
  await world.cluster.create(Bucket, { metadata: { name: "a", ...metadata }, spec } as never);
  await world.eventually(() => world.said("Ready")).toMatch(/^True\/Available/);
}

test("a bucket is created once and becomes Ready, and then nothing is written", async () => {
  await using world = await begun();
  await ready(world, { sizeGb: 3 });
  const { cluster, api, operator } = world;
  expect(api.items).toMatchObject([{ name: "default-a", values: { sizeGb: 3 } }]);
  expect(await cluster.get(Bucket, "a")).toMatchObject({
    metadata: { annotations: { [NAME]: "default-a" } },
    status: { externalName: "default-a", region: "eu" },
  });
  expect(await world.said("Synced")).toBe("True/ReconcileSuccess: ");
  await world.polls();
  cluster.requests.clear();
  await world.polls();
  expect([...cluster.requests]).toEqual([]);
  expect(operator.events.map(({ reason }) => reason).filter((reason) => reason === "Created")).toEqual(["Created"]);
});

test("a change by hand is reverted, and a bucket that was removed by hand is created again", async () => {
  await using world = await begun();
  const { api } = world;
  await ready(world, { sizeGb: 3 });
  api.change("default-a", { sizeGb: 99, region: "us" });
  await world.eventually(() => api.items[0]?.values).toMatchObject({ sizeGb: 3, region: "us" });
  api.remove("default-a");
  await world.eventually(() => api.items).toMatchObject([{ name: "default-a", values: { sizeGb: 3 } }]);
  await world.eventually(() => world.said("Ready")).toMatch(/^True\/Available/);
  expect(api.count("create")).toBe(2);
});

test("a change of the spec is sent once", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  await ready(world);
  await cluster.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 7));
  await world.eventually(() => world.said("UpToDate")).toMatch(/^True\/ObserveMatched/);
  await world.eventually(() => api.items[0]?.values.sizeGb).toBe(7);
  await world.polls();
  expect(api.count("update")).toBe(1);
});

test("a deletion deletes the bucket first, and a deletion that takes time is waited for", async () => {
  await using world = await begun({ outside: { deleteMs: 3_000 } });
  const { api, cluster } = world;
  await ready(world);
  await cluster.delete(Bucket, "a");
  await world.eventually(() => cluster.get(Bucket, "a")).toBeUndefined();
  expect(api.items).toEqual([]);
  expect(api.count("delete")).toBe(1);
  await expect.poll(() => cluster.get(Secret, "a-bucket")).toBeUndefined();
});

test("the deletion of a namespace deletes its buckets", { tags: ["real"] }, async () => {
  await using world = await begun();
  const { api, cluster } = world;
  const manifests = [LOGIN, CONFIG].map((each) => ({ ...each, metadata: { ...each.metadata, namespace: "team" } }));
  await cluster.create(Namespace, { metadata: { name: "team" } });
  for (const manifest of manifests) await cluster.apply(manifest);
  await cluster.create(Bucket, { metadata: { name: "a", namespace: "team" }, spec: {} } as never);
  await world.eventually(() => world.said("Ready", "team/a")).toMatch(/^True\/Available/);
  await cluster.delete(Namespace, "team");
  // The Secret is deleted with its namespace, before the bucket or after it: then the bucket says so, and a person lets it go.
  await expect.poll(() => world.said("Synced", "team/a")).toMatch(/^none$|NotConnected: Secret login/);
  if ((await cluster.get(Bucket, "team/a")) !== undefined)
    await cluster.update(Bucket, "team/a", ({ spec }) => void (spec.deletionPolicy = "Orphan"));
  else expect(api.items).toEqual([]);
  await expect.poll(() => cluster.get(Namespace, "team"), { timeout: 60_000 }).toBeUndefined();
});

test("a foreign bucket is refused and not modified, and the annotation imports it", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  api.add("default-a", { sizeGb: 50 });
  await cluster.create(Bucket, { metadata: { name: "a" }, spec: { sizeGb: 2 } } as never);
  await world
    .eventually(() => world.said("Synced"))
    .toBe(
      `False/AlreadyExists: Bucket "default-a" exists at the provider, and this object did not create it: to import it, set the annotation ${NAME}: default-a`,
    );
  await world.polls();
  expect([api.count("update"), api.count("create"), api.count("delete")]).toEqual([0, 0, 0]);
  await cluster.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { [NAME]: "default-a" }));
  await world.eventually(() => world.said("Ready")).toMatch(/^True\/Available/);
  await world.eventually(() => api.items[0]?.values.sizeGb).toBe(2);
  await expect.poll(() => world.operator.events.map(({ reason }) => reason)).toContain("Imported");
});

test("the deletion of an object that was refused does not delete the foreign bucket", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  api.add("default-a", { sizeGb: 50 });
  await cluster.create(Bucket, { metadata: { name: "a" }, spec: {} } as never);
  await world.eventually(() => world.said("Synced")).toMatch(/AlreadyExists/);
  await cluster.delete(Bucket, "a");
  await world.eventually(() => cluster.get(Bucket, "a")).toBeUndefined();
  expect(api.items).toMatchObject([{ name: "default-a", values: { sizeGb: 50 } }]);
});

test("an import that only observes changes nothing, and leaves the bucket at its deletion", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  api.add("legacy", { sizeGb: 50 });
  await ready(world, { sizeGb: 2, managementPolicies: ["Observe"] }, { annotations: { [NAME]: "legacy" } });
  expect(await world.said("UpToDate")).toBe("False/UpdateRestricted: sizeGb: 50 -> 2; spec.managementPolicies does not allow it");
  await cluster.delete(Bucket, "a");
  await world.eventually(() => cluster.get(Bucket, "a")).toBeUndefined();
  expect(api.items).toMatchObject([{ name: "legacy", values: { sizeGb: 50 } }]);
});

test("an annotation that names nothing creates nothing", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  await cluster.create(Bucket, { metadata: { name: "a", annotations: { [NAME]: "typo" } }, spec: {} } as never);
  await world.eventually(() => world.said("Synced")).toMatch(/^False\/ExternalNotFound/);
  await world.polls();
  expect(api.items).toEqual([]);
});

test("an orphan stays", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  await ready(world, { deletionPolicy: "Orphan" });
  await cluster.delete(Bucket, "a");
  await world.eventually(() => cluster.get(Bucket, "a")).toBeUndefined();
  expect(api.items).toMatchObject([{ name: "default-a" }]);
});

test("empty policies pause the object, and its deletion leaves the bucket", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  await ready(world);
  await cluster.update(Bucket, "a", ({ spec }) => void (spec.managementPolicies = []));
  await world.eventually(() => world.said("Paused")).toMatch(/^True/);
  api.change("default-a", { sizeGb: 99 });
  api.clearCalls();
  await world.operator.settled({ horizonMs: 6_000 });
  expect(api.calls).toEqual([]);
  expect(await world.said("Ready")).toMatch(/^True\/Available/);
  await cluster.delete(Bucket, "a");
  await world.eventually(() => cluster.get(Bucket, "a")).toBeUndefined();
  expect(api.items).toMatchObject([{ name: "default-a", values: { sizeGb: 99 } }]);
});

test("the connection Secret keeps the password that only create returned, and gets another with another create", async () => {
  let creates = 0;
  await using world = await begun({ outside: { connection: () => ({ password: `p${++creates}` }) } });
  const { api, cluster } = world;
  const login = async (): Promise<unknown> => secretText((await cluster.get(Secret, "a-bucket")) as never);
  await ready(world);
  await expect.poll(login).toEqual({ endpoint: "https://default-a", password: "p1" });
  await world.polls();
  expect(await login()).toEqual({ endpoint: "https://default-a", password: "p1" });
  api.remove("default-a");
  await world.eventually(() => api.count("create")).toBe(2);
  await world.eventually(login).toEqual({ endpoint: "https://default-a", password: "p2" });
  expect(JSON.stringify(await cluster.get(Bucket, "a"))).not.toMatch(/p[12]"/);
});

test("a config in use is not deleted before its objects", async () => {
  await using world = await begun();
  const { cluster } = world;
  await ready(world);
  await cluster.delete(StoreConfig, "default");
  await world.eventually(() => world.said("Ready", "default", StoreConfig)).toBe("False/InUse: 1 object uses it: Bucket default/a");
  await cluster.delete(Bucket, "a");
  await world.eventually(() => cluster.get(StoreConfig, "default")).toBeUndefined();
  expect(world.api.items).toEqual([]);
});

test("a wrong token stops all calls, and a new Secret is used at once", async () => {
  const token = { value: "t0ken-of-the-store" };
  await using world = await begun({ token });
  const { api, cluster } = world;
  await ready(world);
  token.value = "other";
  await world.eventually(() => world.said("Synced")).toMatch(/^False\/CredentialsRefused/);
  expect(await world.said("Ready"), "the last observation counts").toMatch(/^True\/Available/);
  const calls = api.calls.length;
  await world.operator.settled({ horizonMs: 2_000 });
  expect(api.calls.length).toBe(calls);
  await cluster.update(Secret, "login", (secret) => void (secret.data = { token: btoa("other") }));
  await world.eventually(() => world.said("Synced")).toMatch(/^True\/ReconcileSuccess/);
});

test("an object whose Secret was deleted says so at its deletion, and is deleted with the new one", async () => {
  await using world = await begun();
  const { api, cluster } = world;
  await ready(world);
  await cluster.delete(Secret, "login");
  await cluster.delete(Bucket, "a");
  await world
    .eventually(() => world.said("Synced"))
    .toMatch(/^False\/NotConnected: Secret login of StoreConfig default\/default does not exist; .* Orphan$/);
  expect(api.items).toHaveLength(1);
  await cluster.apply(LOGIN);
  await world.eventually(() => cluster.get(Bucket, "a")).toBeUndefined();
  expect(api.items).toEqual([]);
});

const Shop = defineResource({
  ...managedTraits,
  group: "store.test",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  spec: z.object({ ...managedSpec, sizeGb: z.int32().default(1) }),
  status: z.object({ ...managedStatus, frontExternalName: z.string(), backExternalName: z.string() }),
});

test("two resources of one object have conditions and names of their own, and a later step gets both", async () => {
  const seen: unknown[] = [];
  const two = (api: Outside): readonly AnyHandler[] => {
    const store = provider(StoreConfig, { secret: (config) => config.spec.secret, connect: () => api });
    const part = (name: string): Step<KubernetesObject, {}, Readonly<Record<string, { readonly name: string }>>> =>
      managed(
        Shop as never,
        bucketOptions(api, {
          ...POLL,
          name,
          prefix: name === "front" ? "Front" : "Back",
          provider: store as never,
          externalName: (({ metadata }: { readonly metadata: KubernetesObject["metadata"] }) => `${metadata.name}-${name}`) as never,
          desired: (({ spec }: { readonly spec: { readonly sizeGb: number } }) => ({ sizeGb: spec.sizeGb })) as never,
          status: (() => ({})) as never,
        }),
      ) as never;
    const parts = all("parts", [part("front"), part("back")] as never) as never as Step<
      KubernetesObject,
      {},
      Readonly<Record<string, { readonly name: string }>>
    >;
    const later = step(
      Shop as never,
      {
        name: "later",
        needs: [parts],
        do: (req: { readonly vars: Readonly<Record<string, { readonly name: string }>> }) =>
          void seen.push([req.vars["front"]?.name, req.vars["back"]?.name]),
      } as never,
    );
    const builder = handler(Shop).step(conditions()) as unknown as { step(step: unknown): typeof builder; build(): AnyHandler };
    return [builder.step(parts).step(later).build()];
  };
  await using world = await begun({ handlers: two });
  const { api, cluster } = world;
  await cluster.create(Shop, { metadata: { name: "s" }, spec: { sizeGb: 2 } } as never);
  await world.eventually(() => world.said("FrontReady", "s", Shop)).toMatch(/^True/);
  await world.eventually(() => world.said("BackReady", "s", Shop)).toMatch(/^True/);
  await world.eventually(() => world.said("Ready", "s", Shop)).toMatch(/^True/);
  expect(seen.at(-1)).toEqual(["s-front", "s-back"]);
  expect(await cluster.get(Shop, "s")).toMatchObject({
    metadata: { annotations: { "treadle.dev/front-external-name": "s-front", "treadle.dev/back-external-name": "s-back" } },
    status: { frontExternalName: "s-front", backExternalName: "s-back" },
  });
  api.fail("update", 500, Number.POSITIVE_INFINITY);
  api.change("s-back", { sizeGb: 9 });
  await world.eventually(() => world.said("BackUpToDate", "s", Shop)).toMatch(/^False\/UpdateFailed/);
  expect(await world.said("FrontSynced", "s", Shop)).toMatch(/^True/);
  api.heal();
  await cluster.delete(Shop, "s");
  await world.eventually(() => cluster.get(Shop, "s")).toBeUndefined();
  expect(api.items).toEqual([]);
});
