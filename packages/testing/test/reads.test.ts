/** What steps read of other objects: what wakes, what is asked of the server, and what is in the cache. */
import { ApiError, defineResource, type KubernetesObject, metadataOnly } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Node, Secret } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, many, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeReq, fakeWorld, startTestCluster } from "../src/index.ts";

const Reader = defineResource({
  group: "reads.treadle.dev",
  version: "v1",
  kind: "Reader",
  scope: "Namespaced",
  spec: z.object({
    secret: z.string().optional(),
    namespace: z.string().optional(),
    app: z.string().optional(),
    refs: z.array(z.string()).default([]),
  }),
  status: z.object({ text: z.string().optional(), peers: z.array(z.string()).optional() }),
});
const Late = defineResource({
  group: "reads.treadle.dev",
  version: "v1",
  kind: "Late",
  scope: "Namespaced",
  spec: z.object({ n: z.int32().default(0) }),
});

const b64 = (text: string): string => Buffer.from(text).toString("base64");
const text = (value: string | undefined): string => Buffer.from(value ?? "", "base64").toString();
const secret = (name: string, value: string, namespace = "default"): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace },
  data: { value: b64(value) },
});
const reader = (name: string, spec: object, namespace = "default"): object => ({
  apiVersion: "reads.treadle.dev/v1",
  kind: "Reader",
  metadata: { name, namespace },
  spec,
});

const copying = step(Reader, {
  name: "copy",
  conditions: ["Copied"],
  reads: {
    secret: one(Secret, ({ spec }) =>
      spec.secret === undefined || spec.namespace === undefined ? spec.secret : { name: spec.secret, namespace: spec.namespace },
    ),
  },
  do(req) {
    const { secret: read } = req.reads;
    if (read === undefined) {
      delete req.status.text;
      return req.conditions.false("Copied", "NotFound", "there is no such Secret").wait();
    }
    req.status.text = text(read.data?.["value"]);
    req.conditions.true("Copied");
  },
});
const copier = handler(Reader).step(conditions()).step(copying).build();

