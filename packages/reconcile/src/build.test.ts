import { type Kind, kind } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Foreign, Widget } from "../test/fixtures.ts";
import { BuildError } from "./errors.ts";
import { defineStep } from "./build/step-runtime.ts";
import { handler, isHandler, pipelineOf } from "./handler.ts";
import { one, through } from "./reads.ts";
import { all, anyKind, type Step, step } from "./step.ts";
import { conditions } from "./steps/conditions.ts";

/** What JavaScript, or a cast, can hand in: the types would refuse it. */
const untyped = (value: unknown): never => value as never;

const Gadget = kind({ group: "test.treadle.dev", version: "v1", kind: "Gadget" });

/** The problems of a handler with these steps; none when it can be built. */
function problemsOf(steps: readonly unknown[], options: object = {}, of: Kind = Widget): readonly string[] {
  let builder = handler(of, options);
  for (const each of steps) builder = builder.step(untyped(each)) as typeof builder;
  try {
    builder.build();
    return [];
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return error.problems;
  }
}

const named = (name: string, more: object = {}): Step<Widget> => step(Widget, untyped({ name, do() {}, ...more }));
const withState = (state: z.ZodType): Step<Widget> => named("s", { state });

describe("build", () => {
  test("reports every problem at once, in one message that shows them all", () => {
    const late = named("late");
    const steps = [
      named("Bad_Name"),
      named("early", { needs: [late] }),
      late,
      named("twin", { conditions: ["Ready", "A"] }),
      named("twin", { conditions: ["A"], finalizer: "on-demand" }),
      all("empty", []),
      named("slow", { timeoutMs: -1 }),
      withState(z.object({ n: z.number(), x: z.string().nullable().optional() })),
    ];
    const build = (): unknown => {
      let builder = handler(Widget, { name: "x".repeat(64), deadlines: { stepMs: 0, passMs: Number.NaN } });
      for (const each of steps) builder = builder.step(untyped(each)) as typeof builder;
      return builder.build();
    };
    expect(build).toThrow(BuildError);
    expect(build).toThrowErrorMatchingInlineSnapshot(`
      [BuildError: cannot build handler "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":
        - its name has 64 characters: use at most 63, the limit of a finalizer's name
        - deadlines.stepMs is 0: give milliseconds above 0
        - deadlines.passMs is NaN: give milliseconds above 0
        - step "Bad_Name": a name is made of lower case letters, digits and "-", 63 characters at most
        - two steps are named "twin": rename one of them
        - all("empty") has no parts: give it steps, or leave it out
        - step "early" needs "late", which is after it: place "late" before "early"
        - condition "A" is declared by "twin" and by "twin": give one of them another condition
        - step "twin" declares the condition "Ready", but nothing keeps conditions: add .step(conditions())
        - step "s": the first pass starts from {}, which its state schema refuses: give every key .default() or .optional()
        - step "s": state x may be null, which a merge patch cannot store: use .optional() instead of .nullable()
        - step "twin": finalizer "on-demand" without cleanup: add a cleanup, or leave finalizer out
        - step "slow": timeoutMs is -1: give milliseconds above 0]
    `);
  });

  test("a handler shows its name and kind, and keeps its pipeline for the engine", () => {
    const built = handler(Widget).step(named("a")).build();
    expect(Object.keys(built)).toEqual(["name", "kind"]);
    expect(isHandler(built)).toBe(true);
    expect(pipelineOf(built).name).toBe(built.name);
  });

  test("a handler of another copy of the package is a handler", () => {
    const foreign = Object.defineProperty({ name: "a", kind: Widget }, Symbol.for("treadle.reconcile.Pipeline"), { value: { name: "a" } });
    expect(isHandler(foreign)).toBe(true);
    expect(pipelineOf(foreign)).toEqual({ name: "a" });
  });

  test.for([{ name: "a" }, handler(Widget).step(named("a"))])("an object that build() did not make is not a handler", (given) => {
    expect(isHandler(given)).toBe(false);
    expect(() => pipelineOf(untyped(given))).toThrow("make one with handler(Kind).step(...).build()");
  });

  test("a pipeline without problems is frozen, and builders can be built again and branched", () => {
    const base = handler(Widget).step(conditions());
    const first = base.step(step(Widget, { name: "a", do() {} }));
    const second = base.step(step(Widget, { name: "b", do() {} }));
    expect(pipelineOf(first.build()).leaves.map(({ name }) => name)).toEqual(["conditions", "a"]);
    expect(pipelineOf(second.build()).leaves.map(({ name }) => name)).toEqual(["conditions", "b"]);
    expect(Object.isFrozen(first.build())).toBe(true);
    expect(pipelineOf(first.build()).deadlines).toEqual({ stepMs: 30_000, passMs: 120_000, saveMs: 10_000 });
  });
});

