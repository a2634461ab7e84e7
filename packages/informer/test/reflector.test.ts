import { type Kind, metadataOnly, seededRandom, TurnBudget } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import {
  added,
  apiError,
  bookmark,
  deleted,
  errorLine,
  id,
  modified,
  page,
  type Rig,
  rig,
  synced,
  Widget,
  type WidgetKind,
  widget,
} from "./scripted.ts";

const ref = (name: string) => ({ name, namespace: "ns" });

/** Refuses the streaming list, as a server without WatchList does. */
async function pagedRig(options: Parameters<typeof rig>[0] = {}): Promise<Rig> {
  const made = rig(options);
  made.informer.start();
  await made.settle();
  made.watch().fail(apiError(422));
  await made.settle();
  return made;
}

test("a reflector requests initial events, and continues to watch in the same stream", async () => {
  const r = rig();
  r.informer.start();
  await r.settle();
  const call = r.watch();
  expect(call.options).toMatchObject({ sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowBookmarks: true });
  expect(call.options).not.toHaveProperty("resourceVersion");
  const stream = call.open(added(widget("a", 5)), added(widget("b", 3)));
  await r.settle();
  expect(r.informer.hasSynced).toBe(false);
  expect(r.events()).toEqual([]);
  stream.send(bookmark(7, true));
  await r.settle();
  expect(r.informer.hasSynced).toBe(true);
  expect(r.events()).toEqual(["added a@5 (initial)", "added b@3 (initial)"]);
  stream.send(modified(widget("a", 8)), deleted(widget("b", 9)), added(widget("c", 10)));
  await r.settle();
  expect(r.events()).toEqual(["updated a@8", "deleted b@9", "added c@10"]);
  expect(r.waiting).toEqual([]);
});

test("changes among the initial events are applied", async () => {
  const r = rig();
  r.informer.start();
  await r.settle();
  r.watch().open(
    added(widget("a", 1)),
    added(widget("b", 2)),
    bookmark(3),
    modified(widget("a", 4)),
    deleted(widget("b", 5)),
    bookmark(5, true),
  );
  await r.settle();
  expect(r.events()).toEqual(["added a@4 (initial)"]);
});

test.for([400, 405, 415, 422, 501])(
  "a reflector lists by pages from then on when the server refuses initial events with %i",
  async (status) => {
    const r = rig({ pageSize: 2 });
    r.informer.start();
    await r.settle();
    r.watch().fail(apiError(status));
    await r.settle();
    const first = r.list();
    expect(first.options).toMatchObject({ limit: 2 });
    expect(first.options).not.toHaveProperty("resourceVersion");
    first.answer(page(9, [widget("a", 1), widget("b", 2)], "token-1"));
    await r.settle();
    const second = r.list();
    expect(second.options).toMatchObject({ limit: 2, continue: "token-1" });
    expect(r.informer.hasSynced).toBe(false);
    second.answer(page(9, [widget("c", 3)]));
    await r.settle();
    expect(r.events()).toEqual(["added a@1 (initial)", "added b@2 (initial)", "added c@3 (initial)"]);
    const watch = r.watch();
    expect(watch.options).toMatchObject({ resourceVersion: "9", allowBookmarks: true });
    expect(watch.options).not.toHaveProperty("sendInitialEvents");
    watch.fail(apiError(410));
    await r.settle();
    expect(r.list().options).not.toHaveProperty("continue");
    expect(r.errors).toEqual([]);
  },
);

test("the first page has 100 objects by default, and pages of small objects have 250 from the second on", async () => {
  const r = await pagedRig();
  const first = r.list();
  expect(first.options.limit).toBe(100);
  first.answer(page(9, [widget("a", 1)], "next"));
  await r.settle();
  expect(r.list().options.limit).toBe(250);
});

test("metadata is listed by pages of up to 1,000 objects, not streamed", async () => {
  const r = rig({ kind: metadataOnly(Widget) as Kind as WidgetKind }); // The script gives Widgets for any kind.
  r.informer.start();
  await r.settle();
  const first = r.list();
  expect(first.options.limit).toBe(100);
  first.answer(page(9, [widget("a", 1)], "next"));
  await r.settle();
  const second = r.list();
  expect(second.options.limit).toBe(1_000);
  second.answer(page(9, []));
  await r.settle();
  const watch = r.watch();
  expect(watch.options).toMatchObject({ resourceVersion: "9" });
  watch.fail(apiError(410));
  await r.settle();
  expect(r.list().options).toMatchObject({ limit: 100 });
});

