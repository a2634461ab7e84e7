/** Composites that open, report, and are lists: what runs, what counts, and what Ready reports of it. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { all, type AnyHandler, type AnyStep, conditions, handler, type Step, step } from "@treadle/reconcile";
import { defineComposite, defineStep, handOver, openingOf, partsOf, type Progress } from "@treadle/reconcile/unstable/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Harness, startHarness } from "./harness.ts";

const Tower = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Tower",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ opens: z.string().default("opens"), ends: z.record(z.string(), z.string()).default({}) }),
  status: z.object({}),
});
interface Tower extends ObjectOf<typeof Tower> {}

const boom = (name: string): Error => new Error(`${name} is broken`);
const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
let harness: Harness;
let trace: string[] = [];
beforeEach(async () => {
  trace = [];
  harness = await startHarness([Tower]);
});

/** A part that ends as the spec says: it waits, fails, or is done. */
const part = (name: string, needs: readonly AnyStep[] = []): Step<Tower> =>
  step(Tower, {
    name,
    needs: needs as never,
    do(req) {
      trace.push(name);
      const end = (req.object as Tower).spec.ends[name];
      if (end === "fails") throw boom(name);
      return end === "waits" ? req.wait(`${name} waits`, 5_000) : undefined;
    },
    cleanup: () => void trace.push(`leave ${name}`),
  }) as unknown as Step<Tower>;

interface Options {
  readonly reports?: boolean;
  readonly isList?: boolean;
  readonly needs?: readonly unknown[];
  readonly unprovided?: (req: unknown, wait: { readonly reason: string }) => unknown;
  /** What the composite returns in its `do`. */
  readonly ends?: (req: never) => unknown;
}

/** A composite that reports how it opened, and what became of its parts. */
function tower(name: string, steps: readonly object[], { reports = true, isList = false, ends, ...more }: Options = {}): Step<Tower> {
  return defineComposite({
    ...more,
    name,
    kind: Tower,
    conditions: ["TowerReady"],
    state: z.object({ opened: z.number().optional() }),
    parts: {
      steps,
      maker: "tower",
      reports,
      isList,
      opens: (given) => {
        const req = given as {
          readonly object: Tower;
          readonly state: { opened?: number };
          wait(reason: string, afterMs?: number): unknown;
        };
        trace.push("opens");
        req.state.opened = (req.state.opened ?? 0) + 1;
        const { opens } = req.object.spec;
        if (opens === "throws") throw boom("the gate");
        return opens === "waits" ? req.wait("the gate is closed", 7_000) : undefined;
      },
    },
    do: (given) => {
      trace.push("reports");
      const req = given as {
        conditions: { true(type: string): void; false(type: string, reason: string, message: string): { wait(afterMs?: number): unknown } };
      };
      if (ends !== undefined) return ends(given as never);
      const opening = openingOf(given);
      const found = [...partsOf(given)].map(([each, { type }]: [string, Progress]) => `${each} ${type}`).join();
      if (opening?.type === "failed") {
        req.conditions.false("TowerReady", "Closed", "the gate has failed");
        throw opening.error;
      }
      if (opening?.type === "wait") return req.conditions.false("TowerReady", "Closed", opening.reason).wait(7_000);
      if (/failed|wait|unreached/.test(found)) return req.conditions.false("TowerReady", "Unfinished", found).wait(3_000);
      req.conditions.true("TowerReady");
      return undefined;
    },
  }) as Step<Tower>;
}

const built = (...steps: readonly object[]): AnyHandler =>
  handler(Tower)
    .step(conditions())
    .step(all("all", steps as never) as never)
    .build() as AnyHandler;
async function pass(steps: readonly object[], spec: Partial<Tower["spec"]> = {}) {
  const operator = harness.operator(built(...steps));
  await harness.user.create(Tower, { metadata: { ...REF }, spec });
  return { result: await operator.pass(KEY), operator };
}
async function told(): Promise<Readonly<Record<string, string>>> {
  const { status } = (await harness.user.get(Tower, REF)) as Tower;
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: is, reason, message }) => [type, `${is} ${reason}: ${message}`]),
  );
}