describe("the handler itself", () => {
  test.for([
    { name: "no steps", steps: [], want: "it has no steps" },
    { name: "a name with upper case", options: { name: "Widgets" }, want: 'its name "Widgets" is not a DNS name' },
    { name: "a name with a slash", options: { name: "a/b" }, want: 'its name "a/b" is not a DNS name' },
    { name: "an empty name", options: { name: "" }, want: 'its name "" is not a DNS name' },
    { name: "an infinite deadline", options: { deadlines: { passMs: Number.POSITIVE_INFINITY } }, want: "deadlines.passMs is Infinity" },
    { name: "a deadline that is a text", options: { deadlines: { saveMs: "5" } }, want: "deadlines.saveMs is 5" },
  ])("refuses $name", ({ steps = [named("a")], options, want }) => {
    expect(problemsOf(steps, options)).toEqual([expect.stringContaining(want)]);
  });

  test("takes a name of exactly 63 characters, and shortens its own default", () => {
    expect(problemsOf([named("a")], { name: "x".repeat(63) })).toEqual([]);
    const Long = kind({ group: `${"g".repeat(60)}.example.com`, version: "v1", kind: "Long" });
    const { name } = handler(Long)
      .step(step(Long, { name: "a", do() {} }))
      .build();
    expect(name).toHaveLength(63);
  });

  test("anyKind() as its kind is one problem, not one more for the name and every step", () => {
    expect(problemsOf([named("a"), step(anyKind<object>(), { name: "b", do() {} })], {}, anyKind<object>())).toEqual([
      "anyKind() is for steps: give handler() the kind that it reconciles",
    ]);
  });

  test("a watch of no kind is a problem", () => {
    const builder = handler(Widget)
      .step(step(Widget, { name: "a", do() {} }))
      .watch(anyKind<object>(), { map: () => [] });
    expect(() => builder.build()).toThrow("watch() has no kind");
  });
});

