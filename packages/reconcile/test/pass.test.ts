/** The order of a pass, what steps see of each other, and what they hand to the queue. */
import { ApiError } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import {
  all,
  anyKind,
  conditions,
  defaults,
  handler,
  one,
  pause,
  PAUSED_ANNOTATION,
  RetryAfterError,
  step,
  TerminalError,
} from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { boom, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
let trace: string[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  trace = [];
});
const live = async (): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;

function traced(name: string, given: { readonly do?: () => void } = {}) {
  return step(anyKind<object>(), {
    name,
    gate: () => void trace.push(`gate ${name}`),
    do: () => {
      trace.push(`do ${name}`);
      given.do?.();
    },
    cleanup: () => void trace.push(`cleanup ${name}`),
    post: () => void trace.push(`post ${name}`),
  });
}

describe("order", () => {
  test("gates, then dos, then posts, each in list order; parts of all() where it stands", async () => {
    const operator = harness.operator(
      handler(Widget)
        .step(traced("one"))
        .step(all("group", [traced("two"), all("inner", [traced("three")])]))
        .step(traced("four"))
        .build(),
    );
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    expect(trace).toEqual(["gate", "do", "post"].flatMap((phase) => ["one", "two", "three", "four"].map((name) => `${phase} ${name}`)));
    trace = [];
    await harness.user.delete(Widget, REF);
    await operator.pass(KEY);
    expect(trace).toEqual([
      ...["one", "two", "three", "four"].map((name) => `gate ${name}`),
      ...["four", "three", "two", "one"].map((name) => `cleanup ${name}`),
      ...["one", "two", "three", "four"].map((name) => `post ${name}`),
    ]);
  });

  test("a gate that ends the pass ends it before anything is written, and posts still run", async () => {
    const gate = step(Widget, { name: "gate", gate: (req) => req.wait("not yet", 500) });
    const operator = harness.operator(handler(Widget).step(traced("one")).step(gate).step(traced("two")).build());
    await harness.user.create(Widget, widget());
    const result = await operator.pass(KEY);
    expect(trace).toEqual(["gate one", "post one", "post two"]);
    expect(result).toMatchObject({ outcome: { type: "wait", step: "gate", reason: "not yet" }, requeue: { type: "after", afterMs: 500 } });
    expect(harness.requests).toEqual([]);
  });

  test("an object that does not exist is done: no step, no post, no request", async () => {
    const operator = harness.operator(handler(Widget).step(traced("one")).build());
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "gone" }, requeue: { type: "none" } });
    expect([trace, harness.requests]).toEqual([[], []]);
  });

  test("a failing step ends the chain, and every post runs although one fails", async () => {
    const failing = step(Widget, {
      name: "failing",
      do() {
        throw boom;
      },
      post() {
        throw new Error("post boom");
      },
    });
    const operator = harness.operator(handler(Widget).step(traced("one")).step(failing).step(traced("two")).build());
    await harness.user.create(Widget, widget());
    const result = await operator.pass(KEY);
    expect(trace).toEqual(["gate one", "gate two", "do one", "post one", "post two"]);
    expect(result.error).toBeInstanceOf(AggregateError);
    expect((result.error as AggregateError).errors).toEqual([boom, new Error("post boom")]);
  });
});

