/** Kinds that steps watch by `req.watch`: which passes they start, what the cache answers, and when the watches end. */
import {
  defineResource,
  isNotFound,
  type Kind,
  keyOf,
  kind,
  type KubernetesObject,
  ownerLabels,
  type Transport,
} from "@treadle/apimachinery";
import { ConfigMap, Lease, Secret } from "@treadle/apimachinery/kinds";
import { handler, type KindWatch, owned, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const Late = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Late",
  plural: "latecomers", // Not the plural that one would guess.
  scope: "Cluster",
  spec: z.object({}),
});

const TokenReview = kind({ group: "authentication.k8s.io", version: "v1", kind: "TokenReview", scope: "Cluster" });

/** What each pass saw: the kinds that it asked for, with their states, or the names of their objects. */
type Seen = Readonly<Record<string, string | readonly string[]>>;

interface Running {
  readonly world: World;
  readonly seen: Map<string, Seen>;
  /** The kinds that each widget asks for, by its name. */
  readonly asks: Record<string, readonly Asked[]>;
  readonly fails: Set<string>;
}

type Asked = Kind | { readonly apiVersion: string; readonly kind: string };

async function running(options: Partial<WorldOptions> = {}, more: { readonly owns?: readonly Kind[] } = {}): Promise<Running> {
  const seen = new Map<string, Seen>();
  const asks: Record<string, readonly Asked[]> = {};
  const fails = new Set<string>();
  const keep = step(Widget, {
    name: "keep",
    owns: more.owns ?? [],
    permissions: [{ kind: ConfigMap, verbs: ["list", "watch"] }],
    do(req) {
      const { name } = req.object.metadata;
      if (fails.has(name)) throw new Error("boom");
      const found: [string, string | readonly string[]][] = (asks[name] ?? []).map((asked) => {
        const watch = req.watch(asked);
        if (watch.type !== "synced") return [asked.kind, watch.reason];
        const objects: readonly KubernetesObject[] = req.cache.list(watch.kind);
        return [asked.kind, objects.map(({ metadata }) => metadata.name)];
      });
      seen.set(name, Object.fromEntries(found));
    },
  });
  const world = await startWorld({ handlers: [handler(Widget, { name: "widgets" }).step(keep).build()], ...options });
  return { world, seen, asks, fails };
}

async function create(world: World, name: string): Promise<Widget> {
  return await world.user.create(Widget, widget(name));
}

/** Changes an annotation, which starts a pass. */
async function poke(world: World, name: string): Promise<void> {
  const live = await world.user.get(Widget, { name, namespace: "default" });
  const annotations = { ...live?.metadata.annotations, poked: `${Number(live?.metadata.annotations?.["poked"] ?? 0) + 1}` };
  await world.user.patch(Widget, { name, namespace: "default" }, { type: "merge", body: { metadata: { annotations } } });
  await world.settled();
}

function of(owner: Widget, name: string, by: "reference" | "label" = "reference"): { readonly metadata: KubernetesObject["metadata"] } {
  const { uid = "", name: ownerName } = owner.metadata;
  const reference = { apiVersion: "test.treadle.dev/v1", kind: "Widget", name: ownerName, uid, controller: true };
  return {
    metadata: {
      name,
      namespace: "default",
      ...(by === "reference" ? { ownerReferences: [reference] } : { labels: ownerLabels(owner, "widgets") }),
    } as KubernetesObject["metadata"],
  };
}

const watches = (world: World): number => world.server.watchCount;

test("a kind that a step asks for is listed, and the owner gets a pass that sees its objects", async () => {
  const { world, seen, asks } = await running();
  const owner = await create(world, "a");
  await world.settled();
  await world.user.create(ConfigMap, of(owner, "one"));
  await world.settled();
  asks["a"] = [ConfigMap];
  world.passesSince();
  await poke(world, "a");
  expect([seen.get("a"), world.passesSince()]).toEqual([{ ConfigMap: ["one"] }, ["default/a", "default/a"]]);
});

