import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Line, MISSED_AFTER_MS, type Place } from "./line.ts";

/** A line as a list: each answer is a sum over the places in order. */
interface Entry {
  readonly place: Place;
  tokens: number;
  turnMs: number;
  hasClaim: boolean;
}

const claims = (entries: readonly Entry[]): number => entries.reduce((sum, { tokens, hasClaim }) => sum + (hasClaim ? tokens : 0), 0);

/** Invariant: after any calls, `ahead` and `total` are the sums over a list, and an object that missed its turn claims nothing. */
test("a line answers as a list does", () => {
  const call = fc.record({
    type: fc.constantFrom("add", "add", "keep", "remove", "pass"),
    index: fc.nat(100),
    tokens: fc.integer({ min: 1, max: 4 }),
    ms: fc.nat(2000),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 150 }), (calls) => {
      const line = new Line();
      const list: Entry[] = [];
      let nowMs = 0;
      for (const { type, index, tokens, ms } of calls) {
        const at = index % Math.max(1, list.length);
        const entry = list[at];
        const turnMs = nowMs + ms;
        if (type === "add") list.push({ place: line.add(tokens, turnMs), tokens, turnMs, hasClaim: true });
        if (type === "keep" && entry !== undefined) {
          line.keep(entry.place, tokens, turnMs);
          Object.assign(entry, { tokens, turnMs, hasClaim: true });
        }
        if (type === "remove" && entry !== undefined) {
          line.remove(entry.place);
          list.splice(at, 1);
        }
        if (type === "pass") {
          nowMs += ms;
          line.passMissed(nowMs);
          // A place that is not late protects those behind it, until its own turn is over.
          for (const each of list) {
            if (each.turnMs + MISSED_AFTER_MS >= nowMs) break;
            each.hasClaim = false;
          }
        }
        expect(line.total).toBe(claims(list));
        for (const [place, each] of list.entries()) expect(line.ahead(each.place)).toBe(claims(list.slice(0, place)));
      }
    }),
  );
});
