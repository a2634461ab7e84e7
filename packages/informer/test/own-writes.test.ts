import { expect, test } from "vitest";
import { added, bookmark, deleted, errorLine, id, modified, rig, type Rig, type Stream, synced, widget } from "./scripted.ts";

type Synced = Rig & { readonly stream: Stream };
const ref = { name: "a", namespace: "ns" };
const shown = (r: Rig): string => id(r.informer.get(ref));

/** Ends the watch with 410 and responds to the following list. */
async function relist(r: Synced, version: number | string, objects: ReturnType<typeof widget>[]): Promise<Stream> {
  r.stream.send(errorLine(410));
  await r.settle();
  const stream = r.watch().open(...objects.map(added), bookmark(version, true));
  await r.settle();
  return stream;
}

const rows: { name: string; reason: string; run: (r: Synced) => void | Promise<unknown>; shows: string; events: string[] }[] = [
  {
    name: "an own write",
    reason: "reads return it at once, and there is no event",
    run: (r) => r.informer.observeWrite(widget("a", 9)),
    shows: "a@9",
    events: [],
  },
  {
    name: "the event of an own write",
    reason: "it is not reported",
    run: (r) => (r.informer.observeWrite(widget("a", 9)), r.stream.send(modified(widget("a", 9)))),
    shows: "a@9",
    events: [],
  },
  {
    name: "an event older than an own write",
    reason: "the store does not go back",
    run: (r) => (r.informer.observeWrite(widget("a", 10)), r.stream.send(modified(widget("a", 9)))),
    shows: "a@10",
    events: [],
  },
  {
    name: "an older event with fewer digits",
    reason: "versions are compared as numbers",
    run: (r) => (
      r.informer.observeWrite(widget("a", "10000000000000000000001")), r.stream.send(modified(widget("a", "9999999999999999999999")))
    ),
    shows: "a@10000000000000000000001",
    events: [],
  },
  {
    name: "an event newer than an own write",
    reason: "it is a change of another writer",
    run: (r) => (r.informer.observeWrite(widget("a", 9)), r.stream.send(modified(widget("a", 10)))),
    shows: "a@10",
    events: ["updated a@10"],
  },
  {
    name: "a response that arrives after a newer event",
    reason: "the newer state stays",
    run: async (r) => (
      r.stream.send(modified(widget("a", 9)), modified(widget("a", 10))), await r.settle(), r.informer.observeWrite(widget("a", 9))
    ),
    shows: "a@10",
    events: ["updated a@9", "updated a@10"],
  },
  {
    name: "responses in the wrong order",
    reason: "the newer state stays",
    run: (r) => (r.informer.observeWrite(widget("a", 10)), r.informer.observeWrite(widget("a", 9))),
    shows: "a@10",
    events: [],
  },
  {
    name: "the events of several own writes",
    reason: "the first ones are older than the shown state",
    run: (r) => (
      [7, 8, 9].forEach((v) => r.informer.observeWrite(widget("a", v))), r.stream.send(...[7, 8, 9].map((v) => modified(widget("a", v))))
    ),
    shows: "a@9",
    events: [],
  },
  {
    name: "a deletion by another writer after an own write",
    reason: "it is reported",
    run: (r) => (r.informer.observeWrite(widget("a", 9)), r.stream.send(modified(widget("a", 9)), deleted(widget("a", 10)))),
    shows: "none",
    events: ["deleted a@10"],
  },
  {
    name: "a deletion whose event has the version of the last write",
    reason: "a uid is deleted once",
    run: (r) => (r.informer.observeWrite(widget("a", 9)), r.stream.send(deleted(widget("a", 9)))),
    shows: "none",
    events: ["deleted a@9"],
  },
  {
    name: "an own creation before the deletion event of the previous object",
    reason: "the late event is about another uid",
    run: (r) => (
      r.informer.observeWrite(widget("a", 9, { uid: "u2" })),
      r.stream.send(modified(widget("a", 7)), deleted(widget("a", 8)), added(widget("a", 9, { uid: "u2" })))
    ),
    shows: "a@9",
    events: [],
  },
  {
    name: "the response of a creation that arrives after the deletion",
    reason: "a deleted uid is not shown again",
    run: async (r) => {
      r.stream.send(deleted(widget("a", 7)), added(widget("a", 8, { uid: "u2" })), deleted(widget("a", 9, { uid: "u2" })));
      await r.settle();
      r.informer.observeWrite(widget("a", 8, { uid: "u2" }));
    },
    shows: "none",
    events: ["deleted a@7", "added a@8", "deleted a@9"],
  },
  {
    name: "an own removal",
    reason: "the object is hidden whatever late events report, and its deletion is not reported",
    run: (r) => (r.informer.observeDelete(ref, "uid-a"), r.stream.send(modified(widget("a", 9)), deleted(widget("a", 10)))),
    shows: "none",
    events: [],
  },
  {
    name: "an own removal, then a new object of this name",
    reason: "another uid is another object",
    run: (r) => (r.informer.observeDelete(ref, "uid-a"), r.stream.send(deleted(widget("a", 9)), added(widget("a", 10, { uid: "u2" })))),
    shows: "a@10",
    events: ["added a@10"],
  },
  {
    name: "an own removal of another uid than the shown one",
    reason: "only the removed uid is hidden",
    run: (r) => (
      r.informer.observeDelete(ref, "u2"),
      r.stream.send(modified(widget("a", 7)), deleted(widget("a", 8)), added(widget("a", 9, { uid: "u2" })))
    ),
    shows: "none",
    events: ["updated a@7", "deleted a@8"],
  },
  {
    name: "the late response of an own write before an own removal",
    reason: "the removal is final",
    run: (r) => (r.informer.observeDelete(ref, "uid-a"), r.informer.observeWrite(widget("a", 9))),
    shows: "none",
    events: [],
  },
  {
    name: "an own write that removes the last finalizer of a deleted object",
    reason: "it counts as the removal",
    run: (r) =>
      r.informer.observeWrite(
        widget("a", 9, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [], deletionGracePeriodSeconds: 0 } }),
      ),
    shows: "none",
    events: [],
  },
  {
    name: "an own write to a deleted object with another finalizer",
    reason: "the object is still shown",
    run: (r) => r.informer.observeWrite(widget("a", 9, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] } })),
    shows: "a@9",
    events: [],
  },
  {
    name: "an own write to a deleted object with finalizers in its spec",
    reason: "the object is still shown",
    run: (r) =>
      r.informer.observeWrite(
        widget("a", 9, { spec: { finalizers: ["kubernetes"] }, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      ),
    shows: "a@9",
    events: [],
  },
  {
    name: "a list older than an own write",
    reason: "the write stays",
    run: async (r) => (r.informer.observeWrite(widget("a", 9)), await relist(r, 8, [widget("a", 5)])),
    shows: "a@9",
    events: [],
  },
  {
    name: "a list older than an own creation",
    reason: "the object stays",
    run: async (r) => (r.informer.observeWrite(widget("a", 9, { uid: "u2" })), await relist(r, 8, [])),
    shows: "a@9",
    events: [],
  },
  {
    name: "a list newer than an own write, without the object",
    reason: "the object was deleted",
    run: async (r) => (r.informer.observeWrite(widget("a", 9)), await relist(r, 10, [])),
    shows: "none",
    events: ["deleted a@9"],
  },
  {
    name: "a list with an own write",
    reason: "it confirms the write",
    run: async (r) => (r.informer.observeWrite(widget("a", 9)), await relist(r, 12, [widget("a", 9)])),
    shows: "a@9",
    events: [],
  },
  {
    name: "a list older than the shown state",
    reason: "no object is lost, and no deleted one is restored",
    run: async (r) => {
      r.stream.send(modified(widget("a", 9)), added(widget("b", 10)), deleted(widget("b", 11)));
      await r.settle();
      const stream = await relist(r, 10, [widget("a", 5), widget("b", 10)]);
      stream.send(modified(widget("a", 9)), deleted(widget("b", 11)));
    },
    shows: "a@9",
    events: ["updated a@9", "added b@10", "deleted b@11"],
  },
  {
    name: "an old list after a confirmed own removal",
    reason: "a deleted uid is not shown again",
    run: async (r) => (
      r.informer.observeDelete(ref, "uid-a"), r.stream.send(deleted(widget("a", 9))), await r.settle(), await relist(r, 8, [widget("a", 5)])
    ),
    shows: "none",
    events: [],
  },
  {
    name: "a repeated event",
    reason: "it is reported once",
    run: (r) => r.stream.send(modified(widget("a", 9)), modified(widget("a", 9)), deleted(widget("a", 10)), deleted(widget("a", 10))),
    shows: "none",
    events: ["updated a@9", "deleted a@10"],
  },
  {
    name: "an own removal of an own creation that replaced another object",
    reason: "late events of the other object are older than both",
    run: (r) => {
      r.informer.observeWrite(widget("a", 9, { uid: "u2" }));
      r.informer.observeDelete(ref, "u2");
      r.stream.send(
        modified(widget("a", 7)),
        deleted(widget("a", 8)),
        added(widget("a", 9, { uid: "u2" })),
        deleted(widget("a", 10, { uid: "u2" })),
      );
    },
    shows: "none",
    events: [],
  },
  {
    name: "repeated events of an earlier object during an own removal",
    reason: "a deleted uid is not shown again",
    run: async (r) => {
      r.informer.observeDelete(ref, "u2");
      r.stream.send(deleted(widget("a", 8)), added(widget("a", 9, { uid: "u2" })), modified(widget("a", 7)), deleted(widget("a", 8)));
    },
    shows: "none",
    events: ["deleted a@8"],
  },
  {
    name: "the response of a creation after a newer list without the object",
    reason: "the object was deleted",
    run: async (r) => (await relist(r, 10, []), r.informer.observeWrite(widget("a", 9, { uid: "u2" }))),
    shows: "none",
    events: ["deleted a@5"],
  },
  {
    name: "the late event that an object left the selection before an own write",
    reason: "it is older than the write",
    run: (r) => (r.informer.observeWrite(widget("a", 9)), r.stream.send(deleted(widget("a", 7)), added(widget("a", 9)))),
    shows: "a@9",
    events: [],
  },
  {
    name: "an object that leaves the selection and returns",
    reason: "the same uid with a newer version exists",
    run: (r) => r.stream.send(deleted(widget("a", 7)), added(widget("a", 9))),
    shows: "a@9",
    events: ["deleted a@7", "added a@9"],
  },
  {
    name: "versions that are not numbers",
    reason: "only the event of the own write confirms it",
    run: (r) => (
      r.informer.observeWrite(widget("a", "w")),
      r.stream.send(modified(widget("a", "v")), modified(widget("a", "w")), modified(widget("a", "x")))
    ),
    shows: "a@x",
    events: ["updated a@x"],
  },
];

test.for(rows)("$name: $reason", async ({ run, shows, events }) => {
  const r = await synced(6, [widget("a", 5)]);
  await run(r);
  await r.settle();
  expect(shown(r)).toBe(shows);
  expect(r.informer.list({ namespace: "ns" }).map(id)).toEqual(shows === "none" ? [] : [shows]);
  expect(r.events()).toEqual(events);
});

test("indexes contain the response of an own write", async () => {
  const r = await synced(6, [widget("a", 5, { spec: "x" })]);
  r.informer.addIndex("spec", (object) => [object["spec"] as string]);
  r.informer.observeWrite(widget("a", 9, { spec: "y" }));
  expect([r.informer.byIndex("spec", "x").map(id), r.informer.byIndex("spec", "y").map(id)]).toEqual([[], ["a@9"]]);
  r.informer.observeDelete(ref, "uid-a");
  expect(r.informer.byIndex("spec", "y")).toEqual([]);
});

test("observeWrite does not freeze the writer's object", async () => {
  const r = await synced(6, []);
  const written = { ...widget("a", 9), spec: JSON.parse('{"n": 1, "__proto__": {"x": 1}}') as { n: number } };
  r.informer.observeWrite(written);
  const stored = r.informer.get(ref);
  expect(JSON.stringify(stored)).toBe(JSON.stringify(written));
  written.spec.n = 2;
  expect(stored).toMatchObject({ spec: { n: 1 } });
});

test("the event that confirms an own write is not prepared for the store again, and a newer one is", async () => {
  const ingested: string[] = [];
  const r = await synced(6, [], { ingest: (object) => (ingested.push(id(object)), object) });
  r.informer.observeWrite(widget("a", 9));
  const stored = r.informer.get(ref);
  r.stream.send(modified(widget("a", 9)), modified(widget("a", 9, { uid: "other" })), modified(widget("a", 10)));
  await r.settle();
  expect(ingested).toEqual(["a@9", "a@9", "a@10"]);
  expect(stored).not.toBe(r.informer.get(ref));
});

test("an own write before the first list can be read, and the list does not report it", async () => {
  const r = rig();
  r.informer.observeWrite(widget("a", 9));
  expect(shown(r)).toBe("a@9");
  r.informer.start();
  await r.settle();
  r.watch().open(added(widget("a", 9)), bookmark(9, true));
  await r.settle();
  expect(r.events()).toEqual([]);
});

test("an own write that is not confirmed after three minutes is decided by a list", async () => {
  const r = await synced(6, [widget("a", 5)]);
  r.informer.observeWrite(widget("a", 9));
  r.informer.observeDelete({ name: "b", namespace: "ns" }, "uid-b");
  for (let minute = 0; minute < 3; minute++) {
    expect(shown(r)).toBe("a@9");
    r.stream.send(bookmark(7 + minute));
    await r.clock.advance(60_000);
  }
  expect(r.stream.isClosed).toBe(true);
  expect(shown(r)).toBe("a@9");
  r.watch().open(added(widget("a", 5)), bookmark(10, true));
  await r.settle();
  expect(shown(r)).toBe("a@5");
  expect(r.events()).toEqual(["updated a@5"]);
  expect(r.errors).toEqual([]);
});

test("an object whose announced removal did not happen is shown again by a list after three minutes", async () => {
  const r = await synced(6, [widget("a", 5)]);
  r.informer.observeDelete(ref, "uid-a");
  for (let minute = 0; minute < 3; minute++) {
    r.stream.send(bookmark(7 + minute));
    await r.clock.advance(60_000);
  }
  r.watch().open(added(widget("a", 5)), bookmark(10, true));
  await r.settle();
  expect(shown(r)).toBe("a@5");
  expect(r.events()).toEqual(["added a@5"]);
});

test("a confirmed own write requests no list", async () => {
  const r = await synced(6, [widget("a", 5)]);
  r.informer.observeWrite(widget("a", 9));
  r.stream.send(modified(widget("a", 9)));
  for (let minute = 0; minute < 5; minute++) {
    r.stream.send(bookmark(10 + minute));
    await r.clock.advance(60_000);
  }
  expect(r.waiting).toEqual([]);
  const due = r.clock.nextDue();
  r.informer.observeWrite(widget("a", 20));
  r.stream.send(modified(widget("a", 20)));
  await r.settle();
  expect(r.clock.nextDue(), "no timer is left of it").toBe(due);
});

test("an object that an own write took out of a field selector is deleted as soon as the watch has passed the write", async () => {
  const r = await synced(6, [widget("a", 5)], { fieldSelector: "spec.app=x" });
  r.informer.observeWrite(widget("other", 8));
  r.informer.observeWrite(widget("a", 9));
  r.stream.send(bookmark(8));
  await r.settle();
  expect(r.informer.list().map(id)).toEqual(["a@9"]);
  r.stream.send(deleted(widget("a", 9)));
  await r.settle();
  expect(r.informer.list()).toEqual([]);
  expect(r.events()).toEqual(["deleted other@8", "deleted a@9"]);
});

const labelled = (version: number, app: string) => widget("a", version, { labels: { app } });

test("an object that an own write took out of a label selector is deleted at once, and no older event or list restores it", async () => {
  const warnings: string[] = [];
  const r = await synced(6, [labelled(5, "x")], { labelSelector: { app: "x" }, onWarning: ({ type }) => void warnings.push(type) });
  r.informer.observeWrite(labelled(9, "y"));
  expect(shown(r)).toBe("none");
  r.stream.send(modified(labelled(7, "x")), bookmark(8));
  await r.settle();
  const stream = await relist(r, 8, [labelled(7, "x")]);
  expect(shown(r)).toBe("none");
  stream.send(deleted(labelled(9, "x")), bookmark(9));
  await r.settle();
  expect([shown(r), r.events()]).toEqual(["none", []]);
  expect(warnings).toEqual(["outside"]);
});

test("an object that an own write returned to a label selector is shown, whatever late events report", async () => {
  const r = await synced(6, [labelled(5, "x")], { labelSelector: "app in (x)" });
  r.stream.send(deleted(labelled(7, "x")));
  await r.settle();
  expect(r.events()).toEqual(["deleted a@7"]);
  r.informer.observeWrite(labelled(8, "x"));
  r.stream.send(added(labelled(8, "x")));
  await r.settle();
  expect([shown(r), r.events()]).toEqual(["a@8", []]);
});

test("an own write that no selector selects is not stored and changes no other object", async () => {
  const r = await synced(6, [], { labelSelector: { app: "x" }, onWarning: () => undefined });
  r.informer.observeWrite(labelled(7, "y"));
  r.stream.send(added(labelled(8, "x")));
  await r.settle();
  expect([shown(r), r.events()]).toEqual(["a@8", ["added a@8"]]);
});

test("the event of an expected write that overtakes its response is not reported", async () => {
  const r = await synced(6, [widget("a", 5), widget("b", 6)]);
  const done = r.informer.expectWrite(ref);
  r.stream.send(modified(widget("a", 9)), modified(widget("b", 10)), modified(widget("a", 11)));
  await r.settle();
  expect(r.events()).toEqual(["updated b@10"]);
  r.informer.observeWrite(widget("a", 9));
  done();
  done();
  expect(shown(r)).toBe("a@11");
  expect(r.events()).toEqual(["updated a@11"]);
});

test("an expected write that fails or never ends does not hold events back for good", async () => {
  const r = await synced(6, [widget("a", 5)]);
  const first = r.informer.expectWrite(ref);
  const second = r.informer.expectWrite(ref);
  r.stream.send(modified(widget("a", 9)));
  await r.settle();
  first();
  expect(r.events()).toEqual([]);
  await r.clock.advance(30_000);
  expect(r.events()).toEqual(["updated a@9"]);
  second();
  expect(r.events()).toEqual([]);
});

test("two lists that arrive during an expected write are applied in order", async () => {
  const r = await synced(6, []);
  const done = r.informer.expectWrite(ref);
  const stream = await relist(r, 9, [widget("a", 9)]);
  stream.send(errorLine(410));
  await r.clock.advance(800);
  r.watch().open(bookmark(12, true));
  await r.settle();
  r.informer.observeWrite(widget("a", 9));
  done();
  expect(shown(r)).toBe("none");
  expect(r.events()).toEqual(["deleted a@9"]);
});

test("an own write in a namespace that is not watched is not stored", async () => {
  const r = rig({ namespaces: ["x"] });
  r.informer.observeWrite(widget("a", 9));
  r.informer.observeWrite(widget("b", 10, { namespace: "x" }));
  expect(r.informer.list().map(id)).toEqual(["b@10"]);
  await r.informer.stop();
});