test.for(["reference", "label"] as const)(
  "a change of an object starts a pass of the owner that its %s names, and of no other",
  async (by) => {
    const { world, seen, asks } = await running();
    asks["a"] = asks["b"] = [ConfigMap];
    const owner = await create(world, "a");
    await create(world, "b");
    await world.settled();
    world.passesSince();
    await world.user.create(ConfigMap, of(owner, "one", by));
    await world.settled();
    await world.user.delete(ConfigMap, { name: "one", namespace: "default" });
    await world.settled();
    await world.user.create(ConfigMap, { metadata: { name: "free", namespace: "default" } });
    await world.settled();
    expect([world.passesSince(), seen.get("a")]).toEqual([["default/a", "default/a"], { ConfigMap: [] }]);
  },
);

test("a kind is watched once for all objects, and a minute after the last object that asked was deleted no longer", async () => {
  const { world, asks } = await running();
  const before = watches(world);
  asks["a"] = asks["b"] = [ConfigMap];
  for (const name of ["a", "b"]) await create(world, name);
  await world.settled();
  expect(watches(world) - before).toBe(1);
  await world.user.delete(Widget, { name: "a", namespace: "default" });
  await world.settled();
  await world.clock.advance(120_000);
  expect(watches(world) - before, "b asks").toBe(1);
  await world.user.delete(Widget, { name: "b", namespace: "default" });
  await world.settled();
  await world.clock.advance(59_000);
  expect(watches(world) - before, "within the grace period").toBe(1);
  await world.clock.advance(2_000);
  expect(watches(world) - before).toBe(0);
  expect(world.manager.informers?.get(ConfigMap)).toBeUndefined();
});

test("a watch that a later pass does not ask for ends after the grace period; a pass that asks in time keeps it", async () => {
  const { world, asks } = await running();
  const before = watches(world);
  asks["a"] = [ConfigMap];
  await create(world, "a");
  await world.settled();
  asks["a"] = [];
  await poke(world, "a");
  asks["a"] = [ConfigMap];
  await poke(world, "a");
  await world.clock.advance(120_000);
  expect(watches(world) - before).toBe(1);
  asks["a"] = [];
  await poke(world, "a");
  await world.clock.advance(61_000);
  expect(watches(world) - before).toBe(0);
  asks["a"] = [ConfigMap];
  await poke(world, "a");
  expect(watches(world) - before, "it can be opened again").toBe(1);
});

test("a step that fails before it asks keeps its watches", async () => {
  const { world, asks, fails } = await running();
  asks["a"] = [ConfigMap];
  const owner = await create(world, "a");
  await world.settled();
  fails.add("a");
  await poke(world, "a");
  await world.clock.advance(120_000);
  world.passesSince();
  await world.user.create(ConfigMap, of(owner, "one"));
  await world.settled();
  expect(world.passesSince()).toContain("default/a");
});

test("an object that is created again under the same name holds the watch by its own passes", async () => {
  const { world, asks } = await running();
  const before = watches(world);
  asks["a"] = [ConfigMap];
  await create(world, "a");
  await world.settled();
  await world.user.delete(Widget, { name: "a", namespace: "default" });
  asks["a"] = [];
  await create(world, "a");
  await world.settled();
  await world.clock.advance(61_000);
  expect(watches(world) - before).toBe(0);
});

test("a kind that the step also owns starts one pass for each change", async () => {
  const { world, asks, seen } = await running({}, { owns: [ConfigMap] });
  asks["a"] = [ConfigMap];
  const owner = await create(world, "a");
  await world.settled();
  expect(world.passesSince(), "its objects are known").toEqual(["default/a"]);
  await world.user.create(ConfigMap, of(owner, "one"));
  await world.settled();
  expect([world.passesSince(), seen.get("a")]).toEqual([["default/a"], { ConfigMap: ["one"] }]);
});

test("the name of a kind is enough: plural and scope are looked up, and contents of Secrets are not cached", async () => {
  const { world, seen, asks } = await running();
  world.server.install(Late);
  await world.user.create(Late, { metadata: { name: "one" }, spec: {} });
  await world.user.create(Secret, { metadata: { name: "s", namespace: "default" }, stringData: { a: "b" } });
  asks["a"] = [{ apiVersion: "test.treadle.dev/v1", kind: "Late" }];
  await create(world, "a");
  await world.settled();
  expect(seen.get("a")).toEqual({ Late: ["one"] });
  asks["a"] = [{ apiVersion: "v1", kind: "Secret" }];
  await poke(world, "a");
  expect(world.reports.at(-1)?.result.error).toMatchObject({
    message: expect.stringContaining("of Secret only metadata is watched: ask for metadataOnly(Secret)"),
  });
});

