/** What starts passes, how many, and when they come back. */
import { keyOf, type Ref } from "@treadle/apimachinery";
import { ConfigMap, Node, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, many, one, RetryAfterError, step, TerminalError } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { and, generationChanged, or, type Predicate } from "../src/index.ts";
import { Gadget, startWorld, Widget, widget } from "./world.ts";

/** Writes what it saw of the spec into the status. */
const mirror = step(Widget, {
  name: "mirror",
  conditions: ["Seen"],
  do(req) {
    req.status.seen = req.object.spec.size;
    req.conditions.true("Seen");
  },
});
const mirroring = handler(Widget).step(conditions()).step(mirror).build();
const ref = { name: "a", namespace: "default" };

describe("a step that hangs", () => {
  test("holds its object but not its worker: other objects get passes, and its own next pass waits until it has returned", async () => {
    const returns = Promise.withResolvers<void>();
    let begun = 0;
    const hanging = step(Widget, {
      name: "hanging",
      timeoutMs: 1_000,
      do: (req) => (req.object.metadata.name === "a" && ++begun === 1 ? returns.promise : undefined),
    });
    const world = await startWorld({ handlers: [], start: false });
    world.manager.add(handler(Widget).step(hanging).build(), { concurrency: 1 });
    await world.manager.start();
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(0);
    await world.user.create(Widget, widget("b"));
    await world.clock.advance(1_000);
    expect(world.passes).toEqual(["widgets.test.treadle.dev default/a", "widgets.test.treadle.dev default/b"]);
    await world.clock.advance(10_000);
    expect(begun, "one pass at a time").toBe(1);
    returns.resolve();
    await world.clock.advance(0);
    expect(begun).toBe(2);
    await world.settled();
  });
});

