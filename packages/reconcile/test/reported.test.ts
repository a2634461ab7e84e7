/** Defects that were reported: each test failed before its fix. The number is that of the report. */
import { ApiError, type Condition, crdOf, defineResource, fakeClock } from "@treadle/apimachinery";
import { CustomResourceDefinition, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, owned, step, TerminalError } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { FINALIZER, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const live = async (harness: Harness): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;
const condition = ({ status }: Widget, type: string): Condition | undefined => status?.conditions?.find((each) => each.type === type);

test("1: a value that a pass has read from a Secret is in no status, log, event or error", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Secret, {
    metadata: { namespace: "default", name: "s" },
    data: { note: btoa("open-sesame"), pin: btoa("4711") },
  });
  await harness.user.create(Widget, widget());
  const leaky = step(Widget, {
    name: "leaky",
    conditions: ["Leaky"],
    events: ["Leaked"],
    reads: { secret: one(Secret, () => "s") },
    do(req) {
      const text = JSON.stringify(req.reads.secret);
      req.event("Warning", "Leaked", `note ${text}`);
      req.log.info({ text, url: `https://x/?q=${encodeURIComponent("open-sesame")}` }, `read ${text}`);
      req.conditions.false("Leaky", "Leaky", `pin=4711 open-sesame`);
      throw new Error(text, { cause: new Error("open-sesame") });
    },
  });
  const result = await harness.operator(handler(Widget).step(conditions()).step(leaky).build()).pass(KEY);
  const { error } = result;
  const said = JSON.stringify([
    harness.logs,
    harness.events,
    (await live(harness)).status,
    (error as Error).message,
    (error as Error).stack,
  ]);
  expect(said).not.toMatch(new RegExp(`open-sesame|${btoa("open-sesame")}|4711`));
  expect(said).toContain("<redacted>");
});

test("5: a wait that is made and not returned fails the step and says what to do", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const forgotten = step(Widget, { name: "forgotten", do: (req) => void req.wait("for better weather") });
  const later = step(Widget, { name: "later", do: (req) => void (req.status.count = 1) });
  const result = await harness.operator(handler(Widget).step(conditions()).step(forgotten).step(later).build()).pass(KEY);
  expect(result.error).toMatchObject({
    code: "ERR_NOT_RETURNED",
    message: expect.stringContaining("write return before it"),
  });
  expect((await live(harness)).status?.count, "a later step ran").toBeUndefined();
  expect(condition(await live(harness), "Ready")).toMatchObject({ status: "False", reason: "NotReturned" });
});

test("5: the exit of a condition that is made and not returned fails the step", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const forgotten = step(Widget, {
    name: "forgotten",
    conditions: ["A"],
    do: (req) => void req.conditions.false("A", "No", "not yet").stop(),
  });
  const result = await harness.operator(handler(Widget).step(conditions()).step(forgotten).build()).pass(KEY);
  expect(result.error).toMatchObject({ code: "ERR_NOT_RETURNED" });
});

test("6: fields of a log line do not replace those that say what the line is about", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const chatty = step(Widget, {
    name: "chatty",
    do: (req) => req.log.info({ object: "other", controller: "x", step: "y", reconcileID: "z", more: 1 }, "hello"),
  });
  await harness.operator(handler(Widget).step(conditions()).step(chatty).build()).pass(KEY);
  expect(harness.logs.find(({ text }) => text === "hello")?.data).toEqual({
    controller: "widgets.test.treadle.dev",
    kind: "Widget",
    object: KEY,
    step: "chatty",
    more: 1,
    fields: { object: "other", controller: "x", step: "y", reconcileID: "z" },
  });
});

test("6: a line of a step keeps the logger's own fields, and no argument makes req.log throw", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const chatty = step(Widget, {
    name: "chatty",
    do(req) {
      req.log.info({ level: 99, time: 1, msg: "x" }, "text");
      // Not what the types allow, but what plain JavaScript may do.
      const log = req.log.info as (...args: readonly unknown[]) => void;
      for (const args of [["alone"], [undefined, "nothing"], [proxy, "proxy"], [{}, proxy], [new Error("no"), "error"], [5, "number"]])
        log(...args);
    },
  });
  const result = await harness.operator(handler(Widget).step(conditions()).step(chatty).build()).pass(KEY);
  expect(result.error).toBeUndefined();
  const own = harness.logs.filter(({ data }) => "step" in data).map(({ text, data }) => [text, data]);
  const context = { controller: "widgets.test.treadle.dev", kind: "Widget", object: KEY, step: "chatty" };
  expect(own).toEqual([
    ["text", { ...context, fields: { level: 99, time: 1, msg: "x" } }],
    ["alone", context],
    ["nothing", context],
    ["proxy", { ...context, value: "[unreadable]" }],
    ["[unreadable]", context],
    ["error", { ...context, error: expect.objectContaining({ message: "no" }) }],
    ["number", { ...context, value: 5 }],
  ]);
});