test.for<{ name: string; asked: Asked; reason: string }>([
  { name: "kind", asked: Late, reason: "the server does not serve Late (test.treadle.dev/v1)" },
  {
    name: "name of a kind",
    asked: { apiVersion: "test.treadle.dev/v1", kind: "Late" },
    reason: "the server does not serve Late (test.treadle.dev/v1)",
  },
])("a $name that the server does not serve is reported once, and watched when it is installed", async ({ asked, reason }) => {
  const { world, seen, asks } = await running();
  asks["a"] = [asked, ConfigMap];
  const owner = await create(world, "a");
  await world.settled();
  expect(seen.get("a")).toEqual({ Late: reason, ConfigMap: [] });
  world.passesSince();
  await world.clock.advance(60_000);
  await world.settled();
  expect(world.passesSince(), "nothing has changed").toEqual([]);
  expect(world.logs.filter(({ level, text }) => level !== "info" && text.includes("Late"))).toHaveLength(1);
  world.server.install(Late);
  await world.clock.advance(11_000);
  await world.settled();
  expect(seen.get("a")).toEqual({ Late: [], ConfigMap: [] });
  await world.user.create(Late, { metadata: { name: "one", labels: ownerLabels(owner, "widgets") }, spec: {} });
  await world.settled();
  expect(seen.get("a")).toEqual({ Late: ["one"], ConfigMap: [] });
});

test("the name of a kind is looked up at once when its CRD is installed, where the operator may watch CRDs", async () => {
  const { world, seen, asks } = await running();
  asks["a"] = [{ apiVersion: "test.treadle.dev/v1", kind: "Late" }];
  await create(world, "a");
  await world.settled();
  const lookUps = (): number => world.requests.filter((request) => request === "GET /apis").length;
  const before = lookUps();
  await world.clock.advance(1_500);
  world.server.install(Late);
  await world.clock.advance(1_000);
  await world.settled();
  expect([seen.get("a"), lookUps() - before <= 4]).toEqual([{ Late: [] }, true]);
});

test("a kind whose watch is refused is reported with the reason, and the other kinds are not affected", async () => {
  const { world, seen, asks } = await running({
    intercept: (transport) => ({
      ...transport,
      async request(request) {
        if (!request.path.includes("/leases")) return await transport.request(request);
        const body = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "leases is forbidden" };
        return { status: 403, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      },
    }),
  });
  asks["a"] = [Lease, ConfigMap];
  await create(world, "a");
  await world.settled();
  expect(seen.get("a")).toEqual({
    Lease: "the operator may not watch leases.coordination.k8s.io: allow list and watch of them to its service account",
    ConfigMap: [],
  });
});

const UNWATCHABLE = (name: string): string =>
  `the server offers no list and watch of ${name} to any client: read its objects by req.client`;

test.for<{ readonly name: string; readonly asked: Asked; readonly want: string }>([
  { name: "a kind", asked: TokenReview, want: UNWATCHABLE("TokenReview (authentication.k8s.io/v1)") },
  {
    name: "the name of a kind",
    asked: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" },
    want: UNWATCHABLE("TokenReview (authentication.k8s.io/v1)"),
  },
])("$name that no client can list is reported as unwatchable, and the server is not asked again", async ({ asked, want }) => {
  const { world, seen, asks } = await running();
  asks["a"] = [asked, ConfigMap];
  await create(world, "a");
  await world.settled();
  expect(seen.get("a")).toEqual({ TokenReview: want, ConfigMap: [] });
  const before = asksOf(world, "authentication.k8s.io");
  await poke(world, "a");
  await world.clock.advance(600_000);
  expect(asksOf(world, "authentication.k8s.io")).toBe(before);
  expect(seen.get("a")).toEqual({ TokenReview: want, ConfigMap: [] });
});

