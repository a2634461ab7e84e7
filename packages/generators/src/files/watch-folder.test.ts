import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { folder } from "../../test/folder.ts";
import { WatchedFolders } from "./watch-folder.ts";

describe("watched folders", () => {
  test("have another version a moment after changes, also in subfolders", async () => {
    const root = folder({ "a/b.yaml": "1" });
    const watched = new WatchedFolders(() => [root]);
    const listener = vi.fn();
    const stop = watched.onChange(listener);
    expect(watched.version).toBe(0);
    writeFileSync(path.join(root, "a/b.yaml"), "2");
    await vi.waitFor(() => expect(listener).toHaveBeenCalled());
    expect(watched.version).toBeGreaterThan(0);
    stop();
  });

  test("count changes that follow each other closely as one", async () => {
    const root = folder({ "a.yaml": "1" });
    const timers: (() => void)[] = [];
    const clock = {
      after: (_ms: number, call: () => void) => ({ cancel: () => void timers.splice(timers.indexOf(call), 1), at: timers.push(call) }),
    };
    const watched = new WatchedFolders(() => [root], clock as never);
    const listener = vi.fn();
    const stop = watched.onChange(listener);
    for (const text of ["2", "3", "4"]) writeFileSync(path.join(root, "a.yaml"), text);
    await vi.waitFor(() => expect(timers).toHaveLength(1));
    timers[0]?.();
    expect(listener).toHaveBeenCalledTimes(1);
    expect(watched.version).toBe(1);
    stop();
  });

  test("are watched again for the next listener, which gets another version", async () => {
    const root = folder({});
    const watched = new WatchedFolders(() => [root]);
    const [first, second] = [vi.fn(), vi.fn()];
    watched.onChange(first)();
    writeFileSync(path.join(root, "missed.yaml"), "1");
    const stop = watched.onChange(second);
    expect(watched.version).toBe(1);
    mkdirSync(path.join(root, "d"));
    await vi.waitFor(() => expect(second).toHaveBeenCalled());
    expect(first).not.toHaveBeenCalled();
    stop();
  });

  test("that do not exist are no error", () => {
    const watched = new WatchedFolders(() => ["/no/such/folder"]);
    expect(() => watched.onChange(() => undefined)()).not.toThrow();
  });
});