test("the next page is requested while the objects of a page are taken", async () => {
  const takes: string[] = [];
  const requested: number[] = [];
  const r = await pagedRig({
    pageSize: 2,
    ingest: (object) => {
      takes.push(object.metadata.name);
      requested.push(r.waiting.length);
      return object;
    },
  });
  r.list().answer(page(9, [widget("a", 1), widget("b", 2)], "next"));
  await r.settle();
  r.list().answer(page(9, [widget("c", 3)]));
  await r.settle();
  expect(takes).toEqual(["a", "b", "c"]);
  expect(requested).toEqual([1, 1, 0]);
});

test("a list whose page has an object without a name fails, and its request for the next page does no harm", async () => {
  const r = await pagedRig({ pageSize: 1 });
  r.list().answer(page(9, [widget("", 1)], "next"));
  await r.settle();
  expect(r.errors.map(({ where }) => where)).toEqual(["list"]);
  r.list().fail(apiError(500));
  await r.settle();
  expect(r.errors).toHaveLength(1);
});

test("the first page has no more objects than pageSize", async () => {
  const r = await pagedRig({ pageSize: 20 });
  expect(r.list().options.limit).toBe(20);
});

test("pages of large objects are smaller from the second page on", async () => {
  const r = await pagedRig();
  const large = Array.from({ length: 10 }, (_, i) => widget(`w${i}`, i + 1, { spec: "x".repeat(20_000) }));
  r.list().answer(page(9, large, "next"));
  await r.settle();
  const second = r.list();
  expect(second.options).toMatchObject({ continue: "next", limit: 29 });
  second.answer(page(9, [widget("small", 1)], "last"));
  await r.settle();
  expect(r.list().options.limit).toBe(250);
});

test("a list begins again when a continue token expires, and the second time it is read in one piece", async () => {
  const r = await pagedRig({ pageSize: 1 });
  for (const _ of [1, 2]) {
    r.list().answer(page(1, [widget("a", 1)], "t"));
    await r.settle();
    r.list().fail(apiError(410));
    await r.settle();
  }
  const whole = r.list();
  expect(whole.options).not.toHaveProperty("limit");
  expect(whole.options).not.toHaveProperty("continue");
  whole.answer(page(6, [widget("b", 6)]));
  await r.settle();
  expect(r.events()).toEqual(["added b@6 (initial)"]);
  expect(r.watch().options.resourceVersion).toBe("6");
});

test("an initial stream that ends, breaks or falls silent too early is followed by a paged list", async () => {
  for (const spoil of ["end", "fail", "silence"] as const) {
    const r = rig();
    r.informer.start();
    await r.settle();
    const stream = r.watch().open(added(widget("a", 1)));
    if (spoil === "end") stream.end();
    if (spoil === "fail") stream.fail(new Error("reset"));
    await r.clock.advance(spoil === "silence" ? 15_800 : 800);
    r.list().answer(page(4, [widget("b", 3)]));
    await r.settle();
    expect(r.events(), spoil).toEqual(["added b@3 (initial)"]);
    r.watch().fail(apiError(410));
    await r.settle();
    // The server did not refuse streams, so the next list is a stream again.
    expect(r.watch().options.sendInitialEvents, spoil).toBe(true);
    await r.informer.stop();
  }
});

test("a watch lasts a random time of five to ten minutes", async () => {
  const random = seededRandom(1);
  for (let i = 0; i < 20; i++) {
    const r = rig({ random });
    r.informer.start();
    await r.settle();
    const { timeoutSeconds = 0 } = r.watch().options;
    expect(timeoutSeconds).toBeGreaterThanOrEqual(300);
    expect(timeoutSeconds).toBeLessThanOrEqual(600);
    expect(Number.isInteger(timeoutSeconds)).toBe(true);
    await r.informer.stop();
  }
});

test("a watch that ends without an error is resumed at the last event or bookmark, a second later when it ended at once", async () => {
  const r = await synced(5, [widget("a", 5)]);
  r.stream.send(modified(widget("a", 6)), bookmark(9));
  r.stream.end();
  await r.settle();
  expect(r.waiting).toEqual([]);
  await r.clock.advance(1000);
  const second = r.watch();
  expect(second.options).toMatchObject({ resourceVersion: "9" });
  const stream = second.open();
  await r.clock.advance(60_000);
  stream.end();
  await r.settle();
  expect(r.watch().options).toMatchObject({ resourceVersion: "9" });
  expect(r.errors).toEqual([]);
});