describe("all()", () => {
  test("runs every part whatever the others do, and joins their errors", async () => {
    const fail = (text: string) => () => {
      throw new Error(text);
    };
    const group = all("group", [traced("a", { do: fail("a fails") }), traced("b"), traced("c", { do: fail("c fails") })]);
    const operator = harness.operator(handler(Widget).step(conditions()).step(group).step(traced("after")).build());
    await harness.user.create(Widget, widget());
    const result = await operator.pass(KEY);
    expect(trace.filter((entry) => entry.startsWith("do"))).toEqual(["do a", "do b", "do c"]);
    expect(result.outcome).toMatchObject({ type: "failed", step: "group" });
    expect((result.error as AggregateError).errors.map(String)).toEqual(["Error: a fails", "Error: c fails"]);
    expect((await live()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", message: 'step "a": a fails' }),
    );
  });

  test("takes the earliest wait; a stop ends the chain only if nothing waits or fails", async () => {
    const waiting = (name: string, afterMs: number) => step(Widget, { name, do: (req) => req.wait(`${name} waits`, afterMs) });
    const stopping = step(Widget, { name: "s", do: (req) => req.stop("enough") });
    await harness.user.create(Widget, widget());
    const waits = await harness
      .operator(
        handler(Widget)
          .step(all("group", [stopping, waiting("w", 900), waiting("v", 300)]))
          .step(traced("after"))
          .build(),
      )
      .pass(KEY);
    expect(waits).toMatchObject({ outcome: { type: "wait", step: "v" }, requeue: { type: "after", afterMs: 300, reason: "v waits" } });
    const stops = await harness
      .operator(
        handler(Widget)
          .step(all("group", [stopping, traced("ok")]))
          .step(traced("after"))
          .build(),
      )
      .pass(KEY);
    expect(stops).toMatchObject({ outcome: { type: "stop", step: "s" }, requeue: { type: "none" } });
    expect(trace).not.toContain("do after");
  });
});

describe("what steps share", () => {
  test("vars reach later steps and posts of this pass only; the status draft is one", async () => {
    let passes = 0;
    const seen: unknown[] = [];
    const first = step(Widget, {
      name: "first",
      do(req) {
        req.status.count = 7;
        return req.next({ pass: ++passes });
      },
    });
    const second = step(Widget, {
      name: "second",
      needs: [first],
      do(req) {
        seen.push(req.vars.pass, req.status.count);
      },
      post: (req) => void seen.push({ ...req.vars }),
    });
    const operator = harness.operator(handler(Widget).step(first).step(second).build());
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    await operator.pass(KEY);
    expect(seen).toEqual([1, 7, { pass: 1 }, 2, 7, { pass: 2 }]);
  });

  test("a handler serves concurrent passes that know nothing of each other", async () => {
    const slow = step(Widget, {
      name: "slow",
      async do(req) {
        req.status.count = req.object.spec.size;
        await new Promise((resolve) => setImmediate(resolve));
        return req.next({ mine: req.object.metadata.name });
      },
      post(req) {
        expect((req.vars as { mine?: string }).mine).toBe(req.object.metadata.name);
      },
    });
    const operator = harness.operator(handler(Widget).step(slow).build());
    const names = ["a", "b", "c"];
    for (const [i, name] of names.entries()) await harness.user.create(Widget, widget({ name, spec: { size: i } }));
    await operator.pass("default/none");
    const results = await Promise.all(names.map((name) => operator.reconciler.pass({ namespace: "default", name })));
    expect(results.map(({ outcome }) => outcome.type)).toEqual(["done", "done", "done"]);
    const counts = await Promise.all(
      names.map(async (name) => ((await harness.user.get(Widget, { namespace: "default", name })) as Widget).status?.count),
    );
    expect(counts).toEqual([0, 1, 2]);
  });
});

test("what a step made of another kind shows in the reads of the next pass, although the watch lags", async () => {
  const seen: unknown[] = [];
  const making = step(Widget, {
    name: "making",
    reads: { output: one(Secret, (object) => object.metadata.name) },
    async do(req) {
      seen.push(req.reads.output?.metadata.name);
      if (req.reads.output === undefined) await req.client.create(Secret, { metadata: { name: req.object.metadata.name } });
    },
  });
  const operator = harness.operator(handler(Widget).step(making).build());
  await harness.user.create(Widget, widget());
  await operator.pass(KEY);
  await operator.stalePass(KEY);
  expect(seen).toEqual([undefined, "a"]);
});

describe("what a step hands to the queue", () => {
  const ends: readonly { readonly name: string; readonly end: () => never | Error; readonly want: object }[] = [
    { name: "an error: the failure backoff", end: () => boom, want: { requeue: { type: "failure" }, isTerminal: false } },
    {
      name: "a RetryAfterError: its own delay",
      end: () => new RetryAfterError("throttled", 1234),
      want: { requeue: { type: "failure", afterMs: 1234 } },
    },
    {
      name: "a TerminalError: nothing is scheduled",
      end: () => new TerminalError("bad spec"),
      want: { requeue: { type: "none" }, isTerminal: true },
    },
    {
      name: "409 Conflict: a quiet requeue with the waiting backoff",
      end: () => new ApiError({ message: "cannot update Secret a", status: 409, reason: "Conflict", details: { name: "a" } }),
      want: { requeue: { type: "after", afterMs: 50 }, outcome: { type: "wait" } },
    },
    {
      name: "409 AlreadyExists: a failure",
      end: () => new ApiError({ message: "exists", status: 409, reason: "AlreadyExists", details: { name: "a" } }),
      want: { requeue: { type: "failure" } },
    },
  ];
  test.for(ends)("$name", async ({ end, want }) => {
    await harness.user.create(Widget, widget());
    const operator = harness.operator(
      handler(Widget)
        .step(
          step(Widget, {
            name: "ends",
            do() {
              throw end();
            },
          }),
        )
        .build(),
    );
    expect(await operator.pass(KEY)).toMatchObject(want);
  });

  test("waiting doubles from 50 ms to 10 s, and starts anew when the reason changes or the step wrote something", async () => {
    let reason = "one";
    let writes = 0;
    const waiting = step(Widget, {
      name: "waiting",
      async do(req) {
        if (writes > 0)
          await req.client.patch(Widget, { name: "b" }, { type: "merge", body: { metadata: { labels: { t: String(writes) } } } });
        return req.wait(reason);
      },
    });
    const operator = harness.operator(handler(Widget).step(waiting).build());
    await harness.user.create(Widget, widget());
    await harness.user.create(Widget, widget({ name: "b" }));
    const delays: unknown[] = [];
    const pass = async (): Promise<void> => {
      const { requeue } = await operator.pass(KEY);
      delays.push(requeue.type === "after" ? requeue.afterMs : requeue.type);
    };
    for (let i = 0; i < 10; i++) await pass();
    expect(delays).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    delays.length = 0;
    reason = "two";
    await pass();
    await pass();
    writes = 1;
    await pass();
    await pass();
    writes = 2;
    await pass();
    expect(delays, "a write that changes nothing is no progress").toEqual([50, 100, 50, 100, 50]);
  });

  test("the earliest revisit wins, a stop does not cancel it, a failure does", async () => {
    let end: "stop" | "throw" = "stop";
    const revisiting = step(Widget, {
      name: "revisiting",
      do(req) {
        req.revisit(5_000, "later");
        req.revisit(2_000, "sooner");
        if (end === "throw") throw boom;
        return req.stop("enough");
      },
    });
    const operator = harness.operator(handler(Widget).step(revisiting).build());
    await harness.user.create(Widget, widget());
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "after", afterMs: 2_000, reason: "sooner" });
    end = "throw";
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "failure" });
  });
});