test("6: the line of a failed pass names the step", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const failing = step(Widget, { name: "failing", do: () => Promise.reject(new Error("no")) });
  await harness.operator(handler(Widget).step(failing).build()).pass(KEY);
  expect(harness.logs.find(({ level }) => level === "error")?.data).toMatchObject({ step: "failing" });
});

test("8: Ready reports the deletion while a slow cleanup runs", async () => {
  const clock = fakeClock();
  const harness = await startHarness([Widget], clock);
  let finish = (): void => undefined;
  const slow = step(Widget, { name: "slow", cleanup: () => new Promise<void>((resolve) => (finish = resolve)) });
  const operator = harness.operator(handler(Widget).step(conditions()).step(slow).build());
  await harness.user.create(Widget, widget());
  await operator.pass(KEY);
  expect(condition(await live(harness), "Ready")?.status).toBe("True");
  await harness.user.delete(Widget, REF);
  const pass = operator.pass(KEY);
  await clock.advance(2_000);
  expect(condition(await live(harness), "Ready")).toMatchObject({ status: "False", reason: "Deleting" });
  finish();
  await pass;
  expect(await harness.user.get(Widget, REF)).toBeUndefined();
});

test("12: a cleanup that is skipped by the annotation is a Warning event", async () => {
  const harness = await startHarness([Widget]);
  const kept = step(Widget, { name: "kept", cleanup() {} });
  const operator = harness.operator(handler(Widget).step(kept).build());
  await harness.user.create(
    Widget,
    widget({ annotations: { "treadle.dev/skip-cleanup": "widgets.test.treadle.dev" }, finalizers: [FINALIZER] }),
  );
  await harness.user.delete(Widget, REF);
  await operator.pass(KEY);
  expect(harness.events).toMatchObject([{ type: "Warning", reason: "CleanupSkipped" }]);
});

test("13: a graceful stop while a request hangs is not a mistake of the step", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const asking = step(Widget, { name: "asking", do: async (req) => void (await req.client.get(Secret, "s")) });
  const operator = harness.operator(handler(Widget).step(conditions()).step(asking).build());
  await operator.pass(KEY);
  const before = (await live(harness)).status;
  const stop = new AbortController();
  harness.intercept = async (request, send) => {
    if (!request.path.includes("secrets")) return await send();
    stop.abort(new Error("shutdown"));
    return await new Promise(() => undefined);
  };
  const result = await operator.pass(KEY, { signal: stop.signal });
  expect(result.error).toBeUndefined();
  expect((await live(harness)).status).toEqual(before);
});

test("14: status writes that the server refuses are not taken for another writer's", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const operator = harness.operator(handler(Widget).step(conditions()).build());
  harness.intercept = async (request, send) => (request.path.endsWith("/status") ? { status: 500, headers: {}, body: "{}" } : await send());
  for (let i = 0; i < 20; i++) await operator.pass(KEY);
  expect(harness.logs.filter(({ text }) => text.includes("another writer"))).toEqual([]);
  harness.intercept = undefined;
  await operator.pass(KEY);
  expect(condition(await live(harness), "Ready")?.status).toBe("True");
});

test("15: a paused object that an older version has reported about is not written", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const a = step(Widget, { name: "a", conditions: ["A"], do: (req) => req.conditions.true("A") });
  const b = step(Widget, { name: "b", conditions: ["B"], do: (req) => req.conditions.true("B") });
  await harness.operator(handler(Widget).step(conditions()).step(a).build()).pass(KEY);
  await harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { annotations: { "treadle.dev/paused": "true" } } } });
  const newer = harness.operator(handler(Widget).step(conditions()).step(a).step(b).build());
  await newer.pass(KEY);
  const before = harness.requests.length;
  await newer.pass(KEY);
  expect(condition(await live(harness), "B")).toBeUndefined();
  expect(condition(await live(harness), "Ready")?.status).toBe("True");
  expect(harness.requests.slice(before)).toEqual([]);
});