test("a broken stream is resumed at the last version after a backoff that doubles and is reset after two minutes without failure", async () => {
  const r = await synced(5, [widget("a", 5)]);
  r.stream.send(modified(widget("a", 6)));
  await r.settle();
  r.stream.fail(new Error("ECONNRESET"));
  for (const delay of [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
    await r.clock.advance(delay - 1);
    expect(r.waiting, `${delay}`).toEqual([]);
    await r.clock.advance(1);
    const call = r.watch();
    expect(call.options.resourceVersion).toBe("6");
    call.fail(apiError(500));
  }
  await r.clock.advance(30_000);
  const stream = r.watch().open();
  for (let minute = 0; minute < 2; minute++) {
    await r.clock.advance(60_000);
    stream.send(bookmark(7 + minute));
    await r.settle();
  }
  stream.fail(new Error("ECONNRESET"));
  await r.clock.advance(800);
  expect(r.watch().options.resourceVersion).toBe("8");
  expect(r.errors).toHaveLength(10);
});

test("jitter adds up to the delay itself", async () => {
  const r = await synced(5, [], { random: { next: () => 0.5 } });
  r.stream.fail(new Error("ECONNRESET"));
  await r.clock.advance(1199);
  expect(r.waiting).toEqual([]);
  await r.clock.advance(1);
  expect(r.waiting).toHaveLength(1);
});

test.for([
  { name: "as a response", fail: (r: Awaited<ReturnType<typeof synced>>) => r.stream.end(), answer: true },
  { name: "as an event", fail: (r: Awaited<ReturnType<typeof synced>>) => r.stream.send(errorLine(429, 7)), answer: false },
])("429 $name is followed by the pause that the server asks for, and by no list", async ({ fail, answer }) => {
  const r = await synced(5, [widget("a", 5)]);
  fail(r);
  await r.settle();
  if (answer) {
    await r.clock.advance(1000);
    r.watch().fail(apiError(429, 7000));
  }
  await r.clock.advance(6999);
  expect(r.waiting).toEqual([]);
  await r.clock.advance(1);
  expect(r.watch().options.resourceVersion).toBe("5");
  expect(r.informer.get(ref("a"))).toBeDefined();
});

test.for(["answer", "event"])("after 410 as %s the informer lists again and reports exactly the changes in between", async (how) => {
  const before = [widget("same", 1), widget("changed", 2), widget("gone", 3), widget("recreated", 4)];
  const r = await synced(5, before);
  const same = r.informer.get(ref("same"));
  if (how === "event") r.stream.send(errorLine(410));
  else {
    r.stream.end();
    await r.clock.advance(1000);
    r.watch().fail(apiError(410));
  }
  await r.settle();
  r.watch().open(
    ...[widget("same", 1), widget("changed", 7), widget("recreated", 8, { uid: "uid-2" }), widget("new", 9)].map(added),
    bookmark(10, true),
  );
  await r.settle();
  expect(r.events()).toEqual(["updated changed@7", "deleted recreated@4", "added recreated@8", "added new@9", "deleted gone@3"]);
  expect(r.informer.get(ref("same"))).toBe(same);
  expect(r.informer.list().map(id)).toEqual(["same@1", "changed@7", "recreated@8", "new@9"]);
  expect(r.errors).toEqual([]);
});

test("repeated 410 responses are followed by longer and longer pauses", async () => {
  const r = await synced(5, []);
  r.stream.send(errorLine(410));
  await r.settle();
  for (const delay of [800, 1600, 3200]) {
    r.watch().open(bookmark(6, true), errorLine(410));
    await r.clock.advance(delay - 1);
    expect(r.waiting, `${delay}`).toEqual([]);
    await r.clock.advance(1);
  }
});

test("after an ERROR event other than 410 and 429 the watch is resumed at the last version after a backoff", async () => {
  const r = await synced(5, [widget("a", 5)]);
  r.stream.send(errorLine(500));
  await r.clock.advance(800);
  expect(r.watch().options.resourceVersion).toBe("5");
  expect(r.errors.map(({ where }) => where)).toEqual(["watch"]);
});

test("a watch that is silent for 90 seconds is closed and resumed at once, and not reported as a failure", async () => {
  const r = await synced(5, [widget("a", 5)]);
  await r.clock.advance(60_000);
  r.stream.send(bookmark(6));
  await r.clock.advance(89_999);
  expect(r.stream.isClosed).toBe(false);
  await r.clock.advance(1);
  expect(r.stream.isClosed).toBe(true);
  expect(r.informer.progress()).toMatchObject({ ageMs: 90_000, hasSynced: true });
  expect(r.watch().options.resourceVersion).toBe("6");
  expect(r.errors).toEqual([]);
  expect(r.informer.progress().lastError).toBeUndefined();
});

test("an unreachable server is reported when the watch cannot be opened again", async () => {
  const r = await synced(5, [widget("a", 5)]);
  await r.clock.advance(90_000);
  r.watch();
  await r.clock.advance(90_000);
  expect(r.errors.map(({ where }) => where)).toEqual(["watch"]);
  expect(String(r.informer.progress().lastError)).toContain("nothing came from the server for 90 s");
  await r.clock.advance(800);
  r.watch().fail(new Error("ECONNREFUSED"));
  await r.settle();
  expect(r.errors).toHaveLength(2);
});

test("the bookmark at the end of initial events does not count as a periodic one: an idle watch is opened again once, silently", async () => {
  const r = await synced(5, [widget("a", 5)]);
  await r.clock.advance(90_000);
  const quiet = r.watch().open();
  await r.clock.advance(304_999);
  expect(quiet.isClosed).toBe(false);
  expect(r.waiting).toEqual([]);
  await r.clock.advance(1);
  expect(r.watch().options.resourceVersion).toBe("5");
  expect(r.errors).toEqual([]);
  expect(r.events()).toEqual([]);
});

test("a watch of a server without bookmarks may be silent until the end of the server's timeout", async () => {
  const r = await pagedRig();
  r.list().answer(page(5, []));
  await r.settle();
  r.watch().open();
  await r.clock.advance(90_000);
  const quiet = r.watch().open();
  await r.clock.advance(304_999);
  expect(quiet.isClosed).toBe(false);
  quiet.send(bookmark(7));
  await r.clock.advance(90_000);
  expect(quiet.isClosed).toBe(true);
});

test("requests without a response are aborted", async () => {
  const r = rig();
  r.informer.start();
  await r.settle();
  const silent = r.watch();
  await r.clock.advance(90_000);
  expect(silent.options.signal?.aborted).toBe(true);
  await r.clock.advance(800);
  const list = r.list();
  await r.clock.advance(90_000);
  expect(list.options.signal?.aborted).toBe(true);
  expect(r.informer.hasSynced).toBe(false);
});

test("a kind that is not served is requested every ten seconds, reported, and listed once it is served", async () => {
  const r = rig();
  r.informer.start();
  await r.settle();
  for (let i = 0; i < 3; i++) {
    r.watch().fail(apiError(404));
    await r.clock.advance(9999);
    expect(r.waiting).toEqual([]);
    await r.clock.advance(1);
  }
  expect(r.informer.hasSynced).toBe(false);
  expect(r.errors).toHaveLength(3);
  expect(r.informer.progress().lastError).toMatchObject({ code: "ERR_KIND_NOT_SERVED" });
  r.watch().open(bookmark(1, true));
  await r.settle();
  expect(r.informer.hasSynced).toBe(true);
  expect(r.informer.progress().lastError).toBeUndefined();
});

test("a kind that is no longer served is listed again when it returns", async () => {
  const r = await synced(5, [widget("a", 5)]);
  r.stream.end();
  await r.clock.advance(1000);
  r.watch().fail(apiError(404));
  await r.clock.advance(10_000);
  expect(r.informer.get(ref("a"))).toBeDefined();
  r.watch().open(added(widget("b", 7)), bookmark(8, true));
  await r.settle();
  expect(r.events()).toEqual(["added b@7", "deleted a@5"]);
});

test("late events do not lower the version at which the watch resumes", async () => {
  const r = await synced(5, [widget("a", 3)]);
  r.stream.send(deleted(widget("a", 3)), bookmark(5));
  r.stream.end();
  await r.clock.advance(1000);
  expect(r.watch().options.resourceVersion).toBe("5");
});

test.for(["stream", "pages"])("a long first list by %s is split over several turns of the event loop", async (how) => {
  let spentMs = 0;
  const turn = new TurnBudget({ maxMs: 8, clock: { elapsed: () => spentMs } });
  const made = rig({ ingest: (object) => (spentMs++, object) }, { turn });
  const handled: number[] = [];
  made.informer.onEvent(() => void handled.push((spentMs++, turns)));
  let turns = 0;
  let isOver = false;
  const watchTurns = (): void => {
    turns++;
    if (!isOver) setImmediate(watchTurns);
  };
  made.informer.start();
  await made.settle();
  const objects = Array.from({ length: 60 }, (_, i) => widget(`w${i}`, i + 1));
  const call = made.watch();
  if (how === "stream") call.open(...objects.map(added), bookmark(99, true));
  else {
    call.fail(apiError(422));
    await made.settle();
    made.list().answer(page(99, objects));
  }
  watchTurns();
  await made.informer.synced();
  isOver = true;
  // 60 ms to store the objects, 60 ms to report them: at 8 ms a turn, 7 turns each.
  expect(handled[0]).toBeGreaterThanOrEqual(6);
  expect(turns).toBeGreaterThanOrEqual(13);
  await made.informer.stop();
});

test("the age in progress() grows without responses and is reset by any response", async () => {
  const r = await synced(5, []);
  await r.clock.advance(50_000);
  expect(r.informer.progress().ageMs).toBe(50_000);
  r.stream.send(bookmark(6));
  await r.settle();
  expect(r.informer.progress().ageMs).toBe(0);
  r.stream.fail(new Error("reset"));
  await r.clock.advance(800);
  r.watch().fail(apiError(503));
  await r.settle();
  expect(r.informer.progress().ageMs).toBe(800);
});

test("an event without a name ends the watch with an error that names the problem", async () => {
  const r = await synced(5, [widget("a", 5)]);
  // No server should send this.
  r.stream.send(added({ apiVersion: "v1", kind: "Widget", metadata: {} } as never));
  await r.clock.advance(800);
  expect(String(r.errors[0]?.error)).toContain("without a name");
  expect(r.watch().options.resourceVersion).toBe("5");
});

test("several namespaces are listed and watched separately and shown together", async () => {
  const r = rig({ namespaces: ["x", "y"], labelSelector: { app: "a" }, fieldSelector: "metadata.name!=z" });
  r.informer.start();
  await r.settle();
  const [x, y] = [r.watch(), r.watch()];
  expect(x.options).toMatchObject({ namespace: "x", labelSelector: { app: "a" }, fieldSelector: "metadata.name!=z" });
  expect(y.options).toMatchObject({ namespace: "y" });
  const first = x.open(added(widget("a", 1, { namespace: "x" })), bookmark(2, true));
  await r.settle();
  expect(r.informer.hasSynced).toBe(false);
  y.open(added(widget("a", 2, { namespace: "y" })), bookmark(9, true));
  await r.settle();
  expect(r.informer.hasSynced).toBe(true);
  expect(r.informer.list().map((o) => o.metadata.namespace)).toEqual(["x", "y"]);
  r.events();
  first.send(errorLine(410));
  await r.settle();
  r.watch().open(bookmark(10, true));
  await r.settle();
  expect(r.events()).toEqual(["deleted a@1"]);
  expect(r.informer.list({ namespace: "y" }).map(id)).toEqual(["a@2"]);
});

test("stop ends all requests and events and leaves the store readable", async () => {
  const r = await synced(5, [widget("a", 5)]);
  await r.informer.stop();
  expect(r.stream.isClosed).toBe(true);
  r.stream.send(modified(widget("a", 6)));
  await r.clock.advance(1_000_000);
  expect(r.events()).toEqual([]);
  expect(r.waiting).toEqual([]);
  expect(id(r.informer.get(ref("a")))).toBe("a@5");
  await r.informer.stop();
  r.informer.start();
  await r.settle();
  expect(r.waiting).toEqual([]);
});

test("a handler that stops the informer is the last to be called", async () => {
  const r = rig();
  r.informer.onEvent(() => void r.informer.stop());
  r.informer.start();
  await r.settle();
  r.watch().open(added(widget("a", 1)), added(widget("b", 2)), bookmark(3, true));
  await r.settle();
  expect(r.events()).toEqual(["added a@1 (initial)"]);
  expect(r.informer.hasSynced).toBe(false);
});

test("synced resolves after the first list, and rejects when aborted or stopped first", async () => {
  const r = rig();
  r.informer.start();
  const reason = new Error("enough");
  await expect(r.informer.synced(AbortSignal.abort(reason))).rejects.toBe(reason);
  const waiting = r.informer.synced();
  await r.settle();
  r.watch().open(bookmark(1, true));
  await waiting;
  await r.informer.synced(AbortSignal.abort(reason));

  const never = rig();
  const given = never.informer.synced();
  await never.informer.stop();
  await expect(given).rejects.toThrow("stopped");
});