describe("steps", () => {
  test.for([
    { name: "a literal", value: { name: "x", do() {} } },
    { name: "nothing", value: undefined },
    { name: "null", value: null },
    { name: "a function", value: () => undefined },
    { name: "a text", value: "step" },
  ])("$name in .step() is refused where it stands", ({ value }) => {
    expect(() => handler(Widget).step(untyped(value))).toThrow("steps are made by step(): wrap the definition in step(Kind, { ... })");
  });

  test("are refused when they are for another kind, and taken when they are for any", () => {
    const other = step(Gadget, { name: "other", do() {} });
    expect(problemsOf([other])).toEqual([
      'step "other" is for Gadget.test.treadle.dev, this handler for Widget.test.treadle.dev: make the step for this kind, or for anyKind<Shape>()',
    ]);
    expect(problemsOf([all("group", [other])])).toHaveLength(1);
    expect(problemsOf([step(anyKind<object>(), { name: "any", do() {} })])).toEqual([]);
  });

  test.for([
    { name: "the list", steps: [named("a"), named("a")] },
    { name: "the list and an all()", steps: [named("a"), all("g", [named("a")])] },
    { name: "two all()", steps: [all("g", [named("a")]), all("h", [named("a")])] },
    { name: "an all() and a step", steps: [named("a"), all("a", [named("b")])] },
    { name: "an all() and its part", steps: [all("a", [named("a")])] },
    { name: "a nested all()", steps: [all("g", [all("h", [named("a")]), named("a")])] },
  ])("names must be unique across $name", ({ steps }) => {
    expect(problemsOf(steps)).toEqual(['two steps are named "a": rename one of them']);
  });

  test("a step may be in the handler once", () => {
    const once = named("a");
    expect(problemsOf([once, once])).toEqual(['step "a" is in the handler twice: remove one of them']);
    expect(problemsOf([once, all("g", [once])])).toEqual(['step "a" is in the handler twice: remove one of them']);
  });

  test.for(["", "-a", "a-", "A", "a_b", "a.b", "a b", "ä", "x".repeat(64)])("the name %j is refused", (name) => {
    expect(problemsOf([named(name)])).toEqual([expect.stringContaining("a name is made of lower case letters")]);
  });

  test("a name of 63 characters, digits first, is taken", () => {
    expect(problemsOf([named("0".repeat(63)), named("a"), named("a-1")])).toEqual([]);
  });

  test("all() of nothing is refused, also inside another", () => {
    expect(problemsOf([all("g", [all("h", []), named("a")])])).toEqual(['all("h") has no parts: give it steps, or leave it out']);
  });

  test.for(["", "two words", "lower-case!", "R".repeat(129), 7])("a reason of events that is %j is refused", (reason) => {
    expect(problemsOf([named("telling", { events: [reason] })])).toEqual([
      `step "telling": events lists ${JSON.stringify(reason)}: a reason is a word such as "BucketCreated"`,
    ]);
  });

  test.for([0, -5, Number.NaN, Number.POSITIVE_INFINITY, "10"])("timeoutMs %s is refused", (timeoutMs) => {
    expect(problemsOf([named("a", { timeoutMs })])).toEqual([`step "a": timeoutMs is ${String(timeoutMs)}: give milliseconds above 0`]);
  });

  test("declarations that untyped code gets wrong are each a problem", () => {
    expect(
      problemsOf([
        named("a", {
          writes: ["status"],
          finalizer: "never",
          cleanup() {},
          reads: {
            literal: { kind: Gadget },
            nothing: undefined,
            any: one(anyKind<object>(), () => "x"),
            kindless: one(untyped(undefined), () => "x"),
          },
          owns: ["Secret"],
        }),
      ]),
    ).toEqual([
      'step "a": finalizer is "before-do" or "on-demand", not "never"',
      'step "a": writes "status": only "labels", "annotations" and "spec" can be written',
      'step "a": reads.literal is not made by one(), many() or owned()',
      'step "a": reads.nothing is not made by one(), many() or owned()',
      'step "a": reads.any has no kind: name the kind that it reads',
      'step "a": reads.kindless has no kind: name the kind that it reads',
      'step "a": owns has an entry that is not a kind: name the kinds that it creates',
    ]);
  });
});

