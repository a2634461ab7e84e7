/** Values that the extensions of all handlers share, from the start of a manager to its end. */
import { Lease } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, type Step } from "@treadle/reconcile";
import { defineExtension, defineStep, Shared } from "@treadle/reconcile/unstable/engine";
import type { Runnable } from "../src/index.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { Gadget, startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const STORE = { name: "store" };
const calling = defineExtension<object, object, object>({ name: "calling" });

let trace: string[];
let dispose: () => void | Promise<void>;
beforeEach(() => {
  trace = [];
  dispose = () => undefined;
});

/** A connection to a store; it knows how many there were before it. */
class Connection {
  readonly name = `connection ${trace.filter((line) => line.startsWith("open")).length + 1}`;
  constructor() {
    trace.push(`open ${this.name}`);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    trace.push(`close ${this.name}`);
    await dispose();
  }
}

/** A handler whose step uses the connection; `before` ends first. */
function caller(kind: typeof Widget | typeof Gadget, before?: Promise<void>): AnyHandler {
  const call = defineStep(kind, {
    name: "call",
    uses: [calling.use({})],
    async do(req) {
      await before;
      const { object, shared } = scope(req);
      trace.push(`${object.kind} ${object.metadata.name}: ${shared.name}`);
    },
  }) as Step<Widget>;
  return handler(kind as typeof Widget)
    .step(conditions())
    .step(call)
    .build();
}

function scope(req: unknown): { object: { kind: string; metadata: { name: string } }; shared: Connection } {
  const pass = calling.of(req);
  return { object: pass.object, shared: pass.shared(STORE, () => new Connection()) };
}

async function used(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await startWorld({ handlers: [caller(Widget), caller(Gadget)], ...options });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  await world.user.create(Gadget, { metadata: { name: "g", namespace: "default" }, spec: {} });
  await world.settled();
  return world;
}

const USED = ["open connection 1", "Widget a: connection 1", "Gadget g: connection 1"];

describe("a shared value", () => {
  test("is the same for a runnable and for passes", async () => {
    let inRunnable: Connection | undefined;
    const world = await startWorld({ handlers: [caller(Widget)], start: false });
    const sharing: Runnable = { name: "sharing", start: (_, env) => void (inRunnable = env.shared(STORE, () => new Connection())) };
    world.manager.add(sharing);
    await world.manager.start();
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(inRunnable?.name).toBe("connection 1");
    expect(trace).toEqual(["open connection 1", "Widget a: connection 1"]);
  });

  test.for([{ dryRun: false }, { dryRun: true }])(
    "is the same for all handlers and is disposed of once, at the end (dry run: $dryRun)",
    async ({ dryRun }) => {
      const world = await used({ dryRun });
      expect(trace).toEqual(USED);
      await world.manager.stop();
      await world.manager.stop();
      expect(trace).toEqual([...USED, "close connection 1"]);
    },
  );

  test("is disposed of after the last pass", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const world = await startWorld({ handlers: [caller(Widget, promise)] });
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(0);
    const stopped = world.manager.stop();
    await world.clock.advance(1_000);
    expect(trace).toEqual([]);
    resolve();
    await stopped;
    expect(trace).toEqual(["open connection 1", "Widget a: connection 1", "close connection 1"]);
  });

  test("is disposed of before the lease is released", async () => {
    let holder: string | undefined;
    const world = await startWorld({ handlers: [caller(Widget)], leaderElection: { namespace: "default", name: "op" } });
    await world.clock.advance(1_000);
    await world.user.create(Widget, widget("a"));
    await world.settled();
    const lease = async (): Promise<string | undefined> =>
      (await world.user.get(Lease, { namespace: "default", name: "op" }))?.spec?.holderIdentity;
    dispose = async () => void (holder = await lease());
    await world.manager.stop();
    expect(await lease()).toBe("");
    expect(holder).toMatch(/./);
  });

  test("whose dispose fails is logged, and the manager stops", async () => {
    const world = await used();
    dispose = () => {
      throw new Error("store is away");
    };
    await world.manager.stop();
    expect(world.logs).toContainEqual(
      expect.objectContaining({
        level: "error",
        data: expect.objectContaining({ error: "store is away" }),
        text: "values that extensions share could not be disposed of",
      }),
    );
    expect(world.logs.at(-1)?.text).toBe("the manager has stopped");
  });

  test("whose dispose hangs does not hold the stop beyond its time", async () => {
    const world = await used({ gracefulShutdownMs: 15_000 });
    dispose = () => new Promise(() => undefined);
    let isStopped = false;
    const stopped = world.manager.stop().then(() => (isStopped = true));
    await world.clock.advance(13_999);
    expect(isStopped).toBe(false);
    await world.clock.advance(1);
    await stopped;
    expect(world.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toEqual([
      "values that extensions share were not disposed of in the remaining time: a dispose does not end",
    ]);
  });

  test("of a caller's Shared is left to the caller, who may give it to several managers", async () => {
    const shared = new Shared();
    await (await used({ shared })).manager.stop();
    await (await used({ shared })).manager.stop();
    expect(trace.filter((line) => /open|close/.test(line))).toEqual(["open connection 1"]);
    await shared[Symbol.asyncDispose]();
    expect(trace.at(-1)).toBe("close connection 1");
  });
});
