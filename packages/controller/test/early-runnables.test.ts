/** Runnables that start before the caches, because the caches may wait for what they serve: the conversion webhook of a watched kind. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { crdOf, kind } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { handler, many, one, step, through } from "@treadle/reconcile";
import { resolveReads } from "@treadle/reconcile/unstable/engine";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Runnable, RunnableEnv } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startWorld, Widget, type World, type WorldOptions } from "./world.ts";

const idle = handler(Widget)
  .step(step(Widget, { name: "idle" }))
  .build();

const Missing = kind({ group: "missing.example.com", version: "v1", kind: "Missing", scope: "Namespaced" });
const OldWidget = kind({ group: Widget.group, version: "v1alpha1", kind: "Widget", scope: "Namespaced" });

/** A conversion webhook that answers from `open` on. */
async function conversionWebhook(): Promise<{ readonly clientConfig: object; readonly open: () => void }> {
  const { cert, key } = await selfSigned("conversion");
  const opened = Promise.withResolvers<void>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { apiVersion, kind: of, request: asked } = JSON.parse(text);
    await opened.promise;
    const convertedObjects = asked.objects.map((object: object) => ({ ...object, apiVersion: asked.desiredAPIVersion }));
    const body = { apiVersion, kind: of, response: { uid: asked.uid, result: { status: "Success" }, convertedObjects } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const server = createServer({ cert, key }, (request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    clientConfig: { url: `https://127.0.0.1:${port}/convert`, caBundle: Buffer.from(cert).toString("base64") },
    open: opened.resolve,
  };
}

/** An operator that is not started, on a server with a Widget that is stored in another version than it reads. */
async function withOldWidget(clientConfig: object, options: Partial<WorldOptions> = {}): Promise<World> {
  const crd = crdOf(Widget);
  const [version] = crd.spec.versions;
  const versions = [
    { ...version, storage: false },
    { ...version, name: "v1alpha1", storage: true },
  ];
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const resource = { ...crd, spec: { ...crd.spec, versions, conversion } } as typeof crd;
  const world = await startWorld({ handlers: [idle], resources: [resource], start: false, ...options });
  await world.user.create(OldWidget, { metadata: { name: "old", namespace: "default" }, spec: { size: 1 } });
  return world;
}

function runnable(given: Partial<Runnable> & Pick<Runnable, "start">): Runnable {
  return { name: "early", needsCaches: false, ...given };
}

describe("a runnable with needsCaches: false", () => {
  test("serves the conversion that the caches wait for", async () => {
    const { clientConfig, open } = await conversionWebhook();
    const world = await withOldWidget(clientConfig);
    world.manager.add(runnable({ start: open }));
    await world.manager.start();
    await world.settled();
    expect(world.passes).toEqual(["widgets.test.treadle.dev default/old"]);
  });

  test("is needed for that: a runnable that waits for the caches is never started", async () => {
    const { clientConfig, open } = await conversionWebhook();
    const world = await withOldWidget(clientConfig, { cacheSyncTimeoutMs: 60_000 });
    world.manager.add(runnable({ needsCaches: true, needsLeader: false, start: open }));
    const started = world.manager.start();
    started.catch(() => undefined);
    await expect.poll(() => world.lists.length).toBeGreaterThan(0);
    await world.clock.advance(60_000);
    await expect(started).rejects.toMatchObject({ code: "ERR_CACHE_SYNC" });
    expect(world.passes).toEqual([]);
  });

  test("starts before the informers and stops after them, in the order of add", async () => {
    const trace: string[] = [];
    const world = await startWorld({ handlers: [idle], start: false });
    const note = (name: string, needs: Partial<Runnable>): Runnable => ({
      name,
      ...needs,
      start: () => void trace.push(`start ${name}, lists: ${world.lists.length > 0}`),
      stop: () => void trace.push(`stop ${name}`),
    });
    world.manager.add(note("work", {})).add(note("free", { needsLeader: false }));
    world.manager.add(note("first", { needsCaches: false })).add(note("second", { needsCaches: false, needsLeader: false }));
    await world.manager.start();
    await world.manager.stop();
    expect(trace).toEqual([
      "start first, lists: false",
      "start second, lists: false",
      "start free, lists: true",
      "start work, lists: true",
      "stop work",
      "stop free",
      "stop second",
      "stop first",
    ]);
  });

  test("runs in every replica, so it cannot need the leader", async () => {
    const world = await startWorld({ handlers: [idle], start: false });
    expect(() => world.manager.add(runnable({ needsLeader: true, start() {} }))).toThrow(
      expect.objectContaining({ code: "ERR_ADD_REFUSED", message: expect.stringContaining('runnable "early" has needsCaches: false') }),
    );
  });

  test("that fails to start ends the start, and is stopped", async () => {
    const trace: string[] = [];
    const world = await startWorld({ handlers: [idle], start: false });
    const start = (): never => {
      throw new Error("boom");
    };
    world.manager.add(runnable({ start, stop: () => void trace.push("stopped") }));
    await expect(world.manager.start()).rejects.toThrow('cannot start runnable "early": boom');
    expect({ trace, lists: world.lists }).toEqual({ trace: ["stopped"], lists: [] });
  });
});

describe("readiness", () => {
  const probes = { port: 0, host: "127.0.0.1" };
  const probe = async (world: World, path: string): Promise<string> => {
    const response = await fetch(`${world.manager.addresses.probes?.url}${path}`);
    return `${response.status} ${(await response.text()).trim()}`;
  };

  test("does not wait for caches that wait for a ready process, and shows them by their own path", async () => {
    const { clientConfig, open } = await conversionWebhook();
    const world = await withOldWidget(clientConfig, { probes });
    const seen: string[] = [];
    let problem: string | undefined = "has no certificate";
    world.manager.add(
      runnable({
        async start(_, { addReadyzCheck }) {
          addReadyzCheck("webhooks", () => problem);
          seen.push(await probe(world, "/readyz"));
        },
      }),
    );
    const started = world.manager.start();
    await expect.poll(() => world.lists.length).toBeGreaterThan(0);
    expect(seen[0], "before it has started").toContain("[-]running failed: the manager is starting");
    expect(await probe(world, "/readyz")).toBe("500 [-]webhooks failed: has no certificate\nreadyz check failed");
    problem = undefined;
    expect(await probe(world, "/readyz")).toBe("200 ok");
    expect(await probe(world, "/readyz/running")).toContain("500 [-]running failed: the manager is starting");
    expect(await probe(world, "/readyz/informers")).toContain("500 [-]informers failed: Widget has not synced");
    open();
    await started;
    expect(await probe(world, "/readyz/informers")).toBe("200 ok");
  });

  test("without such a runnable, /readyz waits for the caches", async () => {
    const world = await startWorld({ handlers: [idle], probes });
    expect(await probe(world, "/readyz?verbose")).toContain("[+]running ok\n[+]informers ok");
  });

  test("a manager that stops is not ready", async () => {
    const world = await startWorld({ handlers: [idle], start: false, probes });
    let during = "";
    const stop = async (): Promise<void> => void (during = await probe(world, "/readyz"));
    world.manager.add(runnable({ start() {}, stop }));
    await world.manager.start();
    expect(await probe(world, "/readyz?verbose")).not.toContain("running");
    await world.manager.stop();
    expect(during).toContain("[-]running failed: the manager is stopping");
  });

  test("a check of a runnable is removed when the runnable has stopped, and takes the name of no other check", async () => {
    const world = await startWorld({ handlers: [idle], start: false, probes });
    let during = "";
    const checks: Runnable = {
      name: "checks",
      start: (_, env) => env.addReadyzCheck("mine", () => "not yet"),
      stop: async () => void (during = await probe(world, "/readyz/mine")),
    };
    const last: Runnable = {
      name: "last",
      needsLeader: false,
      start() {},
      stop: async () => void (after = await probe(world, "/readyz/mine")),
    };
    let after = "";
    world.manager
      .add(checks)
      .add(last)
      .add({ name: "twice", start: (_: AbortSignal, env: RunnableEnv) => refused(env) });
    const refused = (env: RunnableEnv): void =>
      expect(() => env.addReadyzCheck("informers", () => undefined)).toThrow(expect.objectContaining({ code: "ERR_ADD_REFUSED" }));
    await world.manager.start();
    await world.manager.stop();
    expect({ during, after }).toEqual({ during: expect.stringContaining("[-]mine failed: not yet"), after: "404 not found" });
  });
});

describe("the services of a runnable", () => {
  test("the cache throws until the caches have synced, and then shows the kinds of its reads", async () => {
    const seen: unknown[] = [];
    const world = await startWorld({ handlers: [idle], start: false });
    await world.user.create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
    const reads = [one(ConfigMap, (widget: Widget) => widget.spec.secret)];
    const start: Runnable["start"] = (signal, { cache, synced }) => {
      const list = (): readonly string[] => cache.list(ConfigMap).map(({ metadata }) => metadata.name);
      expect(list).toThrow(expect.objectContaining({ code: "ERR_NOT_SYNCED" }));
      expect(() => cache.get(Widget, { name: "a", namespace: "default" })).toThrow(expect.objectContaining({ code: "ERR_NOT_SYNCED" }));
      void synced(signal).then(() => seen.push(list()));
    };
    world.manager.add(runnable({ reads, start }));
    await world.manager.start();
    expect(seen).toEqual([["a"]]);
  });

  test("the reads of a runnable are resolved by its services, as those of a step", async () => {
    const reads = {
      config: one(ConfigMap, (each: Widget) => each.spec.secret),
      pods: many(Missing, () => ({ matchLabels: {} }), { ifNotServed: "skip" }),
    };
    const world = await startWorld({ handlers: [idle], start: false });
    await world.user.create(ConfigMap, { metadata: { name: "a", namespace: "default" }, data: { key: "value" } });
    let seen: unknown;
    const start: Runnable["start"] = async (signal, env) => {
      const object = {
        apiVersion: "test.treadle.dev/v1",
        kind: "Widget",
        metadata: { name: "w", namespace: "default" },
        spec: { secret: "a" },
      };
      seen = await resolveReads(reads, object as unknown as Widget, { ...env, signal, where: "the webhook of Widget" });
      expect([env.isServed(ConfigMap), env.isServed(Missing), env.refusalOf(ConfigMap)]).toEqual([true, false, undefined]);
    };
    world.manager.add({ name: "reading", needsLeader: false, reads: Object.values(reads), start });
    await world.manager.start();
    expect(seen).toMatchObject({ config: { data: { key: "value" } }, pods: [] });
  });

  test("synced rejects with the reason of its signal, and when the caches never sync", async () => {
    let waits: Promise<unknown> | undefined;
    const world = await startWorld({
      handlers: [idle],
      start: false,
      cacheSyncTimeoutMs: 1_000,
      intercept: (transport) => ({
        request: (request) => (request.path.includes("/widgets") ? new Promise(() => {}) : transport.request(request)),
        close: () => transport.close(),
      }),
    });
    const aborted = AbortSignal.abort(new Error("enough"));
    world.manager.add(
      runnable({
        start: (_, env) => {
          waits = Promise.allSettled([env.synced(aborted), env.synced(new AbortController().signal)]);
        },
      }),
    );
    const started = world.manager.start();
    started.catch(() => undefined);
    await expect.poll(() => waits !== undefined).toBe(true);
    await world.clock.advance(1_000);
    expect(await waits).toMatchObject([{ reason: { message: "enough" } }, { reason: { code: "ERR_CACHE_SYNC" } }]);
  });

  test.for([{ metrics: false as const }, { metrics: { port: 0, host: "127.0.0.1" } }])("metrics() with %j", async ({ metrics }) => {
    let registry: unknown;
    const world = await startWorld({ handlers: [idle], start: false, metrics });
    world.manager.add(runnable({ start: async (_, env) => void (registry = await env.metrics()) }));
    await world.manager.start();
    expect(registry).toBe(metrics === false ? undefined : await world.manager.metrics());
  });

  test("the client of a dry run sends no write", async () => {
    const world = await startWorld({ handlers: [idle], start: false, dryRun: true });
    const start: Runnable["start"] = async (_, { client }) =>
      void (await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } }));
    world.manager.add(runnable({ start }));
    await world.manager.start();
    expect(await world.user.get(ConfigMap, { name: "a", namespace: "default" })).toBeUndefined();
  });

  test("the client of a standby writes, if the runnable does not need the leader", async () => {
    const world = await startWorld({ handlers: [idle], start: false, leaderElection: { namespace: "default", name: "op" } });
    const start: Runnable["start"] = async (_, { client }) =>
      void (await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } }));
    world.manager.add(runnable({ start }));
    await world.manager.start();
    expect(await world.user.get(ConfigMap, { name: "a", namespace: "default" })).toBeDefined();
  });

  test("a lease is released while a runnable that needs no leader still stops", async () => {
    const world = await startWorld({ handlers: [idle], start: false, leaderElection: { namespace: "default", name: "op" } });
    const stop = Promise.withResolvers<void>();
    world.manager.add(runnable({ start() {}, stop: () => stop.promise }));
    await world.manager.start();
    await world.clock.advance(5_000);
    expect(world.manager.status().leadership).toMatchObject({ type: "leading" });
    const stopped = world.manager.stop();
    await world.clock.advance(1);
    const holder = async (): Promise<unknown> =>
      (await world.user.list(kind({ group: "coordination.k8s.io", version: "v1", kind: "Lease", scope: "Namespaced" }))).items[0];
    expect(await holder()).toMatchObject({ spec: { holderIdentity: "" } });
    stop.resolve();
    await stopped;
  });
});

test.for([
  { name: "permissions that are no list", given: { permissions: { kind: ConfigMap } }, want: /permissions must be a list/ },
  {
    name: "a permission without verbs",
    given: { permissions: [{ kind: ConfigMap }] },
    want: /permissions\[0\] of ConfigMap allows nothing/,
  },
  { name: "a read that is a kind", given: { reads: [ConfigMap] }, want: /reads must be a list of reads/ },
  { name: "reads by name", given: { reads: { config: many(ConfigMap, () => ({ matchLabels: {} })) } }, want: /reads must be a list/ },
  {
    name: "a read through another one that is not listed",
    given: {
      reads: [
        one(
          ConfigMap,
          through(
            one(ConfigMap, () => "a"),
            () => "b",
          ),
        ),
      ],
    },
    want: /goes through a read of ConfigMap that is not in reads/,
  },
])("a runnable with $name is refused", async ({ given, want }) => {
  const world = await startWorld({ handlers: [idle], start: false });
  expect(() => world.manager.add({ name: "wrong", start() {}, ...(given as object) })).toThrow(want);
});
