/** Events of an operator, as somebody finds them who looks at an object. */
import { ApiError, type Transport } from "@treadle/apimachinery";
import { Event } from "@treadle/apimachinery/kinds";
import { handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { startWorld, Widget, widget, type World } from "./world.ts";

const telling = step(Widget, {
  name: "telling",
  events: ["Seen", "Odd"],
  do(req) {
    req.event("Normal", "Seen", "it was seen");
    if (req.object.spec.size > 5) req.event("Warning", "Odd", `size ${req.object.spec.size} with password=hunter2`);
    req.status.seen = req.object.spec.size;
  },
});
const A = { name: "a", namespace: "default" };
const operator = handler(Widget).step(telling).build();

async function events(world: World) {
  const { items } = await world.user.list(Event, { namespace: "default" });
  return items.map(({ reason, note, series, regarding, reportingController, action, type }) => ({
    type,
    reason,
    note,
    action,
    reportingController,
    about: `${regarding?.kind} ${regarding?.name}`,
    count: series?.count ?? 1,
  }));
}
const seen = { type: "Normal", reason: "Seen", note: "it was seen", action: "telling", reportingController: operator.name };

test("an event of a step is next to its object; a repeated one is counted, and its secrets are hidden", async () => {
  const world = await startWorld({ handlers: [operator] });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  expect(await events(world)).toEqual([{ ...seen, about: "Widget a", count: 1 }]);
  for (const size of [2, 3, 6]) {
    await world.user.patch(Widget, A, { type: "merge", body: { spec: { size } } });
    await world.settled();
  }
  const odd = { ...seen, type: "Warning", reason: "Odd", note: "size 6 with password=<redacted>" };
  expect(new Set(await events(world))).toEqual(
    new Set([
      { ...seen, about: "Widget a", count: 4 },
      { ...odd, about: "Widget a", count: 1 },
    ]),
  );
  expect(world.requests.filter((request) => request.includes("events")).length, "the third is told with the fourth").toBe(4);
});

test("a server that refuses events is logged once, and does not affect passes", async () => {
  const world = await startWorld({
    handlers: [operator],
    intercept: (transport) => refusing(transport, () => new ApiError({ status: 403, reason: "Forbidden", message: "events is forbidden" })),
  });
  for (const name of ["a", "b", "c"]) await world.user.create(Widget, widget(name));
  await world.settled();
  expect(await events(world)).toEqual([]);
  expect(world.reports.filter(({ result }) => result.error !== undefined)).toEqual([]);
  const warnings = world.logs.filter(({ level }) => level === "warn");
  expect(warnings.map(({ text }) => text)).toEqual([expect.stringContaining("allow create and patch of events.events.k8s.io")]);
});

test("a server that cannot be reached gets the events later; passes continue meanwhile", async () => {
  let isDown = true;
  const world = await startWorld({
    handlers: [operator],
    intercept: (transport) =>
      refusing(transport, () => (isDown ? new ApiError({ status: 503, reason: "ServiceUnavailable", message: "down" }) : undefined)),
  });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  expect((await world.user.get(Widget, A))?.status?.seen).toBe(1);
  expect(await events(world)).toEqual([]);
  isDown = false;
  await world.clock.advance(20_000);
  await world.settled();
  expect(await events(world)).toEqual([{ ...seen, about: "Widget a", count: 1 }]);
});

test("the stop writes the counts that were not sent yet", async () => {
  const world = await startWorld({ handlers: [operator] });
  await world.user.create(Widget, widget("a"));
  for (const size of [2, 3]) {
    await world.settled();
    await world.user.patch(Widget, A, { type: "merge", body: { spec: { size } } });
  }
  await world.settled();
  expect(await events(world)).toMatchObject([{ count: 2 }]);
  await world.manager.stop();
  expect(await events(world)).toMatchObject([{ count: 3 }]);
});

test("a server that never answers delays neither passes nor the stop", async () => {
  const world = await startWorld({
    handlers: [operator],
    intercept: (transport) => ({
      ...transport,
      request: (request) => (request.path.includes("/events") ? new Promise<never>(() => {}) : transport.request(request)),
    }),
  });
  await world.user.create(Widget, widget("a"));
  while (world.passes.length === 0) await new Promise(setImmediate);
  expect(world.reports[0]?.result.outcome).toEqual({ type: "done" });
  const stopped = world.manager.stop();
  await world.clock.advance(1_000);
  await stopped;
});

test("an event that the server has deleted continues as another one, with its count", async () => {
  const world = await startWorld({ handlers: [operator] });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  for (const { metadata } of (await world.user.list(Event, { namespace: "default" })).items)
    await world.user.delete(Event, { name: metadata?.name ?? "", namespace: "default" });
  await world.user.patch(Widget, A, { type: "merge", body: { spec: { size: 2 } } });
  await world.settled();
  expect(await events(world)).toEqual([{ ...seen, about: "Widget a", count: 2 }]);
});

test("a lost answer does not duplicate an event", async () => {
  let isLost = true;
  const world = await startWorld({
    handlers: [operator],
    intercept: (transport) => ({
      ...transport,
      async request(request) {
        const answer = await transport.request(request);
        if (!isLost || request.method !== "POST" || !request.path.includes("/events")) return answer;
        isLost = false;
        throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      },
    }),
  });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  await world.clock.advance(30_000);
  await world.settled();
  expect(isLost).toBe(false);
  expect(await events(world)).toEqual([{ ...seen, about: "Widget a", count: 1 }]);
});

test("events: false only logs them", async () => {
  const world = await startWorld({ handlers: [operator], events: false });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  expect(await events(world)).toEqual([]);
  expect(world.logs.filter(({ data }) => data["event"] !== undefined)).toMatchObject([{ level: "info", text: "it was seen" }]);
});

test("an event that the step does not declare fails the step, and the error names the fix", async () => {
  const sloppy = step(Widget, { name: "sloppy", do: (req) => req.event("Normal", "Seen", "it was seen") });
  const world = await startWorld({ handlers: [handler(Widget).step(sloppy).build()] });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  const { error, outcome } = world.reports[0]?.result ?? {};
  expect(String(error)).toContain('event: the step does not declare Seen: add events: ["Seen"] to its definition');
  expect(outcome).toMatchObject({ step: "sloppy" });
});

/** Answers requests about events with what `why` gives. */
function refusing(transport: Transport, why: () => ApiError | undefined): Transport {
  return {
    ...transport,
    request: async (request) => {
      const error = request.path.includes("/events") ? why() : undefined;
      if (error === undefined) return await transport.request(request);
      const { status: code, reason, message } = error;
      return { status: code, headers: {}, body: JSON.stringify({ kind: "Status", status: "Failure", code, reason, message }) };
    },
  };
}