describe("a Secret", () => {
  test("is fetched once for each version; at rest, and in a resync, nothing is asked", async () => {
    await using cluster = await startTestCluster({ objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    const op = await cluster.start(copier);
    await op.settled();
    expect(cluster.requests.filter({ kind: Secret, verb: "get" })).toHaveLength(1);
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("1");
    cluster.requests.clear();
    op.manager.controllers[0]?.enqueue({ namespace: "default", name: "a" });
    await op.settled();
    expect(cluster.requests.filter().map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([]);
    await cluster.update(Secret, "in", (object) => void (object.data = { value: b64("2") }));
    await op.settled();
    expect(cluster.requests.filter().map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(["get secrets", "patch readers"]);
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("2");
  });

  test("is fetched once for all who read it", async () => {
    const readers = Array.from({ length: 20 }, (_, i) => reader(`r${i}`, { secret: "in" }));
    await using cluster = await startTestCluster({ objects: [secret("in", "1"), ...readers] });
    const op = await cluster.start(copier);
    await op.settled();
    expect(cluster.requests.filter({ kind: Secret, verb: "get" })).toHaveLength(1);
    cluster.requests.clear();
    await cluster.update(Secret, "in", (object) => void (object.data = { value: b64("2") }));
    await op.settled();
    expect(cluster.requests.filter({ kind: Secret, verb: "get" })).toHaveLength(1);
    for (const { status } of await cluster.list(Reader)) expect(status?.text).toBe("2");
  });

  test("is in the cache without its contents", async () => {
    await using cluster = await startTestCluster({ objects: [secret("in", "hidden"), reader("a", { secret: "in" })] });
    const op = await cluster.start(copier);
    await op.settled();
    const informers = op.manager.informers?.all() ?? [];
    expect(
      JSON.stringify(informers.flatMap((informer) => informer.list()).filter((object) => (object as KubernetesObject).kind === "Secret")),
    ).not.toContain(b64("hidden"));
    const lists = cluster.requests.filter({ kind: Secret, verb: ["list", "watch"] });
    expect(lists.length).toBeGreaterThan(0);
  });

  test("that is deleted, or made anew, is seen", async () => {
    await using cluster = await startTestCluster({ objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    const op = await cluster.start(copier);
    await op.settled();
    await cluster.delete(Secret, "in");
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: "Copied", reason: "NotFound" })]),
    });
    await cluster.apply(secret("in", "3"));
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("3");
  });

  test("that goes between the watch and the GET is absent, not a failure", async () => {
    const world = fakeWorld(copier, { objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    world.onRequest(({ verb, resource }) => {
      if (verb === "get" && resource === "secrets")
        throw new ApiError({ message: "gone", status: 404, reason: "NotFound", details: { name: "in", kind: "secrets" } });
    });
    expect(await world.pass("a")).toMatchObject({ type: "wait", reason: "there is no such Secret" });
  });

  test("that may not be read fails the step, by name, and the next pass tries again", async () => {
    const world = fakeWorld(copier, { objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    let refused = 0;
    const stop = world.onRequest(({ verb, resource }) => {
      if (verb !== "get" || resource !== "secrets") return;
      refused++;
      throw new ApiError({ message: 'secrets "in" is forbidden', status: 403, reason: "Forbidden" });
    });
    await world.pass("a");
    await world.pass("a");
    expect(refused).toBe(2);
    const [copied] = (await world.get(Reader, "a"))?.status?.conditions ?? [];
    expect(copied).toMatchObject({ type: "Copied", status: "False", reason: "Forbidden" });
    stop();
    await world.advance(60_000);
    await world.settled();
    expect((await world.get(Reader, "a"))?.status?.text).toBe("1");
  });

  test("that our own step writes is not fetched after it", async () => {
    const writing = step(Reader, {
      name: "write",
      owns: [Secret],
      permissions: [{ kind: Secret, verbs: ["update"] }],
      reads: { out: one(Secret, ({ metadata }) => `${metadata.name}-out`) },
      async do(req) {
        const value = b64(req.object.spec.app ?? "");
        const { out } = req.reads;
        if (out?.data?.["value"] === value) return;
        const metadata = { name: `${req.object.metadata.name}-out`, labels: { by: "us" } };
        await req.client.apply(Secret, { metadata, data: { value } }, { existing: out });
      },
    });
    await using cluster = await startTestCluster({ objects: [reader("a", { app: "x" })] });
    const op = await cluster.start(handler(Reader).step(conditions()).step(writing).build());
    await op.settled();
    await cluster.update(Reader, "a", ({ spec }) => void (spec.app = "y"));
    await op.settled();
    expect(text((await cluster.get(Secret, "a-out"))?.data?.["value"])).toBe("y");
    expect(cluster.requests.filter({ kind: Secret, verb: "get" })).toHaveLength(0);
    // What somebody else makes of it is.
    await cluster.update(Secret, "a-out", (object) => void (object.data = { value: b64("theirs") }));
    await op.settled();
    expect(cluster.requests.filter({ kind: Secret, verb: "get" })).toHaveLength(1);
    expect(text((await cluster.get(Secret, "a-out"))?.data?.["value"])).toBe("y");
  });

  test("a changed reference is followed: the old Secret wakes no more, the new one does", async () => {
    await using cluster = await startTestCluster({ objects: [secret("one", "1"), secret("two", "2"), reader("a", { secret: "one" })] });
    const op = await cluster.start(copier);
    await op.settled();
    await cluster.update(Reader, "a", ({ spec }) => void (spec.secret = "two"));
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("2");
    const before = op.passes.length;
    cluster.requests.clear();
    await cluster.update(Secret, "one", (object) => void (object.data = { value: b64("1b") }));
    await op.settled();
    expect(op.passes).toHaveLength(before);
    expect(cluster.requests.filter()).toHaveLength(0);
    await cluster.update(Secret, "two", (object) => void (object.data = { value: b64("2b") }));
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("2b");
    expect(cluster.requests.filter({ kind: Secret, verb: "get" })).toHaveLength(1);
  });

  test("a changed Secret is answered at once, not after a delay", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    const op = await cluster.start(copier);
    await op.settled();
    const beforeMs = cluster.clock.now();
    await cluster.update(Secret, "in", (object) => void (object.data = { value: b64("2") }));
    await op.settled({ horizonMs: 0 });
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("2");
    expect(cluster.clock.now()).toBe(beforeMs);
  });

  test("many() of Secrets gives metadata only, and asks for nothing", async () => {
    let seen: readonly object[] = [];
    const listing = step(Reader, {
      name: "list",
      reads: { all: many(Secret, () => ({ matchLabels: {} })) },
      do(req) {
        seen = req.reads.all;
      },
    });
    await using cluster = await startTestCluster({ objects: [secret("in", "1"), reader("a", {})] });
    const op = await cluster.start(handler(Reader).step(listing).build());
    await op.settled();
    expect(seen).toEqual([{ apiVersion: "v1", kind: "Secret", metadata: expect.objectContaining({ name: "in" }) }]);
    expect(cluster.requests.filter({ kind: Secret, verb: "get" })).toHaveLength(0);
  });

  test("req.cache says how to get at the contents, and gives the metadata", async () => {
    const looking = step(Reader, {
      name: "look",
      reads: { all: many(Secret, () => ({ matchLabels: {} })) },
      do(req) {
        expect(() => req.cache.get(Secret, { name: "in" })).toThrow("watches metadata only: declare reads: { ... one(Secret, ...) }");
        req.status.text = Object.keys(req.cache.get(metadataOnly(Secret), { name: "in" }) ?? {}).join();
      },
    });
    const built = handler(Reader).step(looking).build();
    const world = fakeWorld(built, { objects: [secret("in", "1"), reader("a", {})] });
    await world.settled();
    expect((await world.get(Reader, "a"))?.status?.text).toBe("apiVersion,kind,metadata");
    const req = fakeReq(Reader, {}, { objects: [secret("in", "1")] });
    await req.run(looking);
    expect(req.status.text).toBe("apiVersion,kind,metadata");
  });

  test("fakeReq fetches as an operator does: once for a version", { tags: ["memory"] }, async () => {
    const req = fakeReq(Reader, { spec: { secret: "in" } }, { objects: [secret("in", "1")] });
    await req.run(copying);
    await req.run(copying);
    expect(req.status.text).toBe("1");
    expect(req.requests.count({ kind: Secret, verb: "get" })).toBe(1);
  });

  test("a gate may read it: it is fetched before the gate is asked", async () => {
    const gated = step(Reader, {
      name: "gated",
      reads: { secret: one(Secret, () => "in") },
      gate: (req) => (req.reads.secret?.data?.["value"] === b64("stop") ? req.stop("the Secret says so") : undefined),
    });
    const world = fakeWorld(handler(Reader).step(gated).build(), { objects: [secret("in", "stop"), reader("a", {})] });
    expect(await world.pass("a")).toMatchObject({ type: "stop", reason: "the Secret says so" });
  });
});

describe("forms", () => {
  test("a live read is a GET before each phase, and its watch still wakes", async () => {
    const seen: (string | undefined)[] = [];
    const live = step(Reader, {
      name: "live",
      reads: { map: one(ConfigMap, () => "m", { live: true }) },
      do: (req) => void seen.push(req.reads.map?.data?.["k"]),
      post: (req) => void seen.push(req.reads.map?.data?.["k"]),
    });
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { k: "1" } };
    await using cluster = await startTestCluster({ objects: [map, reader("a", {})] });
    const op = await cluster.start(handler(Reader).step(live).build());
    await op.settled();
    expect(seen).toEqual(["1", "1"]);
    expect(cluster.requests.filter({ kind: ConfigMap, verb: "get" })).toHaveLength(2);
    const informer = op.manager.informers?.get(metadataOnly(ConfigMap));
    expect(informer?.list().every((object) => !("data" in object))).toBe(true);
    await cluster.update(ConfigMap, "m", (object) => void (object.data = { k: "2" }));
    await op.settled();
    expect(seen.slice(2)).toEqual(["2", "2"]);
  });

  test("without a watch nothing is listed, and nothing wakes", async () => {
    const unwatched = step(Reader, {
      name: "unwatched",
      reads: { node: one(Node, () => "n", { watch: false }) },
      do: (req) => void (req.status.text = req.reads.node?.metadata.name),
    });
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
    await using cluster = await startTestCluster({ objects: [node, reader("a", {})] });
    const op = await cluster.start(handler(Reader).step(unwatched).build());
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("n");
    expect(cluster.requests.filter({ kind: Node, verb: ["list", "watch"] })).toHaveLength(0);
    expect(op.undeclared).toEqual([]);
  });

  test("metadata only: of one step, while another has the whole of the same kind", async () => {
    const got: object[] = [];
    const half = step(Reader, {
      name: "half",
      reads: {
        map: one(ConfigMap, () => "m", { metadata: true }),
        all: many(ConfigMap, () => ({ matchLabels: { of: "test" } }), { metadata: true }),
      },
      do: (req) => void got.push(req.reads.map ?? {}, ...req.reads.all),
    });
    const whole = step(Reader, {
      name: "whole",
      reads: { map: one(ConfigMap, () => "m") },
      do: (req) => void got.push(req.reads.map ?? {}),
    });
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", labels: { of: "test" } }, data: { k: "1" } };
    const keys = (object: object): string => Object.keys(object).sort().join();
    for (const steps of [handler(Reader).step(half), handler(Reader).step(half).step(whole)]) {
      got.length = 0;
      await using cluster = await startTestCluster({ objects: [map, reader("a", {})] });
      const op = await cluster.start(steps.build());
      await op.settled();
      expect(got.slice(0, 2).map(keys)).toEqual(["apiVersion,kind,metadata", "apiVersion,kind,metadata"]);
      expect(op.manager.informers?.all().filter(({ kind }) => kind.kind === "ConfigMap")).toHaveLength(1);
    }
    expect(got[2]).toMatchObject({ data: { k: "1" } });
  });

  test("a reference to another namespace is followed; into one that is not watched it fails the step with a sentence", {
    tags: ["memory"],
  }, async () => {
    await using cluster = await startTestCluster({
      objects: [secret("in", "1", "watched"), secret("in", "2", "other"), reader("a", { secret: "in", namespace: "watched" })],
    });
    const op = await cluster.start(copier, { namespaces: ["default", "watched"] });
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("1");
    await cluster.update(Reader, "a", ({ spec }) => void (spec.namespace = "other"));
    await op.settled();
    const conditionsOf = (await cluster.get(Reader, "a"))?.status?.conditions ?? [];
    expect(conditionsOf.find(({ type }) => type === "Copied")).toMatchObject({
      status: "False",
      reason: "NamespaceNotWatched",
      message: expect.stringContaining('Secret is not watched in namespace "other": add it to createManager({ namespaces })'),
    });
  });

  test("a live read needs its watch there, too; without a watch it may go anywhere", async () => {
    const far = { namespace: "other", name: "m" };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: far };
    const reading = (watch: boolean): AnyHandler =>
      handler(Reader)
        .step(conditions())
        .step(
          step(Reader, {
            name: "far",
            reads: { map: one(ConfigMap, () => far, { live: true, watch }) },
            do: (req) => void (req.status.text = req.reads.map?.metadata.name),
          }),
        )
        .build();
    for (const [watch, want] of [
      [true, { conditions: [expect.objectContaining({ message: expect.stringContaining('not watched in namespace "other"') })] }],
      [false, { text: "m" }],
    ] as const) {
      await using cluster = await startTestCluster({ objects: [map, reader("a", {})] });
      // What it reads is outside of the namespaces of its generated rights.
      const op = await cluster.start(reading(watch), { namespaces: ["default"], rbac: "administrator" });
      await op.settled();
      expect((await cluster.get(Reader, "a"))?.status).toMatchObject(want);
    }
  });

  test("an object may read its own kind, and itself", async () => {
    const peers = step(Reader, {
      name: "peers",
      reads: {
        me: one(Reader, ({ metadata }) => metadata.name),
        all: many(Reader, ({ spec }) => ({ matchLabels: { app: spec.app ?? "none" } })),
      },
      do(req) {
        expect(req.reads.me?.metadata.uid).toBe(req.object.metadata.uid);
        req.status.peers = req.reads.all.map(({ metadata }) => metadata.name).sort();
      },
    });
    await using cluster = await startTestCluster({ objects: [reader("a", { app: "x" })] });
    const op = await cluster.start(handler(Reader).step(peers).build());
    await op.settled();
    await cluster.apply({ ...reader("b", {}), metadata: { name: "b", labels: { app: "x" } } });
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.peers).toEqual(["b"]);
    // Another selector: what matched before wakes no more.
    await cluster.update(Reader, "a", ({ spec }) => void (spec.app = "y"));
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.peers).toEqual([]);
    await cluster.update(Reader, "b", ({ metadata }) => void (metadata.labels = { app: "y" }));
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.peers).toEqual(["b"]);
  });

  test("an object of its own kind that a step makes is there for the next pass", async () => {
    const made: string[] = [];
    const making = step(Reader, {
      name: "make",
      permissions: [{ kind: Reader, verbs: ["create"] }],
      reads: { child: one(Reader, ({ spec, metadata }) => (spec.app === "parent" ? `${metadata.name}-child` : undefined)) },
      async do(req) {
        if (req.object.spec.app !== "parent" || req.reads.child !== undefined) return;
        made.push(req.object.metadata.name);
        await req.client.create(Reader, { metadata: { name: `${req.object.metadata.name}-child` }, spec: {} });
        return req.wait("the child is made", 1);
      },
    });
    await using cluster = await startTestCluster({ objects: [reader("a", { app: "parent" })] });
    const op = await cluster.start(handler(Reader).step(making).build());
    await op.settled();
    expect(made).toEqual(["a"]);
    expect(op.passes.some(({ key }) => key.endsWith("/a-child"))).toBe(true);
  });
});

