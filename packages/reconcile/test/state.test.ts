/**
 * Step state and checkpoint. Invariants, for a crash before or after any request and restarts:
 * 1. Whenever something is made outside, the stored object already says under which name (write-ahead).
 * 2. However often it crashes, one thing is made for one object in the end, and the object knows it.
 * 3. State of steps that we do not know stays.
 */
import { conditions, handler, prerequisite, step } from "@treadle/reconcile";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Crash, mortal } from "./crash.ts";
import { Foreign, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const STATE = z.object({ attempt: z.string().optional(), id: z.string().optional() });

describe("write-ahead by checkpoint", () => {
  test("survives a crash at any request", { tags: ["part"] }, async ({ part }) => {
    const crashes = fc.array(fc.record({ at: fc.nat({ max: 10 }), when: fc.constantFrom("before" as const, "after" as const) }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(crashes, fc.array(fc.boolean(), { maxLength: 6 }), async (plan: readonly Crash[], touches) => {
        const harness = await startHarness([Widget]);
        const process = mortal(harness, plan);
        const made: string[] = [];
        let attempts = 0;
        const create = step(Widget, {
          name: "create",
          conditions: ["Created"],
          state: STATE,
          async do(req) {
            if (req.state.id === undefined) {
              if (req.state.attempt !== undefined && made.includes(req.state.attempt)) {
                req.state.id = req.state.attempt;
              } else {
                req.state.attempt = `attempt-${attempts++}`;
                await req.checkpoint();
                process.act();
                const stored = (await harness.user.get(Widget, REF)) as Widget;
                expect(stored.status?.steps?.["create"], "1").toMatchObject({ attempt: req.state.attempt });
                made.push(req.state.attempt);
                req.state.id = req.state.attempt;
              }
            }
            req.conditions.true("Created");
          },
        });
        const build = () => harness.operator(handler(Widget).step(conditions()).step(create).build());
        let operator = build();
        await harness.user.create(Widget, widget());
        for (const touch of [...touches, false, false, false, false, false]) {
          if (touch) await harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { labels: { t: String(Math.random()) } } } });
          await operator.pass(KEY);
          if (process.isDead) {
            process.restart();
            operator = build();
          }
        }
        const { status } = (await harness.user.get(Widget, REF)) as Widget;
        expect(made, "2").toHaveLength(1);
        expect(status?.steps?.["create"], "2").toMatchObject({ id: made[0] });
      }),
      part.runs(150),
    );
  });
});