describe("opens", () => {
  test("runs before the parts, which run if it continues", async () => {
    const { result } = await pass([tower("tower", [part("a"), part("b")])]);
    expect(trace).toEqual(["opens", "a", "b", "reports"]);
    expect(result.outcome).toEqual({ type: "done" });
    expect((await harness.user.get(Tower, REF))?.status).toMatchObject({ steps: { tower: { opened: 1 } } });
  });

  test("that waits keeps the parts from running, and the composite reports it", async () => {
    const { result } = await pass([tower("tower", [part("a"), part("b")])], { opens: "waits" });
    expect(trace).toEqual(["opens", "reports"]);
    expect(result.outcome).toMatchObject({ type: "wait", step: "tower", reason: "the gate is closed" });
    expect(result.requeue).toMatchObject({ type: "after", afterMs: 7_000 });
    expect(await told()).toEqual({ TowerReady: "False Closed: the gate is closed", Ready: "False Closed: TowerReady: the gate is closed" });
    expect((await harness.user.get(Tower, REF))?.status).toMatchObject({ steps: { tower: { opened: 1 } } });
  });

  test("that throws keeps the parts from running, and its error counts once", async () => {
    const { result } = await pass([tower("tower", [part("a")])], { opens: "throws" });
    expect(trace).toEqual(["opens", "reports"]);
    expect(result.error).toMatchObject({ message: "the gate is broken" });
    expect(result.requeue).toMatchObject({ type: "failure" });
    expect(await told()).toMatchObject({
      TowerReady: "False Closed: the gate has failed",
      Ready: /^False Closed/.exec("False Closed") ? expect.stringMatching(/^False Closed/) : "",
    });
  });

  test("does not run in a cleanup", async () => {
    const { operator } = await pass([tower("tower", [part("a")])], { opens: "waits" });
    await harness.user.delete(Tower, REF);
    trace = [];
    await operator.pass(KEY);
    expect(trace).toEqual(["leave a"]);
    expect(await harness.user.get(Tower, REF)).toBeUndefined();
  });

  test("does not run while values of the composite are missing: unprovided decides", async () => {
    const giver = defineStep(Tower, {
      name: "giver",
      gives: { names: ["key"], of: () => "Key" },
      do: (req) => handOver(req, { vars: {} }),
    });
    const closed = tower("tower", [part("a")], {
      needs: [giver],
      unprovided: (_req, wait) => {
        trace.push(`unprovided: ${wait.reason}`);
        return wait;
      },
    });
    const { result } = await pass([giver, closed]);
    expect(trace).toEqual(["unprovided: waiting for key of Key"]);
    expect(result.outcome).toMatchObject({ type: "wait", step: "tower" });
  });
});

describe("reports", () => {
  test("the waits and errors of the parts count neither for Ready nor for the outcome", async () => {
    const { result } = await pass([tower("tower", [part("a"), part("b"), part("c")])], { ends: { a: "fails", b: "waits" } });
    expect(trace).toEqual(["opens", "a", "b", "c", "reports"]);
    expect(result.outcome).toMatchObject({ type: "wait", step: "tower" });
    expect(result.error).toBeUndefined();
    expect(await told()).toEqual({
      TowerReady: "False Unfinished: a failed,b wait,c done",
      Ready: "False Unfinished: TowerReady: a failed,b wait,c done",
    });
  });

  test("an error of a part that the composite throws counts once", async () => {
    const throwing = (given: never): never => {
      const [first] = [...partsOf(given).values()];
      throw first?.type === "failed" ? first.error : new Error("nothing failed");
    };
    const { result } = await pass([tower("tower", [part("a"), part("b")], { ends: throwing })], { ends: { a: "fails" } });
    expect(result.outcome).toMatchObject({ type: "failed", step: "tower" });
    expect(result.error).toMatchObject({ message: "a is broken" });
    expect(result.error).not.toBeInstanceOf(AggregateError);
    expect(harness.logs.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  test("a composite that swallows the error of a part is done", async () => {
    const { result } = await pass([tower("tower", [part("a")], { ends: () => undefined })], { ends: { a: "fails" } });
    expect(result.outcome).toEqual({ type: "done" });
    expect(result.error).toBeUndefined();
    expect(await told()).toMatchObject({ Ready: expect.stringMatching(/^Unknown NotReported/) });
  });

  test("without it the ends of the parts count", async () => {
    const { result } = await pass([tower("tower", [part("a"), part("b")], { reports: false })], { ends: { a: "fails" } });
    expect(result.error).toMatchObject({ message: "a is broken" });
  });

  test("a composite without parts reports", async () => {
    const { result } = await pass([tower("tower", [])]);
    expect(trace).toEqual(["opens", "reports"]);
    expect(result.outcome).toEqual({ type: "done" });
    expect(await told()).toMatchObject({ TowerReady: "True TowerReady: ", Ready: expect.stringMatching(/^True/) });
    expect(() => built(all("none", []), part("a")) && (built(all("none", [])) as unknown as { build(): never }).build()).toThrow(
      /has no parts/,
    );
  });

  test("parts of all() go on beside a composite that waits", async () => {
    await pass([tower("tower", [part("a")]), part("b")], { opens: "waits" });
    expect(trace).toEqual(["opens", "reports", "b"]);
  });
});

describe("the cleanup of a composite", () => {
  const deleted = async (steps: readonly object[], ends: Record<string, string> = {}): Promise<readonly string[]> => {
    const { operator } = await pass(steps, { ends });
    await harness.user.delete(Tower, REF);
    trace = [];
    await operator.pass(KEY);
    return trace;
  };

  test("is in the reverse order of its parts", async () => {
    expect(await deleted([tower("tower", [part("a"), part("b"), part("c")], { isList: true })])).toEqual(["leave c", "leave b", "leave a"]);
  });

  test("cleans up a part that another one needs after it, wherever it is in the list", async () => {
    const a = part("a");
    expect(await deleted([tower("tower", [part("b", [a]), a, part("c")], { isList: true })])).toEqual(["leave c", "leave b", "leave a"]);
  });

  test("of a list waits for later parts", async () => {
    const stays = step(Tower, { name: "stays", do() {}, cleanup: (req) => req.wait("still here", 1_000) });
    expect(await deleted([tower("tower", [part("a"), stays], { isList: true })])).toEqual([]);
    expect((await harness.user.get(Tower, REF))?.metadata.deletionTimestamp).toBeDefined();
  });

  test("of another composite does not wait for parts that do not need each other", async () => {
    const stays = step(Tower, { name: "stays", do() {}, cleanup: (req) => req.wait("still here", 1_000) });
    expect(await deleted([tower("tower", [part("a"), stays])])).toEqual(["leave a"]);
  });
});
