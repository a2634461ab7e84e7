/**
 * A pass that is over before its end: somebody else changed the object so that what the pass decided counts no more.
 * Nothing more may happen outside, and nothing may be stored, whatever the steps make of the error.
 */
import { Deployment } from "@treadle/apimachinery/kinds";
import { all, conditions, handler, one, step } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const STATE = z.object({ attempt: z.string().optional() });

let harness: Harness;
let acted: string[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  acted = [];
});
const live = async (): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;

/** Somebody changes the spec right before the first request of the pass. */
function changeBeforeFirstRequest(): void {
  harness.intercept = async (_request, send) => {
    if (harness.requests.length === 1) await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 9 } } });
    return await send();
  };
}

const acting = (name: string) =>
  step(Widget, {
    name,
    state: STATE,
    async do(req) {
      req.state.attempt = name;
      await req.checkpoint();
      acted.push(`${name} on size ${req.object.spec.size}`);
    },
  });

describe("after a checkpoint that another writer's change made void", () => {
  test("no other part of all() acts or stores", async () => {
    changeBeforeFirstRequest();
    const operator = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(all("parts", [acting("one"), acting("two")]))
        .build(),
    );
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "wait" }, requeue: { type: "after", afterMs: 50 } });
    expect(acted).toEqual([]);
    expect((await live()).status).toBeUndefined();
    await operator.pass(KEY);
    expect(acted).toEqual(["one on size 9", "two on size 9"]);
  });

  test.for([
    {
      name: "catches it and tries again",
      body: async (checkpoint: () => Promise<void>) => {
        await checkpoint().catch(() => undefined);
        await checkpoint();
        acted.push("again");
      },
    },
    {
      name: "wraps it",
      body: async (checkpoint: () => Promise<void>) => {
        await checkpoint().catch((cause: unknown) => {
          throw new Error("cannot record", { cause });
        });
      },
    },
    { name: "goes on", body: async (checkpoint: () => Promise<void>) => await checkpoint().catch(() => undefined) },
  ])("a step that $name ends the pass quietly, and nothing is stored", async ({ body }) => {
    changeBeforeFirstRequest();
    const stubborn = step(Widget, {
      name: "stubborn",
      state: STATE,
      async do(req) {
        req.state.attempt = "x";
        await body(() => req.checkpoint());
      },
    });
    const result = await harness.operator(handler(Widget).step(conditions()).step(stubborn).build()).pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "wait" }, requeue: { type: "after", afterMs: 50 } });
    expect(result.error).toBeUndefined();
    expect([acted, (await live()).status]).toEqual([[], undefined]);
  });

  test("a post cannot act either", async () => {
    changeBeforeFirstRequest();
    const recording = step(Widget, {
      name: "recording",
      state: STATE,
      async post(req) {
        req.state.attempt = "post";
        await req.checkpoint();
        acted.push("post");
      },
    });
    await harness.operator(handler(Widget).step(acting("one")).step(recording).build()).pass(KEY);
    expect([acted, (await live()).status]).toEqual([[], undefined]);
  });
});

