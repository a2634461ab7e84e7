/** Kinds that a step watches by `req.watch`, in each test environment. */
import { controllerReference, defineResource, groupKindOf, type Kind, kind, ownership } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { fakeReq, fakeWorld, startTestCluster } from "../src/index.ts";
import { explore, type ExploredCluster } from "../src/explore/index.ts";

const Bundle = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Bundle",
  scope: "Namespaced",
  spec: z.object({ kinds: z.array(z.object({ apiVersion: z.string(), kind: z.string() })) }),
  status: z.object({ found: z.array(z.string()).optional() }),
});
const Gizmo = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Gizmo",
  plural: "gizmoes",
  scope: "Namespaced",
  spec: z.object({}),
});

const NAMES = { configs: { apiVersion: "v1", kind: "ConfigMap" }, gizmos: { apiVersion: "test.treadle.dev/v1", kind: "Gizmo" } };

/** Keeps one object of each kind that the spec names, and counts what it has. */
const keep = step(Bundle, {
  name: "keep",
  conditions: ["Kept"],
  permissions: [ConfigMap, Gizmo].map((each: Kind) => ({ kind: each, verbs: ["get", "list", "watch", "create"] as const })),
  async do(req) {
    const watches = req.object.spec.kinds.map((name) => req.watch(name));
    const late = watches.find((watch) => watch.type !== "synced");
    const found: string[] = [];
    for (const watch of watches) {
      if (watch.type !== "synced") continue;
      const ours = req.cache.list(watch.kind).filter((object) => ownership(object, req.object, req.handlerNames).type === "ours");
      found.push(...ours.map(({ kind: name, metadata }) => `${name} ${metadata.name}`));
      if (ours.length === 0)
        await req.client.create(watch.kind, {
          apiVersion: watch.kind.group === "" ? watch.kind.version : `${watch.kind.group}/${watch.kind.version}`,
          kind: watch.kind.kind,
          metadata: {
            name: req.object.metadata.name,
            ownerReferences: [{ ...controllerReference(req.object), blockOwnerDeletion: false }],
          },
          ...(watch.kind.kind === "Gizmo" ? { spec: {} } : {}),
        });
    }
    req.status.found = found;
    if (late !== undefined) return req.conditions.false("Kept", "NotWatched", late.reason).wait(3_600_000);
    return req.conditions.true("Kept");
  },
});
const bundles = handler(Bundle, { name: "bundles" }).step(conditions()).step(keep).build();

const bundle = (...kinds: readonly { readonly apiVersion: string; readonly kind: string }[]) => ({
  apiVersion: "test.treadle.dev/v1",
  kind: "Bundle",
  metadata: { name: "b", namespace: "default" },
  spec: { kinds },
});

test("fakeWorld: settled() waits until the kinds are listed, and runs the passes that follow", { tags: ["memory"] }, async () => {
  const world = fakeWorld(bundles, { objects: [bundle(NAMES.configs, NAMES.gizmos)], kinds: [Gizmo] });
  await world.settled();
  expect((await world.get(Bundle, "b"))?.status?.found).toEqual(["ConfigMap b", "Gizmo b"]);
  const passes = world.passes.length;
  await world.delete(Gizmo, "b");
  await world.settled();
  expect(world.passes.length - passes, "drift, and its correction").toBe(2);
  expect(await world.get(Gizmo, "b")).toBeDefined();
  expect(world.undeclared).toEqual([]);
});

test("fakeWorld: settled() does not wait for a kind that is not served; install() begins its watch", { tags: ["memory"] }, async () => {
  const world = fakeWorld(bundles, { objects: [bundle(NAMES.configs, NAMES.gizmos)], missing: [Gizmo] });
  await world.settled();
  expect((await world.get(Bundle, "b"))?.status).toMatchObject({
    found: ["ConfigMap b"],
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: "Kept", message: expect.stringContaining("does not serve Gizmo") }),
    ]),
  });
  await world.install(Gizmo);
  await world.settled();
  expect((await world.get(Bundle, "b"))?.status?.found).toEqual(["ConfigMap b", "Gizmo b"]);
});

