/**
 * Checkpoints that fail, overlap or are made beside other work. Invariants:
 * 1. What the object says about a side effect is there if and only if the step was let go on to it.
 * 2. What a step writes while a checkpoint is on its way is stored by the next one, or by the save.
 */
import { all, conditions, handler, step } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const STATE = z.object({ attempt: z.string().optional(), failures: z.int().optional() });

let harness: Harness;
let made: string[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  made = [];
});
const live = async (): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;

/** The first request of the status is lost on its way. */
function loseFirstStatus(): void {
  let isFirst = true;
  harness.intercept = async (request, send) => {
    if (!isFirst || !request.path.includes("/status")) return await send();
    isFirst = false;
    throw new Error("connection reset");
  };
}

describe("a checkpoint that fails", () => {
  test.for([
    { name: "ends", onFailure: (error: unknown) => Promise.reject(error as Error), stored: undefined },
    { name: "goes on", onFailure: async () => undefined, stored: undefined },
  ])("leaves no record of what was not done, when the step $name", async ({ onFailure, stored }) => {
    loseFirstStatus();
    const creating = step(Widget, {
      name: "creating",
      state: STATE,
      async do(req) {
        req.status.count = 1;
        req.state.attempt = "one";
        await req.checkpoint().then(() => made.push("made"), onFailure);
      },
    });
    const result = await harness.operator(handler(Widget).step(conditions()).step(creating).build()).pass(KEY);
    expect(result.requeue).toEqual({ type: "failure" });
    expect(made).toEqual([]);
    expect((await live()).status?.steps).toEqual(stored);
    expect((await live()).status, "the rest is stored").toMatchObject({ count: 1, conditions: [{ type: "Ready", status: "False" }] });
  });

  test("leaves what an earlier one stored, and what the step remembers of the failure", async () => {
    let statuses = 0;
    harness.intercept = async (request, send) => {
      if (request.path.includes("/status") && ++statuses === 2) throw new Error("connection reset");
      return await send();
    };
    const creating = step(Widget, {
      name: "creating",
      state: STATE,
      async do(req) {
        const { state } = req;
        state.attempt = "one";
        await req.checkpoint();
        state.attempt = "two";
        await req.checkpoint().catch(() => {
          state.failures = 1;
        });
      },
    });
    await harness.operator(handler(Widget).step(creating).build()).pass(KEY);
    expect((await live()).status?.steps).toEqual({ creating: { attempt: "one", failures: 1 } });
  });

  test("leaves no record either when the finalizer could not be taken", async () => {
    harness.intercept = async (request, send) => {
      if (request.body?.includes("finalizers")) throw new Error("connection reset");
      return await send();
    };
    const creating = step(Widget, {
      name: "creating",
      state: STATE,
      finalizer: "on-demand",
      async do(req) {
        req.state.attempt = "one";
        await req.holdFinalizer();
      },
      cleanup() {},
    });
    await harness.operator(handler(Widget).step(creating).build()).pass(KEY);
    expect((await live()).status).toBeUndefined();
  });
});

describe("after a guarded write that failed", () => {
  const relabel = (current: string): Promise<unknown> =>
    harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { labels: { current } } } });
  /** The first request whose body has this word is lost, while another writer changes the label. */
  function loseFirst(word: string): void {
    let isFirst = true;
    harness.intercept = async (request, send) => {
      if (!isFirst || request.body?.includes(word) !== true) return await send();
      isFirst = false;
      await relabel("theirs");
      throw new Error("connection reset");
    };
  }

  test.each(["checkpoint", "holdFinalizer"] as const)(
    "of %s the save stores nothing on an object that another writer changed",
    async (guarded) => {
      loseFirst(guarded === "checkpoint" ? "labels" : "finalizers");
      const creating = step(Widget, {
        name: "creating",
        writes: ["labels"],
        finalizer: "on-demand",
        async do(req) {
          req.status.count = 1;
          req.labels["current"] = "ours";
          await req[guarded]();
        },
        cleanup() {},
      });
      const result = await harness.operator(handler(Widget).step(creating).build()).pass(KEY);
      expect(result.requeue).toEqual({ type: "failure" });
      expect(await live()).toMatchObject({ metadata: { labels: { current: "theirs" } } });
      expect((await live()).status).toBeUndefined();
    },
  );

  test("a checkpoint that succeeds lets the save store the result of the side effect, whatever changed since", async () => {
    loseFirstStatus();
    const creating = step(Widget, {
      name: "creating",
      state: STATE,
      writes: ["labels"],
      async do(req) {
        for (const attempt of ["one", "two"]) {
          req.state.attempt = attempt;
          await req.checkpoint().then(
            () => made.push(attempt),
            () => undefined,
          );
        }
        req.labels["made"] = made.join();
        await relabel("theirs");
      },
    });
    await harness.operator(handler(Widget).step(creating).build()).pass(KEY);
    expect((await live()).metadata.labels).toEqual({ current: "theirs", made: "two" });
  });
});

