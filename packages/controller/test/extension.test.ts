/** The counters, gauges and histograms of extensions in the metrics of an operator, and their trees on `/debug/object`, over real sockets. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { type AnyHandler, conditions, handler, type Step } from "@treadle/reconcile";
import {
  type CounterDefinition,
  type DebugNode,
  defineExtension,
  defineStep,
  type Extension,
  type ExtensionDefinition,
  type GaugeDefinition,
  type HistogramDefinition,
} from "@treadle/reconcile/unstable/engine";
import { Counter } from "prom-client";
import { describe, expect, test } from "vitest";
import { createManager } from "../src/index.ts";
import { Gadget, startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const LOOKS: CounterDefinition = { name: "test_looks_total", help: "Looks at objects.", labels: ["size"] };
const BLINKS: CounterDefinition = { name: "test_blinks_total", help: "Blinks.", labels: [] };
const GAZES: HistogramDefinition = { name: "test_gaze_seconds", help: "Gazes at objects.", labels: ["size"], buckets: [1, 5] };
const LEVEL: GaugeDefinition = { name: "test_level", help: "Levels.", labels: ["size"] };
const NAPS: HistogramDefinition = { name: "test_nap_seconds", help: "Naps.", labels: [] };

type Looking = Extension<object, object, object>;
type Definition = Partial<ExtensionDefinition<object, object, object>>;

const looking = (definition: Definition = {}): Looking =>
  defineExtension<object, object, object>({
    name: "looking",
    counters: [LOOKS, BLINKS],
    gauges: [LEVEL],
    histograms: [GAZES, NAPS],
    ...definition,
  });

/** A handler of widgets or gadgets whose steps use the extensions, and count a look in each pass. */
function looker(extensions: readonly Looking[], kind: typeof Widget | typeof Gadget = Widget): AnyHandler {
  const steps = extensions.map(
    (extension, at) =>
      defineStep(kind, {
        name: `look${at}`,
        uses: [extension.use({})],
        do(req) {
          extension.of(req).count("test_looks_total", { size: "big" }, 2);
          extension.of(req).observe("test_gaze_seconds", { size: "big" }, 3);
          if (extension.name === "looking")
            extension
              .of(req)
              .gauge("test_level", { size: "big" }, (req as { readonly object: KubernetesObject }).object.metadata.name === "a" ? 5 : -2);
        },
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

  test("is not a gauge, which has the value of the last pass", async () => {
    const world = await served({ handlers: [looker([looking()])] });
    for (const name of ["a", "b"]) {
      await world.user.create(Widget, widget(name));
      await world.settled();
    }
    expect(linesAbout(await metrics(world), "test_level").slice(1)).toEqual([
      "# TYPE test_level gauge",
      'test_level{size="big",controller="widgets"} -2',
    ]);
  });

  test("counts nothing in a dry run", async () => {
    const world = await served({ handlers: [looker([looking()])], dryRun: true });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(world.passes).toEqual(["widgets default/a"]);
    expect(linesAbout(await metrics(world), "test_looks_total{")).toEqual([]);
  });

  test("is shared by two extensions, and by two copies of one, with the same labels", async () => {
    const world = await served({
      handlers: [looker([looking(), looking(), looking({ name: "other", counters: [LOOKS], histograms: [GAZES] })])],
    });
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
          'two metrics are named test_looks_total: extension "other" has it as a counter by the labels "color", and extension "looking" has it',
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

test("an object gauge of an extension is the sum over the objects that exist", async () => {
  const counting = looking({ objectGauges: [{ name: "test_parts", help: "Parts.", labels: ["state"] }] });
  const count = defineStep(Widget, {
    name: "count",
    uses: [counting.use({})],
    do(req) {
      const pass = counting.of(req);
      pass.objectGauge("test_parts", { state: "done" }, pass.object.metadata.name === "a" ? 5 : 2);
    },
  }) as Step<Widget>;
  const world = await served({ handlers: [handler(Widget, { name: "widgets" }).step(conditions()).step(count).build()] });
  for (const name of ["a", "b"]) await world.user.create(Widget, widget(name));
  await world.settled();
  expect(linesAbout(await metrics(world), "test_parts").slice(1)).toEqual([
    "# TYPE test_parts gauge",
    'test_parts{state="done",controller="widgets"} 7',
  ]);
  await world.user.delete(Widget, { name: "a", namespace: "default" });
  await world.settled();
  expect(linesAbout(await metrics(world), "test_parts{")).toEqual(['test_parts{state="done",controller="widgets"} 2']);
});

describe("a histogram of an extension", () => {
  test("is in the metrics from the start, and observes durations in its buckets", async () => {
    const world = await served({ handlers: [looker([looking()])] });
    const fresh = await metrics(world);
    expect(linesAbout(fresh, "test_gaze_seconds")).toEqual([
      "# HELP test_gaze_seconds Gazes at objects.",
      "# TYPE test_gaze_seconds histogram",
    ]);
    expect(linesAbout(fresh, "test_nap_seconds_count")).toEqual(['test_nap_seconds_count{controller="widgets"} 0']);
    expect(linesAbout(fresh, "test_nap_seconds_bucket")).toHaveLength(12);
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(linesAbout(await metrics(world), "test_gaze_seconds").slice(2)).toEqual([
      'test_gaze_seconds_bucket{le="1",size="big",controller="widgets"} 0',
      'test_gaze_seconds_bucket{le="5",size="big",controller="widgets"} 1',
      'test_gaze_seconds_bucket{le="+Inf",size="big",controller="widgets"} 1',
      'test_gaze_seconds_sum{size="big",controller="widgets"} 3',
      'test_gaze_seconds_count{size="big",controller="widgets"} 1',
    ]);
  });

  test("observes nothing in a dry run", async () => {
    const world = await served({ handlers: [looker([looking()])], dryRun: true });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(linesAbout(await metrics(world), "test_gaze_seconds_")).toEqual([]);
  });

  test("is refused with other buckets than in another extension", () => {
    const other = looking({ name: "other", counters: [LOOKS], histograms: [{ ...GAZES, buckets: [1] }] });
    const manager = createManager();
    expect(() => manager.add(looker([looking(), other]))).toThrow(
      expect.objectContaining({ code: "ERR_ADD_REFUSED", message: expect.stringContaining("with the buckets 1, and") }),
    );
  });
});

describe("/debug/object", () => {
  const tree = ({ metadata, status }: KubernetesObject & { readonly status?: { readonly observedGeneration?: number } }): DebugNode => ({
    name: metadata.name ?? "",
    state: status?.observedGeneration === undefined ? "New" : "Seen",
    children: [
      { name: "database", state: "Ready", since: "2026-01-01T00:00:00Z", children: [{ name: "Deployment db", state: "Ready" }] },
      { name: "web", state: "Blocked", note: "waits for database\npassword=hunter2" },
    ],
  });
  const url = (world: World, query: string): string => `${world.manager.addresses.debug?.url}/debug/object${query}`;
  async function debugged(...definitions: readonly Definition[]): Promise<World> {
    const extensions = definitions.map((definition, at) => looking({ name: `looking${at}`, ...definition }));
    const world = await startWorld({ handlers: [looker(extensions)], debug: { port: 0 } });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    return world;
  }

  test("shows the tree of each extension as JSON, without secrets", async () => {
    const world = await debugged({ debug: (_, object) => tree(object) }, {}, { debug: () => undefined });
    const answer = await fetch(url(world, "?controller=widgets&object=default/a"));
    expect(answer.headers.get("content-type")).toBe("application/json");
    const shown: unknown = await answer.json();
    expect(shown).toMatchObject({
      controller: "widgets",
      kind: "Widget.test.treadle.dev",
      object: "default/a",
      extensions: {
        looking0: {
          name: "a",
          state: "Seen",
          children: [{ name: "database", since: "2026-01-01T00:00:00Z", children: [{ name: "Deployment db" }] }, { name: "web" }],
        },
      },
    });
    expect(Object.keys((shown as { readonly extensions: object }).extensions)).toEqual(["looking0"]);
    expect(JSON.stringify(shown)).not.toContain("hunter2");
  });

  test("shows the trees as indented text", async () => {
    const world = await debugged({ debug: (_, object) => tree(object) });
    expect(await (await fetch(url(world, "?controller=widgets&object=default/a&format=text"))).text()).toMatchInlineSnapshot(`
      "Widget.test.treadle.dev default/a of widgets
      looking0
        a: Seen
          database: Ready since 2026-01-01T00:00:00Z
            Deployment db: Ready
          web: Blocked (waits for database password=<redacted>)
      "
    `);
  });

  const circle: { name: string; state: string; children: object[] } = { name: "a", state: "b", children: [] };
  circle.children.push(circle, circle);
  test.for<{ readonly name: string; readonly debug: () => unknown; readonly want: string }>([
    {
      name: "throws",
      debug: () => {
        throw new Error("no token=hunter2");
      },
      want: "no token=",
    },
    { name: "rejects", debug: () => Promise.reject(new Error("late")), want: "not a promise" },
    { name: "returns a text", debug: () => "Ready", want: "must return a tree" },
    { name: "returns no state", debug: () => ({ name: "a" }), want: "the state of a debug node must be a text, not undefined" },
    {
      name: "returns children that are no list",
      debug: () => ({ name: "a", state: "b", children: {} }),
      want: "must be a list, not object",
    },
    { name: "returns a tree that contains itself", debug: () => circle, want: "may contain itself" },
  ])("shows the error of an extension whose debug() $name, and the other trees", async ({ debug, want }) => {
    const world = await debugged({ debug: debug as () => DebugNode }, { debug: (_, object) => tree(object) });
    const query = "?controller=widgets&object=default/a";
    const { extensions } = (await (await fetch(url(world, query))).json()) as { readonly extensions: Readonly<Record<string, unknown>> };
    expect(extensions).toMatchObject({ looking0: { error: expect.stringContaining(want) }, looking1: { name: "a" } });
    const text = await (await fetch(url(world, `${query}&format=text`))).text();
    expect(text).toMatch(/^looking0\n {2}failed: /m);
    expect(text).not.toContain("hunter2");
  });

  test.for([
    { query: "", status: 400, want: 'controller is "": give one of widgets' },
    { query: "?controller=gadgets&object=default/a", status: 400, want: 'controller is "gadgets": give one of widgets' },
    { query: "?controller=widgets&object=default/a&format=xml", status: 400, want: 'format is "xml": give json or text' },
    { query: "?controller=widgets&object=default/b", status: 404, want: 'no Widget.test.treadle.dev "default/b"' },
    { query: "?controller=widgets&object=a", status: 404, want: "give object=namespace/name" },
    { query: "?controller=widgets", status: 404, want: "give object=namespace/name" },
  ])("answers $status to the query $query", async ({ query, status, want }) => {
    const answer = await fetch(url(await debugged({}), query));
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(want)]);
  });
});