describe("step state", () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness([Widget, Foreign]);
  });
  const counter = step(Widget, {
    name: "counter",
    state: z.object({ n: z.number().default(0) }),
    do(req) {
      if (req.object.spec.note === "count") req.state.n++;
    },
  });
  const live = async (): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;

  test("starts as the parsed {}, is written only when it changed, and is read back", async () => {
    const operator = harness.operator(handler(Widget).step(counter).build());
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    expect(harness.requests).toEqual([]);
    await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { note: "count" } } });
    await operator.pass(KEY);
    await operator.pass(KEY);
    expect((await live()).status?.steps).toEqual({ counter: { n: 2 } });
  });

  test("that does not parse is a failure of its step and is never dropped", async () => {
    await harness.user.create(Widget, widget());
    await harness.user.patch(
      Widget,
      REF,
      { type: "merge", body: { status: { steps: { counter: { n: "two" }, unknown: { x: 1 } } } } },
      { subresource: "status" },
    );
    const result = await harness.operator(handler(Widget).step(conditions()).step(counter).build()).pass(KEY);
    expect(result.error).toMatchObject({ code: "ERR_STATE_INVALID", step: "counter" });
    expect((await live()).status?.steps).toEqual({ counter: { n: "two" }, unknown: { x: 1 } });
  });

  test("of a step that is named like what every object inherits", async () => {
    const name = "constructor";
    await harness.user.create(Widget, widget());
    const counting = step(Widget, { name, state: z.object({ n: z.number().default(0) }), do: (req) => void req.state.n++ });
    const operator = harness.operator(handler(Widget).step(counting).build());
    await operator.pass(KEY);
    expect((await operator.pass(KEY)).error).toBeUndefined();
    expect((await live()).status?.steps).toEqual({ [name]: { n: 2 } });
  });

  test("of steps that we do not know stays", async () => {
    await harness.user.create(Widget, widget({ spec: { note: "count" } }));
    await harness.user.patch(Widget, REF, { type: "merge", body: { status: { steps: { unknown: { x: 1 } } } } }, { subresource: "status" });
    await harness.operator(handler(Widget).step(counter).build()).pass(KEY);
    expect((await live()).status?.steps).toEqual({ counter: { n: 1 }, unknown: { x: 1 } });
  });

  test("state that another writer changed ends the pass as a quiet requeue", async () => {
    await harness.user.create(Widget, widget({ spec: { note: "count" } }));
    harness.intercept = async (request, send) => {
      if (harness.requests.length === 1)
        await harness.user.patch(
          Widget,
          REF,
          { type: "merge", body: { status: { steps: { counter: { n: 40 } } } } },
          { subresource: "status" },
        );
      return await send();
    };
    const operator = harness.operator(handler(Widget).step(counter).build());
    const result = await operator.pass(KEY);
    expect(result.error).toBeUndefined();
    expect(result.requeue.type).toBe("after");
    expect((await live()).status?.steps).toEqual({ counter: { n: 40 } });
    await operator.pass(KEY);
    expect((await live()).status?.steps).toEqual({ counter: { n: 41 } });
  });

  test("of a foreign kind stands in one annotation", async () => {
    await harness.user.create(Foreign, { apiVersion: "foreign.example.com/v1", kind: "Foreign", metadata: REF });
    const operator = harness.operator(
      handler(Foreign)
        .step(step(Foreign, { name: "seen", state: z.object({ times: z.number().default(0) }), do: (req) => void req.state.times++ }))
        .build(),
    );
    await operator.pass(KEY);
    await operator.pass(KEY);
    const stored = await harness.user.get(Foreign, REF);
    expect(stored?.metadata.annotations).toEqual({ "foreigns.foreign.example.com/step-state": JSON.stringify({ seen: { times: 2 } }) });
  });

  test("checkpoint throws when the installed CRD prunes what was sent, and the pass fails even if the step goes on", async () => {
    const crd = structuredClone(Widget.resource?.crd()) as unknown as {
      metadata: { name: string };
      spec: { versions: { schema: { openAPIV3Schema: { properties: { status: { properties: Record<string, unknown> } } } } }[] };
    };
    delete crd.spec.versions[0]?.schema.openAPIV3Schema.properties.status.properties["steps"];
    const old = await startHarness([crd as never]);
    await old.user.create(Widget, widget());
    const effects: string[] = [];
    const operator = old.operator(
      handler(Widget)
        .step(conditions())
        .step(
          step(Widget, {
            name: "create",
            state: STATE,
            async do(req) {
              req.state.attempt = "one";
              await req.checkpoint().then(
                () => effects.push("made"),
                () => undefined,
              );
            },
          }),
        )
        .build(),
    );
    const result = await operator.pass(KEY);
    expect(effects).toEqual([]);
    expect(result).toMatchObject({ requeue: { type: "failure" }, error: { code: "ERR_NOT_STORED" } });
    expect((result.error as Error).message).toContain("status.steps.create.attempt");
  });

  test("what a checkpoint stored is not undone by something that is not JSON later", async () => {
    await harness.user.create(Widget, widget());
    const operator = harness.operator(
      handler(Widget)
        .step(
          step(Widget, {
            name: "create",
            state: STATE,
            do(req) {
              req.state.attempt = "zero";
            },
            async post(req) {
              req.state.attempt = "one";
              await req.checkpoint();
              (req.state as Record<string, unknown>)["id"] = 1n;
            },
          }),
        )
        .build(),
    );
    expect((await operator.pass(KEY)).error).toMatchObject({ message: expect.stringContaining("not JSON") as string });
    expect((await live()).status?.steps).toEqual({ create: { attempt: "one" } });
  });

  test("what a checkpoint stored stands when the step fails later, and says nothing of Ready", async () => {
    await harness.user.create(Widget, widget());
    let seen: unknown;
    const operator = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(
          step(Widget, {
            name: "create",
            conditions: ["Created", "Later"],
            state: STATE,
            async do(req) {
              req.state.attempt = "one";
              req.status.count = 1;
              req.conditions.unknown("Created", "Creating", "");
              await req.checkpoint();
              seen = (await live()).status;
              throw new Error("boom");
            },
          }),
        )
        .build(),
    );
    await operator.pass(KEY);
    expect(seen).toMatchObject({ count: 1, steps: { create: { attempt: "one" } }, conditions: [{ type: "Created", reason: "Creating" }] });
    expect(seen).not.toHaveProperty("observedGeneration");
    expect((await live()).status).toMatchObject({ count: 1, steps: { create: { attempt: "one" } }, observedGeneration: 1 });
  });

  test("a prerequisite that was passed once stays passed", async () => {
    let open = false;
    const build = () =>
      handler(Widget)
        .step(conditions())
        .step(prerequisite(Widget, { name: "db", condition: "DatabaseSeen", until: () => open || "no database yet" }))
        .build();
    await harness.user.create(Widget, widget());
    const operator = harness.operator(build());
    expect((await operator.pass(KEY)).outcome).toMatchObject({ type: "wait", reason: "no database yet" });
    open = true;
    await operator.pass(KEY);
    open = false;
    expect((await harness.operator(build()).pass(KEY)).outcome).toEqual({ type: "done" });
  });
});
