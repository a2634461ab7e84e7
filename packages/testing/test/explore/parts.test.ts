/**
 * Operators with a runnable and a source: each process has its own, and their timers run.
 *
 * @module-tag memory
 */
import { LIFE, Thing } from "./planted/thing.ts";
import type { Runnable, Source } from "@treadle/controller";
import { conditions, handler, step } from "@treadle/reconcile";
import { explore, type ExploredParts } from "@treadle/testing/explore";
import { expect, test } from "vitest";

const COUNTED = { ...LIFE, external: () => ({ processes: 0 }) };
const OPENS_MS = 5_000;

/** An operator that waits for a gate, which a timer of a runnable opens. `isLost`: the gate opens in the first process only. */
function gated(isLost = false): (run: { processes: number }) => ExploredParts {
  return (run) => {
    run.processes += 1;
    const isStuck = isLost && run.processes > 1;
    let isOpen = false;
    let pass = (): void => {};
    const opener: Runnable = {
      start(signal, { clock }) {
        clock.after(OPENS_MS, () => {
          isOpen = !isStuck;
          pass();
        });
      },
    };
    const source: Source = {
      name: "gate",
      start(signal, { enqueue }) {
        pass = () => enqueue({ namespace: "default", name: "a" });
      },
    };
    const seen = step(Thing, {
      name: "seen",
      do(req) {
        if (!isOpen) return req.wait("the gate is closed");
        req.status.size = req.object.spec.size;
        return undefined;
      },
    });
    return { handlers: [handler(Thing).step(conditions()).step(seen).build()], runnables: [opener], sources: [source] };
  };
}

test("the runnable and the source of an operator start with each process", async () => {
  const { failures, points } = await explore(gated(), COUNTED, { points: ["crash", "lost"] });
  expect(points).toBeGreaterThan(4);
  expect(failures).toEqual([]);
});

test("a runnable that does not start its work again after a crash is found", async () => {
  await expect(explore(gated(true), COUNTED, { points: ["crash"] })).rejects.toThrow(/crash@\d+/);
});