test("fakeReq: a kind that the server has is synced at once, and one that it does not have is not served", {
  tags: ["memory"],
}, async () => {
  const owner = { metadata: { name: "b", uid: "u" }, spec: { kinds: [NAMES.configs, NAMES.gizmos] } };
  const missing = fakeReq(Bundle, owner);
  await expect(missing.run(keep)).resolves.toMatchObject({ type: "wait", reason: expect.stringContaining("does not serve Gizmo") });
  await missing.run(keep);
  expect(missing.status.found, "the second run sees what the first made").toEqual(["ConfigMap b"]);
  const req = fakeReq(Bundle, owner, { kinds: [Gizmo] });
  await req.run(keep);
  await req.run(keep);
  expect(req.status.found).toEqual(["ConfigMap b", "Gizmo b"]);
});

test("the test cluster waits until kinds that steps name at run time are listed and their passes have run", async () => {
  const cluster = await startTestCluster({ kinds: [Gizmo] });
  try {
    const op = await cluster.start(bundles);
    await cluster.create(Bundle, bundle(NAMES.configs, NAMES.gizmos));
    await op.settled();
    expect((await cluster.get(Bundle, "b"))?.status?.found).toEqual(["ConfigMap b", "Gizmo b"]);
    await cluster.delete(Gizmo, "b");
    await op.settled();
    expect(await cluster.get(Gizmo, "b")).toBeDefined();
  } finally {
    await cluster.stop();
  }
});

test("the test cluster does not wait for a kind that is not served, and sees it when its CRD is installed", {
  tags: ["memory"],
}, async () => {
  const cluster = await startTestCluster();
  try {
    const op = await cluster.start(bundles, { missing: [Gizmo] });
    await cluster.create(Bundle, bundle(NAMES.configs, NAMES.gizmos));
    await op.settled();
    expect((await cluster.get(Bundle, "b"))?.status?.found).toEqual(["ConfigMap b"]);
    await cluster.install(Gizmo);
    await cluster.advance(11_000);
    await op.settled();
    expect((await cluster.get(Bundle, "b"))?.status?.found).toEqual(["ConfigMap b", "Gizmo b"]);
  } finally {
    await cluster.stop();
  }
});

test("without the right to watch a kind the step gets the reason", async () => {
  const cluster = await startTestCluster({ kinds: [Gizmo] });
  try {
    const read = step(Bundle, {
      name: "read",
      conditions: ["Kept"],
      do(req) {
        const watch = req.watch(Gizmo);
        if (watch.type === "pending") return req.conditions.false("Kept", "Listing", watch.reason).wait(60_000);
        if (watch.type !== "synced") return req.conditions.false("Kept", "NotWatched", `${watch.type}: ${watch.reason}`).wait(60_000);
        return req.conditions.true("Kept");
      },
    });
    const op = await cluster.start(handler(Bundle, { name: "readers" }).step(conditions()).step(read).build());
    await cluster.create(Bundle, bundle());
    await op.settled();
    const message = (await cluster.get(Bundle, "b"))?.status?.conditions?.find(({ type }) => type === "Kept")?.message;
    expect(message).toMatch(
      /^refused: the operator may not (list|watch) gizmoes\.test\.treadle\.dev: allow list and watch of them to its service account$/,
    );
  } finally {
    await cluster.stop();
  }
});

test("exploration: crashes and withheld events around a watch at run time lead to the same end", { tags: ["memory", "part"] }, async ({
  part,
}) => {
  const scenario = {
    kinds: [Gizmo],
    async run(cluster: ExploredCluster) {
      await cluster.create(Bundle, bundle(NAMES.configs, NAMES.gizmos));
      await cluster.settled();
      await cluster.delete(ConfigMap, "b");
      await cluster.settled();
    },
  };
  await explore(bundles, scenario, { points: part.points });
});

