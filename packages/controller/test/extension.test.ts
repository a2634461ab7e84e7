/** The counters of extensions in the metrics of an operator, over real sockets. */
import { type AnyHandler, conditions, handler, type Step } from "@treadle/reconcile";
import {
  type CounterDefinition,
  defineExtension,
  defineStep,
  type Extension,
  type ExtensionDefinition,
} from "@treadle/reconcile/unstable/engine";
import { Counter } from "prom-client";
import { describe, expect, test } from "vitest";
import { createManager } from "../src/index.ts";
import { Gadget, startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const LOOKS: CounterDefinition = { name: "test_looks_total", help: "Looks at objects.", labels: ["size"] };
const BLINKS: CounterDefinition = { name: "test_blinks_total", help: "Blinks.", labels: [] };

type Looking = Extension<object, object, object>;
type Definition = Partial<ExtensionDefinition<object, object, object>>;

const looking = (definition: Definition = {}): Looking =>
  defineExtension<object, object, object>({ name: "looking", counters: [LOOKS, BLINKS], ...definition });

/** A handler of widgets or gadgets whose steps use the extensions, and count a look in each pass. */
function looker(extensions: readonly Looking[], kind: typeof Widget | typeof Gadget = Widget): AnyHandler {
  const steps = extensions.map(
    (extension, at) =>
      defineStep(kind, {
        name: `look${at}`,
        uses: [extension.use({})],
        do: (req) => extension.of(req).count("test_looks_total", { size: "big" }, 2),
      }) as Step<Widget>,
  );
  const first = handler(kind as typeof Widget, { name: kind === Widget ? "widgets" : "gadgets" }).step(conditions());
  return steps.reduce<typeof first>((list, each) => list.step(each), first).build();
}

const metrics = (world: World): Promise<string> =>
  fetch(`${world.manager.addresses.metrics?.url}/metrics`).then((response) => response.text());
const linesAbout = (text: string, name: string): string[] => text.split("\n").filter((line) => line.includes(name));
const served = (options: WorldOptions): Promise<World> => startWorld({ host: "127.0.0.1", metrics: { port: 0 }, ...options });

describe("a counter of an extension", () => {
  test("is in the metrics from the start, and handlers with the extension share it", async () => {
    const shared = looking();
    const world = await served({ handlers: [looker([shared]), looker([shared], Gadget)] });
    const fresh = await metrics(world);
    expect(linesAbout(fresh, "test_looks_total")).toEqual(["# HELP test_looks_total Looks at objects.", "# TYPE test_looks_total counter"]);
    expect(linesAbout(fresh, "test_blinks_total").slice(2)).toEqual([
      'test_blinks_total{controller="widgets"} 0',
      'test_blinks_total{controller="gadgets"} 0',
    ]);
    await world.user.create(Widget, widget("a"));
    await world.user.create(Gadget, { metadata: { name: "g", namespace: "default" }, spec: {} });
    await world.settled();
    await world.user.create(Widget, widget("b"));
    await world.settled();
    expect(
      linesAbout(await metrics(world), "test_looks_total")
        .slice(2)
        .toSorted(),
    ).toEqual(['test_looks_total{size="big",controller="gadgets"} 2', 'test_looks_total{size="big",controller="widgets"} 4']);
  });

  test("counts nothing in a dry run", async () => {
    const world = await served({ handlers: [looker([looking()])], dryRun: true });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(world.passes).toEqual(["widgets default/a"]);
    expect(linesAbout(await metrics(world), "test_looks_total{")).toEqual([]);
  });

  test("is shared by two extensions, and by two copies of one, with the same labels", async () => {
    const world = await served({ handlers: [looker([looking(), looking(), looking({ name: "other", counters: [LOOKS] })])] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(linesAbout(await metrics(world), "test_looks_total{")).toEqual(['test_looks_total{size="big",controller="widgets"} 6']);
  });

  test.for([
    { name: "an extension of another handler", handlers: (other: Looking) => [looker([looking()]), looker([other], Gadget)] },
    { name: "another extension of the handler", handlers: (other: Looking) => [looker([looking(), other])] },
  ])("is refused with other labels than in $name", ({ handlers }) => {
    const other = looking({ name: "other", counters: [{ ...LOOKS, labels: ["color"] }] });
    const manager = createManager();
    expect(() => handlers(other).reduce((to, each) => to.add(each), manager)).toThrow(
      expect.objectContaining({
        code: "ERR_ADD_REFUSED",
        message: expect.stringContaining(
          'extension "other" counts test_looks_total by the labels "color", and extension "looking" by "size"',
        ),
      }),
    );
  });

  test("is refused at the start if the program has another metric of its name", async () => {
    const { manager } = await served({ handlers: [looker([looking()])], start: false });
    new Counter({ name: "test_looks_total", help: "Ours.", registers: [await manager.metrics()] });
    await expect(manager.start()).rejects.toMatchObject({
      code: "ERR_ADD_REFUSED",
      message: expect.stringContaining("test_looks_total"),
    });
  });
});
