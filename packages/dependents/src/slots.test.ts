import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { Slots } from "./slots.ts";

function setUp(limit = 1) {
  const clock = fakeClock();
  const slots = new Slots({ limit, clock });
  const woken: string[] = [];
  const take = (key: string) => slots.take(key, () => woken.push(key));
  return { clock, slots, woken, take };
}

describe("slots", () => {
  test("are given to those who ask first, and each is woken once", () => {
    const { take, woken } = setUp();
    const a = take("a");
    expect([take("b"), take("c"), take("b")]).toEqual([undefined, undefined, undefined]);
    a?.release();
    a?.release();
    expect(woken).toEqual(["b"]);
    expect(take("c")).toBeUndefined();
    const b = take("b");
    expect(b).toBeDefined();
    b?.release();
    expect(woken).toEqual(["b", "c"]);
  });

  test("that are kept for a key that does not return go to the next key", async () => {
    const { take, woken, clock } = setUp();
    const a = take("a");
    take("b");
    take("c");
    a?.release();
    await clock.advance(9_999);
    expect(woken).toEqual(["b"]);
    await clock.advance(1);
    expect(woken).toEqual(["b", "c"]);
    expect(take("b")).toBeUndefined();
    expect(take("c")).toBeDefined();
  });

  test("of a key that leaves are free for others", () => {
    const { take, woken, slots } = setUp();
    const a = take("a");
    take("b");
    take("c");
    slots.leave("b");
    a?.release();
    expect(woken).toEqual(["c"]);
    slots.leave("c");
    expect(take("d")).toBeDefined();
    expect(slots.waiting).toBe(0);
  });

  test("follow a limit that changes", () => {
    const { take, woken, slots } = setUp(2);
    const held = [take("a"), take("b")];
    take("c");
    slots.limit = 1;
    held[0]?.release();
    expect(woken).toEqual([]);
    slots.limit = 2;
    expect(woken).toEqual(["c"]);
  });
});
