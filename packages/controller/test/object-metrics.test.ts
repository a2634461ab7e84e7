/** The metrics of the objects of a running operator: conditions, and the times until they are ready and deleted. */
import { Lease } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { startWorld, Widget, widget, type World } from "./world.ts";

/** Is ready when the size is above 1. */
const size = step(Widget, {
  name: "size",
  conditions: ["Sized"],
  do: (req) =>
    req.object.spec.size > 1 ? req.conditions.true("Sized") : req.conditions.false("Sized", "TooSmall", "size is 1").wait(3_600_000),
  cleanup: (req) => (req.object.spec.size === 3 ? req.wait("size is 3", 3_600_000) : undefined),
});
const operator = handler(Widget, { name: "widgets" }).step(conditions()).step(size).build();

/** The series of a family: labels and value, sorted. */
async function series(world: World, name: string): Promise<readonly string[]> {
  const text = await (await world.manager.metrics()).metrics();
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => line.slice(name.length))
    .toSorted();
}

const at = { namespace: "default" } as const;

async function resize(world: World, name: string, to: number): Promise<void> {
  await world.user.patch(Widget, { name, ...at }, { type: "merge", body: { spec: { size: to } } });
  await world.settled();
}

test("treadle_objects counts objects by condition, from 0, and not those that were deleted", async () => {
  const world = await startWorld({ handlers: [operator], metrics: { port: 0, host: "127.0.0.1" } });
  const counts = async (): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries(
      (await series(world, "treadle_objects"))
        .map((line) => /type="(\w+)",status="(\w+)",?\} (\d+)/.exec(line.replace('controller="widgets",', "")))
        .map((match) => [`${match?.[1]}=${match?.[2]}`, Number(match?.[3])]),
    );
  const none = { "Ready=False": 0, "Ready=True": 0, "Ready=Unknown": 0, "Sized=False": 0, "Sized=True": 0, "Sized=Unknown": 0 };
  expect(await counts()).toEqual(none);
  for (const [name, of] of [
    ["a", 1],
    ["b", 2],
    ["c", 2],
  ] as const)
    await world.user.create(Widget, widget(name, { size: of }));
  await world.settled();
  expect(await counts()).toEqual({ ...none, "Ready=False": 1, "Ready=True": 2, "Sized=False": 1, "Sized=True": 2 });
  await resize(world, "a", 2);
  await world.user.delete(Widget, { name: "c", ...at });
  await world.settled();
  expect(await counts()).toEqual({ ...none, "Ready=True": 2, "Sized=True": 2 });
  expect(await series(world, "treadle_controller_condition"), "off by default").toEqual([]);
});

test("the time to the first Ready and the time of a deletion are counted once, also across a restart", async () => {
  const world = await startWorld({ handlers: [operator], metrics: { port: 0, host: "127.0.0.1" } });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  await world.clock.advance(40_000);
  await resize(world, "a", 2);
  await resize(world, "a", 1);
  await resize(world, "a", 2);
  const labels = '{controller="widgets",kind="Widget.test.treadle.dev"}';
  expect(await series(world, "treadle_object_ready_seconds_count")).toEqual([`${labels} 1`]);
  expect(await series(world, "treadle_object_ready_seconds_sum")).toEqual([`${labels} 40`]);
  await resize(world, "a", 3);
  await world.user.delete(Widget, { name: "a", ...at });
  await world.settled();
  await world.clock.advance(20_000);
  expect(await series(world, "treadle_object_deletion_seconds_count")).toEqual([`${labels} 0`]);
  await resize(world, "a", 2);
  expect(await series(world, "treadle_object_deletion_seconds_sum")).toEqual([`${labels} 20`]);
});

test('with conditions: "each" every condition of every object has a series, which is removed with the object', async () => {
  const world = await startWorld({ handlers: [operator], metrics: { port: 0, host: "127.0.0.1", conditions: "each" } });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  const of = (condition: string, status: string, reason: string, time: string): string =>
    `{controller="widgets",kind="Widget",name="a",namespace="default",condition="${condition}",status="${status}",reason="${reason}",id="default/a"} ${Date.parse(time) / 1000}`;
  expect(await series(world, "treadle_controller_condition")).toEqual([
    of("Ready", "False", "TooSmall", "2026-01-01T00:00:00Z"),
    of("Sized", "False", "TooSmall", "2026-01-01T00:00:00Z"),
  ]);
  await world.clock.advance(5_000);
  await resize(world, "a", 2);
  const [ready, sized] = await series(world, "treadle_controller_condition");
  expect([ready, sized].map((line) => line?.replace(/reason="\w*"/, ""))).toEqual(
    [of("Ready", "True", "", "2026-01-01T00:00:05Z"), of("Sized", "True", "", "2026-01-01T00:00:05Z")].map((line) =>
      line.replace(/reason="\w*"/, ""),
    ),
  );
  await world.user.delete(Widget, { name: "a", ...at });
  await world.settled();
  expect(await series(world, "treadle_controller_condition")).toEqual([]);
});

test("a replica that does not lead reports no objects", async () => {
  const world = await startWorld({
    handlers: [operator],
    metrics: { port: 0, host: "127.0.0.1", conditions: "each" },
    leaderElection: { namespace: "default", name: "other" },
    start: false,
  });
  const spec = { leaseDurationSeconds: 15, holderIdentity: "other", renewTime: "2026-01-01T00:00:00.000000Z", leaseTransitions: 0 };
  await world.user.create(Lease, { metadata: { name: "other", ...at }, spec });
  await world.user.create(Widget, widget("a", { size: 2 }));
  await world.manager.start();
  expect(await series(world, "treadle_objects")).toEqual([]);
});

test.for(["all", 5])("metrics.conditions %j is refused", async (given) => {
  await expect(startWorld({ handlers: [operator], metrics: { conditions: given as "each" } })).rejects.toThrow(
    `createManager: metrics.conditions is ${JSON.stringify(given)}: give "each", or leave it out`,
  );
});