describe("a checkpoint beside a status that the server refuses", () => {
  const bad = step(Widget, {
    name: "bad",
    do(req) {
      (req.status as Record<string, unknown>)["count"] = "many";
    },
  });
  const good = (wrong: boolean) =>
    step(Widget, {
      name: "good",
      state: STATE,
      async do(req) {
        if (req.state.attempt !== undefined) return;
        req.state.attempt = "one";
        req.status.other = "good";
        if (wrong) (req.status as Record<string, unknown>)["parts"] = 1;
        await req.checkpoint();
        made.push("made");
      },
    });

  test("of another step is stored, and the failure is reported", async () => {
    const operator = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(all("parts", [bad, good(false)]))
        .build(),
    );
    const result = await operator.pass(KEY);
    expect(made).toEqual(["made"]);
    expect(result).toMatchObject({ requeue: { type: "failure" }, error: { code: "ERR_INVALID" } });
    expect((await live()).status).toMatchObject({
      other: "good",
      steps: { good: { attempt: "one" } },
      conditions: [{ type: "Ready", status: "False", reason: "Invalid" }],
    });
  });

  test("of its own is not", async () => {
    const operator = harness.operator(handler(Widget).step(conditions()).step(good(true)).build());
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "failure" });
    expect(made).toEqual([]);
    expect((await live()).status).not.toHaveProperty("steps");
  });
});

describe("while a checkpoint is on its way", () => {
  test("a step may write on: that is stored by the save", async () => {
    let meanwhile: () => void = () => undefined;
    harness.intercept = async (_request, send) => {
      meanwhile();
      return await send();
    };
    const busy = step(Widget, {
      name: "busy",
      state: STATE,
      async do(req) {
        req.state.attempt = "one";
        req.status.parts = { a: "1" };
        meanwhile = () => {
          req.state.failures = 3;
          req.status.count = 7;
          meanwhile = () => undefined;
        };
        await req.checkpoint();
        expect((await live()).status).toMatchObject({ parts: { a: "1" }, steps: { busy: { attempt: "one" } } });
      },
    });
    const result = await harness.operator(handler(Widget).step(busy).build()).pass(KEY);
    expect(result.error).toBeUndefined();
    expect((await live()).status).toEqual({ parts: { a: "1" }, count: 7, steps: { busy: { attempt: "one", failures: 3 } } });
  });

  test("another one waits for it, whatever becomes of it", async () => {
    let running = 0;
    harness.intercept = async (_request, send) => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return await send();
    };
    const busy = step(Widget, {
      name: "busy",
      writes: ["labels"],
      state: STATE,
      async do(req) {
        await Promise.all(
          ["a", "b", "c"].map(async (name) => {
            req.status.parts = { ...req.status.parts, [name]: "1" };
            req.labels[name] = "1";
            await req.checkpoint();
            made.push(name);
          }),
        );
      },
    });
    expect((await harness.operator(handler(Widget).step(busy).build()).pass(KEY)).error).toBeUndefined();
    expect(made).toEqual(["a", "b", "c"]);
    expect((await live()).status?.parts).toEqual({ a: "1", b: "1", c: "1" });
    expect(harness.requests.filter((request) => request.startsWith("GET"))).toEqual([]);
  });
});
