/**
 * How long an unconfirmed write or removal is shown. The server loses some of the acknowledged writes, because it was restored
 * to an earlier state without a sign of it. The watch reports the other writes, soon or late.
 *
 * Invariants:
 * 1. Three minutes after the last response the store shows exactly the objects of the server. In ten seconds at most one list
 *    was requested.
 * 2. From then on no unconfirmed state is left, so no further list is requested.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { UNCONFIRMED_MS } from "../src/internal/view.ts";
import { added, bookmark, deleted, id, type Line, modified, synced, widget } from "./scripted.ts";

const NAMES = ["a", "b", "c"] as const;

interface Own {
  readonly name: (typeof NAMES)[number];
  readonly verb: "write" | "recreate" | "remove";
  /** The fate of the write: the watch reports it at once, or with a later one, or the server lost it. */
  readonly fate: "told" | "late" | "forgotten";
  /** Seconds until the next write. */
  readonly thenMs: number;
}

const owns = fc.array(
  fc.record<Own>({
    name: fc.constantFrom(...NAMES),
    verb: fc.constantFrom("write", "recreate", "remove"),
    fate: fc.constantFrom("told", "late", "forgotten"),
    thenMs: fc.integer({ min: 0, max: 2_000 }),
  }),
  { minLength: 1, maxLength: 20 },
);

test("a write that the server never confirms is shown for three minutes, and leaves nothing behind", { tags: ["part"] }, async ({
  part,
}) => {
  await fc.assert(
    fc.asyncProperty(owns, async (given) => {
      const state = new Map(NAMES.slice(0, 2).map((name, i) => [name as string, widget(name, i + 1)]));
      const r = await synced(10, [...state.values()]);
      let { stream } = r;
      let version = 10;
      const late: Line[] = [];
      const tell = (fate: Own["fate"], ...lines: Line[]): void => {
        late.push(...lines);
        if (fate === "told") stream.send(...late.splice(0));
      };
      for (const { name, verb, fate, thenMs } of given) {
        const ref = { name, namespace: "ns" };
        const before = r.informer.get(ref);
        if (verb === "write") {
          const object = widget(name, ++version, { uid: before?.metadata.uid ?? `uid-${name}-${version}` });
          r.informer.observeWrite(object);
          expect(id(r.informer.get(ref))).toBe(id(object));
          if (fate === "forgotten") continue;
          tell(fate, state.has(name) ? modified(object) : added(object));
          state.set(name, object);
        } else {
          const uid = before?.metadata.uid ?? "";
          r.informer.observeDelete(ref, uid);
          const last = widget(name, ++version, { uid });
          const next = verb === "recreate" ? widget(name, ++version, { uid: `uid-${name}-${version}` }) : undefined;
          if (next !== undefined) r.informer.observeWrite(next);
          expect(id(r.informer.get(ref))).toBe(id(next));
          if (fate === "forgotten") continue;
          tell(fate, deleted(last), ...(next === undefined ? [] : [added(next)]));
          if (next === undefined) state.delete(name);
          else state.set(name, next);
        }
        await r.clock.advance(thenMs);
      }
      tell("told");
      await r.settle();
      let lists = 0;
      for (let ms = 0; ms <= UNCONFIRMED_MS; ms += 10_000) {
        await r.clock.advance(10_000);
        if (r.waiting.length > 0) {
          lists++;
          stream = r.watch().open(...[...state.values()].map(added), bookmark(version, true));
        } else {
          stream.send(bookmark(version));
        }
        await r.settle();
      }
      const spanMs = given.reduce((sum, { thenMs }) => sum + thenMs, 0);
      expect(lists, "1: one list for all unconfirmed states of ten seconds").toBeLessThanOrEqual(1 + spanMs / 10_000);
      const shown = (): string[] => r.informer.list().map(id).sort();
      const stored = [...state.values()].map(id).sort();
      expect(shown(), "1: the store shows what the server has").toEqual(stored);
      for (let i = 0; i < 12; i++) {
        stream.send(bookmark(version));
        await r.clock.advance(30_000);
        expect(r.waiting, "2: no further list").toEqual([]);
      }
      expect(shown()).toEqual(stored);
      await r.informer.stop();
    }),
    part.runs(200),
  );
});
