/** The counter of expected waits, which are not errors. */
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { startWorld, Widget, widget, type World } from "./world.ts";

const waits = async (world: World): Promise<string[]> => {
  const response = await fetch(`${world.manager.addresses.metrics?.url}/metrics`);
  return (await response.text()).split("\n").filter((line) => /^(treadle_expected_waits|controller_runtime_reconcile_errors)/.test(line));
};
const series = (reason: string, count: number): string =>
  `treadle_expected_waits_total{controller="widgets",kind="Widget.test.treadle.dev",reason="${reason}"} ${count}`;

/** Waits for a reason that the spec names, or fails. */
const waiting: AnyHandler = handler(Widget, { name: "widgets" })
  .step(conditions())
  .step(
    step(Widget, {
      name: "wait",
      conditions: ["Made"],
      do(req) {
        const { select } = req.object.spec;
        if (select === "fail") throw new Error("boom");
        if (select !== undefined) req.conditions.false("Made", select, "not yet");
        return select === undefined ? undefined : req.wait("not yet", 60_000);
      },
    }),
  )
  .build();
const started = (): Promise<World> => startWorld({ handlers: [waiting], host: "127.0.0.1", metrics: { port: 0 } });

test("waits are counted by kind and reason, beside errors", async () => {
  const world = await started();
  expect(await waits(world), "a series exists from the start").toEqual([
    'controller_runtime_reconcile_errors_total{controller="widgets"} 0',
    series("Waiting", 0),
  ]);
  await world.user.create(Widget, widget("a", { select: "WaitingForReference" }));
  await world.user.create(Widget, widget("b", { select: "WaitingForReference" }));
  await world.user.create(Widget, widget("c", { select: "fail" }));
  await world.user.create(Widget, widget("d"));
  await world.settled();
  expect(world.passes).toHaveLength(4);
  expect(await waits(world)).toEqual([
    'controller_runtime_reconcile_errors_total{controller="widgets"} 1',
    series("Waiting", 0),
    series("WaitingForReference", 2),
  ]);
});

test("reasons beyond the limit are counted as Other", async () => {
  const world = await started();
  for (let at = 1; at <= 52; at++) await world.user.create(Widget, widget(`w${at}`, { select: `Reason${at}` }));
  await world.settled();
  await world.user.patch(Widget, { namespace: "default", name: "w52" }, { type: "merge", body: { spec: { select: "Reason1" } } });
  await world.settled();
  const lines = await waits(world);
  expect(lines).toHaveLength(1 + 51);
  expect(lines).toContain(series("Other", 3));
  expect(lines).toContain(series("Reason1", 2));
});
