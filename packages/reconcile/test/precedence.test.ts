/**
 * The precedence matrix: how a pass ends (do) x what a post adds x what becomes of the save, and what each combination means
 * for the queue, the error that is reported, and the status that is stored.
 */
import { ApiError } from "@treadle/apimachinery";
import { conditions, handler, type PassResult, step } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { boom, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

type Do = "ok" | "wait" | "stop" | "throw" | "timeout";
type Post = "ok" | "wait" | "throw" | "timeout";
type Save = "ok" | "409" | "404" | "error";

const postBoom = new Error("post boom");
const saveBoom = new ApiError({ message: "the server is on fire", status: 500 });
const DOS: readonly Do[] = ["ok", "wait", "stop", "throw", "timeout"];
const POSTS: readonly Post[] = ["ok", "wait", "throw", "timeout"];
const SAVES: readonly Save[] = ["ok", "409", "404", "error"];

function pipeline(run: Do, post: Post) {
  return handler(Widget, { deadlines: { stepMs: 1_000, passMs: 5_000, saveMs: 10_000 } })
    .step(conditions())
    .step(
      step(Widget, {
        name: "work",
        conditions: ["Worked"],
        async do(req) {
          req.status.count = 1;
          if (run === "wait") return req.wait("do waits", 7_000);
          if (run === "stop") return req.stop("do stops");
          if (run === "throw") throw boom;
          if (run === "timeout") await new Promise(() => undefined);
          req.conditions.true("Worked");
          return;
        },
        async post(req) {
          req.status.other = `after ${req.outcome.type}`;
          if (post === "wait") return req.wait("post waits", 3_000);
          if (post === "throw") throw postBoom;
          if (post === "timeout") await new Promise(() => undefined);
          return;
        },
      }),
    )
    .build();
}

/** What the rules of design 3.3 say; the save's word weighs most, then the post's, then the step's. */
function expected(run: Do, post: Post, save: Save): { readonly requeue: PassResult["requeue"]; readonly errors: number } {
  if (save === "404") return { requeue: { type: "none" }, errors: 0 };
  const failures = Number(run === "throw" || run === "timeout") + Number(post === "throw" || post === "timeout") + Number(save === "error");
  if (failures > 0) return { requeue: { type: "failure" }, errors: failures };
  if (save === "409")
    return { requeue: { type: "after", afterMs: 0, reason: "another writer changed the object during the pass" }, errors: 0 };
  if (post === "wait") return { requeue: { type: "after", afterMs: 3_000, reason: "post waits" }, errors: 0 };
  if (run === "wait") return { requeue: { type: "after", afterMs: 7_000, reason: "do waits" }, errors: 0 };
  return { requeue: { type: "none" }, errors: 0 };
}

describe("precedence of do, post and save", () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness([Widget]);
    await harness.user.create(Widget, widget());
  });

  const cases = DOS.flatMap((run) => POSTS.flatMap((post) => SAVES.map((save) => ({ run, post, save }))));
  test.for(cases)("do $run, post $post, save $save", async ({ run, post, save }) => {
    let faults = 0;
    harness.intercept = async (request, send) => {
      if (request.method !== "PATCH") return await send();
      if (save === "409" && faults++ === 0) {
        await harness.user.patch(
          Widget,
          { namespace: "default", name: "a" },
          { type: "merge", body: { metadata: { labels: { by: "user" } } } },
        );
      }
      if (save === "404" && faults++ === 0) await harness.user.delete(Widget, { namespace: "default", name: "a" });
      if (save === "error") throw saveBoom;
      return await send();
    };
    const running = harness.operator(pipeline(run, post)).pass("default/a");
    await harness.clock.advance(10_000);
    const result = await running;

    const want = expected(run, post, save);
    const errors = result.error instanceof AggregateError ? result.error.errors : result.error === undefined ? [] : [result.error];
    expect({ requeue: result.requeue, errors: errors.length }).toEqual(want);
    expect(
      harness.logs.filter(({ level }) => level === "error"),
      "a failed pass is logged once",
    ).toHaveLength(want.errors === 0 ? 0 : 1);

    const live = await harness.user.get(Widget, { namespace: "default", name: "a" });
    if (save === "404") expect(live).toBeUndefined();
    else if (save === "error") expect(live?.status).toBeUndefined();
    else {
      expect(live?.status, "what a failing step wrote is stored too").toMatchObject({ count: 1, observedGeneration: 1 });
      expect(live?.status?.other).toBe(`after ${run === "ok" ? "done" : run === "throw" || run === "timeout" ? "failed" : run}`);
      const ready = live?.status?.conditions?.find(({ type }) => type === "Ready");
      expect(ready?.status === "True", "Ready is True only if nothing waited, stopped or failed").toBe(run === "ok" && post === "ok");
    }
  });
});
