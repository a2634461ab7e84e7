/** A transient failure over virtual time: the pass that shows it is due after 60 s, whatever the backoff says. */
import "../src/matchers.ts";
import { ApiError } from "@treadle/apimachinery";
import { conditions, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { fakeWorld } from "../src/index.ts";
import { primary, RW } from "./rw.ts";

test.for([
  { name: "the failure backoff", retryAfterMs: undefined },
  { name: "a Retry-After of 5 minutes", retryAfterMs: 300_000 },
])("a transient failure shows after 60 s, although $name is longer", async ({ retryAfterMs }) => {
  let isDown = false;
  const sync = step(RW, {
    name: "sync",
    conditions: ["Synced"],
    do(req) {
      if (!isDown) return void req.conditions.true("Synced");
      req.conditions.keep("Synced");
      throw new ApiError({ message: "the cloud is down", status: 503, retryAfterMs });
    },
  });
  const world = fakeWorld(handler(RW).step(conditions()).step(sync).build(), { objects: [primary("a")] });
  await world.settled();
  isDown = true;
  const startedMs = world.clock.now();
  await world.pass("a");
  while (world.clock.now() < startedMs + 60_000) {
    expect(await world.get(RW, "a")).toBeReady();
    await world.advance(world.dueIn("a") ?? 0);
    await world.settled();
  }
  expect(world.clock.now() - startedMs).toBe(60_000);
  expect(await world.get(RW, "a")).toHaveCondition("Ready", { status: "False", reason: "Server" });
  expect(await world.get(RW, "a")).toHaveCondition("Synced", "True");
});
