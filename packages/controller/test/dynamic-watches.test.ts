/** Kinds that a program begins to watch while it runs. */
import { defineResource, type KubernetesObject, metadataOnly, ownerLabels } from "@treadle/apimachinery";
import { ConfigMap, Lease, Secret } from "@treadle/apimachinery/kinds";
import { handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type DynamicWatches, dynamicWatches } from "../src/index.ts";
import { Gadget, startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const idle = handler(Widget)
  .step(step(Widget, { name: "idle", reads: { secret: one(Secret, (object) => object.spec.secret) } }))
  .build();

const Late = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Late",
  plural: "lates",
  scope: "Namespaced",
  spec: z.object({ widget: z.string() }),
});

interface Running {
  readonly world: World;
  readonly dynamic: DynamicWatches<Widget>;
}

async function running(options: Partial<WorldOptions> = {}): Promise<Running> {
  const dynamic = dynamicWatches<Widget>();
  const world = await startWorld({ handlers: [], start: false, ...options });
  world.manager.add(idle, { sources: [dynamic] });
  for (const name of ["a", "b", "c"]) await world.user.create(Widget, widget(name, name === "b" ? { select: "named" } : {}));
  return { world, dynamic };
}

async function started(options: Partial<WorldOptions> = {}): Promise<Running> {
  const { world, dynamic } = await running(options);
  await world.manager.start();
  await world.settled();
  world.passesSince();
  return { world, dynamic };
}

const config = (name: string, more: object = {}): KubernetesObject & { data: Record<string, string> } =>
  ({ metadata: { name, namespace: "default", ...more }, data: {} }) as never;

