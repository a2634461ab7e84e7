/** The process of an operator: started with an environment, asked by signal, measured from outside. Linux: it reads /proc. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type ProfileFolder, Profiler, profilerEnv } from "./profiles/profiler.ts";

export type Mode = "reconcile" | "cache" | "metadata" | "sets";

/** How to start an operator. */
export interface Peer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where the cluster is and who it is there, among others. */
  readonly env: Readonly<Record<string, string>>;
  /** By whose name the audit log knows its requests. */
  readonly user: string;
  /** Which of the measurements it takes part in. */
  readonly modes: readonly Mode[];
  /** It can report the turns of its loop. */
  readonly hasEventLoop: boolean;
}

/** A line that an operator reports. */
export interface ReportLine {
  readonly event: "started" | "passed" | "heap";
  readonly bytes?: number;
  /** Passes over Stacks since the start. */
  readonly passes?: number;
  readonly longestSliceMs?: number;
  readonly longestTurnMs?: number;
  readonly longestCollectionMs?: number;
}

/** What one run of an operator does. */
export interface OperatorSettings {
  /** Passes at once. */
  readonly concurrency: number;
  /** The number of passes over Blobs after which it reports "passed". */
  readonly expect?: number;
  /** Whether it measures the turns of its event loop. */
  readonly slices?: boolean;
  /** The period of the resync, in milliseconds. @defaultValue that of the framework */
  readonly resyncMs?: number;
  /** Where profiles of operators with an event loop are written. @defaultValue there are none */
  readonly profiles?: ProfileFolder;
}

const MEGABYTE = 2 ** 20;
/** USER_HZ of every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const PATIENCE_MS = 600_000;

export class Operator {
  readonly startedAt: number = Date.now();
  /** Resolves when the process is no more. */
  readonly ended: Promise<void>;
  /** Absent in a run that measures. */
  readonly profiler?: Profiler;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #reported = new Map<string, { readonly line: ReportLine; readonly at: number }>();
  #output = "";
  #wake: () => void = () => {};

  constructor(peer: Peer, mode: Mode, settings: OperatorSettings) {
    this.#name = peer.name;
    const profiles = peer.hasEventLoop ? settings.profiles : undefined;
    this.#child = spawn(peer.command, peer.args, {
      stdio: ["ignore", "pipe", "pipe", ...(profiles === undefined ? [] : ["ipc" as const])],
      env: {
        PATH: process.env["PATH"],
        ...peer.env,
        ...(profiles === undefined ? {} : profilerEnv),
        BENCH_MODE: mode,
        BENCH_CONCURRENCY: String(settings.concurrency),
        BENCH_EXPECT: String(settings.expect ?? 0),
        ...(settings.slices === true ? { BENCH_SLICES: "1" } : {}),
        ...(settings.resyncMs === undefined ? {} : { BENCH_RESYNC_MS: String(settings.resyncMs) }),
      },
    });
    if (profiles !== undefined) this.profiler = new Profiler(this.#child, peer.name, profiles);
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    if (this.#child.stdout !== null) createInterface(this.#child.stdout).on("line", (line) => this.#read(line));
    this.#child.once("error", (error) => this.#keep(error.message));
    this.ended = new Promise((resolve) => this.#child.once("close", () => resolve()));
    const kill = (): void => void this.#child.kill("SIGKILL");
    process.once("exit", kill);
    void this.ended.then(() => {
      process.off("exit", kill);
      this.#wake();
    });
  }

  /** When it reported that, and the line. @throws when the process ended or 10 minutes went by before */
  async reported(event: ReportLine["event"]): Promise<{ readonly line: ReportLine; readonly at: number }> {
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    deadline.addEventListener("abort", () => this.#wake());
    for (;;) {
      const found = this.#reported.get(event);
      if (found !== undefined) return found;
      if (!this.#isRunning() || deadline.aborted) throw this.failure(`before it reported "${event}"`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** What is live after a collection of garbage. */
  async heap(): Promise<ReportLine> {
    this.#reported.delete("heap");
    this.#child.kill("SIGUSR2");
    return (await this.reported("heap")).line;
  }

  /** Resident memory now and at its highest, in MB, and the time on processors so far in seconds. */
  usage(): { readonly rssMb: number; readonly peakMb: number; readonly cpuSeconds: number } {
    if (!this.#isRunning()) throw this.failure("while it was measured");
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    const kilobytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]);
    // The name of the program, in parentheses, may have spaces in it; utime and stime are fields 14 and 15.
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return {
      rssMb: (kilobytes("VmRSS") * 1024) / MEGABYTE,
      peakMb: (kilobytes("VmHWM") * 1024) / MEGABYTE,
      cpuSeconds: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND,
    };
  }

  /** Why a measurement failed, with what the operator said last. */
  failure(when: string, cause?: unknown): Error {
    const { exitCode, signalCode } = this.#child;
    const fate = this.#isRunning() ? `took longer than ${PATIENCE_MS} ms` : `ended (${exitCode ?? signalCode ?? "not started"})`;
    return new Error(`${this.#name} ${fate} ${when}. Its output:\n${this.#output}`, { cause });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isRunning()) return;
    this.#child.kill("SIGTERM");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 30_000);
    await this.ended;
    clearTimeout(late);
  }

  #isRunning(): boolean {
    const { exitCode, signalCode, pid } = this.#child;
    return exitCode === null && signalCode === null && pid !== undefined;
  }

  #read(line: string): void {
    const at = Date.now();
    let reported: Partial<ReportLine> | undefined;
    try {
      reported = JSON.parse(line) as Partial<ReportLine>;
    } catch {
      reported = undefined;
    }
    // The operator logs to standard output as well; a line about an event of the API has an object there.
    if (typeof reported?.event !== "string") return this.#keep(`${line}\n`);
    this.#reported.set(reported.event, { line: reported as ReportLine, at });
    this.#wake();
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(-20_000);
  }
}