describe("order", () => {
  const first = named("first");

  test("a needed step may be anywhere before, and may serve the parts of an all()", () => {
    expect(problemsOf([first, named("between"), all("g", [all("h", [named("deep", { needs: [first] })])])])).toEqual([]);
  });

  test.for([
    { name: "after", steps: [named("user", { needs: [first] }), first], want: "which is after it: place" },
    { name: "nowhere", steps: [named("user", { needs: [first] })], want: "which is not in the list: add it before" },
    { name: "in a later all()", steps: [named("user", { needs: [first] }), all("g", [first])], want: "which is after it: place" },
    { name: "only by name", steps: [named("first"), named("user", { needs: [first] })], want: "which is not in the list" },
  ])("a needed step that stands $name is a problem", ({ steps, want }) => {
    expect(problemsOf(steps)).toEqual([expect.stringContaining(want)]);
  });

  test("a needed step may be in an earlier group, or in any place of its own group", () => {
    const user = named("user", { needs: [first] });
    expect(problemsOf([all("g", [all("h", [first])]), user])).toEqual([]);
    expect(problemsOf([all("g", [user, first])])).toEqual([]);
    expect(problemsOf([all("g", [all("h", [user]), all("i", [first])])])).toEqual([]);
  });

  test("groups whose parts need each other in both directions are a problem", () => {
    const second = named("second");
    const [one, two] = [all("one", [first, named("a", { needs: [second] })]), all("two", [second, named("b", { needs: [first] })])];
    expect(problemsOf([all("g", [one, two])])).toEqual([
      'all("g"): its parts depend on each other in a circle: "one" on "two" on "one": put the parts of the groups into one group',
    ]);
    expect(problemsOf([all("g", [first, second, named("a", { needs: [second] }), named("b", { needs: [first] })])])).toEqual([]);
  });

  test("two steps that give values of one name are a problem", () => {
    const giver = (name: string): Step<Widget> =>
      defineStep(Widget, { name, gives: { names: ["arn", name], of: () => `Role ${name}` } }) as Step<Widget>;
    const want = ['vars.arn is given by "a" and by "b": rename it in one of them'];
    expect(problemsOf([giver("a"), giver("b")])).toEqual(want);
    expect(problemsOf([all("g", [giver("a"), giver("b")])])).toEqual(want);
  });

  test("every missing need is named", () => {
    const needs = [named("x"), named("y")];
    expect(problemsOf([named("user", { needs })])).toHaveLength(2);
  });
});

describe("conditions", () => {
  const declares = (name: string, ...types: readonly unknown[]): Step<Widget> => named(name, { conditions: types });

  test("two conditions() are one problem, whatever their options", () => {
    const want = ["conditions() is in the list twice: remove one"];
    expect(problemsOf([conditions(), conditions({ ready: false })])).toEqual(want);
    expect(problemsOf([conditions(), all("g", [conditions()])])).toEqual(want);
  });

  test("conditions() may be anywhere in the list, also in an all()", () => {
    expect(problemsOf([declares("a", "A"), conditions()])).toEqual([]);
    expect(problemsOf([declares("a", "A"), all("g", [conditions()])])).toEqual([]);
  });

  test.for([
    {
      name: "two steps own Ready",
      steps: [conditions(), declares("a", "Ready"), declares("b", "Ready")],
      want: 'condition "Ready" is declared by "a" and by "b"',
    },
    {
      name: "a part owns what a step owns",
      steps: [conditions(), declares("a", "A"), all("g", [declares("b", "A")])],
      want: 'declared by "a" and by "b"',
    },
    {
      name: "one step says it twice",
      steps: [conditions(), declares("a", "A", { type: "A", ready: "ignored" })],
      want: 'declared by "a" and by "a"',
    },
    {
      name: "Ready is left to another handler",
      steps: [conditions({ ready: false }), declares("a", "Ready")],
      want: 'step "a" owns Ready, but conditions({ ready: false })',
    },
    { name: "nothing keeps them", steps: [declares("a", "A"), declares("b", "B")], want: "add .step(conditions())" },
  ])("refused when $name", ({ steps, want }) => {
    expect(problemsOf(steps)).toEqual([expect.stringContaining(want)]);
  });

  // Types that Kubernetes takes but that are no reason would throw in `conditions.true(type)`; and `:` is in no type.
  test.for(["", "In Progress", "1st", "A:B", "A,B", "A_", "example.com/A", "A-B", "Ä", "A".repeat(317), 5, undefined])(
    "the type %j is refused",
    (type) => {
      expect(problemsOf([conditions(), declares("a", { type, ready: "counts" })])).toEqual([
        expect.stringContaining("is not a condition type"),
      ]);
    },
  );

  test.for(["A", "InputReady", "V1Ready", "Has_Space"])("the type %j is taken", (type) => {
    expect(problemsOf([conditions(), declares("a", type)])).toEqual([]);
  });
});

describe("finalizers", () => {
  test("on-demand needs a cleanup; a step with only a cleanup is one", () => {
    expect(problemsOf([named("a", { finalizer: "on-demand" })])).toEqual([
      'step "a": finalizer "on-demand" without cleanup: add a cleanup, or leave finalizer out',
    ]);
    expect(problemsOf([step(Widget, { name: "a", finalizer: "on-demand", cleanup() {} })])).toEqual([]);
  });
});