describe("a kind that is watched from now on", () => {
  test("triggers passes for existing, added, changed and deleted objects, and not after the stop", async () => {
    const { world, dynamic } = await started();
    await world.user.create(ConfigMap, config("a"));
    await world.settled();
    expect(world.passesSince()).toEqual([]);
    const watch = dynamic.watch(ConfigMap, { map: ({ metadata }) => [{ name: metadata.name }] });
    await watch.synced();
    await world.settled();
    expect([watch.hasSynced, watch.problem, world.passesSince()]).toEqual([true, undefined, ["default/a"]]);
    await world.user.create(ConfigMap, config("b"));
    await world.settled();
    await world.user.delete(ConfigMap, { name: "a", namespace: "default" });
    await world.settled();
    expect(world.passesSince()).toEqual(["default/b", "default/a"]);
    const open = world.server.watchCount;
    await watch.stop();
    await watch.stop();
    await world.user.create(ConfigMap, config("c"));
    await world.settled();
    expect([world.passesSince(), world.server.watchCount, dynamic.watches]).toEqual([[], open - 1, []]);
    expect(world.manager.informers?.get(ConfigMap)).toBeUndefined();
  });

  test("is watched once, however often it is requested", async () => {
    const { world, dynamic } = await started();
    const map = (object: KubernetesObject) => [{ name: object.metadata.name }];
    const before = world.server.watchCount;
    const first = dynamic.watch(ConfigMap, { map });
    expect(dynamic.watch(ConfigMap, { map: () => [{ name: "never" }] })).toBe(first);
    const other = dynamic.watch(ConfigMap, { label: "of", as: "by label" });
    await Promise.all([first.synced(), other.synced()]);
    await world.user.create(ConfigMap, config("a", { labels: { of: "c" } }));
    await world.settled();
    expect([world.passesSince().toSorted(), world.server.watchCount - before]).toEqual([["default/a", "default/c"], 1]);
    await first.stop();
    await world.user.delete(ConfigMap, { name: "a", namespace: "default" });
    await world.settled();
    expect([world.passesSince(), world.server.watchCount - before], "the other one goes on").toEqual([["default/c"], 1]);
    await other.stop();
    expect(world.server.watchCount - before).toBe(0);
    const again = dynamic.watch(ConfigMap, { map });
    await again.synced();
    await world.user.create(ConfigMap, config("b"));
    await world.settled();
    expect([world.passesSince(), world.server.watchCount - before]).toEqual([["default/b"], 1]);
  });

  test.for([
    {
      name: "by what primaries name",
      how: { refs: (primary: Widget) => (primary.spec.select === undefined ? [] : [primary.spec.select]) },
    },
    { name: "by a label", how: { label: "of" } },
    { name: "by its owners, controller or not", how: { owner: true } },
    { name: "by ownership: the controller or the owner label, as owns does", how: { owned: true } },
    { name: "by its metadata alone", how: { metadata: true, label: "of" } },
  ] as const)("$name", async ({ how }) => {
    const { world, dynamic } = await started();
    const owner = await world.user.get(Widget, { name: "b", namespace: "default" });
    const watch = dynamic.watch(ConfigMap, how);
    await watch.synced();
    const uid = owner?.metadata.uid ?? "";
    const reference = { apiVersion: "test.treadle.dev/v1", kind: "Widget", name: "b", uid, controller: true };
    await world.user.create(ConfigMap, config("named", { labels: { of: "b" }, ownerReferences: [reference] }));
    await world.user.create(ConfigMap, config("other", { ownerReferences: [{ ...reference, uid: "of-another-one" }] }));
    await world.settled();
    expect(world.passesSince()).toEqual(["default/b"]);
    await watch.stop();
    await dynamic.watch(ConfigMap, how).synced();
    await world.settled();
    expect(world.passesSince(), "its index can be made again").toEqual(["default/b"]);
  });

  test("shares the informer of a declared kind, which outlives it", async () => {
    const { world, dynamic } = await started();
    const before = world.server.watchCount;
    const watch = dynamic.watch(Secret, { label: "of" });
    await watch.synced();
    await world.user.create(Secret, { metadata: { name: "s", namespace: "default", labels: { of: "a" } } });
    await world.settled();
    expect([world.passesSince(), world.server.watchCount]).toEqual([["default/a"], before]);
    await watch.stop();
    expect([world.server.watchCount, world.manager.informers?.get(metadataOnly(Secret))?.hasSynced]).toEqual([before, true]);
  });

  test("that is not installed is waited for; readiness does not fail meanwhile, and other kinds are not affected", async () => {
    const { world, dynamic } = await started({ probes: { port: 0, host: "127.0.0.1" } });
    const watch = dynamic.watch(Late, { map: ({ spec }) => [{ name: spec.widget }] });
    await world.clock.advance(100);
    expect(watch.hasSynced).toBe(false);
    expect((await fetch(`${world.manager.addresses.probes?.url}/readyz`)).status).toBe(200);
    world.server.install(Late);
    await world.user.create(Late, { metadata: { name: "l", namespace: "default" }, spec: { widget: "c" } });
    await world.clock.advance(11_000);
    await watch.synced();
    await world.settled();
    expect(world.passesSince()).toEqual(["default/c"]);
  });

  test("that is not installed is not listed again after its watch was stopped", async () => {
    const { world, dynamic } = await started();
    const open = world.server.watchCount;
    const watch = dynamic.watch(Late, { label: "of" });
    await world.clock.advance(100);
    expect(world.server.watchCount, "the watch of CRDs").toBe(open + 1);
    await watch.stop();
    await world.clock.advance(100);
    expect(world.server.watchCount).toBe(open);
    world.lists.length = 0;
    await world.clock.advance(60_000);
    expect(world.lists.filter((path) => path.includes("lates"))).toEqual([]);
  });

  test("whose function throws is logged with the kind, and the next event is handled", async () => {
    const { world, dynamic } = await started();
    const map = ({ metadata }: KubernetesObject) => {
      if (metadata.name === "boom") throw new Error("boom");
      return [{ name: metadata.name }];
    };
    await dynamic.watch(ConfigMap, { map }).synced();
    for (const name of ["boom", "a"]) await world.user.create(ConfigMap, config(name));
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.logs.filter(({ level }) => level === "error").map(({ text }) => text)).toEqual([
      "cannot find the objects that a change of ConfigMap concerns (watch())",
    ]);
  });
});