describe("watch", () => {
  test("what a step deletes is gone for the next pass, before the watch says so", { tags: ["memory"] }, async () => {
    const seen: (string | undefined)[] = [];
    const deleting = step(Reader, {
      name: "delete",
      owns: [ConfigMap],
      reads: { map: one(ConfigMap, () => "m") },
      async do(req) {
        if (req.object.spec.secret === undefined) return;
        seen.push(req.reads.map?.metadata.name);
        if (req.reads.map !== undefined) await req.client.delete(ConfigMap, req.reads.map.metadata);
      },
      cleanup() {},
    });
    await using cluster = await startTestCluster({ objects: [reader("a", {})], kinds: [Reader] });
    await cluster.create(ConfigMap, { metadata: { name: "m" } });
    const op = await cluster.start(handler(Reader).step(deleting).build());
    await op.settled();
    cluster.faults.add({ on: { verb: "watch", kind: ConfigMap }, fault: "frozenWatch" });
    for (const secret of ["one", "two", "three"]) {
      await cluster.update(Reader, "a", (object) => void (object.spec.secret = secret));
      await op.settled({ horizonMs: 0 });
    }
    expect(seen[0]).toBe("m");
    expect(seen.slice(1).filter((name) => name !== undefined)).toEqual([]);
    expect(seen.length).toBeGreaterThan(2);
  });

  test("by references of the primaries, by a label, by metadata: each wakes whom it concerns", async () => {
    const idle = step(Reader, { name: "idle", do() {} });
    const kinds: string[][] = [];
    const built = handler(Reader)
      .step(idle)
      .watch(ConfigMap, { refs: ({ spec }) => spec.refs })
      .watch(Secret, { label: "reads.treadle.dev/reader" })
      .watch(Namespace, {
        metadata: true,
        map(namespace, cache) {
          kinds.push(Object.keys(namespace));
          return cache.list(Reader, { namespace: namespace.metadata.name }).map(({ metadata }) => metadata);
        },
      })
      .build();
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m2" }, data: {} };
    await using cluster = await startTestCluster({
      objects: [map, secret("s", "1"), reader("a", { refs: ["m1", "m2"] }), reader("b", {})],
    });
    const op = await cluster.start(built);
    await op.settled();
    const woken = async (change: () => Promise<unknown>): Promise<string[]> => {
      const before = op.passes.length;
      await change();
      await op.settled();
      return op.passes.slice(before).map(({ key }) => key.replace("default/", ""));
    };
    expect(await woken(() => cluster.update(ConfigMap, "m2", (object) => void (object.data = { k: "v" })))).toEqual(["a"]);
    const label = { "reads.treadle.dev/reader": "b" };
    expect(await woken(() => cluster.update(Secret, "s", ({ metadata }) => void (metadata.labels = label)))).toEqual(["b"]);
    // Taken away: whom it concerned before is told.
    expect(await woken(() => cluster.update(Secret, "s", ({ metadata }) => void (metadata.labels = {})))).toEqual(["b"]);
    expect((await woken(() => cluster.update(Namespace, "default", ({ metadata }) => void (metadata.labels = { x: "y" })))).sort()).toEqual(
      ["a", "b"],
    );
    expect(kinds.every((keys) => keys.join() === "apiVersion,kind,metadata")).toBe(true);
  });

  test("two handlers may watch one kind; each is woken for its own", async () => {
    const other = handler(Reader, { name: "other" })
      .step(step(Reader, { name: "o", reads: { map: one(ConfigMap, () => "m") }, do() {} }))
      .build();
    const mine = handler(Reader, { name: "mine" })
      .step(step(Reader, { name: "m", owns: [ConfigMap], do() {} }))
      .build();
    await using cluster = await startTestCluster({ objects: [reader("a", {})] });
    const op = await cluster.start([other, mine]);
    await op.settled();
    const before = op.passes.length;
    await cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } });
    await op.settled();
    expect(op.passes.slice(before).map(({ handler }) => handler)).toEqual(["other"]);
  });
});