test("a kind that can be listed and not watched is reported as unwatchable, and no pass starts by it", async () => {
  const { world, seen, asks } = await running({ intercept: withoutWatch });
  asks["a"] = [Lease];
  await create(world, "a");
  await world.settled();
  expect(seen.get("a")).toEqual({ Lease: UNWATCHABLE("Lease (coordination.k8s.io/v1)") });
  const before = asksOf(world, "coordination.k8s.io");
  world.passesSince();
  await world.clock.advance(600_000);
  expect([asksOf(world, "coordination.k8s.io"), world.passesSince()]).toEqual([before, []]);
});

test("an unwatchable kind has the kind to ask the client with", async () => {
  const states: KindWatch[] = [];
  const look = step(Widget, {
    name: "look",
    do(req) {
      states.push(req.watch({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" }), req.watch(TokenReview));
    },
  });
  const world = await startWorld({ handlers: [handler(Widget, { name: "widgets" }).step(look).build()] });
  await create(world, "a");
  await world.settled();
  expect(states.slice(-2)).toMatchObject([
    { type: "unwatchable", kind: { plural: "tokenreviews", scope: "Cluster" } },
    { type: "unwatchable", kind: TokenReview },
  ]);
});

test("a step that owns an unwatchable kind waits with the reason, and its state does not flap", async () => {
  const { world } = await running({ intercept: withoutWatch }, { owns: [Lease] });
  await create(world, "a");
  await world.settled();
  await world.clock.advance(1_000);
  await world.settled();
  const reasons = (): readonly unknown[] =>
    world.reports.map(({ result: { outcome } }) => (outcome.type === "wait" ? outcome.reason : outcome.type));
  expect(reasons().at(-1)).toBe(
    "the server offers no watch of leases.coordination.k8s.io to any client: read them with { watch: false }, and leave them out of owns and watch()",
  );
  const before = reasons().length;
  await world.clock.advance(1_200_000);
  await world.settled();
  expect(new Set(reasons().slice(before - 1)).size).toBe(1);
  expect(world.logs.filter(({ text }) => text.includes("is watched again"))).toEqual([]);
});

/** A server that lists Leases, and lets no client watch them. */
function withoutWatch(transport: Transport): Transport {
  return {
    ...transport,
    async request(request) {
      if (!request.path.includes("/leases") || !request.path.includes("watch=true")) return await transport.request(request);
      const body = { kind: "Status", status: "Failure", reason: "MethodNotAllowed", code: 405, message: "watch is not supported" };
      return { status: 405, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    },
  };
}

/** The number of requests of the operator about a group. */
function asksOf({ requests, lists }: World, group: string): number {
  return [...requests, ...lists].filter((request) => request.includes(group)).length;
}

test("a CRD that is removed and installed again is seen by the objects that ask for the kind", async () => {
  const { world, seen, asks } = await running();
  world.server.install(Late);
  asks["a"] = [Late];
  await create(world, "a");
  await world.settled();
  expect(seen.get("a")).toEqual({ Late: [] });
  const crd = kind({ group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition", scope: "Cluster" });
  await world.user.delete(crd, { name: "latecomers.test.treadle.dev" });
  await world.clock.advance(30_000);
  await world.settled();
  expect(seen.get("a")).toEqual({ Late: "the server does not serve Late (test.treadle.dev/v1)" });
  world.server.install(Late);
  await world.clock.advance(11_000);
  await world.settled();
  expect(seen.get("a")).toEqual({ Late: [] });
});

test("the cache refuses a kind before its objects are listed, and a kind that no step of the pass asked for", async () => {
  const errors: string[] = [];
  let first: KindWatch["type"] | undefined;
  const read = step(Widget, {
    name: "read",
    do(req) {
      const attempt = (what: Kind): void => {
        try {
          req.cache.list(what);
        } catch (error) {
          errors.push((error as Error).message);
        }
      };
      first ??= req.watch(ConfigMap).type;
      if (errors.length > 0) return;
      attempt(ConfigMap);
      attempt(Lease);
      // oxlint-disable-next-line typescript/no-explicit-any -- what a program without types may pass
      for (const bad of [undefined, {}, { kind: "X" }, { apiVersion: "a/b/c", kind: "X" }, "Pod"] as any[])
        try {
          req.watch(bad);
        } catch (error) {
          errors.push((error as Error).message);
        }
    },
  });
  const world = await startWorld({ handlers: [handler(Widget, { name: "widgets" }).step(read).build()] });
  await create(world, "a");
  await world.settled();
  const advice = 'give one, or its name { apiVersion: "apps/v1", kind: "Deployment" }';
  expect([first, errors]).toEqual([
    "pending",
    [
      'req.cache: the objects of ConfigMap are not known: the objects of ConfigMap (v1) are being listed; read them only if the type of req.watch(ConfigMap) is "synced"',
      'req.cache: Lease.coordination.k8s.io is not watched by handler "widgets": declare it by reads, owns or watch(), call req.watch() in this pass, or use req.client',
      `req.watch: undefined is not a kind: ${advice}`,
      `req.watch: {} is not a kind: ${advice}`,
      `req.watch: {"kind":"X"} is not a kind: ${advice}`,
      `req.watch: {"apiVersion":"a/b/c","kind":"X"} is not a kind: ${advice}`,
      `req.watch: "Pod" is not a kind: ${advice}`,
    ],
  ]);
});

test("what a pass writes of a watched kind is in the cache of the next pass, and starts it", async () => {
  const seen: string[][] = [];
  const make = step(Widget, {
    name: "make",
    async do(req) {
      const watch = req.watch(ConfigMap);
      if (watch.type !== "synced") return req.wait(watch.reason, 60_000);
      const objects = req.cache.list(ConfigMap);
      seen.push(objects.map((object) => keyOf(object.metadata)));
      if (objects.length === 0) await req.client.create(ConfigMap, of(req.object, "made"));
      return undefined;
    },
  });
  const world = await startWorld({ handlers: [handler(Widget, { name: "widgets" }).step(make).build()] });
  await create(world, "a");
  await world.settled();
  expect(seen).toEqual([[], ["default/made"]]);
  await world.user.delete(ConfigMap, { name: "made", namespace: "default" }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  await world.settled();
  expect(seen.slice(2), "drift is reverted at once").toEqual([[], ["default/made"]]);
});

test("the watches of reads are not affected by the end of a watch at run time", async () => {
  const asks = { current: true };
  const both = step(Widget, {
    name: "both",
    reads: { configs: owned(ConfigMap) },
    do: (req) => {
      if (asks.current) req.watch(ConfigMap);
    },
  });
  const world = await startWorld({ handlers: [handler(Widget, { name: "widgets" }).step(both).build()] });
  const owner = await create(world, "a");
  await world.settled();
  asks.current = false;
  await poke(world, "a");
  await world.clock.advance(61_000);
  world.passesSince();
  await world.user.create(ConfigMap, of(owner, "one"));
  await world.settled();
  expect(world.passesSince()).toEqual(["default/a"]);
});

test("a kind whose right is revoked later does not make the operator unready", async () => {
  let isRefused = false;
  const cut = new AbortController();
  const { world, asks, seen } = await running({
    probes: { port: 0, host: "127.0.0.1" },
    intercept: (transport) => ({
      ...transport,
      request(request) {
        if (!request.path.includes("/configmaps")) return transport.request(request);
        const body = JSON.stringify({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "no" });
        if (isRefused) return Promise.resolve({ status: 403, headers: {}, body });
        const signal = AbortSignal.any([cut.signal, request.signal ?? cut.signal]);
        return transport.request(request.stream === true ? { ...request, signal } : request);
      },
    }),
  });
  const ready = async (): Promise<string> => await (await fetch(`${world.manager.addresses.probes?.url}/readyz?verbose`)).text();
  asks["a"] = [ConfigMap];
  await create(world, "a");
  await world.settled();
  expect(await ready()).toContain("readyz check passed");
  isRefused = true;
  cut.abort();
  for (let i = 0; i < 10; i++) await world.clock.advance(60_000);
  expect(seen.get("a")).toEqual({ ConfigMap: expect.stringContaining("may not") });
  expect(await ready()).toContain("readyz check passed");
});
