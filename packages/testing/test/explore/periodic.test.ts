/** Explorations that take long, as those of a periodic operator: they say so before they begin. */
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { explore, type ExplorationProgress } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { LIFE, Thing } from "./planted/thing.ts";

const poll = step(Thing, {
  name: "poll",
  do(req) {
    req.status.seen = Math.floor(req.now().getTime() / 60_000);
    req.revisit(60_000, "polls each minute");
  },
});
const periodic: AnyHandler = handler(Thing).step(conditions()).step(poll).build();

test("an exploration says the number of points, the expected time and how to bound it before the first point", async () => {
  const warnings: string[] = [];
  const progress: ExplorationProgress[] = [];
  const listen = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", listen);
  try {
    const { leftOut } = await explore(periodic, LIFE, {
      pairs: 10_000, // More than 5 s on any machine, if it were not for the budget.
      budgetMs: 0,
      ignore: [["status", "seen"]],
      onProgress: (report) => progress.push(report),
    });
    expect(progress).toEqual([{ done: 0, total: leftOut, failures: 0, point: "reference", remainingMs: expect.any(Number) }]);
    await new Promise(setImmediate); // Node emits warnings in the next turn.
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^explore: ${leftOut} points, expected time \\d+ s\\. budgetMs ends it after 0 s$`)),
    ]);
    expect(progress[0]?.remainingMs).toBeGreaterThan(5_000);
  } finally {
    process.off("warning", listen);
  }
});