test("owned() reads the objects that the primary owns, and no others", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const { uid = "" } = (await live(harness)).metadata;
  const owner = { apiVersion: "test.treadle.dev/v1", kind: "Widget", name: "a", controller: true };
  await harness.user.create(Secret, { metadata: { namespace: "default", name: "mine", ownerReferences: [{ ...owner, uid }] } });
  await harness.user.create(Secret, { metadata: { namespace: "default", name: "other", ownerReferences: [{ ...owner, uid: "else" }] } });
  const seen: string[] = [];
  const look = step(Widget, {
    name: "look",
    reads: { mine: owned(Secret) },
    do: (req) => void seen.push(...req.reads.mine.map(({ metadata }) => metadata.name)),
  });
  await harness.operator(handler(Widget).step(look).build()).pass(KEY);
  expect(seen).toEqual(["mine"]);
});

test("the log says what a pass changed, without values, and nothing where nothing changed", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const count = step(Widget, {
    name: "count",
    conditions: ["Counted"],
    do(req) {
      req.status.count = 4_711;
      req.conditions.true("Counted");
    },
  });
  const operator = harness.operator(handler(Widget).step(conditions()).step(count).build());
  await operator.pass(KEY);
  const info = (): string[] => harness.logs.filter(({ level }) => level === "info").map(({ text }) => text);
  expect(info()).toEqual(["updated Widget default/a: status.count", "Counted is True (Counted)", "Ready is True (Ready)"]);
  expect(JSON.stringify(harness.logs.filter(({ level }) => level === "info"))).not.toContain("4711");
  await operator.pass(KEY);
  expect(info()).toHaveLength(3);
});

test("24: an object whose status the installed CRD does not store is not Ready, until a newer CRD is installed", async () => {
  const harness = await startHarness([OldWidget]);
  await harness.user.create(Widget, widget());
  const count = step(Widget, {
    name: "count",
    conditions: ["Counted"],
    do: (req) => {
      req.status.count = 1;
      req.status.other = "new";
      req.conditions.true("Counted");
    },
  });
  const built = handler(Widget).step(conditions()).step(count).build();
  const operator = harness.operator(built);
  await operator.pass(KEY);
  const notStored = {
    status: "False",
    reason: "StatusNotStored",
    message: expect.stringMatching(/^the server does not store status\.other: .*install the CRD/) as string,
  };
  expect(condition(await live(harness), "Ready")).toMatchObject(notStored);
  expect(condition(await live(harness), "Counted")).toMatchObject({ status: "True" });
  expect((await live(harness)).status).toMatchObject({ count: 1 });

  const { resourceVersion } = (await live(harness)).metadata;
  const requests = harness.requests.length;
  for (let i = 0; i < 5; i++) await operator.pass(KEY);
  expect(harness.requests.slice(requests), "known to be futile").toEqual([]);

  const states: string[] = [];
  harness.intercept = async (_request, send) => {
    const answer = await send();
    states.push(condition(await live(harness), "Ready")?.status ?? "");
    return answer;
  };
  const restarted = harness.operator(built);
  for (let i = 0; i < 3; i++) await restarted.pass(KEY);
  expect(new Set(states), "a new process asks the server, and Ready does not flap").toEqual(new Set(["False"]));
  expect((await live(harness)).metadata.resourceVersion).toBe(resourceVersion);
  harness.intercept = undefined;

  const { metadata } = crdOf(Widget);
  await harness.user.patch(CustomResourceDefinition, metadata, { type: "merge", body: { spec: crdOf(Widget).spec } });
  await harness.clock.advance(600_001);
  await restarted.pass(KEY);
  expect((await live(harness)).status).toMatchObject({ other: "new" });
  expect(condition(await live(harness), "Ready")).toMatchObject({ status: "True", reason: "Ready" });
});

test("a failure that a person must act on is a Warning event, and one that may end by itself is not", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  let thrown: Error = new Error("the network is away");
  const failing = step(Widget, {
    name: "failing",
    do() {
      throw thrown;
    },
  });
  const operator = harness.operator(handler(Widget).step(conditions()).step(failing).build());
  await operator.pass(KEY);
  expect(harness.events).toEqual([]);
  const refused = new ApiError({ status: 403, reason: "Forbidden", message: "you may not list buckets" });
  for (const [error, reason, note] of [
    [new TerminalError("the region does not exist"), "TerminalError", "the region does not exist"],
    [refused, "Forbidden", "you may not list buckets"],
  ] as const) {
    harness.events.length = 0;
    thrown = error;
    await operator.pass(KEY);
    expect(harness.events).toEqual([{ type: "Warning", reason, note, action: "failing", isLogged: true }]);
  }
});