describe("a kind whose CRD comes later", () => {
  const needing = step(Reader, {
    name: "need",
    conditions: ["Needed"],
    reads: { late: one(Late, () => "l") },
    do(req) {
      req.status.text = `late is ${req.reads.late?.spec.n ?? "absent"}`;
      req.conditions.true("Needed");
    },
    cleanup: (req) => (req.reads.late === undefined ? undefined : req.wait("it is still there")),
  });
  const first = step(Reader, { name: "first", conditions: ["First"], do: (req) => req.conditions.true("First") });
  const built = handler(Reader).step(conditions()).step(first).step(needing).build();
  const late = { apiVersion: "reads.treadle.dev/v1", kind: "Late", metadata: { name: "l" }, spec: { n: 1 } };
  const conditionsOf = (object: KubernetesObject | undefined): Record<string, unknown> =>
    Object.fromEntries(
      ((object as { status?: { conditions?: { type: string; reason: string; message: string }[] } })?.status?.conditions ?? []).map(
        ({ type, reason, message }) => [type, [reason, message]],
      ),
    );

  test("the step that reads it waits and says so, the others go on; it resumes when the kind is there", async () => {
    await using cluster = await startTestCluster({ objects: [reader("a", {})] });
    const op = await cluster.start(built, { missing: [Late] });
    await op.settled();
    const message = expect.stringContaining("Late (reads.treadle.dev/v1) is not installed");
    expect(conditionsOf(await cluster.get(Reader, "a"))).toMatchObject({
      First: ["First", ""],
      Needed: ["KindNotInstalled", message],
      Ready: ["KindNotInstalled", message],
    });
    await cluster.install(Late);
    await op.settled();
    // Its rights let the operator ask every 10 s; on a real server that is real time.
    await expect.poll(async () => (await cluster.get(Reader, "a"))?.status?.text, { timeout: 30_000 }).toBe("late is absent");
    await cluster.apply(late);
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("late is 1");
  });

  test("where CRDs may not be watched it resumes within 10 s", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [reader("a", {})] });
    cluster.onRequest(({ resource }) => {
      if (resource === "customresourcedefinitions") throw new ApiError({ message: "no", status: 403, reason: "Forbidden" });
    });
    const op = await cluster.start(built, { missing: [Late] });
    await op.settled({ horizonMs: 0 });
    await cluster.install(Late);
    await cluster.advance(10_000);
    await op.settled({ horizonMs: 0 });
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("late is absent");
    expect(cluster.requests.filter().filter(({ resource }) => resource === "customresourcedefinitions")).toHaveLength(1);
    expect(op.logs.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  test("a primary without its kind waits, other handlers run", { tags: ["memory"] }, async () => {
    const ofLate = handler(Late)
      .step(step(Late, { name: "l", do() {} }))
      .build();
    await using cluster = await startTestCluster({ objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    const op = await cluster.start([ofLate, copier], { missing: [Late] });
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("1");
    await cluster.install(Late);
    await cluster.apply(late);
    await op.settled();
    expect(op.passes.map(({ key }) => key)).toContain("default/l");
  });

  test("a kind that is removed and comes again: nothing breaks, what was deleted is seen", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [reader("a", {})], kinds: [Late] });
    const op = await cluster.start(built);
    await cluster.apply(late);
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("late is 1");
    await cluster.uninstall(Late);
    await op.settled();
    expect(conditionsOf(await cluster.get(Reader, "a"))["Needed"]).toEqual(["KindNotInstalled", expect.any(String)]);
    await cluster.install(Late);
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("late is absent");
    await cluster.apply({ ...late, spec: { n: 2 } });
    await op.settled();
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("late is 2");
  });

  test("a cleanup does not wait for it: what is read of it is absent", async () => {
    await using cluster = await startTestCluster({ objects: [reader("a", {})] });
    const op = await cluster.start(built, { missing: [Late] });
    await op.settled();
    await cluster.delete(Reader, "a");
    await op.settled();
    expect(await cluster.get(Reader, "a")).toBeUndefined();
  });

  test("fakeWorld and fakeReq wait alike", { tags: ["memory"] }, async () => {
    const world = fakeWorld(built, { objects: [reader("a", {})], missing: [Late] });
    await world.settled();
    expect(conditionsOf(await world.get(Reader, "a"))["Needed"]).toEqual(["KindNotInstalled", expect.any(String)]);
    await world.install(Late);
    await world.settled();
    expect((await world.get(Reader, "a"))?.status?.text).toBe("late is absent");
    const req = fakeReq(Reader, {}, { missing: [Late] });
    expect(await req.run(needing)).toMatchObject({ type: "wait", reason: expect.stringContaining("is not installed") });
    expect(conditionsOf(req.object)["Needed"]).toEqual(["KindNotInstalled", expect.any(String)]);
  });
});

test("a read that nothing declares is reported, once for each step and verb", { tags: ["memory"] }, async () => {
  const silent = step(Reader, {
    name: "silent",
    async do(req) {
      await req.client.get(ConfigMap, "m");
      await req.client.list(ConfigMap);
    },
  });
  const built: AnyHandler = handler(Reader).step(silent).build();
  const uses = ["get", "list"].map((verb) => ({ handler: "readers.reads.treadle.dev", step: "silent", verb, kind: "ConfigMap" }));
  const world = fakeWorld(built, { objects: [reader("a", {}), reader("b", {})] });
  await world.settled();
  expect(world.undeclared).toEqual(uses);
  const req = fakeReq(Reader, {});
  await req.run(silent);
  expect(req.undeclared).toEqual(uses);
  await using cluster = await startTestCluster({ objects: [reader("a", {})] });
  // Undeclared, so the generated rights do not allow it.
  const op = await cluster.start(built, { rbac: "administrator" });
  await op.settled();
  expect(op.undeclared).toEqual(uses);
});