test.for<[string, object, RegExp]>([
  ["a map that is async", { map: async () => [] }, /^cannot find the objects that a change of ConfigMap concerns/],
  ["a map that gives no list", { map: () => 5 }, /^cannot find the objects that a change of ConfigMap concerns/],
  [
    "refs that throw",
    {
      refs: () => {
        throw new Error("boom");
      },
    },
    /boom/,
  ],
])("%s is logged, because no pass would be triggered", async ([, options, text]) => {
  const { world, dynamic } = await started();
  await world.user.create(ConfigMap, config("a"));
  await dynamic.watch(ConfigMap, options as never).synced();
  await world.settled();
  const told = world.logs
    .filter(({ level }) => level === "error" || level === "warn")
    .map(({ text: line, data }) => `${line}: ${String(data["error"])}`);
  expect(told).toContainEqual(expect.stringMatching(text));
});

test("a watch that is opened before passes begin starts with them; the stop closes all watches", async () => {
  const { world, dynamic } = await running();
  const [kept, dropped] = [dynamic.watch(ConfigMap, { label: "of" }), dynamic.watch(Gadget, { label: "of" })];
  const waiting = dropped.synced().catch((error: unknown) => error);
  await dropped.stop();
  expect(await waiting).toEqual(new Error("the watch of Gadget was stopped"));
  await expect(kept.synced(AbortSignal.abort(new Error("no time")))).rejects.toThrow("no time");
  await world.manager.start();
  await kept.synced();
  expect(dynamic.watches).toEqual([kept]);
  await world.manager.stop();
  expect([world.server.watchCount, dynamic.watches]).toEqual([0, []]);
});

test("in a replica that never led, a caller that waits for a watch learns of the stop", async () => {
  const { world, dynamic } = await running({ leaderElection: { name: "lease", namespace: "default" } });
  const spec = { leaseDurationSeconds: 15, holderIdentity: "other", renewTime: "2026-01-01T00:00:00.000000Z", leaseTransitions: 0 };
  await world.user.create(Lease, { metadata: { name: "lease", namespace: "default" }, spec });
  await world.manager.start();
  const waiting = dynamic
    .watch(ConfigMap, { label: "of" })
    .synced()
    .catch((error: unknown) => error);
  await world.manager.stop();
  expect(await waiting).toEqual(new Error("the watch of ConfigMap was stopped"));
});

test("dynamicWatches({ owned: true }) finds the owner without further options, and other options win", async () => {
  const dynamic = dynamicWatches<Widget>({ owned: true });
  const world = await startWorld({ handlers: [], start: false });
  world.manager.add(idle, { sources: [dynamic] });
  const owner = await world.user.create(Widget, widget("a"));
  await world.user.create(Widget, widget("b"));
  await world.manager.start();
  await Promise.all([dynamic.watch(ConfigMap).synced(), dynamic.watch(Gadget, { label: "of" }).synced()]);
  await world.settled();
  world.passesSince();
  await world.user.create(ConfigMap, config("by-label", { labels: ownerLabels(owner, idle.name) }));
  await world.settled();
  await world.user.create(Gadget, { metadata: { name: "g", namespace: "default", labels: { of: "b" } }, spec: {} });
  await world.settled();
  expect(world.passesSince()).toEqual(["default/a", "default/b"]);
});

test("a watch that names no primary is refused", () => {
  expect(() => dynamicWatches().watch(ConfigMap, {} as never)).toThrow(
    "dynamicWatches().watch(ConfigMap): give map, refs, label, owner: true or owned: true",
  );
});