describe("state", () => {
  test("needs a kind that keeps it; foreign kinds keep it in an annotation", () => {
    const bare = { ...Widget, resource: { ...Widget.resource, stepState: false } } as typeof Widget;
    const state = z.object({ n: z.number().optional() });
    expect(problemsOf([step(bare, { name: "s", state, do() {} })], {}, bare)).toEqual([
      'step "s" has state, but Widget has no room for it: add stepState: true to its defineResource()',
    ]);
    expect(problemsOf([step(Foreign, { name: "s", state, do() {} })], {}, Foreign)).toEqual([]);
  });

  test.for([
    { name: "a required key", state: z.object({ n: z.number() }), want: "the first pass starts from {}" },
    {
      name: "an asynchronous check",
      state: z.object({
        n: z
          .string()
          .default("")
          .refine(async () => true),
      }),
      want: "the first pass starts from {}",
    },
    { name: "no schema", state: { n: 1 } as never, want: "state is not a schema: give z.object({ ... })" },
  ])("refuses $name", ({ state, want }) => {
    expect(problemsOf([withState(state)])).toEqual([expect.stringContaining(want)]);
  });

  const nullable = z.string().nullable();
  interface Tree {
    readonly value?: string | null | undefined;
    readonly child?: Tree | undefined;
  }
  const tree: z.ZodType<Tree> = z.lazy(() => z.object({ value: z.string().nullish(), child: tree.optional() }));
  test.for([
    { name: "at the top", state: z.object({ a: nullable.optional() }), paths: ["a"] },
    { name: "by nullish", state: z.object({ a: z.string().nullish() }), paths: ["a"] },
    { name: "with a default", state: z.object({ a: nullable.default(null) }), paths: ["a"] },
    { name: "nested", state: z.object({ a: z.object({ b: nullable }).optional() }), paths: ["a.b"] },
    { name: "in a union", state: z.object({ a: z.union([z.string(), z.null()]).optional() }), paths: ["a"] },
    { name: "in a literal", state: z.object({ a: z.literal([1, null]).optional() }), paths: ["a"] },
    { name: "in a member of a union", state: z.object({ a: z.union([z.string(), z.object({ b: nullable })]).optional() }), paths: ["a.b"] },
    {
      name: "in an intersection",
      state: z.object({ a: z.intersection(z.object({ b: nullable }), z.object({})).optional() }),
      paths: ["a.b"],
    },
    { name: "in a record", state: z.object({ a: z.record(z.string(), nullable).default({}) }), paths: ["a.*"] },
    { name: "in unknown keys", state: z.object({}).catchall(nullable), paths: ["*"] },
    { name: "in a readonly", state: z.object({ a: z.object({ b: nullable }).readonly().optional() }), paths: ["a.b"] },
    { name: "in a schema that contains itself", state: z.object({ root: tree.optional() }), paths: ["root.value"] },
    { name: "at two places by one schema", state: z.object({ a: nullable.optional(), b: nullable.optional() }), paths: ["a", "b"] },
  ])("refuses null $name, and names the place", ({ state, paths }) => {
    expect(problemsOf([withState(state)])).toEqual(
      paths.map((path) => `step "s": state ${path} may be null, which a merge patch cannot store: use .optional() instead of .nullable()`),
    );
  });

  test("null within arrays is taken: they are stored whole", () => {
    const state = z.object({
      a: z.array(nullable).default([]),
      b: z.array(z.object({ c: nullable })).optional(),
      t: z.tuple([nullable]).optional(),
    });
    expect(problemsOf([withState(state)])).toEqual([]);
  });

  test.for([
    { name: "a Date", state: z.object({ a: z.date().optional() }), path: "a" },
    { name: "a bigint in a list", state: z.object({ a: z.array(z.bigint()).default([]) }), path: "a[]" },
    { name: "a Map", state: z.object({ a: z.object({ b: z.map(z.string(), z.string()) }).optional() }), path: "a.b" },
    { name: "a Set", state: z.object({ a: z.set(z.string()).optional() }), path: "a" },
    { name: "a transform", state: z.object({ a: z.string().transform(Number).optional() }), path: "a" },
    { name: "a codec", state: z.object({ a: z.codec(z.string(), z.number(), { decode: Number, encode: String }).optional() }), path: "a" },
  ])("refuses $name: it is read back as another value", ({ state, path }) => {
    expect(problemsOf([withState(state)])).toEqual([expect.stringContaining(`state ${path} is not plain JSON`)]);
  });

  test("what can be stored is taken", () => {
    const state = z.object({
      attempt: z.object({ id: z.string(), startedMs: z.number() }).optional(),
      passed: z.array(z.string()).default([]),
      seen: z.record(z.string(), z.boolean()).default({}),
      phase: z.enum(["a", "b"]).default("a"),
      size: z.int().min(0).catch(0),
    });
    expect(problemsOf([withState(state)])).toEqual([]);
  });
});

