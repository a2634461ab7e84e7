import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { Health, type Probed } from "./health.ts";

function setUp() {
  const clock = fakeClock();
  const at: { probed: Probed; readonly probes: number[]; aways: number; answers: number } = {
    probed: { type: "failed", message: "no connection" },
    probes: [],
    aways: 0,
    answers: 0,
  };
  const health = new Health({
    clock,
    random: { next: () => 0 },
    probe: async () => {
      at.probes.push(clock.elapsed() / 1000);
      return at.probed;
    },
    onAway: () => void (at.aways += 1),
    onAnswered: () => void (at.answers += 1),
  });
  const woken: string[] = [];
  const enter = (key: string) => health.enter(key, () => woken.push(key));
  /** Runs a pass that gets an answer. */
  const pass = (key: string): string => {
    const entry = enter(key);
    if (entry.type === "entered") {
      health.answered();
      entry.slot.release();
    }
    return entry.type;
  };
  return { clock, health, at, woken, enter, pass };
}

test("two passes use a connection at a time, and the others are woken in their order", () => {
  const { enter, woken } = setUp();
  const entries = ["a", "b", "c", "d"].map(enter);
  expect(entries.map(({ type }) => type)).toEqual(["entered", "entered", "later", "later"]);
  for (const entry of entries) if (entry.type === "entered") entry.slot.release();
  expect(woken).toEqual(["c", "d"]);
});

test("a target that is away is probed after 1 s doubling to 60 s", async () => {
  const { clock, health, at, enter } = setUp();
  health.failed("no connection");
  expect(enter("a")).toEqual({ type: "away", message: "no connection", retryMs: 1_000 });
  await clock.advance(200_000);
  expect(at.probes).toEqual([1, 3, 7, 15, 31, 63, 123, 183]);
});

test("after a probe that succeeds one pass goes first, and all go when it got an answer", async () => {
  const { clock, health, at, woken, enter } = setUp();
  health.failed("no connection");
  for (const key of ["a", "b", "c"]) enter(key);
  at.probed = { type: "answered" };
  await clock.advance(1_000);
  expect(woken).toEqual(["a"]);
  const first = enter("a");
  expect([first.type, enter("b").type]).toEqual(["entered", "later"]);
  health.answered();
  if (first.type === "entered") first.slot.release();
  expect(woken).toEqual(["a", "b", "c"]);
});

test("a pass that sent nothing does not show that the target works", async () => {
  const { clock, health, at, woken, enter } = setUp();
  health.failed("no connection");
  for (const key of ["a", "b", "c"]) enter(key);
  at.probed = { type: "answered" };
  await clock.advance(1_000);
  const first = enter("a");
  if (first.type === "entered") first.slot.release();
  expect(woken).toEqual(["a", "b"]);
});

test("the backoff goes on when the first pass fails", async () => {
  const { clock, health, at, enter } = setUp();
  at.probed = { type: "answered" };
  health.failed("no answer in time");
  for (const wantMs of [1_000, 2_000, 4_000, 8_000]) {
    const entry = enter("a");
    expect(entry).toMatchObject({ type: "away", retryMs: wantMs });
    await clock.advance(wantMs);
    const slot = enter("a");
    expect(slot.type).toBe("entered");
    health.failed("no answer in time");
    if (slot.type === "entered") slot.slot.release();
  }
});

test("a pass that succeeds ends the backoff", async () => {
  const { clock, health, at, enter, pass } = setUp();
  health.failed("no connection");
  await clock.advance(10_000);
  at.probed = { type: "answered" };
  await clock.advance(10_000);
  expect(pass("a")).toBe("entered");
  health.failed("no connection");
  expect(enter("a")).toMatchObject({ type: "away", retryMs: 1_000 });
});

test("a slot that was kept for a pass is lost when the target is away", async () => {
  const { health, woken, enter } = setUp();
  const [first] = [enter("a"), enter("b"), enter("c")];
  if (first?.type === "entered") first.slot.release();
  expect(woken).toEqual(["c"]);
  health.failed("no connection");
  expect(enter("c").type).toBe("away");
});

test("a failure of one request makes no target away whose probe succeeds", async () => {
  const { clock, health, at, pass } = setUp();
  at.probed = { type: "answered" };
  health.suspect();
  health.suspect();
  await clock.advance(0);
  expect(pass("a")).toBe("entered");
  expect(at.probes).toEqual([0]);
  await clock.advance(1_000);
  at.probed = { type: "failed", message: "the target cluster answers 503" };
  health.suspect();
  await clock.advance(0);
  expect(pass("a")).toBe("away");
});

test("owners with watches hear of a target that is away when its first probe failed", async () => {
  const { clock, health, at } = setUp();
  health.failed("no connection");
  expect(at.aways).toBe(0);
  await clock.advance(1_000);
  expect(at.aways).toBe(1);
});

test("a closed connection is not probed", async () => {
  const { clock, health, at } = setUp();
  health.failed("no connection");
  health.close();
  await clock.advance(100_000);
  expect(at.probes).toEqual([]);
});
