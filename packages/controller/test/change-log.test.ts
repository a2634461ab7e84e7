/** What the log says of an operator's whole life at level info: one line for each change, each with its cause. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { startWorld, Widget, widget, type World } from "./world.ts";

const DIVIDEND = "the-dividend-of-the-secret";
const QUOTIENT = "the-quotient-of-the-secret";
const SELECT = "a-value-of-the-spec";
const A = { name: "a", namespace: "default" };
const IN = { name: "in", namespace: "default" };
const OUT = { name: "out", namespace: "default" };
const encoded = (text: string): string => Buffer.from(text).toString("base64");

const readInput = step(Widget, {
  name: "read-input",
  conditions: ["InputReady"],
  reads: { input: one(Secret, () => "in") },
  do(req) {
    if (req.reads.input === undefined) return req.conditions.false("InputReady", "NotFound", "Secret in does not exist").wait(5_000);
    req.conditions.true("InputReady");
    return req.next();
  },
});

const storeOutput = step(Widget, {
  name: "store-output",
  reads: { output: one(Secret, () => "out") },
  permissions: [{ kind: Secret, verbs: ["create", "update", "delete"] }],
  async do(req) {
    const data = { [`quotient${req.object.spec.size}`]: encoded(QUOTIENT) };
    const { output } = req.reads;
    if (output === undefined) await req.client.create(Secret, { metadata: OUT, data });
    else await req.client.update(Secret, { ...output, data });
    req.status.seen = req.object.spec.size;
  },
  async cleanup(req) {
    await req.client.delete(Secret, "out");
    await req.client.delete(ConfigMap, "never-existed");
  },
});

const operator = handler(Widget).step(conditions()).step(readInput).step(storeOutput).build();

/** The lines since the last call, each with its cause. */
function lines(world: World): readonly string[] {
  const found = world.logs.filter(({ level, data }) => level !== "debug" && "controller" in data);
  world.logs.length = 0;
  return found.map(({ data, text }) => `${text}${data["cause"] === undefined ? "" : ` <- ${String(data["cause"])}`}`);
}

test("each change of an operator's life is one line at info, with its cause and without values", async () => {
  const world = await startWorld({ handlers: [operator] });
  const { user, clock } = world;
  const all: unknown[] = [];
  const since = (): readonly string[] => {
    all.push(...world.logs.map(({ data, text }) => ({ data, text })));
    return lines(world);
  };

  await user.create(Widget, widget("a", { select: SELECT }));
  await world.settled();
  const created = "Widget default/a was created";
  expect(since()).toEqual([
    `updated Widget default/a: metadata.finalizers <- ${created}`,
    `InputReady is False (NotFound): Secret in does not exist <- ${created}`,
    `Ready is False (NotFound): InputReady: Secret in does not exist <- ${created}`,
  ]);

  await clock.advance(5_000);
  await world.settled();
  expect(since(), "a pass that changes nothing is silent").toEqual([]);

  await user.create(Secret, { metadata: IN, data: { dividend: encoded(DIVIDEND) } });
  await world.settled();
  expect(since()).toEqual([
    "created Secret default/out: data.quotient1 <- Secret default/in was created",
    "updated Widget default/a: status.seen <- Secret default/in was created",
    "InputReady is True (InputReady) <- Secret default/in was created",
    "Ready is True (Ready) <- Secret default/in was created",
  ]);

  await user.patch(Widget, A, { type: "merge", body: { spec: { size: 2 } } });
  await world.settled();
  expect(since()).toEqual([
    "updated Secret default/out: data.quotient2, data.quotient1 <- Widget default/a was updated",
    "updated Widget default/a: status.seen <- Widget default/a was updated",
  ]);

  await user.patch(Widget, A, { type: "merge", body: { metadata: { annotations: { "treadle.dev/reconcile-requested-at": "now" } } } });
  await world.settled();
  expect(since(), "a request that changes nothing").toEqual([]);

  await user.delete(Widget, A);
  await world.settled();
  expect(since()).toEqual([
    "deleted Secret default/out <- Widget default/a was updated",
    "updated Widget default/a: metadata.finalizers <- Widget default/a was updated",
    "Widget default/a was deleted",
  ]);

  const text = JSON.stringify(all);
  for (const value of [DIVIDEND, QUOTIENT]) {
    expect(text).not.toContain(value);
    expect(text).not.toContain(encoded(value));
  }
  expect(text).not.toContain(SELECT);
});

test("a pass names why it runs: the start, a failure before it, a delay, a request, and how many more causes there were", async () => {
  let mode: "fail" | "wait" | "none" = "fail";
  let passes = 0;
  const varying = step(Widget, {
    name: "varying",
    do(req) {
      // Every pass changes the status, so that it logs its cause.
      req.status.seen = ++passes;
      if (mode === "fail") throw new Error("not today");
      return mode === "wait" ? req.wait("the bucket is being created", 5_000) : undefined;
    },
  });
  const world = await startWorld({ handlers: [handler(Widget).step(varying).build()], start: false, resyncMs: 60_000 });
  const { user, clock, manager } = world;
  await user.create(Widget, widget("a"));
  const causes = (): readonly unknown[] => {
    const found = world.logs.filter(({ data }) => data["change"] === "updated").map(({ data }) => data["cause"]);
    world.logs.length = 0;
    return found;
  };
  await manager.start();
  await world.settled();
  expect(causes()).toEqual(["start"]);

  mode = "wait";
  await clock.advance(5);
  await world.settled();
  expect(causes()).toEqual(["retry after a failure"]);

  mode = "none";
  await clock.advance(5_000);
  await world.settled();
  expect(causes()).toEqual(["due after 5000 ms: the bucket is being created"]);

  await user.patch(Widget, A, { type: "merge", body: { metadata: { annotations: { "treadle.dev/reconcile-requested-at": "now" } } } });
  await world.settled();
  expect(causes()).toEqual(["requested by annotation"]);

  await clock.advance(70_000);
  await world.settled();
  expect(causes()).toEqual(["resync"]);
});