describe("writes", () => {
  test("of the spec end the chain, and the new generation starts the next pass at once", async () => {
    const fill = defaults(Widget, {
      fill: (spec) => {
        spec.note ??= "filled";
      },
    });
    const operator = harness.operator(handler(Widget).step(conditions()).step(fill).step(traced("after")).build());
    await harness.user.create(Widget, widget());
    const first = await operator.pass(KEY);
    expect(first).toMatchObject({ outcome: { type: "wait", step: "defaults" }, requeue: { type: "after", afterMs: 0 } });
    expect(trace).not.toContain("do after");
    expect((await live()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "Unknown", observedGeneration: 1 }),
    );
    expect((await operator.pass(KEY)).outcome).toEqual({ type: "done" });
    expect(await live()).toMatchObject({ spec: { note: "filled" }, status: { observedGeneration: 2 } });
  });

  test("of the spec that the server does not store are a failure that names the field", async () => {
    const wrong = step(Widget, {
      name: "wrong",
      writes: ["spec"],
      do(req) {
        (req.spec as Record<string, unknown>)["unknown"] = 1;
      },
    });
    await harness.user.create(Widget, widget());
    const result = await harness.operator(handler(Widget).step(conditions()).step(wrong).build()).pass(KEY);
    expect((result.error as Error).message).toContain("spec.unknown");
    expect((await live()).status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "False" }));
  });

  test("that the server refuses are shown in the status", async () => {
    const wrong = step(Widget, {
      name: "wrong",
      writes: ["labels"],
      do(req) {
        req.labels["a"] = "not a label value!";
      },
    });
    await harness.user.create(Widget, widget());
    const result = await harness.operator(handler(Widget).step(conditions()).step(wrong).build()).pass(KEY);
    expect(result.requeue).toEqual({ type: "failure" });
    expect((await live()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "Invalid" }),
    );
  });

  test("of status fields: removal by delete, lists replaced, nothing when set to what it was", async () => {
    let run: (status: { count?: number | undefined; other?: string | undefined; parts?: Record<string, string> | undefined }) => void = (
      status,
    ) => {
      status.count = 1;
      status.parts = { a: "1", b: "2" };
      status.other = "x";
    };
    const operator = harness.operator(
      handler(Widget)
        .step(step(Widget, { name: "s", do: (req) => run(req.status as never) }))
        .build(),
    );
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    run = (status) => {
      delete status.count;
      delete status.parts?.["a"];
      status.other = "x";
    };
    await operator.pass(KEY);
    expect((await live()).status).toEqual({ parts: { b: "2" }, other: "x" });
    const before = harness.requests.length;
    run = (status) => {
      status.parts = { b: "2" };
    };
    await operator.pass(KEY);
    expect(harness.requests).toHaveLength(before);
  });
});

describe("pause", () => {
  test("keeps every condition and observedGeneration, shows Paused, and lets a deletion through", async () => {
    const operator = harness.operator(handler(Widget).step(conditions()).step(pause()).step(traced("work")).build());
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    await harness.user.patch(Widget, REF, {
      type: "merge",
      body: { spec: { size: 3 }, metadata: { annotations: { [PAUSED_ANNOTATION]: "true" } } },
    });
    trace = [];
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "stop", step: "pause" }, requeue: { type: "none" } });
    expect(trace).toEqual([]);
    expect((await live()).status).toMatchObject({
      observedGeneration: 1,
      conditions: [
        { type: "Paused", status: "True" },
        { type: "Ready", status: "True", observedGeneration: 1 },
      ],
    });
    await harness.user.delete(Widget, REF);
    await operator.pass(KEY);
    expect(await harness.user.get(Widget, REF)).toBeUndefined();
  });
});