describe("events of the primary", () => {
  test("a creation, a change of the spec and a deletion start one pass each; own status writes start none", async () => {
    const world = await startWorld({ handlers: [mirroring] });
    await world.user.create(Widget, widget("a", { size: 3 }));
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.requests).toEqual(["PATCH /apis/test.treadle.dev/v1/namespaces/default/widgets/a/status"]);
    expect((await world.user.get(Widget, ref))?.status).toMatchObject({ seen: 3, observedGeneration: 1 });

    await world.user.patch(Widget, ref, { type: "merge", body: { spec: { size: 4 } } });
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.requests).toHaveLength(2);

    await world.user.delete(Widget, ref);
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.reports.at(-1)?.result.outcome).toEqual({ type: "gone" });
    expect(world.requests).toHaveLength(2);
  });

  test("a foreign write to the status, labels or annotations starts a pass", async () => {
    const world = await startWorld({ handlers: [mirroring] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    world.passesSince();
    await world.user.patch(Widget, ref, { type: "merge", body: { status: { text: "foreign" } } }, { subresource: "status" });
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    await world.user.patch(Widget, ref, { type: "merge", body: { metadata: { labels: { a: "b" } } } });
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
  });

  test("objects that exist at the start get one pass each, after changes", async () => {
    const world = await startWorld({ handlers: [mirroring], start: false });
    for (const name of ["a", "b", "c"]) await world.user.create(Widget, widget(name));
    await world.manager.start();
    await world.settled();
    expect(world.passesSince().sort()).toEqual(["default/a", "default/b", "default/c"]);
    expect(world.requests).toHaveLength(3);
  });

  test("an idle operator sends no request except its watches", async () => {
    const world = await startWorld({ handlers: [mirroring] });
    for (let i = 0; i < 20; i++) await world.user.create(Widget, widget(`w${i}`));
    await world.settled();
    const [requests, lists] = [world.requests.length, world.lists.length];
    world.passesSince();
    await world.clock.advance(4 * 60_000);
    await world.settled();
    expect(world.passesSince()).toEqual([]);
    expect(world.requests).toHaveLength(requests);
    expect(world.lists).toHaveLength(lists);
    // Watches end after five to ten minutes and are opened again; nothing is listed.
    await world.clock.advance(30 * 60_000);
    await world.settled();
    expect(world.passesSince()).toEqual([]);
    expect(world.requests).toHaveLength(requests);
  });

  test("the removal of the finalizer is followed by one pass that finds no object and sends no request", async () => {
    const order: string[] = [];
    const cleaning = step(Widget, {
      name: "cleaning",
      do: () => void order.push("do"),
      cleanup: () => void order.push("cleanup"),
    });
    const world = await startWorld({ handlers: [handler(Widget).step(cleaning).build()] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    await world.user.delete(Widget, ref);
    await world.settled();
    expect(order).toEqual(["do", "cleanup"]);
    expect(await world.user.get(Widget, ref)).toBeUndefined();
    expect(world.reports.at(-1)?.result.outcome).toEqual({ type: "gone" });
    expect(world.requests).toEqual([
      "PATCH /apis/test.treadle.dev/v1/namespaces/default/widgets/a",
      "PATCH /apis/test.treadle.dev/v1/namespaces/default/widgets/a",
    ]);
  });

  test("an echo that arrives before the answer to the write starts no pass", async () => {
    const world = await startWorld({
      handlers: [mirroring],
      intercept: (transport) => ({
        ...transport,
        async request(request) {
          const answer = await transport.request(request);
          if (request.method === "PATCH") for (let turn = 0; turn < 30; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
          return answer;
        },
      }),
    });
    await world.user.create(Widget, widget("a", { size: 3 }));
    await world.user.create(Widget, widget("b", { size: 4 }));
    while (world.passes.length < 2) await world.settled();
    await world.settled();
    expect(world.passesSince().toSorted()).toEqual(["default/a", "default/b"]);
    expect(world.requests).toHaveLength(2);
  });

  test("a write whose answer was lost is detected and not repeated", async () => {
    let isLost = true;
    const world = await startWorld({
      handlers: [mirroring],
      intercept: (transport) => ({
        ...transport,
        async request(request) {
          const answer = await transport.request(request);
          if (request.method !== "PATCH" || !isLost) return answer;
          isLost = false;
          throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
        },
      }),
    });
    await world.user.create(Widget, widget("a", { size: 3 }));
    await world.settled(60_000);
    expect(world.requests.filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
    expect((await world.user.get(Widget, ref))?.status).toMatchObject({ seen: 3 });
    expect(world.manager.controllers[0]?.status()).toMatchObject({ queued: 0, delayed: 0 });
  });

  test("an object that is deleted and created again under its name is reconciled again", async () => {
    const world = await startWorld({ handlers: [mirroring] });
    await world.user.create(Widget, widget("a", { size: 1 }));
    await world.settled();
    await world.user.delete(Widget, ref);
    await world.user.create(Widget, widget("a", { size: 2 }));
    await world.settled();
    expect((await world.user.get(Widget, ref))?.status?.seen).toBe(2);
  });
});

describe("a predicate", () => {
  test("filters updates, never a deletion; only accepted events start passes", async () => {
    const cleaned: string[] = [];
    const cleaning = step(Widget, { name: "cleaning", do() {}, cleanup: (req) => void cleaned.push(req.object.metadata.name) });
    const world = await startWorld({ handlers: [], start: false });
    const never = (event: { type: string }) => event.type !== "updated";
    world.manager.add(handler(Widget).step(cleaning).build(), { predicate: and(generationChanged, never) });
    await world.manager.start();
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(world.passesSince(), "a creation passes").toEqual(["default/a"]);
    await world.user.patch(Widget, ref, { type: "merge", body: { spec: { size: 2 } } });
    await world.settled();
    expect(world.passesSince()).toEqual([]);
    await world.user.delete(Widget, ref);
    await world.settled();
    expect(cleaned).toEqual(["a"]);
    expect(await world.user.get(Widget, ref)).toBeUndefined();
  });

  test("generationChanged: a label starts no pass, the spec does", async () => {
    const world = await startWorld({ handlers: [], start: false });
    const isBig: Predicate<Widget> = ({ object }) => object.spec.size > 100;
    world.manager.add(mirroring, { predicate: or(generationChanged, isBig) });
    await world.manager.start();
    await world.user.create(Widget, widget("a"));
    await world.settled();
    world.passesSince();
    await world.user.patch(Widget, ref, { type: "merge", body: { metadata: { labels: { a: "b" } } } });
    await world.settled();
    expect(world.passesSince()).toEqual([]);
    await world.user.patch(Widget, ref, { type: "merge", body: { spec: { size: 2 } } });
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
  });

  test("sees objects of the handler's kind", async () => {
    const world = await startWorld({ handlers: [], start: false });
    world.manager.add(mirroring, { predicate: ({ object }) => object.spec.size !== 2 });
    await world.manager.start();
    await world.user.create(Widget, widget("a", { size: 1 }));
    await world.user.create(Widget, widget("b", { size: 2 }));
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
  });

  test("that throws lets the event start a pass, and is logged", async () => {
    const world = await startWorld({ handlers: [], start: false });
    world.manager.add(mirroring, {
      predicate: () => {
        throw new Error("predicate");
      },
    });
    await world.manager.start();
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.logs.some(({ text }) => text === "the predicate threw; the event starts a pass")).toBe(true);
  });
});

describe("several handlers of one kind", () => {
  const second = handler(Widget, { name: "second" })
    .step(conditions({ ready: false }))
    .step(step(Widget, { name: "echo", do: (req) => void (req.status.text = `seen ${req.object.status?.seen ?? "nothing"}`) }))
    .build();

  test("a write of one triggers the other through one watch, and then both are idle", async () => {
    const world = await startWorld({ handlers: [mirroring, second] });
    await world.user.create(Widget, widget("a", { size: 7 }));
    await world.settled(60_000);
    expect((await world.user.get(Widget, ref))?.status).toMatchObject({ seen: 7, text: "seen 7" });
    expect(world.lists.filter((path) => path.endsWith("/widgets"))).toHaveLength(1);
    const before = world.requests.length;
    await world.settled(3_600_000);
    expect(world.requests).toHaveLength(before);
  });

  test("a handler that reads the kind is triggered by writes of the kind's own handler", async () => {
    const watching = handler(Gadget)
      .step(
        step(Gadget, {
          name: "follow",
          reads: { widget: one(Widget, (gadget) => gadget.spec.widget) },
          do: (req) => void (req.status.seen = req.reads.widget?.status?.seen),
        }),
      )
      .build();
    const world = await startWorld({ handlers: [mirroring, watching] });
    await world.user.create(Gadget, { metadata: { name: "g", namespace: "default" }, spec: { widget: "a" } });
    await world.user.create(Widget, widget("a", { size: 5 }));
    await world.settled(60_000);
    expect((await world.user.get(Gadget, { name: "g", namespace: "default" }))?.status?.seen).toBe(5);
  });
});

describe("events of other objects", () => {
  const secret = (name: string, labels: Record<string, string> = {}, namespace = "default") => ({
    metadata: { name, namespace, labels },
    data: {},
  });

  test("one(): changes of the named object trigger exactly the primaries that name it", async () => {
    const reading = step(Widget, {
      name: "reading",
      reads: { input: one(Secret, (o) => o.spec.secret) },
      do: (req) => (req.reads.input === undefined ? req.wait(`Secret ${req.object.spec.secret} does not exist`, 3_600_000) : undefined),
    });
    const world = await startWorld({ handlers: [handler(Widget).step(reading).build()] });
    await world.user.create(Widget, widget("a", { secret: "x" }));
    await world.user.create(Widget, widget("b", { secret: "y" }));
    await world.settled();
    world.passesSince();

    await world.user.create(Secret, secret("x"));
    await world.user.create(Secret, secret("x", {}, "kube-system"));
    await world.settled();
    expect(world.passesSince(), "it appears").toEqual(["default/a"]);

    await world.user.patch(Widget, { name: "b", namespace: "default" }, { type: "merge", body: { spec: { secret: "x" } } });
    await world.settled();
    expect(world.passesSince(), "b names another").toEqual(["default/b"]);

    await world.user.patch(Secret, { name: "x", namespace: "default" }, { type: "merge", body: { data: { k: "dg==" } } });
    await world.settled();
    expect(world.passesSince().sort(), "it changes").toEqual(["default/a", "default/b"]);

    await world.user.delete(Secret, { name: "x", namespace: "default" });
    await world.settled();
    expect(world.passesSince().sort(), "it is deleted").toEqual(["default/a", "default/b"]);
    await world.user.create(Secret, secret("y"));
    await world.settled();
    expect(world.passesSince(), "nobody names it any more").toEqual([]);
  });

  test("many(): an object that joins, changes or leaves the selection triggers its primary", async () => {
    const reading = step(Widget, {
      name: "reading",
      reads: { parts: many(ConfigMap, (o) => ({ matchLabels: { app: o.spec.select ?? "none" } })) },
      do: (req) => void (req.status.seen = req.reads.parts.length),
    });
    const world = await startWorld({ handlers: [handler(Widget).step(reading).build()] });
    await world.user.create(Widget, widget("a", { select: "x" }));
    await world.user.create(Widget, widget("b", { select: "y" }));
    await world.settled();
    world.passesSince();
    const part = { name: "p", namespace: "default" };
    await world.user.create(ConfigMap, { metadata: { ...part, labels: { app: "x", other: "1" } } });
    await world.settled();
    expect(world.passesSince(), "joins").toEqual(["default/a"]);
    await world.user.patch(ConfigMap, part, { type: "merge", body: { metadata: { labels: { app: "y" } } } });
    await world.settled();
    expect(world.passesSince().sort(), "moves from one to the other").toEqual(["default/a", "default/b"]);
    const seen = async (name: string): Promise<number | undefined> =>
      (await world.user.get(Widget, { name, namespace: "default" }))?.status?.seen;
    expect([await seen("a"), await seen("b")]).toEqual([0, 1]);
    await world.user.delete(ConfigMap, part);
    await world.settled();
    expect(world.passesSince()).toEqual(["default/b"]);
    expect(await seen("b")).toBe(0);
  });

  test("owns: changes and the deletion of an owned object trigger its owner", async () => {
    const owning = step(Widget, {
      name: "owning",
      owns: [ConfigMap, Secret],
      reads: { config: one(ConfigMap, (o) => o.metadata.name) },
      async do(req) {
        if (req.reads.config !== undefined) return;
        const { name, uid = "" } = req.object.metadata;
        const owner = { apiVersion: "test.treadle.dev/v1", kind: "Widget", name, uid, controller: true };
        await req.client.create(ConfigMap, { metadata: { name, ownerReferences: [owner] } });
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(owning).build()] });
    await world.user.create(Widget, widget("a"));
    await world.settled(60_000);
    world.passesSince();
    await world.user.patch(ConfigMap, ref, { type: "merge", body: { data: { drift: "yes" } } });
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    await world.user.delete(ConfigMap, ref);
    await world.settled(60_000);
    expect(await world.user.get(ConfigMap, ref), "it is made again").toBeDefined();
  });

  test("watch(): the map is asked with the state before and after a change", async () => {
    const asked: unknown[] = [];
    const watching = handler(Widget)
      .step(step(Widget, { name: "idle", do() {} }))
      .watch(Node, {
        map: (node, cache) => {
          asked.push(node.spec?.unschedulable);
          return node.spec?.unschedulable === true ? cache.list(Widget).map((o) => o.metadata) : [];
        },
      })
      .build();
    const world = await startWorld({ handlers: [watching] });
    await world.user.create(Widget, widget("a"));
    await world.user.create(Node, { metadata: { name: "n" }, spec: { unschedulable: true } });
    await world.settled();
    world.passesSince();
    await world.user.patch(Node, { name: "n" }, { type: "merge", body: { spec: { unschedulable: null } } });
    await world.settled();
    expect(asked).toEqual([true, undefined, true]);
    expect(world.passesSince()).toEqual(["default/a"]);
  });

  test("a map that throws is logged, and is called for the next event", async () => {
    let isBroken = true;
    const watching = handler(Widget)
      .step(step(Widget, { name: "idle", do() {} }))
      .watch(ConfigMap, {
        map: (): Ref[] => {
          if (isBroken) throw "no error at all";
          return [ref];
        },
      })
      .build();
    const world = await startWorld({ handlers: [watching] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    world.passesSince();
    await world.user.create(ConfigMap, { metadata: { name: "c", namespace: "default" } });
    await world.settled();
    expect(world.passesSince()).toEqual([]);
    expect(world.logs.find(({ level }) => level === "error")).toMatchObject({
      data: { object: "default/c", error: "no error at all" },
      text: "cannot find the objects that a change of ConfigMap concerns (watch())",
    });
    isBroken = false;
    await world.user.delete(ConfigMap, { name: "c", namespace: "default" });
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
  });
});

describe("concurrency", () => {
  test.for([1, 2, 5])("never more than %i passes at once, and never two of one key", async (concurrency, { expect }) => {
    const running: string[] = [];
    let most = 0;
    let doubles = 0;
    const gates: (() => void)[] = [];
    const slow = step(Widget, {
      name: "slow",
      async do(req) {
        const key = keyOf(req.object.metadata);
        if (running.includes(key)) doubles++;
        running.push(key);
        most = Math.max(most, running.length);
        await new Promise<void>((resolve) => gates.push(resolve));
        running.splice(running.indexOf(key), 1);
      },
    });
    const world = await startWorld({ handlers: [], start: false });
    world.manager.add(handler(Widget).step(slow).build(), { concurrency });
    await world.manager.start();
    for (let i = 0; i < 8; i++) await world.user.create(Widget, widget(`w${i}`));
    await world.clock.advance(0);
    for (let i = 0; i < 8; i++)
      await world.user.patch(Widget, { name: `w${i}`, namespace: "default" }, { type: "merge", body: { spec: { size: 2 } } });
    for (let round = 0; round < 40; round++) {
      await world.clock.advance(0);
      gates.shift()?.();
    }
    await world.settled();
    expect({ most, doubles }).toEqual({ most: concurrency, doubles: 0 });
    // Changed while it was running or waiting: one more pass for those that were running, none for those that waited.
    expect(world.passes.length).toBe(8 + concurrency);
  });
});

describe("when a key is due again", () => {
  test("failures are retried after 5, 10, 20 ms ...; a success resets the backoff", async () => {
    const times: number[] = [];
    let failures = 4;
    const failing = step(Widget, {
      name: "failing",
      do(req) {
        times.push(req.now().getTime());
        if (failures-- > 0) throw new Error("boom");
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(failing).build()] });
    await world.user.create(Widget, widget("a"));
    await world.settled(60_000);
    expect(gaps(times)).toEqual([5, 10, 20, 40]);
    failures = 1;
    times.length = 0;
    await world.user.patch(Widget, ref, { type: "merge", body: { spec: { size: 9 } } });
    await world.settled(60_000);
    expect(gaps(times)).toEqual([5]);
  });

  test("waiting has a separate backoff and does not increase that of failures", async () => {
    const times: number[] = [];
    let waits = 6;
    const waiting = step(Widget, {
      name: "waiting",
      do(req) {
        times.push(req.now().getTime());
        if (waits-- > 0) return req.wait("not yet");
        if (times.length === 7) throw new Error("boom");
        return;
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(waiting).build()] });
    await world.user.create(Widget, widget("a"));
    await world.settled(60_000);
    expect(gaps(times)).toEqual([50, 100, 200, 400, 800, 1600, 5]);
  });

  test("an error that names its delay is retried after it, and counts as a failure", async () => {
    const times: number[] = [];
    const asking = step(Widget, {
      name: "asking",
      do(req) {
        times.push(req.now().getTime());
        if (times.length <= 2) throw new RetryAfterError("slow down", 7_000);
        if (times.length === 3) throw new Error("boom");
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(asking).build()] });
    await world.user.create(Widget, widget("a"));
    await world.settled(60_000);
    expect(gaps(times)).toEqual([7_000, 7_000, 20]);
  });

  test("a new object under the name of a failing one starts with a fresh backoff, also when that one was failing just then", async () => {
    const times: number[] = [];
    const release = Promise.withResolvers<void>();
    let calls = 0;
    const failing = step(Widget, {
      name: "failing",
      async do(req) {
        calls++;
        if (calls === 8) await release.promise;
        if (req.object.spec.size === 2) times.push(req.now().getTime());
        throw new Error("boom");
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(failing).build()] });
    await world.user.create(Widget, widget("a", { size: 1 }));
    while (calls < 8) await world.clock.advance(5);
    await world.user.delete(Widget, ref);
    await world.user.create(Widget, widget("a", { size: 2 }));
    await world.clock.advance(0);
    release.resolve();
    await world.settled(70);
    expect(gaps(times)).toEqual([5, 10, 20]);
  });

  test("a terminal error and a stop schedule nothing, and an event runs a normal pass", async () => {
    let calls = 0;
    const terminal = step(Widget, {
      name: "terminal",
      do(req) {
        calls++;
        if (req.object.spec.size === 1) throw new TerminalError("bad size");
        if (req.object.spec.size === 2) return req.stop("enough");
        return;
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(terminal).build()] });
    await world.user.create(Widget, widget("a", { size: 1 }));
    await world.settled(86_400_000);
    expect(calls).toBe(1);
    expect(world.logs.filter(({ level }) => level === "error")).toHaveLength(1);
    await world.user.patch(Widget, ref, { type: "merge", body: { spec: { size: 2 } } });
    await world.settled(86_400_000);
    expect(calls).toBe(2);
    await world.user.patch(Widget, ref, { type: "merge", body: { spec: { size: 3 } } });
    await world.settled(86_400_000);
    expect(calls).toBe(3);
    expect(world.manager.controllers[0]?.status()).toMatchObject({ queued: 0, running: 0, delayed: 0, nextDueAt: undefined });
  });

  test("revisit starts the next pass in time, and the status of the queue shows when", async () => {
    const revisiting = step(Widget, { name: "revisiting", do: (req) => req.revisit(60_000, "refresh") });
    const world = await startWorld({ handlers: [handler(Widget).step(revisiting).build()] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(world.manager.controllers[0]?.status().nextDueAt).toBe(world.clock.now() + 60_000);
    world.passesSince();
    await world.settled(130_000);
    expect(world.passesSince()).toEqual(["default/a", "default/a"]);
  });

  test("an event does not wait for the backoff", async () => {
    let isBroken = true;
    const failing = step(Widget, {
      name: "failing",
      do() {
        if (isBroken) throw new Error("boom");
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(failing).build()] });
    await world.user.create(Widget, widget("a"));
    await world.settled(600_000);
    isBroken = false;
    const before = world.clock.now();
    world.passesSince();
    await world.user.patch(Widget, ref, { type: "merge", body: { spec: { size: 2 } } });
    await world.settled();
    expect(world.clock.now()).toBe(before);
    expect(world.passesSince()).toEqual(["default/a"]);
  });

  test("an observer that throws does not disturb the passes", async () => {
    const world = await startWorld({
      handlers: [mirroring],
      onPass: () => {
        throw new Error("observer: password=hunter2");
      },
    });
    await world.user.create(Widget, widget("a", { size: 3 }));
    await world.user.create(Widget, widget("b", { size: 4 }));
    await world.settled();
    expect((await world.user.get(Widget, { name: "b", namespace: "default" }))?.status?.seen).toBe(4);
    expect(world.logs.filter(({ text }) => text === "onPass threw")).toHaveLength(2);
    expect(JSON.stringify(world.logs)).toContain("observer: password=<redacted>");
    expect(JSON.stringify(world.logs)).not.toContain("hunter2");
  });
});

test("passes without requests leave turns of the event loop to others", async () => {
  const again = handler(Widget)
    .step(step(Widget, { name: "again", do: (req) => req.revisit(0, "again") }))
    .build();
  const world = await startWorld({ handlers: [again], start: false });
  // Each alone is slowed down when nothing comes of ten passes.
  for (let i = 0; i < 200; i++) await world.user.create(Widget, widget(`a${i}`));
  await world.manager.start();
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(world.passes.length).toBeGreaterThan(100);
  await world.manager.stop();
  const atEnd = world.passes.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(world.passes).toHaveLength(atEnd);
});

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, i) => time - (times[i] ?? 0));
}
