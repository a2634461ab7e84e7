/**
 * What an object of a set costs in a pass that finds all of them as desired: (a pass with a set - a pass with none) / objects.
 * Goal: 10 us, at 10, 100 and 1,000 objects.
 */
import { conditions, handler } from "@treadle/reconcile";
import { Fleet, fleetOf, MIXED, mixed } from "./src/fleet.ts";
import { type SettledPass, settledWorld } from "./src/settled-pass.ts";
import { median } from "./src/timing.ts";

const SIZES = [10, 100, 1_000] as const;
/** Objects that the passes of one measurement look at. */
const LOOKS = 100_000;
const ROUNDS = 5;

const world = await settledWorld({ owner: Fleet });
const create = (name: string, size: number): Promise<Fleet> =>
  world.client.create(Fleet, { metadata: { name, namespace: "ns" }, spec: { size, text: "text" } });

const none = await world.settle(
  await create("none", 0),
  handler(Fleet, { name: "none.bench.treadle.dev" })
    .step(conditions({ ready: false }))
    .build(),
);
await none.microseconds(LOOKS / 10);
const handlerOfSets = fleetOf(MIXED, mixed);
for (const size of SIZES) {
  const fleet = await world.settle(await create(`of-${size}`, size), handlerOfSets);
  const stored = await world.client.get(Fleet, { namespace: "ns", name: `of-${size}` });
  const { status, reason, message } = stored?.status?.conditions?.find(({ type }) => type === "FleetReady") ?? {};
  if (status !== "True") throw new Error(`the set of ${size} did not settle: ${status} ${reason} ${message}`);
  const us = await costs(fleet, size);
  console.log(
    `a settled object in a set of ${size}: ${median(us).toFixed(2)} us (goal 10) (${us.map((one) => one.toFixed(2)).join(", ")})`,
  );
}

async function costs(fleet: SettledPass, size: number): Promise<number[]> {
  const rounds = LOOKS / size;
  await fleet.microseconds(rounds);
  const found: number[] = [];
  for (let i = 0; i < ROUNDS; i++) found.push(((await fleet.microseconds(rounds)) - (await none.microseconds(1_000))) / size);
  return found;
}
