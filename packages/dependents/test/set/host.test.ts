/** What a set gives to renderers of packages, and what it does when one of them waits or fails. */
import "@treadle/testing/matchers";
import { crdOf } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { RetryAfterError, TerminalError } from "@treadle/reconcile";
import { type FakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { edited, merged, type Renderer } from "../../src/index.ts";
import { hostOf, type LiveInput, onceFor, type RenderHost, RenderLater, Slots } from "../../src/unstable/render.ts";
import { condition, config, Platform, platform, platforms, settled, Widget, worldOf } from "./platforms.ts";

type PlatformRenderer = Renderer<Platform>;

const objects: PlatformRenderer = ({ spec }) => [config("one", { text: spec.text })];
const setText = async (world: FakeWorld, text: string): Promise<void> => {
  await world.update(Platform, "a", ({ spec }) => void (spec.text = text));
  await world.settled();
};
const textOf = async (world: FakeWorld): Promise<unknown> => (await world.get(ConfigMap, "one"))?.data?.["text"];
const readyOf = async (world: FakeWorld): Promise<unknown> =>
  (await world.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "Ready");

/** A renderer that does what `behaviour.now` says, and counts its calls. */
function scripted(now: PlatformRenderer = objects) {
  const script = { now, calls: 0 };
  const render: PlatformRenderer = (object, context) => {
    script.calls++;
    return script.now(object, context);
  };
  return Object.assign(script, { render });
}

test("the host of a renderer has the key of the owner, handler and set, and the services of the pass", async () => {
  const hosts: RenderHost[] = [];
  const shared = {};
  const world = await settled({
    objects: edited((_, context) => {
      hosts.push(hostOf(context));
      return [config("one")];
    }),
  });
  await setText(world, "new");
  const uid = (await world.get(Platform, "a"))?.metadata.uid;
  expect(hosts.map(({ key }) => key)).toEqual([`${uid} platforms.example.dev stack`, `${uid} platforms.example.dev stack`]);
  const [first, second] = hosts;
  expect(first?.clock).toBe(world.clock);
  expect(first?.shared(shared, () => ({ of: "the operator" }))).toBe(second?.shared(shared, () => ({})));
  const before = world.passes.length;
  first?.waker()("a slot is free");
  await world.settled();
  expect(world.passes.length).toBe(before + 1);
});

describe("a renderer that throws RenderLater", () => {
  const later = (): never => {
    throw new RenderLater("waits for a program");
  };

  test.for<{ name: string; wrap: (render: PlatformRenderer) => PlatformRenderer }>([
    { name: "alone", wrap: (render) => render },
    { name: "asynchronously", wrap: (render) => async (object, context) => await render(object, context) },
    { name: "in edited()", wrap: (render) => edited(render) },
    { name: "in merged()", wrap: (render) => merged(() => [], render) },
    {
      name: "in a renderer that wraps its errors",
      wrap: (render) => async (object, context) => {
        try {
          return await render(object, context);
        } catch (cause) {
          throw new Error("cannot render", { cause });
        }
      },
    },
  ])("($name) ends the pass at once; condition and objects stay, and the waker triggers the next pass", async ({ wrap }) => {
    const script = scripted();
    const world = await settled({ objects: wrap(script.render) });
    const before = [await condition(world), await textOf(world)];
    let wake: ((cause: string) => void) | undefined;
    script.now = (_, context) => {
      wake = hostOf(context).waker();
      return later();
    };
    await setText(world, "new");
    expect([await condition(world), await textOf(world)]).toEqual(before);
    expect(world.passes.at(-1)).toMatchObject({ outcome: { type: "wait" }, requeue: { type: "after", afterMs: 600_000 } });
    expect(world.logs.filter(({ level }) => level === "error")).toEqual([]);
    const calls = script.calls;
    script.now = objects;
    await world.advance(60_000);
    await world.settled();
    expect(script.calls).toBe(calls);
    wake?.("a slot is free");
    await world.settled();
    expect(await textOf(world)).toBe("new");
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test.for<{ name: string; end: (world: FakeWorld) => Promise<void> }>([
    { name: "its owner is deleted", end: async (world) => await world.delete(Platform, "a") },
    { name: "its inputs change", end: async (world) => await setText(world, "newer") },
    { name: "its inputs are those of the last rendering again", end: async (world) => await setText(world, "hello") },
  ])("leaves its place in the queue when $name", async ({ end }) => {
    const script = scripted();
    const world = await settled({ objects: script.render });
    const slots = new Slots({ limit: 1, clock: world.clock });
    slots.take("other", () => undefined);
    script.now = (_, context) => {
      const host = hostOf(context);
      slots.take(host.key, () => host.waker()("a slot is free"));
      host.atEnd?.(slots, () => slots.leave(host.key));
      return later();
    };
    await setText(world, "new");
    expect(slots.waiting).toBe(1);
    script.now = objects;
    await end(world);
    await world.settled();
    expect(slots.waiting).toBe(0);
  });

  test("reports Processing where nothing was reported before, and is called again after ten minutes", async () => {
    const script = scripted(later);
    const world = await settled({ objects: script.render });
    expect(await condition(world)).toEqual({ status: "Unknown", reason: "Processing", message: "waits for a program" });
    expect(script.calls).toBe(1);
    script.now = objects;
    await world.advance(600_000);
    await world.settled();
    expect(await textOf(world)).toBe("hello");
  });

  test("is called again when a live input that it named changes", async () => {
    const input = liveInput();
    const script = scripted((_, context) => {
      hostOf(context).dependsOn(input);
      return later();
    });
    const world = await settled({ objects: script.render });
    expect([script.calls, input.listeners.size]).toEqual([1, 1]);
    script.now = objects;
    input.change();
    await world.settled();
    expect([await textOf(world), input.listeners.size]).toEqual(["hello", 0]);
  });

  test("leaves Ready as it was for ten minutes after a start, and writes no status", async () => {
    const script = scripted();
    const world = await settled({ objects: script.render });
    const ready = await readyOf(world);
    script.now = later;
    await world.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { "treadle.dev/reconcile-requested-at": "1" }));
    await world.settled();
    const { calls } = script;
    const writes = world.requests.writes.length;
    await world.advance(599_000);
    await world.settled();
    expect([await readyOf(world), script.calls, world.requests.writes.length]).toEqual([ready, calls, writes]);
    await world.advance(1_000);
    await world.settled();
    expect(await readyOf(world)).toMatchObject({ status: "Unknown", reason: "Processing" });
  });

  test("runs no part again that has ended, so that several programs share one slot with other owners", async () => {
    const runs: string[] = [];
    const key = {};
    const program = async (host: RenderHost, name: string): Promise<void> => {
      const slot = host.shared(key, () => new Slots({ limit: 1, clock: host.clock })).take(host.key, () => host.waker()("slot"));
      if (slot === undefined) throw new RenderLater("no slot");
      runs.push(name);
      await Promise.resolve();
      slot.release();
    };
    const names = ["a", "b", "c"];
    const world = await settled(
      {
        objects: async ({ metadata }, context) => {
          const host = hostOf(context);
          for (const part of [1, 2, 3]) await onceFor(host, `${part}`, () => program(host, `${metadata.name}${part}`));
          return [config(metadata.name)];
        },
      },
      { objects: names.slice(1).map((name) => platform({}, { name })) as never },
    );
    expect(runs.toSorted()).toEqual(names.flatMap((name) => [`${name}1`, `${name}2`, `${name}3`]));
    expect(await world.list(ConfigMap)).toHaveLength(names.length);
  });
});

describe("a renderer that fails with a TerminalError", () => {
  const invalid = (): never => {
    throw new TerminalError("templates/web.yaml:3: no such value", { code: "TemplateFailed" });
  };
  const pass = async (world: FakeWorld): Promise<void> => {
    await world.pass("default/a");
    await world.settled();
  };

  test("is not called again for the same inputs; condition and log have its code and text, and objects stay", async () => {
    const script = scripted();
    const world = await settled({ objects: script.render });
    script.now = invalid;
    await setText(world, "new");
    const found = { status: "False", reason: "Error", message: "TemplateFailed: templates/web.yaml:3: no such value" };
    for (let i = 0; i < 3; i++) {
      expect(await condition(world)).toEqual(found);
      expect(await readyOf(world)).toMatchObject({ ...found, message: `StackReady: ${found.message}` });
      expect(world.logs.at(-1)).toMatchObject({ level: "error", data: { error: found.message } });
      expect(world.dueIn("default/a")).toBeUndefined();
      await pass(world);
    }
    expect([script.calls, await textOf(world)]).toEqual([2, "hello"]);
    await world.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { "kubectl.kubernetes.io/x": "" }));
    await world.settled();
    expect([script.calls, await condition(world)]).toEqual([2, found]);
    script.now = objects;
    await setText(world, "newer");
    expect([script.calls, await textOf(world)]).toEqual([3, "newer"]);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("is not called for the inputs of an earlier rendering", async () => {
    const script = scripted();
    const world = await settled({ objects: script.render });
    script.now = invalid;
    await setText(world, "new");
    await setText(world, "hello");
    expect([script.calls, await condition(world)]).toMatchObject([2, { status: "True" }]);
    await setText(world, "new");
    expect([script.calls, await condition(world)]).toMatchObject([2, { status: "False", reason: "Error" }]);
  });

  test("is not called for other inputs when it waits with newer ones", async () => {
    const script = scripted(invalid);
    const world = await settled({ objects: script.render });
    script.now = () => {
      throw new RenderLater("no slot");
    };
    await setText(world, "new");
    script.now = objects;
    await pass(world);
    expect(await textOf(world)).toBe("new");
  });

  test("is called again when what it read of the cluster has changed", async () => {
    const script = scripted((object, context) =>
      context.cluster.kinds.has("widgets.dev/v1", "Widget") ? objects(object, context) : invalid(),
    );
    const world = await settled({ kinds: [ConfigMap], objects: script.render });
    expect(await condition(world)).toMatchObject({ reason: "Error" });
    const { calls } = script;
    expect(world.dueIn("default/a")).toBe(600_000);
    await world.create(CustomResourceDefinition, crdOf(Widget) as never);
    await world.settled();
    expect(script.calls).toBe(calls);
    await world.advance(600_000);
    await world.settled();
    expect(script.calls).toBe(calls + 1);
    expect(await textOf(world)).toBe("hello");
  });

  test("that took too long is called again after ten minutes", async () => {
    const began = Promise.withResolvers<void>();
    const script = scripted(async (_, context) => {
      const { clock } = hostOf(context);
      // Two programs: the first one just ends in time, and the second one does not.
      for (const ms of [29_000, 30_000]) {
        const ended = new Promise<void>((resolve) => clock.after(ms, resolve));
        began.resolve();
        await ended;
      }
      throw new TerminalError("helm did not end within 30 s", { code: "TooSlow" });
    });
    const world = worldOf({ objects: edited(script.render) });
    const first = world.settled();
    await began.promise;
    await world.advance(59_000);
    await first;
    expect(await condition(world)).toEqual({ status: "False", reason: "Error", message: "TooSlow: helm did not end within 30 s" });
    expect(await readyOf(world)).toMatchObject({ status: "False", reason: "Error", message: expect.stringContaining("helm did not end") });
    await world.advance(599_999);
    await pass(world);
    expect([script.calls, world.dueIn("default/a")]).toEqual([1, 1]);
    script.now = objects;
    await world.advance(1);
    await world.settled();
    expect([script.calls, await textOf(world)]).toEqual([2, "hello"]);
  });

  test("shows no text that it concealed, in any pass", async () => {
    const world = await settled({
      objects: (_, context) => {
        hostOf(context).conceal(["aHVudGVyMg=="]);
        throw new TerminalError("value aHVudGVyMg== is invalid", { cause: new Error("at aHVudGVyMg==") });
      },
    });
    await pass(world);
    expect(await condition(world)).toMatchObject({ message: expect.stringMatching(/^value <?.+>? is invalid$/) });
    expect(JSON.stringify([world.logs, world.events, await world.get(Platform, "a")])).not.toContain("aHVudGVyMg==");
  });

  test("is called again in each pass if a retry may fix its error", async () => {
    const script = scripted(() => {
      throw new RetryAfterError("not now", 5_000);
    });
    const world = await settled({ objects: script.render });
    await world.advance(5_000);
    await world.settled();
    expect(script.calls).toBe(2);
  });
});

describe("a live input of a renderer", () => {
  test("renders again when its version changes, with one listener for all owners", async () => {
    const input = liveInput();
    const script = scripted((object, context) => {
      hostOf(context).dependsOn(input);
      return [config(object.metadata.name, { text: `${input.version}` })];
    });
    const world = await settled({ objects: script.render }, { objects: [platform({}, { name: "b" })] });
    expect([script.calls, input.listeners.size]).toEqual([2, 1]);
    await world.pass("default/a");
    expect(script.calls).toBe(2);
    input.change();
    await world.settled();
    expect([script.calls, (await world.get(ConfigMap, "b"))?.data]).toEqual([4, { text: "2" }]);
    await world.delete(Platform, "a");
    await world.settled();
    expect(input.listeners.size).toBe(1);
    input.change();
    await world.settled();
    expect(script.calls).toBe(5);
    await world.delete(Platform, "b");
    await world.settled();
    expect(input.listeners.size).toBe(0);
  });

  test("has no listener when no rendering depends on it any more", async () => {
    const [first, second] = [liveInput(), liveInput()];
    const script = scripted(({ spec }, context) => {
      hostOf(context).dependsOn(spec.text === "hello" ? first : second);
      return [];
    });
    const world = await settled({ objects: script.render });
    await setText(world, "new");
    expect([first.listeners.size, second.listeners.size]).toEqual([0, 1]);
    await world.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { "treadle.dev/reconcile-requested-at": "1" }));
    await world.settled();
    expect([script.calls, second.listeners.size]).toEqual([3, 1]);
  });

  test("has no listener after the end of the operator", async () => {
    const input = liveInput();
    await using cluster = await startTestCluster({ objects: [platform()] });
    const render: PlatformRenderer = (object, context) => {
      hostOf(context).dependsOn(input);
      return objects(object, context);
    };
    const operator = await cluster.start(platforms({ objects: render }));
    await operator.settled();
    expect(input.listeners.size).toBe(1);
    await operator.stop();
    expect(input.listeners.size).toBe(0);
  });

  test("that changes ends the wait for what failed with its former version", async () => {
    const input = liveInput();
    const script = scripted((_, context) => {
      hostOf(context).dependsOn(input);
      throw new TerminalError("invalid", { code: "ChartInvalid" });
    });
    const world = await settled({ objects: script.render });
    script.now = objects;
    input.change();
    await world.settled();
    expect([script.calls, await textOf(world), input.listeners.size]).toEqual([2, "hello", 0]);
  });
});

function liveInput(): LiveInput & { readonly listeners: Set<() => void>; change(): void } {
  const listeners = new Set<() => void>();
  let version = 1;
  return {
    listeners,
    get version() {
      return version;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change() {
      version++;
      for (const listener of listeners) listener();
    },
  };
}
