/**
 * Obtains charts that other projects wrote, for the tests of generators. They are in Go modules. charts.json pins versions and contents, as
 * go.mod and go.sum do.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheDir } from "../../src/go-build.ts";
import { capture } from "../../src/run.ts";
import { withLock } from "./lock.ts";
import type { ObtainOptions } from "./obtain.ts";

/** The variable with the folder of each chart, as JSON. */
const CHARTS_VARIABLE = "TREADLE_TEST_CHARTS";

/** A chart and the Go module that has it. */
export interface PinnedChart {
  /** Name of the chart. */
  readonly name: string;
  /** Path of the module. */
  readonly module: string;
  /** Version of the module. */
  readonly version: string;
  /** Hash of the module, as in go.sum. */
  readonly sum: string;
  /** Folder of the chart in the module. */
  readonly folder: string;
}

/** The charts of charts.json. */
function pinnedCharts(): readonly PinnedChart[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "..", "charts.json"), "utf8")) as readonly PinnedChart[]; // the file is ours
}

/**
 * Returns the variable TREADLE_TEST_CHARTS, and downloads the charts that are missing.
 * @throws Error when a module is not available, or has another content than the pinned one
 */
export async function obtainCharts(options: Pick<ObtainOptions, "dir" | "log" | "env"> = {}): Promise<Readonly<Record<string, string>>> {
  const { env = process.env, log = () => {} } = options;
  const dir = options.dir ?? cacheDir(env, "charts");
  const charts = pinnedCharts();
  await withLock(join(dir, ".lock"), log, async () => {
    for (const chart of charts) if (!existsSync(folderOf(dir, chart))) await download(chart, { dir, env, log });
  });
  return { [CHARTS_VARIABLE]: JSON.stringify(Object.fromEntries(charts.map((chart) => [chart.name, folderOf(dir, chart)]))) };
}

/** Each version has a folder of its own. */
function folderOf(dir: string, { name, version }: PinnedChart): string {
  return join(dir, `${name}-${version}`);
}

async function download(chart: PinnedChart, { dir, env, log }: Required<Pick<ObtainOptions, "dir" | "log" | "env">>): Promise<void> {
  const where = `${chart.module}@${chart.version}`;
  log(`downloading ${where} for the chart ${chart.name}`);
  const { Dir: module, Sum: sum, Error: problem } = await moduleAt(where, dir, env);
  if (module === undefined) throw new Error(`cannot download ${where} for the chart ${chart.name}: ${problem ?? "go gives no reason"}`);
  if (sum !== chart.sum)
    throw new Error(`${where} has the hash ${sum}, and charts.json pins ${chart.sum}: look what has changed before you pin another one`);
  const from = join(module, chart.folder);
  if (!existsSync(join(from, "Chart.yaml"))) throw new Error(`${where} has no chart in ${chart.folder}: correct charts.json`);
  // A copy that was interrupted must not look like a chart.
  const partial = mkdtempSync(join(dir, ".partial-"));
  try {
    cpSync(from, partial, { recursive: true });
    renameSync(partial, folderOf(dir, chart));
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** What `go mod download -json` writes. */
interface Downloaded {
  readonly Dir?: string;
  readonly Sum?: string;
  readonly Error?: string;
}

/** Runs Go in a folder without a go.mod, so that it changes none of ours. */
async function moduleAt(where: string, dir: string, env: NodeJS.ProcessEnv): Promise<Downloaded> {
  mkdirSync(dir, { recursive: true });
  const { output } = await capture("go", ["mod", "download", "-json", where], {
    cwd: dir,
    env: { ...env, GOFLAGS: "-mod=mod", GOWORK: "off" },
  });
  const json = /^\{$[\s\S]*^\}$/m.exec(output)?.[0];
  return json === undefined ? { Error: output.trim() } : (JSON.parse(json) as Downloaded);
}
