/**
 * A property of the barrier: for any sequence of changes, `until` is not asked again after it has passed, except after the
 * component was off.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type App, change, main, mainOf, page, settled } from "./stage.ts";

interface Change {
  readonly on?: boolean;
  readonly suspended?: boolean;
  readonly text?: string;
  readonly held?: string[];
}

const CHANGES = fc.array(
  fc.oneof(
    fc.record({ on: fc.boolean() }),
    fc.record({ suspended: fc.boolean() }),
    fc.record({ text: fc.constantFrom("one", "two") }),
    fc.record({ held: fc.constantFrom(["page"], []) }),
    fc.record({ held: fc.constantFrom(["begin"], ["begin", "page"]) }),
    fc.record({ on: fc.boolean(), suspended: fc.boolean(), held: fc.constantFrom(["begin"], []) }),
  ),
  { minLength: 1, maxLength: 8 },
);

test("no sequence of specs makes the barrier ask again, unless the component was off", async () => {
  await fc.assert(
    fc.asyncProperty(CHANGES, async (changes: readonly Change[]) => {
      let asked = 0;
      const until = ({ spec }: App): true | string => {
        asked++;
        return spec.held.includes("begin") ? "not yet" : true;
      };
      const world = await settled(main([page("page")], { until: until as never }), { spec: { held: ["begin"] } });
      let spec: Change & { readonly on: boolean; readonly held: readonly string[] } = { on: true, held: ["begin"] };
      let hasPassed = false;
      for (const each of changes) {
        spec = { ...spec, ...each };
        const before = asked;
        await change(world, each);
        await world.pass("a"); // A change of nothing triggers none.
        if (!spec.on) {
          expect(asked).toBe(before);
          expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
          hasPassed = false;
        } else if (hasPassed) expect(asked).toBe(before);
        else {
          expect(asked).toBeGreaterThan(before);
          hasPassed = !spec.held.includes("begin");
        }
        expect((await mainOf(world))?.includes("PrerequisiteNotMet")).toBe(spec.on && !hasPassed);
      }
    }),
    { numRuns: 30 },
  );
});
