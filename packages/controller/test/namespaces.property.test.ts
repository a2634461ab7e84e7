/** The watched namespaces change at random, while objects come, change and go, and whoever asked gives up waiting. */
import { isNotFound } from "@treadle/apimachinery";
import { Namespace, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startWorld, Widget, widget, type World } from "./world.ts";

const ALL = ["a", "b", "c"] as const;
const namespace = fc.constantFrom(...ALL);
const action = fc.oneof(
  fc.record({
    type: fc.constant("set"),
    to: fc.option(fc.subarray([...ALL], { minLength: 1 }), { nil: undefined }),
    givesUp: fc.boolean(),
  }),
  fc.record({ type: fc.constant("change"), namespace, size: fc.integer({ min: 1, max: 99 }) }),
  fc.record({ type: fc.constant("remove or make"), namespace }),
  fc.record({ type: fc.constant("turns"), count: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ type: fc.constant("time"), ms: fc.integer({ min: 0, max: 2000 }) }),
);
type Action = Partial<Record<"to", readonly string[]>> & {
  readonly type: string;
  readonly givesUp?: boolean;
  readonly namespace?: string;
  readonly size?: number;
  readonly count?: number;
  readonly ms?: number;
};

/** Remembers what may not be: an absence of what is there, and the cleanup of what was not deleted. */
function watcher(deleted: ReadonlySet<string>, wrong: string[], pause: () => Promise<void>) {
  return handler(Widget)
    .step(conditions())
    .step(
      step(Widget, {
        name: "look",
        reads: { secret: one(Secret, () => "s", { metadata: true }) },
        async do(req) {
          await pause();
          if (req.reads.secret === undefined) wrong.push(`no secret in ${req.object.metadata.namespace}`);
          req.status.seen = req.object.spec.size;
        },
        cleanup: ({ object: { metadata } }) => void (deleted.has(metadata.uid ?? "") || wrong.push(`cleanup in ${metadata.namespace}`)),
      }),
    )
    .build();
}

async function act(world: World, action: Action, deleted: Set<string>): Promise<void> {
  const { user, manager, clock } = world;
  const ref = { name: "w", namespace: action.namespace ?? "" };
  if (action.type === "set") {
    const given = new AbortController();
    manager.setNamespaces(action.to, given.signal).catch(() => undefined); // Of who gives up.
    if (action.givesUp === true) given.abort(new Error("no time"));
  } else if (action.type === "turns") for (let at = 0; at < (action.count ?? 0); at++) await Promise.resolve();
  else if (action.type === "time") await clock.advance(action.ms ?? 0);
  else {
    const live = await user.get(Widget, ref);
    if (live === undefined) await user.create(Widget, widget("w", {}, ref.namespace));
    else if (action.type === "change")
      await user.patch(Widget, ref, { type: "merge", body: { spec: { size: action.size } } }).catch(unlessGone);
    else if (live.metadata.deletionTimestamp === undefined) {
      deleted.add(live.metadata.uid ?? "");
      await user.delete(Widget, ref);
    }
  }
}

/** The cleanup may have ended between two requests of the user. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/**
 * - Nothing that is there is taken for absent, and nothing is cleaned up that was not deleted; no pass fails.
 * - In the end exactly the namespaces that were named last are watched, and every object in them is as it should be.
 */
test("in any order of calls and lists, no deletion is invented, and the last call wins", { tags: ["part"] }, async ({ part }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const deleted = new Set<string>();
      const wrong: string[] = [];
      let pause = async (): Promise<void> => undefined;
      const world = await startWorld({
        handlers: [watcher(deleted, wrong, () => pause())],
        start: false,
        namespaces: ["a"],
        // Secrets are listed late, when widgets are long known.
        intercept: (transport) => ({
          ...transport,
          async request(request) {
            if (request.path.includes("/secrets")) await pause();
            return await transport.request(request);
          },
        }),
      });
      for (const name of ALL) {
        await world.user.create(Namespace, { metadata: { name } });
        await world.user.create(Secret, { metadata: { name: "s", namespace: name } });
        await world.user.create(Widget, widget("w", {}, name));
      }
      await world.manager.start();
      pause = () => new Promise((resolve) => void world.clock.after(300, resolve));
      for (const each of actions) await act(world, each as Action, deleted);
      await world.clock.advance(10_000);
      await world.settled();
      expect(wrong).toEqual([]);
      expect(world.logs.filter(({ level }) => level === "error")).toEqual([]);
      const sets = actions.filter(({ type }) => type === "set") as readonly Action[];
      const watched = sets.length === 0 ? ["a"] : (sets.at(-1)?.to ?? ALL);
      expect(ALL.filter((name) => world.manager.informers?.get(Widget)?.covers(name))).toEqual(
        ALL.filter((name) => watched.includes(name)),
      );
      for (const name of watched) {
        const live = await world.user.get(Widget, { name: "w", namespace: name });
        if (live === undefined) continue;
        expect(live.metadata.deletionTimestamp).toBeUndefined();
        expect(live.status).toMatchObject({ seen: live.spec.size, observedGeneration: live.metadata.generation });
      }
      await world.manager.stop();
    }),
    part.runs(100),
  );
});
