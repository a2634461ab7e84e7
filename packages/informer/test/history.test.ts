/** Versions in a watch: those of another history, missing ones, and versions at which every attempt fails. */
import { ApiError } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { added, apiError, bookmark, errorLine, id, type Line, modified, page, rig, synced, widget } from "./scripted.ts";

const ref = (name: string) => ({ name, namespace: "ns" });

/** After the backoff, responds to the next request, which must be a list (as a stream). */
async function relisted(r: Awaited<ReturnType<typeof synced>>, version: number, objects: readonly ReturnType<typeof widget>[]) {
  await r.clock.advance(1000);
  const call = r.watch();
  expect(call.options).toMatchObject({ sendInitialEvents: true });
  expect(call.options).not.toHaveProperty("resourceVersion");
  const stream = call.open(...objects.map(added), bookmark(version, true));
  await r.settle();
  return stream;
}

test("after a bookmark older than the watch, the informer lists again and shows all objects whatever their version", async () => {
  const r = await synced(35, [widget("old", 30), widget("same", 3), widget("rolled-back", 31)]);
  r.stream.send(bookmark(5));
  await r.settle();
  expect(String(r.informer.progress().lastError)).toContain("went back from resourceVersion 35 to 5");
  expect(r.errors).toHaveLength(1);
  const stream = await relisted(r, 6, [widget("same", 3), widget("rolled-back", 4), widget("new", 6)]);
  expect(r.events().sort()).toEqual(["added new@6", "deleted old@30", "updated rolled-back@4"]);
  expect(r.informer.progress().lastError).toBeUndefined();
  stream.send(modified(widget("same", 7)), bookmark(8));
  await r.settle();
  expect(r.events()).toEqual(["updated same@7"]);
  expect(r.errors).toHaveLength(1);
});

test("after the server was restored, the same version of an object does not count as the same state", async () => {
  const r = await synced(35, [widget("a", 30, { spec: { of: "before" } })]);
  r.stream.send(bookmark(5));
  await r.settle();
  await relisted(r, 40, [widget("a", 30, { spec: { of: "after" } })]);
  expect(r.events()).toEqual(["updated a@30"]);
  expect(r.informer.get(ref("a"))).toMatchObject({ spec: { of: "after" } });
});

test("after the server was restored, earlier own writes and removals do not hide its objects, and new ones count", async () => {
  const r = await synced(35, [widget("removed", 30), widget("written", 31), widget("b", 32)]);
  r.informer.observeDelete(ref("removed"), "uid-removed");
  r.informer.observeWrite(widget("written", 36));
  const done = r.informer.expectWrite(ref("b"));
  r.stream.send(bookmark(5));
  await r.settle();
  r.informer.observeWrite(widget("b", 7));
  done();
  expect(id(r.informer.get(ref("b")))).toBe("b@7");
  await relisted(r, 6, [widget("removed", 4), widget("written", 5), widget("b", 3)]);
  expect(r.informer.list().map(id).sort()).toEqual(["b@7", "removed@4", "written@5"]);
});

test("events older than the watch do not count as a restored server", async () => {
  const r = await synced(35, [widget("a", 30)]);
  r.stream.send(modified(widget("a", 29)), added(widget("a", 30)), bookmark(35));
  await r.clock.advance(2000);
  expect(r.errors).toEqual([]);
  expect(r.waiting).toEqual([]);
  expect(r.events()).toEqual([]);
});

test.for([
  ["an event", added(widget("b", ""))],
  ["a bookmark", bookmark("")],
  ["a bookmark without metadata", { type: "BOOKMARK", object: {} } as unknown as Line],
  ["a bookmark of nothing", { type: "BOOKMARK", object: null } as unknown as Line],
] as const)("%s without a version does not change the version of the watch", async ([, line]) => {
  const r = await synced(10, [widget("a", 9)]);
  r.stream.send(line);
  r.stream.end();
  await r.clock.advance(1000);
  expect(r.watch().options.resourceVersion).toBe("10");
  expect(r.errors).toEqual([]);
});

const tooLarge = new ApiError({
  message: "Too large resource version: 500, current: 5",
  status: 504,
  reason: "Timeout",
  details: { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }] },
});

