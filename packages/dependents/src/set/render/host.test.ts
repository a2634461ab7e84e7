import { describe, expect, test } from "vitest";
import { hostOf, onceFor, type RenderHost, RenderLater, renderLaterIn, withHost } from "./host.ts";

const alone = hostOf({});
const boom = new Error("boom");

test("a host stays in a copy of the context", () => {
  const host: RenderHost = { ...alone, key: "mine" };
  expect(hostOf({ ...withHost({ name: "a" }, host) })).toBe(host);
});

test("a context without a host has one of its own, which keeps shared values", () => {
  const key = {};
  expect([alone.shared(key, () => [1]), alone.shared(key, () => [2])]).toEqual([[1], [1]]);
});

test.for<{ name: string; error: unknown; isLater: boolean }>([
  { name: "the error itself", error: new RenderLater("busy"), isLater: true },
  { name: "a cause", error: new Error("b", { cause: new Error("a", { cause: new RenderLater("busy") }) }), isLater: true },
  { name: "another error", error: new Error("a", { cause: boom }), isLater: false },
  { name: "a circle of causes", error: Object.assign(boom, { cause: boom }), isLater: false },
  { name: "a text", error: "busy", isLater: false },
])("RenderLater is found in an error: $name", ({ error, isLater }) => {
  expect(renderLaterIn(error)?.message).toBe(isLater ? "busy" : undefined);
});

describe("a part of a rendering", () => {
  const host: RenderHost = { ...alone, results: new Map() };

  test("runs once for its key, also at the same time", async () => {
    let runs = 0;
    const run = async (): Promise<number> => ++runs;
    expect(await Promise.all([onceFor(host, "a", run), onceFor(host, "a", run), onceFor(host, "b", run)])).toEqual([1, 1, 2]);
  });

  test("runs again after it failed", async () => {
    await expect(onceFor(host, "c", () => Promise.reject(boom))).rejects.toBe(boom);
    expect(await onceFor(host, "c", async () => "done")).toBe("done");
  });

  test("runs each time without a set", async () => {
    let runs = 0;
    const run = async (): Promise<number> => ++runs;
    expect([await onceFor(alone, "a", run), await onceFor(alone, "a", run)]).toEqual([1, 2]);
  });
});
