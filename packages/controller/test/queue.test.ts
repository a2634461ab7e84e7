/** What the queue promises, seen from an operator: whose turn it is, and when. */
import { fakeClock, keyOf } from "@treadle/apimachinery";
import { Namespace } from "@treadle/apimachinery/kinds";
import { type AnyHandler, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import type { ControllerOptions } from "../src/index.ts";
import { startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

/** One that calls `pass` with each key. */
function handling(pass: (key: string) => unknown): AnyHandler {
  return handler(Widget)
    .step(
      step(Widget, {
        name: "see",
        do(req) {
          const wait = pass(keyOf(req.object.metadata));
          return typeof wait === "number" ? req.wait("not yet", wait) : undefined;
        },
      }),
    )
    .build();
}

async function world(worker: AnyHandler, add: ControllerOptions, options: Partial<WorldOptions> = {}): Promise<World> {
  const made = await startWorld({ handlers: [], start: false, ...options });
  made.manager.add(worker, add);
  return made;
}

test("a flooded namespace does not delay another one", async () => {
  const seen: string[] = [];
  let flood = async (): Promise<void> => {};
  const running = await world(
    handling((key) => {
      seen.push(key);
      const once = flood;
      flood = async () => {};
      return void once();
    }),
    { concurrency: 1 },
  );
  await running.manager.start();
  const [controller] = running.manager.controllers;
  for (const name of ["noisy", "quiet"]) await running.user.create(Namespace, { metadata: { name } });
  const names = Array.from({ length: 200 }, (_, at) => `w-${at}`);
  for (const name of names) await running.user.create(Widget, widget(name, {}, "noisy"));
  await running.user.create(Widget, widget("one", {}, "quiet"));
  await running.settled();
  seen.length = 0;
  flood = async () => {
    for (const name of names) controller?.enqueue({ namespace: "noisy", name });
    controller?.enqueue({ namespace: "quiet", name: "one" });
  };
  controller?.enqueue({ namespace: "noisy", name: "w-0" });
  await running.settled();
  expect(seen).toHaveLength(202);
  expect(seen.indexOf("quiet/one"), "the pass that was running, one of each namespace in turn").toBeLessThanOrEqual(2);
});

test("retries of initial passes stay behind changes", async () => {
  const seen: string[] = [];
  let isBroken = true;
  const running = await world(
    handling((key) => {
      seen.push(key);
      if (isBroken) throw new Error("boom");
      // All three are due in this moment; somebody asks for c.
      if (seen.length === 1) running.manager.controllers[0]?.enqueue({ namespace: "default", name: "c" });
    }),
    { concurrency: 1, backoff: { baseMs: 1000, maxMs: 1000 } },
  );
  for (const name of ["a", "b", "c"]) await running.user.create(Widget, widget(name));
  await running.manager.start();
  await running.settled();
  isBroken = false;
  seen.length = 0;
  await running.clock.advance(1000);
  await running.settled();
  expect(seen).toEqual(["default/a", "default/c", "default/b"]);
});

test("the external profile retries 100 failed objects after a second, the others at ten a second", async () => {
  const times: number[] = [];
  const running = await world(
    handling(() => {
      times.push(running.clock.now());
      throw new Error("the quota is used up");
    }),
    { backoff: "external", concurrency: 200 },
  );
  for (let at = 0; at < 130; at++) await running.user.create(Widget, widget(`w-${at}`));
  const begin = running.clock.now();
  await running.manager.start();
  await running.settled();
  await running.clock.advance(1999);
  const second = times.filter((time) => time > begin).map((time) => time - begin);
  expect([second.filter((ms) => ms === 1000).length, second.filter((ms) => ms > 1000).length]).toEqual([110, 9]);
});

test.for([3_600_000, -3_600_000])("a time of day that jumps by %i ms neither frees nor floods the queue", async (jump, { expect }) => {
  const clock = fakeClock();
  let jumpedMs = 0;
  const seen: string[] = [];
  const running = await world(
    handling((key) => {
      seen.push(key);
      return 600_000;
    }),
    {},
    { clock: { ...clock, now: () => clock.now() + jumpedMs } as never },
  );
  for (let at = 0; at < 50; at++) await running.user.create(Widget, widget(`w-${at}`));
  await running.manager.start();
  await running.settled();
  expect(seen).toHaveLength(50);
  await clock.advance(1000);
  jumpedMs = jump;
  running.manager.controllers[0]?.enqueue({ namespace: "default", name: "w-0" });
  await running.settled();
  await clock.advance(590_000);
  expect(seen, "the one that was asked for").toHaveLength(51);
  await clock.advance(9_000);
  expect(seen, "in time").toHaveLength(100);
});
