/** Programs as files in a folder of the test. */
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@treadle/apimachinery";
import { systemClock, systemRandom } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import { onTestFinished } from "vitest";
import type { Connection } from "../src/connection.ts";
import { launchPlugin } from "../src/process/launch.ts";

/** Writes a file into a folder that the test removes. */
export async function programFile(content: string | Uint8Array, { mode = 0o755, name = "plugin.mjs" } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "treadle-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  await writeFile(file, content);
  await chmod(file, mode);
  return file;
}

/** A program of Node. */
export function nodeProgram(body: string): Promise<string> {
  return programFile(`#!${process.execPath} --conditions=@treadle/source\n${body}\n`);
}

/** A program that serves the fixture with these options, as code. */
export function fixtureProgram(options = "{}", before = ""): Promise<string> {
  const fixture = JSON.stringify(new URL("./fixture-plugin.ts", import.meta.url).href);
  return nodeProgram(`import * as fixture from ${fixture};\n${before}\nawait fixture.serveFixture(${options});`);
}

export interface Line {
  readonly level: string;
  readonly text: string;
  readonly data: object;
}

export function memoryLog(): { readonly log: Logger; readonly lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (data: object, text: string) => void lines.push({ level, text, data });
  return { log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }, lines };
}

/** Starts the program; the test ends it. */
export async function started(
  file: string,
  { clock = systemClock, log = memoryLog().log, envNames }: StartOptions = {},
): Promise<Connection> {
  const options = { plugin: "fixture", clock, random: systemRandom, log, hide: String, ...(envNames === undefined ? {} : { envNames }) };
  const connection = await launchPlugin(file, options, new AbortController().signal);
  onTestFinished(() => connection.close());
  return connection;
}

export interface StartOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly envNames?: readonly string[];
}

/** The processes whose command line has `text`. */
export async function processesWith(text: string): Promise<readonly number[]> {
  const { readFile } = await import("node:fs/promises");
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map(async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")] as const));
  return lines.filter(([, line]) => line.includes(text)).map(([pid]) => Number(pid));
}
