import { expect, onTestFinished, test } from "vitest";
import { type Block, blockText, EventLoopMonitor } from "./event-loop-monitor.ts";

const phase = (step: string) => ({ step, phase: "do", ref: { name: "a", namespace: "ns" } }) as const;

function setUp() {
  let now = 0;
  const blocks: Block[] = [];
  const monitor = new EventLoopMonitor({ now: () => now, onBlock: (block) => void blocks.push(block) });
  monitor.start();
  onTestFinished(() => monitor.stop());
  const texts = (): string[] => blocks.map(blockText);
  return { monitor, texts, pass: (ms: number) => void (now += ms) };
}

test("a phase that does not return is named, also when others are in progress", () => {
  const { monitor, texts, pass } = setUp();
  monitor.began("widgets", phase("waiting")).returned();
  const { returned } = monitor.began("widgets", phase("heavy"));
  pass(3_200);
  returned();
  expect(texts()).toEqual(['the event loop was blocked for 3.2 s: step "heavy" (do) of widgets for ns/a']);
});

test("an author's function that a runnable calls is named", () => {
  const { monitor, texts, pass } = setUp();
  const { ended } = monitor.beganWork("webhooks", { name: "fill of websites", ref: { name: "a", namespace: "ns" } });
  pass(600);
  ended();
  const { returned } = monitor.beganWork("webhooks", { name: "convert" });
  pass(700);
  returned();
  expect(texts()).toEqual([
    'the event loop was blocked for 0.6 s: fill of websites of runnable "webhooks" for ns/a',
    'the event loop was blocked for 0.7 s: convert of runnable "webhooks"',
  ]);
});

test("a phase that blocks the loop after it yielded is named", () => {
  const { monitor, texts, pass } = setUp();
  const watch = monitor.began("widgets", phase("heavy"));
  watch.returned();
  monitor.look();
  pass(700);
  watch.ended();
  monitor.look();
  expect(texts()).toEqual(['the event loop was blocked for 0.7 s: step "heavy" (do) of widgets for ns/a']);
});

test("if no phase comes first, the phases in progress are named", () => {
  const { monitor, texts, pass } = setUp();
  monitor.began("widgets", phase("one")).returned();
  const two = monitor.began("widgets", phase("two"));
  two.returned();
  monitor.began("widgets", phase("three")).ended();
  pass(1_000);
  monitor.look();
  two.ended();
  expect(texts()).toEqual([
    'the event loop was blocked for 1 s: in progress were step "one" (do) of widgets for ns/a, step "two" (do) of widgets for ns/a; or the process was paused',
  ]);
});

test("neither a loop that turns in time nor an unmonitored loop is reported", () => {
  const { monitor, texts, pass } = setUp();
  for (let i = 0; i < 20; i++) {
    pass(400);
    monitor.look();
  }
  expect(monitor.lagMs).toBe(300);
  monitor.stop();
  pass(5_000);
  monitor.began("widgets", phase("heavy")).returned();
  expect(texts()).toEqual([]);
});

test("the last block is remembered for a while, also one that has just ended", () => {
  const { monitor, pass } = setUp();
  expect(monitor.suspicion(10_000)).toBeUndefined();
  pass(12_000);
  expect(monitor.suspicion(10_000)).toContain("was blocked for 12 s");
  for (let i = 0; i < 30; i++) {
    pass(400);
    monitor.look();
  }
  expect(monitor.suspicion(10_000)).toBeUndefined();
});