test("a checkpoint that a timed-out step left behind fails no other phase", async () => {
  let abandoned: () => void = () => undefined;
  harness.intercept = async (request, send) => {
    // The request of the checkpoint never comes back; the save's goes through.
    if (request.body?.includes("slow") && harness.requests.length === 1) {
      await new Promise<void>((resolve) => {
        abandoned = resolve;
      });
      throw new Error("the connection was lost");
    }
    return await send();
  };
  const slow = step(Widget, {
    name: "slow",
    state: STATE,
    timeoutMs: 100,
    async do(req) {
      req.state.attempt = "x";
      await req.checkpoint();
    },
  });
  const innocent = step(Widget, {
    name: "innocent",
    async post() {
      abandoned();
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const running = harness.operator(handler(Widget).step(slow).step(innocent).build()).pass(KEY);
  await harness.clock.advance(100);
  const result = await running;
  expect(result.phases.find(({ step: name }) => name === "innocent")?.result).toBe("done");
  expect(result.error).toMatchObject({ code: "ERR_STEP_TIMEOUT", step: "slow" });
});

describe("a save", () => {
  test("a pass that finds changed step state requeues with the waiting backoff", async () => {
    harness.intercept = async (request, send) => {
      if (harness.requests.length === 1) {
        const body = { status: { steps: { counting: { attempt: "theirs" } } } };
        await harness.user.patch(Widget, REF, { type: "merge", body }, { subresource: "status" });
      }
      void request;
      return await send();
    };
    const counting = step(Widget, {
      name: "counting",
      state: STATE,
      do(req) {
        req.state.attempt = "ours";
      },
    });
    const operator = harness.operator(handler(Widget).step(counting).build());
    expect((await operator.pass(KEY)).requeue).toMatchObject({ type: "after", afterMs: 50 });
  });

  test("whose status the server refuses says so in the conditions", async () => {
    let isWrong = false;
    const wrong = step(Widget, {
      name: "wrong",
      do(req) {
        (req.status as Record<string, unknown>)["count"] = isWrong ? "many" : 1;
      },
    });
    const operator = harness.operator(handler(Widget).step(conditions()).step(wrong).build());
    await operator.pass(KEY);
    isWrong = true;
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 3 } } });
    const result = await operator.pass(KEY);
    expect(result.requeue).toEqual({ type: "failure" });
    expect((await live()).status).toMatchObject({ count: 1, observedGeneration: 2 });
    expect((await live()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "Invalid" }),
    );
  });

  test("whose metadata was not stored stores no step state either, and says so", async () => {
    const naming = step(Widget, {
      name: "naming",
      state: STATE,
      writes: ["annotations"],
      async do(req) {
        if (req.object.metadata.annotations?.["name"] !== undefined) return;
        req.state.attempt = "one";
        await req.checkpoint();
        acted.push("made");
        req.annotations["name"] = "one";
        delete req.state.attempt;
      },
    });
    harness.intercept = async (request, send) => {
      if (request.body?.includes("annotations")) throw new Error("connection reset");
      return await send();
    };
    const result = await harness.operator(handler(Widget).step(conditions()).step(naming).build()).pass(KEY);
    expect(result.requeue).toEqual({ type: "failure" });
    expect((await live()).status?.steps).toEqual({ naming: { attempt: "one" } });
    expect((await live()).status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "False" }));
  });

  test("of a spec that a step wrote before it stopped starts the next pass", async () => {
    const filling = step(Widget, {
      name: "filling",
      writes: ["spec"],
      do(req) {
        if (req.object.spec.note !== undefined) return;
        req.spec.note = "filled";
        return req.stop("filled in");
      },
    });
    const operator = harness.operator(handler(Widget).step(conditions()).step(filling).build());
    expect((await operator.pass(KEY)).requeue).toMatchObject({ type: "after", afterMs: 0 });
    expect((await operator.pass(KEY)).outcome).toEqual({ type: "done" });
  });

  test.for([
    ["a number that is none", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
  ])("of %s is refused, not taken for a removal", async ([, value]) => {
    let isWrong = false;
    const wrong = step(Widget, {
      name: "wrong",
      do(req) {
        (req.status as Record<string, unknown>)["count"] = isWrong ? value : 1;
      },
    });
    const operator = harness.operator(handler(Widget).step(wrong).build());
    await operator.pass(KEY);
    isWrong = true;
    expect((await operator.pass(KEY)).error).toMatchObject({ message: expect.stringContaining("not JSON: count is") as string });
    expect((await live()).status?.count).toBe(1);
  });
});

test("the answer to a write of a scale is not taken for the object", async () => {
  const seen: unknown[] = [];
  const scaling = step(Widget, {
    name: "scaling",
    reads: { deployment: one(Deployment, () => "d") },
    async do(req) {
      seen.push(req.reads.deployment?.kind);
      await req.client.patch(Deployment, "d", { type: "merge", body: { spec: { replicas: 3 } } }, { subresource: "scale" });
    },
  });
  const container = { name: "c", image: "i" };
  const labels = { app: "d" };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } };
  await harness.user.create(Deployment, { metadata: { namespace: "default", name: "d" }, spec });
  const operator = harness.operator(handler(Widget).step(scaling).build());
  await operator.pass(KEY);
  await operator.stalePass(KEY);
  expect(seen).toEqual(["Deployment", "Deployment"]);
});

test("a kind that the handler does not watch is refused by req.cache, even if another handler watches it", async () => {
  const peeking = step(Widget, { name: "peeking", do: (req) => void req.cache.get(Deployment, { name: "d" }) });
  const result = await harness.operator(handler(Widget).step(peeking).build()).pass(KEY);
  expect(result.error).toMatchObject({ message: expect.stringContaining("declare it by reads, owns or watch()") as string });
});