test.for([
  ["400", apiError(400)],
  ["504 ResourceVersionTooLarge", tooLarge],
  ["a reason Expired with another status", new ApiError({ message: "too old", status: 500, reason: "Expired" })],
] as const)("a version that the server refuses with %s is followed by a list at once", async ([, refusal]) => {
  const r = await synced(10, []);
  r.stream.send(bookmark("abc"));
  r.stream.end();
  await r.clock.advance(1000);
  const call = r.watch();
  expect(call.options.resourceVersion).toBe("abc");
  call.fail(refusal);
  await relisted(r, 11, [widget("a", 11)]);
  expect(r.events()).toEqual(["added a@11"]);
});

test.for([
  ["no code", { reason: "Expired", message: "too old resource version" }],
  ["a code in text", { code: "410", message: "too old resource version" }],
  ["the reason Gone", { reason: "Gone" }],
] as const)("an ERROR event with %s counts as an expired version", async ([, status]) => {
  const r = await synced(10, []);
  r.stream.send({ type: "ERROR", object: status } as unknown as Line);
  await r.settle();
  expect(r.watch().options).toMatchObject({ sendInitialEvents: true });
  expect(r.errors).toEqual([]);
});

test("ten failures in a row at one version are followed by a list; 429 does not count", async () => {
  const r = await synced(10, []);
  r.stream.fail(new Error("reset"));
  for (let i = 1; i < 10; i++) {
    await r.clock.advance(30_000);
    const throttled = r.watch();
    throttled.fail(apiError(429));
    await r.clock.advance(30_000);
    const call = r.watch();
    expect(call.options.resourceVersion, `failure ${i}`).toBe("10");
    call.fail(apiError(500));
  }
  await r.clock.advance(30_000);
  expect(r.watch().options).toMatchObject({ sendInitialEvents: true });
});

test("three silent watches in a row of a server that sent bookmarks are followed by a list", async () => {
  const r = await synced(10, []);
  r.stream.send(bookmark(11));
  for (let i = 0; i < 2; i++) {
    await r.clock.advance(90_000);
    const call = r.watch();
    expect(call.options.resourceVersion).toBe("11");
    call.open();
  }
  await r.clock.advance(90_000);
  expect(r.watch().options).toMatchObject({ sendInitialEvents: true });
  expect(r.errors).toEqual([]);
});

test("a watch that reports a change between its failures keeps its version", async () => {
  const r = await synced(10, []);
  r.stream.fail(new Error("reset"));
  for (let i = 0; i < 15; i++) {
    await r.clock.advance(30_000);
    const call = r.watch();
    expect(call.options.resourceVersion).toBe("10");
    const stream = call.open(bookmark(10));
    await r.settle();
    stream.fail(new Error("reset"));
  }
});

test.for([
  ["ADDED null", { type: "ADDED", object: null }, "without a name"],
  ["ADDED {}", { type: "ADDED", object: {} }, "without a name"],
  ["a name that is not a string", { type: "ADDED", object: { metadata: { name: 5 } } }, "without a name"],
  ["ERROR null", { type: "ERROR", object: null }, "no reason given"],
  ["ERROR {}", { type: "ERROR", object: {} }, "no reason given"],
] as const)("%s is a failure whose message names what the server sent", async ([, line, words]) => {
  const r = await synced(10, []);
  r.stream.send(line as unknown as Line);
  await r.clock.advance(1000);
  expect(r.errors).toHaveLength(1);
  expect(String(r.errors[0]?.error)).toContain(words);
  expect(r.watch().options.resourceVersion).toBe("10");
});

test("an initial event without an object is a failure with a message", async () => {
  const r = await synced(10, []);
  r.stream.send(errorLine(410));
  await r.settle();
  r.watch().open({ type: "BOOKMARK", object: null } as unknown as Line, { type: "ADDED", object: null } as unknown as Line);
  await r.clock.advance(1000);
  expect(String(r.errors[0]?.error)).toContain("without a name");
  r.list().answer(page(11, []));
});

test.for([
  ["null", null, "has no items"],
  ["{}", {}, "has no items"],
  ["no metadata", { items: [] }, "gave no resourceVersion"],
  ["an item that is null", { metadata: { resourceVersion: "11" }, items: [null] }, "without a name"],
] as const)("a list that is %s is a failure whose message names what the server sent", async ([, answer, words]) => {
  const r = rig();
  r.informer.start();
  await r.settle();
  r.watch().fail(apiError(422));
  await r.settle();
  r.list().answer(answer as never);
  await r.clock.advance(1000);
  expect(r.errors).toHaveLength(1);
  expect(String(r.errors[0]?.error)).toContain(words);
  r.list().answer({ ...page(12, []), items: null } as never);
  await r.settle();
  expect(r.informer.hasSynced).toBe(true);
});
