import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type CallFrame, parseCpuProfile, type ProfileNode, timesOf } from "./cpu-profile.ts";
import { parseHeapSnapshot, sharesOf } from "./heap-snapshot.ts";
import { placesIn } from "./places.ts";
import { cpuLines, heapLines } from "./print.ts";

const frame = (functionName: string, url = "file:///a.js"): CallFrame => ({ functionName, url, lineNumber: 4, columnNumber: 2 });
const node = (id: number, name: string, children: number[] = []): ProfileNode => ({ id, callFrame: frame(name), children });

test("time in a function counts for its callers, a recursive call once, and idle time not at all", () => {
  const nodes = [node(1, "(root)", [2, 5]), node(2, "outer", [3]), node(3, "inner", [4]), node(4, "outer"), node(5, "(idle)")];
  const { busyMs, functions } = timesOf({ nodes, samples: [2, 3, 4, 4, 5], timeDeltas: [1_000, 2_000, 4_000, 500, 90_000] });
  expect(busyMs).toBe(7.5);
  const shown = functions.map(({ callFrame: { functionName }, selfMs, totalMs }) => ({ functionName, selfMs, totalMs }));
  expect(shown).toContainEqual({ functionName: "outer", selfMs: 5.5, totalMs: 7.5 });
  expect(shown).toContainEqual({ functionName: "inner", selfMs: 2, totalMs: 6.5 });
  expect(shown).toContainEqual({ functionName: "(root)", selfMs: 0, totalMs: 7.5 });
});

test("a deep stack does not overflow", () => {
  const nodes = Array.from({ length: 5_000 }, (_, id) => node(id, `f${id % 50}`, id === 4_999 ? [] : [id + 1]));
  expect(timesOf({ nodes, samples: [4_999], timeDeltas: [1_000] }).busyMs).toBe(1);
});

test("the lines about a profile begin with the function that takes most, and show the runtime only for its own time", () => {
  const nodes = [
    { id: 1, callFrame: frame("(root)", ""), children: [2] },
    { id: 2, callFrame: frame("run", "node:internal/run"), children: [3] },
    node(3, "slow"),
  ];
  const text = JSON.stringify({ nodes, samples: [2, 3], timeDeltas: [1_000, 3_000] });
  expect(cpuLines(text, placesIn("/"))).toEqual([
    "main thread: 4 ms",
    "in the function itself:",
    "   75.0 %      3 ms  slow a.js:5",
    "   25.0 %      1 ms  run node:internal/run",
    "    0.0 %      0 ms  (root)",
    "in the function and what it called:",
    "   75.0 %      3 ms  slow a.js:5",
  ]);
});

test("a source map beside a compiled file leads to the source", () => {
  const dir = mkdtempSync(join(tmpdir(), "places-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "a.js");
  const url = pathToFileURL(file).href;
  expect(placesIn(dir)(frame("short", url))).toBe("short a.js:5");
  // Line 5, column 3 comes from line 2 of src/a.ts.
  writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources: ["src/a.ts"], names: [], mappings: ";;;;EACA" }));
  expect(placesIn(dir)(frame("short", url))).toBe("short src/a.ts:2");
  writeFileSync(`${file}.map`, "not JSON");
  expect(placesIn(dir)(frame("", url))).toBe("(anonymous) a.js:5");
});

test("the memory of a snapshot is summed by class, and that of other values by type", () => {
  const meta = { node_fields: ["type", "name", "self_size"], node_types: [["object", "string"], "string", "number"] };
  const text = JSON.stringify({ snapshot: { meta }, strings: ["Pod", "text"], nodes: [0, 0, 100, 0, 0, 50, 1, 1, 2 ** 20] });
  expect(sharesOf(parseHeapSnapshot(text))).toEqual([
    { name: "(string)", count: 1, bytes: 2 ** 20 },
    { name: "Pod", count: 2, bytes: 150 },
  ]);
  expect(heapLines(text)).toEqual(["live heap:", "      1.00 MB  all", "      1.00 MB  (string), 1", "      0.00 MB  Pod, 2"]);
});

test("a file that is no profile is refused with what it lacks", () => {
  expect(() => parseCpuProfile("{}")).toThrow("no profile of the processor");
  expect(() => parseHeapSnapshot("null")).toThrow("no snapshot of the heap");
});
