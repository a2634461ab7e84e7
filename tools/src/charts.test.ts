import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { obtainCharts, type PinnedChart } from "../programs/src/charts.ts";

const pinned = JSON.parse(readFileSync(join(import.meta.dirname, "../programs/charts.json"), "utf8")) as readonly PinnedChart[];
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "charts-test-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** Plays `go mod download -json`: answers each module by a file, and notes it. */
function fakeGo(answerOf: (chart: PinnedChart) => object): NodeJS.ProcessEnv {
  mkdirSync(join(dir, "bin"), { recursive: true });
  const cases = pinned.map((chart) => `  ${chart.module}@${chart.version}) echo '${JSON.stringify(answerOf(chart), undefined, 1)}' ;;`);
  const script = ["#!/bin/sh", `echo "$4" >> ${join(dir, "asked")}`, 'case "$4" in', ...cases, "esac"].join("\n");
  writeFileSync(join(dir, "bin/go"), script);
  chmodSync(join(dir, "bin/go"), 0o755);
  return { PATH: `${join(dir, "bin")}:${process.env["PATH"]}` };
}

function moduleWith({ name, folder }: PinnedChart): string {
  const module = join(dir, "modules", name);
  mkdirSync(join(module, folder, "templates"), { recursive: true });
  writeFileSync(join(module, folder, "Chart.yaml"), `name: ${name}\n`);
  return module;
}

describe.skipIf(process.platform === "win32")("charts of other projects", () => {
  test("are downloaded once, each in a folder with its version", async () => {
    const options = { dir: join(dir, "out"), env: fakeGo((chart) => ({ Dir: moduleWith(chart), Sum: chart.sum })) };
    const { TREADLE_TEST_CHARTS: text = "" } = await obtainCharts(options);
    expect(await obtainCharts(options)).toEqual({ TREADLE_TEST_CHARTS: text });
    const folders = JSON.parse(text) as Readonly<Record<string, string>>;
    expect(Object.keys(folders)).toEqual(pinned.map(({ name }) => name));
    for (const { name, version } of pinned) {
      expect(folders[name]).toBe(join(options.dir, `${name}-${version}`));
      expect(readFileSync(join(folders[name] ?? "", "Chart.yaml"), "utf8")).toBe(`name: ${name}\n`);
    }
    expect(readFileSync(join(dir, "asked"), "utf8").trim().split("\n")).toHaveLength(pinned.length);
  });

  test.for<{ name: string; answer: (chart: PinnedChart) => object; want: RegExp }>([
    { name: "another content", answer: (chart) => ({ Dir: moduleWith(chart), Sum: "h1:other" }), want: /has the hash h1:other/ },
    { name: "no chart", answer: (chart) => ({ Dir: dir, Sum: chart.sum }), want: /has no chart in charts\/external-dns/ },
    { name: "no module", answer: () => ({ Error: "not found" }), want: /cannot download .*external-dns.*: not found/ },
  ])("are refused with $name, and nothing is left", async ({ answer, want }) => {
    const out = join(dir, "out");
    await expect(obtainCharts({ dir: out, env: fakeGo(answer) })).rejects.toThrow(want);
    expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
  });
});
