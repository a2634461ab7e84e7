/** What an extension may decide for its steps: their conditions at the end of a pass, and whether their reads are resolved at all. */
import { type Condition, defineResource, kind, type ObjectOf } from "@treadle/apimachinery";
import { conditions, handler, one, type Step, step } from "@treadle/reconcile";
import { defineExtension, defineStep, type Setting } from "@treadle/reconcile/unstable/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Harness, startHarness } from "./harness.ts";

const Lamp = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Lamp",
  scope: "Namespaced",
  spec: z.object({ hold: z.boolean().default(false), early: z.boolean().default(false) }),
});
interface Lamp extends ObjectOf<typeof Lamp> {}
const Bulb = kind({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" });
const REF = { namespace: "default", name: "a" };

type Given = (progress: string) => Setting | undefined;

const bulbs = defineExtension<Given>({
  name: "bulbs",
  condition: (pass, { data, step: of }) => data(`${pass.type} ${pass.progressOf(of)?.type ?? "nothing"}`),
});

const lit = (given: Given, more: object = {}): Step<Lamp> =>
  defineStep(Lamp, { name: "lit", conditions: ["Lit"], uses: [bulbs.use(given)], do: () => undefined, ...more }) as Step<Lamp>;
const hold = step(Lamp, { name: "hold", do: (req) => (req.object.spec.hold ? req.wait("held") : undefined) });

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness([Lamp]);
});

async function conditionsAfter(part: Step<Lamp>, spec: object = {}): Promise<Record<string, string>> {
  const operator = harness.operator(handler(Lamp).step(conditions()).step(hold).step(part).build());
  await harness.user.create(Lamp, { metadata: { ...REF }, spec: { hold: false, early: false, ...spec } });
  await operator.pass("default/a");
  return await stored();
}

async function stored(): Promise<Record<string, string>> {
  const { status } = (await harness.user.get(Lamp, REF)) as { status?: { conditions?: readonly Condition[] } };
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: value, reason }) => [type, `${value} ${reason}`]));
}

describe("the condition hook of an extension", () => {
  test("decides the conditions that its step declares and does not set, and Ready follows them", async () => {
    const off: Given = (progress) => ({ status: "False", reason: "Off", message: progress });
    expect(await conditionsAfter(lit(off))).toEqual({ Lit: "False Off", Ready: "False Off" });
  });

  test("is asked about a step that the pass did not reach", async () => {
    const seen: string[] = [];
    const on: Given = (progress) => (seen.push(progress), { status: "True", reason: "On", message: "" });
    expect(await conditionsAfter(lit(on), { hold: true })).toEqual({ Lit: "True On", Ready: "Unknown Waiting" });
    expect(seen[0]).toBe("full nothing");
  });

  test("decides what a later step sees of the condition in the same pass", async () => {
    const part = lit(() => ({ status: "False", reason: "Off", message: "" })) as Step<Lamp, {}, {}, "Lit">;
    const seen: unknown[] = [];
    const look = step(Lamp, { name: "look", do: (req) => void seen.push(req.conditions.of(part)?.reason) });
    const operator = harness.operator(handler(Lamp).step(conditions()).step(part).step(look).build());
    await harness.user.create(Lamp, { metadata: { ...REF }, spec: { hold: false, early: false } });
    await operator.pass("default/a");
    expect(seen).toEqual(["Off"]);
  });

  test("leaves a condition to the engine when it returns nothing", async () => {
    expect(await conditionsAfter(lit(() => undefined))).toMatchObject({ Lit: "Unknown NotReported" });
  });

  test("does not replace what the step has set", async () => {
    const sets = lit(() => ({ status: "False", reason: "Off", message: "" }), {
      do: (req: { conditions: { true(type: string): void } }) => req.conditions.true("Lit"),
    });
    expect(await conditionsAfter(sets)).toMatchObject({ Lit: "True Lit" });
  });

  test("fails the pass when it throws, and Ready reports it", async () => {
    const broken: Given = () => {
      throw new Error("no bulb");
    };
    expect(await conditionsAfter(lit(broken))).toEqual({ Lit: "Unknown NotReported", Ready: "False Error" });
    const { status } = (await harness.user.get(Lamp, REF)) as { status?: { conditions?: readonly Condition[] } };
    expect(status?.conditions?.find(({ type }) => type === "Ready")?.message).toContain('extension "bulbs": no bulb');
  });
});

describe("beforeReads", () => {
  test("returns a result before a read is resolved, and do does not run", async () => {
    const ran: string[] = [];
    const reading = (): never => {
      throw new Error("it was read");
    };
    const part = lit(() => undefined, {
      reads: { bulb: one(Bulb, reading) },
      beforeReads: (req: { object: Lamp; next(): object }) => (req.object.spec.early ? req.next() : undefined),
      do: () => void ran.push("do"),
    });
    expect(await conditionsAfter(part, { early: true })).toMatchObject({ Ready: "Unknown NotReported" });
    expect(ran).toEqual([]);
  });

  test("without a result the reads are resolved, and do runs", async () => {
    const seen: string[] = [];
    const part = lit(() => undefined, {
      reads: { bulb: one(Bulb, () => "x") },
      beforeReads: () => undefined,
      do: (req: { reads: object }) => void seen.push(...Object.keys(req.reads)),
    });
    await conditionsAfter(part);
    expect(seen).toEqual(["bulb"]);
  });
});