test("24: a refused status write is a Warning event that names the missing right", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const forbidden = JSON.stringify({ kind: "Status", status: "Failure", code: 403, reason: "Forbidden", message: "no" });
  harness.intercept = async (request, send) =>
    request.path.includes("/status") ? { status: 403, headers: { "content-type": "application/json" }, body: forbidden } : await send();
  const { error } = await harness.operator(handler(Widget).step(conditions()).build()).pass(KEY);
  const right = "allow patch of widgets.test.treadle.dev/status to the operator's service account";
  expect((error as Error).message).toContain(right);
  expect(harness.events).toMatchObject([{ type: "Warning", reason: "Forbidden", note: expect.stringContaining(right) as string }]);
});

test("a cleanup that fails again and again is a Warning event", async () => {
  const harness = await startHarness([Widget]);
  const stuck = step(Widget, {
    name: "stuck",
    cleanup() {
      throw new Error("the bucket is not empty");
    },
  });
  const operator = harness.operator(handler(Widget).step(conditions()).step(stuck).build());
  await harness.user.create(Widget, widget());
  await operator.pass(KEY);
  await harness.user.delete(Widget, REF);
  await operator.pass(KEY);
  expect(harness.events).toEqual([]);
  for (let i = 0; i < 12; i++) await operator.pass(KEY);
  expect(harness.events[0]).toMatchObject({ type: "Warning", reason: "CleanupFailed", note: "the bucket is not empty", action: "stuck" });
});

/** The CRD of an older version of the operator: its status has no field `other`. */
const OldWidget = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ size: z.int32().default(1), note: z.string().optional() }),
  status: z.object({ count: z.int32().optional() }),
});

test("1: a Secret that a step reads by its client is in no text", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Secret, { metadata: { namespace: "default", name: "s" }, data: { note: btoa("open-sesame") } });
  await harness.user.create(Widget, widget());
  const leaky = step(Widget, {
    name: "leaky",
    async do(req) {
      const one = await req.client.get(Secret, "s");
      const all = await req.client.list(Secret);
      throw new Error(`${atob(one?.data?.["note"] ?? "")} ${JSON.stringify(all)}`);
    },
  });
  await harness.operator(handler(Widget).step(conditions()).step(leaky).build()).pass(KEY);
  const said = JSON.stringify([harness.logs, (await live(harness)).status]);
  expect(said).not.toMatch(new RegExp(`open-sesame|${btoa("open-sesame")}`));
});

test("1: what the server says of a refused write holds no value of a Secret", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Secret, { metadata: { namespace: "default", name: "s" }, data: { note: btoa("open sesame!") } });
  await harness.user.create(Widget, widget());
  const labelling = step(Widget, {
    name: "labelling",
    reads: { secret: one(Secret, () => "s") },
    writes: ["labels"],
    do: (req) => void (req.labels["note"] = atob(req.reads.secret?.data?.["note"] ?? "")),
  });
  const result = await harness.operator(handler(Widget).step(conditions()).step(labelling).build()).pass(KEY);
  expect(result.error).toBeDefined();
  expect(JSON.stringify([harness.logs, (await live(harness)).status, String(result.error)])).not.toContain("open sesame!");
});

test("5: a wait before return null fails the step, and its condition says why", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const forgotten = step(Widget, {
    name: "forgotten",
    conditions: ["A"],
    do(req) {
      req.conditions.false("A", "No", "not yet").wait();
      return null as never;
    },
  });
  await harness.operator(handler(Widget).step(conditions()).step(forgotten).build()).pass(KEY);
  expect(condition(await live(harness), "A")).toMatchObject({ status: "False", reason: "NotReturned" });
});

test("8: announcing a deletion does not end the pass of a cleanup that meets another writer", async () => {
  const clock = fakeClock();
  const harness = await startHarness([Widget], clock);
  let finish = (): void => undefined;
  let runs = 0;
  const slow = step(Widget, {
    name: "slow",
    cleanup: () => {
      runs++;
      return new Promise<void>((resolve) => (finish = resolve));
    },
  });
  const operator = harness.operator(handler(Widget).step(conditions()).step(slow).build());
  await harness.user.create(Widget, widget());
  await operator.pass(KEY);
  await harness.user.delete(Widget, REF);
  const pass = operator.pass(KEY);
  await harness.user.patch(Widget, REF, { type: "merge", body: { status: { count: 7 } } }, { subresource: "status" });
  await clock.advance(2_000);
  finish();
  await pass;
  expect([runs, await harness.user.get(Widget, REF)]).toEqual([1, undefined]);
});