test("a kind may also be given whole, without a look-up", { tags: ["memory"] }, async () => {
  const states: string[] = [];
  const whole = kind({ group: Gizmo.group, version: "v1", kind: "Gizmo", plural: "gizmoes" });
  const read = step(Bundle, { name: "read", do: (req) => void states.push(`${groupKindOf(whole)} ${req.watch(whole).type}`) });
  const world = fakeWorld(handler(Bundle).step(read).build(), { objects: [bundle()], kinds: [Gizmo] });
  await world.settled();
  expect(states).toEqual(["Gizmo.test.treadle.dev pending", "Gizmo.test.treadle.dev synced"]);
});

test("a kind watched by group and kind follows the version that the server prefers", { tags: ["memory"] }, async () => {
  const group = "test.treadle.dev";
  const gizmo = (version: string) => defineResource({ group, version, kind: "Gizmo", scope: "Namespaced", spec: z.object({}) });
  const states: string[] = [];
  const read = step(Bundle, {
    name: "read",
    permissions: [{ kind: gizmo("v1"), verbs: ["list", "watch"] }],
    do(req) {
      const watch = req.watch({ group, kind: "Gizmo" });
      states.push(watch.type === "synced" ? `synced ${watch.kind.version}` : watch.type);
    },
  });
  await using cluster = await startTestCluster({ kinds: [gizmo("v1")], objects: [bundle()] });
  const op = await cluster.start(handler(Bundle).step(read).build());
  await op.settled();
  expect(states.at(-1)).toBe("synced v1");
  await cluster.uninstall(gizmo("v1"));
  await cluster.advance(11_000);
  await op.settled();
  expect(states.at(-1)).toBe("not-served");
  await cluster.install(gizmo("v2"));
  await cluster.advance(11_000);
  await op.settled();
  expect(states.at(-1)).toBe("synced v2");
});

test("the cache names the reason for a kind that was watched without a version, and isServed answers for it", async () => {
  const seen: unknown[] = [];
  const read = step(Bundle, {
    name: "read",
    do(req) {
      const watch = req.watch({ group: "test.treadle.dev", kind: "Gizmo" });
      try {
        req.cache.list(Gizmo);
      } catch (error) {
        seen.push((error as Error).message);
      }
      seen.push([watch.type, req.isServed(Gizmo)]);
    },
  });
  const built = handler(Bundle).step(read).build();
  const world = fakeWorld(built, { objects: [bundle()], kinds: [Gizmo] });
  await world.settled();
  expect(seen[0]).toContain("are being listed");
  expect(seen.at(-1)).toEqual(["synced", true]);
  seen.length = 0;
  const without = fakeWorld(built, { objects: [bundle()], missing: [Gizmo] });
  await without.settled();
  expect(seen.at(-1)).toEqual(["not-served", false]);
});

test("a kind that no client can watch is unwatchable, by its kind and by its name", async () => {
  const states: string[] = [];
  const TokenReview = kind({ group: "authentication.k8s.io", version: "v1", kind: "TokenReview", scope: "Cluster" });
  const read = step(Bundle, {
    name: "read",
    permissions: [{ kind: TokenReview, verbs: ["get", "list", "watch"] }],
    do(req) {
      const watches = [req.watch(TokenReview), req.watch({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" })];
      states.push(watches.map((watch) => (watch.type === "unwatchable" ? `${watch.type} ${watch.kind.plural}` : watch.type)).join());
    },
  });
  await using cluster = await startTestCluster({ kinds: [Bundle], objects: [bundle()] });
  const op = await cluster.start(handler(Bundle).step(read).build());
  await op.settled();
  expect(states.at(-1)).toBe("unwatchable tokenreviews,unwatchable tokenreviews");
});
