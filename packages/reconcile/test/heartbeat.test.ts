/**
 * Somebody who writes the object all the time, for himself: it must not keep a handler from its work for ever, and where
 * it does, everybody must see it.
 */
import { createClient } from "@treadle/client";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { Widget, widget } from "./fixtures.ts";
import { type Harness, type Operator, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const STATE = z.object({ attempt: z.string().optional() });

let harness: Harness;
let made: string[];
let write: () => Promise<unknown>;
beforeEach(async () => {
  harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  made = [];
});

const live = async (): Promise<Widget | undefined> => (await harness.user.get(Widget, REF)) as Widget | undefined;
const monitor = () => createClient({ transport: harness.server.transport(), clock: harness.clock, fieldManager: "monitor" });

let count = 0;
const patch = async (body: object, subresource?: "status"): Promise<unknown> =>
  await monitor().patch(Widget, REF, { type: "merge", body }, subresource === undefined ? {} : { subresource });
const writers: Record<string, () => Promise<unknown>> = {
  "a status field": () => patch({ status: { other: String(count++) } }, "status"),
  "a member of a map in the status": () => patch({ status: { parts: { monitor: String(count++) } } }, "status"),
  "a label": () => patch({ metadata: { labels: { beat: String(count++) } } }),
  "an annotation": () => patch({ metadata: { annotations: { beat: String(count++) } } }),
};

const worker = (finalizer: "before-do" | "on-demand"): AnyHandler =>
  handler(Widget)
    .step(conditions())
    .step(
      step(Widget, {
        name: "make",
        state: STATE,
        finalizer,
        async do(req) {
          if (req.state.attempt !== undefined) return;
          req.status.parts = { ...req.status.parts, worker: "x" };
          if (finalizer === "on-demand") await req.holdFinalizer();
          req.state.attempt = "one";
          await req.checkpoint();
          made.push("made");
        },
        cleanup: () => void made.push("cleaned up"),
      }),
    )
    .build();

async function passes(operator: Operator, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    // Before the first write of each pass somebody else was there.
    let isFirst = true;
    harness.intercept = async (request, send) => {
      const isNow = isFirst && request.method === "PATCH";
      if (isNow) {
        isFirst = false;
        await write();
      }
      return await send();
    };
    await operator.pass(KEY);
  }
}

describe.for(Object.keys(writers))("a heartbeat in %s", (name) => {
  beforeEach(() => {
    write = writers[name] as () => Promise<unknown>;
  });

  test.for(["before-do", "on-demand"] as const)("keeps no write-ahead and no finalizer (%s) from being stored", async (finalizer) => {
    const operator = harness.operator(worker(finalizer));
    await passes(operator, 8);
    expect(made).toEqual(["made"]);
    expect((await live())?.status?.steps).toEqual({ make: { attempt: "one" } });
    await harness.user.delete(Widget, REF);
    await passes(operator, 4);
    expect(await live()).toBeUndefined();
  });
});

test("a status field of another writer does not end a single pass", async () => {
  write = writers["a status field"] as () => Promise<unknown>;
  await passes(harness.operator(worker("on-demand")), 1);
  expect(made).toEqual(["made"]);
});

test("a status field that this pass writes too does", async () => {
  write = () => patch({ status: { parts: { worker: String(count++) } } }, "status");
  const operator = harness.operator(worker("on-demand"));
  await passes(operator, 2);
  expect(made).toEqual([]);
});

describe("a spec that never rests", () => {
  beforeEach(() => {
    write = () => patch({ spec: { size: ++count } });
  });

  test("is seen in Ready and in the log after five passes, and nothing else of these passes is stored", async () => {
    const operator = harness.operator(worker("on-demand"));
    await passes(operator, 4);
    expect((await live())?.status).toBeUndefined();
    await passes(operator, 1);
    expect((await live())?.status).toEqual({
      conditions: [expect.objectContaining({ type: "Ready", status: "Unknown", reason: "Superseded" })],
    });
    expect(harness.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toEqual([
      "5 passes in a row could not finish: default/a was changed while a pass decided on it",
    ]);
    expect(made).toEqual([]);
  });

  test("is forgotten when it rests", async () => {
    const operator = harness.operator(worker("on-demand"));
    await passes(operator, 6);
    write = async () => undefined;
    await passes(operator, 2);
    expect((await live())?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
  });

  test("is seen in an object that is being deleted, too", async () => {
    write = async () => undefined;
    const operator = harness.operator(worker("before-do"));
    await passes(operator, 1);
    await harness.user.delete(Widget, REF);
    write = () => patch({ spec: { size: ++count } });
    await passes(operator, 6);
    expect((await live())?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "Ready",
        status: "False",
        reason: "Deleting",
        message: "default/a was changed while a pass decided on it",
      }),
    );
    write = async () => undefined;
    await passes(operator, 1);
    expect(await live()).toBeUndefined();
  });
});
