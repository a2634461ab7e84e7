import { describe, expect, test } from "vitest";
import { TurnBudget } from "./turn-budget.ts";

describe("a turn's budget", () => {
  test("is used up after maxMs of work of all loops together, and the next turn renews it", async () => {
    let elapsed = 0;
    const budget = new TurnBudget({ maxMs: 2, clock: { elapsed: () => elapsed } });
    expect(budget.isSpent).toBe(false);
    budget.count();
    elapsed += 1.5;
    budget.count();
    expect(budget.isSpent).toBe(false);
    elapsed += 0.5;
    expect(budget.isSpent).toBe(true);
    await budget.rest();
    expect(budget.isSpent).toBe(false);
  });

  test("is used up after maxPieces pieces of work that take no time", async () => {
    const budget = new TurnBudget({ maxPieces: 100, clock: { elapsed: () => 0 } });
    for (let i = 0; i < 99; i++) budget.count();
    expect(budget.isSpent).toBe(false);
    budget.count();
    expect(budget.isSpent).toBe(true);
    await budget.rest();
    expect(budget.isSpent).toBe(false);
  });

  test("does not change when it is only asked", async () => {
    let elapsed = 0;
    const budget = new TurnBudget({ maxMs: 2, clock: { elapsed: () => elapsed } });
    expect(budget.isSpent).toBe(false);
    elapsed += 5;
    expect(budget.isSpent).toBe(false);
  });

  test("is used up at once by spend(), until the next turn", async () => {
    const budget = new TurnBudget({ maxMs: 2, clock: { elapsed: () => 0 } });
    budget.spend();
    expect(budget.isSpent).toBe(true);
    await budget.rest();
    expect(budget.isSpent).toBe(false);
  });

  test("without limits is never used up, not even by spend()", () => {
    const budget = new TurnBudget();
    for (let i = 0; i < 10_000; i++) budget.count();
    budget.spend();
    expect(budget.isSpent).toBe(false);
  });

  test("makes next() wait for another turn once it is used up, and reject when its signal is aborted meanwhile", async () => {
    const budget = new TurnBudget({ maxPieces: 1 });
    const abort = new AbortController();
    let turns = 0;
    await budget.next();
    setImmediate(() => turns++);
    await budget.next();
    expect(turns).toBe(1);
    const boom = new Error("boom");
    setImmediate(() => abort.abort(boom));
    await expect(budget.next(abort.signal)).rejects.toBe(boom);
  });

  test("cuts each() into turns, and an aborted signal ends it early without an error", async () => {
    const abort = new AbortController();
    const budget = new TurnBudget({ maxPieces: 3 });
    const seen: string[] = [];
    const done = budget.each(["a", "b", "c", "d", "e", "f", "g"], abort.signal, (item) => {
      seen.push(item);
      if (item === "e") abort.abort();
    });
    expect(seen).toEqual(["a", "b", "c"]);
    await done;
    expect(seen).toEqual(["a", "b", "c", "d", "e"]);
  });
});
