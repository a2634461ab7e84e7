/** What cannot work is refused where it is said. */
import { handler, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { type ControllerOptions, createManager, type ManagerOptions } from "../src/index.ts";
import { startWorld, Widget } from "./world.ts";

const idling = handler(Widget)
  .step(step(Widget, { name: "idle", do() {} }))
  .build();
const log = { debug() {}, info() {}, warn() {}, error() {} };

describe("createManager refuses", () => {
  test.for<[string, ManagerOptions]>([
    ["gracefulShutdownMs is -1", { gracefulShutdownMs: -1 }],
    ["cacheSyncTimeoutMs is NaN", { cacheSyncTimeoutMs: Number.NaN }],
    ["kindRetryMs is Infinity", { kindRetryMs: Number.POSITIVE_INFINITY }],
    ["namespaces is empty", { namespaces: [] }],
    ['"Not A Name" in namespaces', { namespaces: ["a", "Not A Name"] }],
    ['"" in namespaces', { namespaces: [""] }],
    ["probes.port is 70000", { probes: { port: 70_000 } }],
    ["metrics.port is 1.5", { metrics: { port: 1.5 } }],
  ])("%s", ([text, options]) => {
    expect(() => createManager({ log, ...options })).toThrow(RangeError);
    expect(() => createManager({ log, ...options })).toThrow(text);
  });
});

describe("add refuses", () => {
  test.for<[string, ControllerOptions]>([
    ["concurrency must be a whole number from 1, not 0", { concurrency: 0 }],
    ["backoff is", { backoff: { baseMs: -1, maxMs: 10 } }],
    ["backoff is", { backoff: { baseMs: 20, maxMs: 10 } }],
    ["backoff is", { backoff: { baseMs: 1, maxMs: 10, factor: 0 } }],
    ["backoff is", { backoff: { baseMs: Number.NaN, maxMs: 10 } }],
    ["backoff is", { backoff: "fast" as never }],
    ["backoff.bucket is", { backoff: { baseMs: 1, maxMs: 10, bucket: { perSecond: 0, burst: 1 } } }],
  ])("%s", ([text, options]) => {
    expect(() => createManager({ log }).add(idling, options)).toThrow(RangeError);
    expect(() => createManager({ log }).add(idling, options)).toThrow(text);
  });
});

test("a runnable whose start waits for the stop of the manager does not keep it from stopping", async () => {
  const world = await startWorld({ handlers: [idling], start: false });
  const calls: string[] = [];
  world.manager.add({
    name: "last words",
    async start() {
      calls.push("start");
      await world.manager.stop();
      calls.push("stopped");
    },
    stop: () => void calls.push("stop"),
  });
  await expect(world.manager.start()).rejects.toThrow("the manager was stopped");
  await world.manager.stop();
  expect(calls.slice(0, 2)).toEqual(["start", "stop"]);
  expect(world.manager.status().state).toBe("stopped");
  expect(world.server.watchCount).toBe(0);
});