describe("reads that go through other reads", () => {
  const config = one(Gadget, () => "c");
  const circle = (): object => {
    const [a, b] = [one(Gadget, () => "a"), one(Gadget, () => "b")];
    Object.assign(a, { through: b });
    Object.assign(b, { through: a });
    return {
      a,
      b,
      c: one(
        Gadget,
        through(a, () => "c"),
      ),
    };
  };
  test.for<[string, object, readonly string[]]>([
    [
      "in the same step are accepted, in any order",
      {
        secret: one(
          Gadget,
          through(config, () => "x"),
        ),
        config,
      },
      [],
    ],
    [
      "that is not in the step are a problem with the fix",
      {
        secret: one(
          Gadget,
          through(config, () => "x"),
        ),
      },
      [
        'step "s": reads.secret goes through a read of Gadget that is not in the reads of this step: add it there, as in reads: { first, secret: one(..., through(first, ...)) }',
      ],
    ],
    [
      "in a circle are one problem",
      circle(),
      ['step "s": reads go through each other in a circle (reads.a -> reads.b -> reads.a): let the primary name one of these objects'],
    ],
  ])("%s", ([, reads, want]) => {
    expect(problemsOf([named("s", { reads })])).toEqual(want);
  });

  test("a chain of three reads is accepted", () => {
    const second = one(
      Gadget,
      through(config, () => "x"),
    );
    expect(
      problemsOf([
        named("s", {
          reads: {
            third: one(
              Gadget,
              through(second, () => "y"),
            ),
            second,
            config,
          },
        }),
      ]),
    ).toEqual([]);
  });
});

test.for<[string, unknown, readonly string[]]>([
  ["external", "external", []],
  ["a profile", { baseMs: 10, maxMs: 20 }, []],
  ["an unknown name", "soon", ['step "s": backoff is "soon": use "cluster", "external" or { baseMs, maxMs }']],
  ["null", null, ['step "s": backoff is null: use "cluster", "external" or { baseMs, maxMs }']],
  [
    "impossible numbers",
    { baseMs: 10, maxMs: 5 },
    [
      'step "s": backoff: a backoff needs 0 <= baseMs <= maxMs, factor >= 1 and jitter >= 0, got {"baseMs":10,"factor":2,"maxMs":5,"jitter":0}',
    ],
  ],
])("the backoff %s", ([, backoff, want]) => {
  expect(problemsOf([named("s", { backoff })])).toEqual(want);
});

test("an owned kind with an unknown ifNotServed is refused", () => {
  expect(() => named("s", { owns: [{ kind: Gadget, ifNotServed: "later" }] })).toThrow(
    new TypeError('step "s": owns Gadget with ifNotServed "later": use "wait" or "skip"'),
  );
  expect(problemsOf([named("s", { owns: [undefined, { kind: Gadget }] })])).toEqual([
    'step "s": owns has an entry that is not a kind: name the kinds that it creates',
  ]);
});
