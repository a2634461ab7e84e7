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
  test("is fetched once for each version, and not in a resync", async () => {
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

  test("is fetched once for all its readers", async () => {
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

  test("is in the cache without its data", async () => {
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

  test("that is deleted or recreated is seen", async () => {
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

  test("that is deleted between the watch and the GET is absent, without a failure", async () => {
    const world = fakeWorld(copier, { objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    world.onRequest(({ verb, resource }) => {
      if (verb === "get" && resource === "secrets")
        throw new ApiError({ message: "gone", status: 404, reason: "NotFound", details: { name: "in", kind: "secrets" } });
    });
    expect(await world.pass("a")).toMatchObject({ type: "wait", reason: "there is no such Secret" });
  });

  test("without a right to read it fails the step by name, and the next pass retries", async () => {
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

  test("that the step itself writes is not fetched afterwards", async () => {
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

  test("whose reference changes no longer triggers a pass, but the new Secret does", async () => {
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

  test("that changes triggers a pass without delay", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [secret("in", "1"), reader("a", { secret: "in" })] });
    const op = await cluster.start(copier);
    await op.settled();
    const beforeMs = cluster.clock.now();
    await cluster.update(Secret, "in", (object) => void (object.data = { value: b64("2") }));
    await op.settled({ horizonMs: 0 });
    expect((await cluster.get(Reader, "a"))?.status?.text).toBe("2");
    expect(cluster.clock.now()).toBe(beforeMs);
  });

  test("in many() has metadata only, and causes no request", async () => {
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

  test("in req.cache has metadata only, and the error names the read with data", async () => {
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

  test("is fetched by fakeReq once for each version, as by an operator", { tags: ["memory"] }, async () => {
    const req = fakeReq(Reader, { spec: { secret: "in" } }, { objects: [secret("in", "1")] });
    await req.run(copying);
    await req.run(copying);
    expect(req.status.text).toBe("1");
    expect(req.requests.count({ kind: Secret, verb: "get" })).toBe(1);
  });

  test("is fetched before a gate that reads it", async () => {
    const gated = step(Reader, {
      name: "gated",
      reads: { secret: one(Secret, () => "in") },
      gate: (req) => (req.reads.secret?.data?.["value"] === b64("stop") ? req.stop("the Secret says so") : undefined),
    });
    const world = fakeWorld(handler(Reader).step(gated).build(), { objects: [secret("in", "stop"), reader("a", {})] });
    expect(await world.pass("a")).toMatchObject({ type: "stop", reason: "the Secret says so" });
  });
});

describe("the forms of a read", () => {
  test("a live read is a GET before each phase, and its watch triggers passes", async () => {
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

  test("a read without a watch lists nothing and triggers no pass", async () => {
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

  test("one step reads metadata only while another reads whole objects of the same kind", async () => {
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

  test("a reference to another namespace is followed, and to an unwatched namespace fails the step", {
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

  test("a live read of an unwatched namespace works only without a watch", async () => {
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

  test("the next pass sees an object of the handler's kind that a step created", async () => {
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
  test("the next pass does not see an object that a step deleted, even before the watch event", { tags: ["memory"] }, async () => {
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

  test("watches by reference, label and metadata trigger passes of the affected objects only", async () => {
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

  test("two handlers watch one kind, and each gets passes for its own objects", async () => {
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

  test("a step that reads it waits with a reason, other steps run, and it resumes when the kind is served", async () => {
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

  test("a step resumes within 10 s without a right to watch CRDs", { tags: ["memory"] }, async () => {
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

  test("a handler of an unserved kind waits while other handlers run", { tags: ["memory"] }, async () => {
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

  test("a kind that is removed and installed again breaks nothing, and deletions are seen", { tags: ["memory"] }, async () => {
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

  test("a cleanup does not wait for it, and its read is absent", async () => {
    await using cluster = await startTestCluster({ objects: [reader("a", {})] });
    const op = await cluster.start(built, { missing: [Late] });
    await op.settled();
    await cluster.delete(Reader, "a");
    await op.settled();
    expect(await cluster.get(Reader, "a")).toBeUndefined();
  });

  test("fakeWorld and fakeReq wait in the same way", { tags: ["memory"] }, async () => {
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

test("an undeclared read is reported once for each step and verb", { tags: ["memory"] }, async () => {
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
