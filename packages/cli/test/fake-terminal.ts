/** A terminal of tests: it keeps what a command writes, and has the time of the cluster. */
import type { TestCluster } from "@treadle/testing";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExitCode, runTreadle, type Terminal } from "../src/index.ts";

export interface FakeTerminal extends Terminal {
  readonly output: { out: string; err: string };
  interrupt(): void;
}

export interface FakeTerminalOptions {
  readonly columns?: number;
  readonly hasColors?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly nowMs?: () => number;
  /** Answers questions. Without it there is no terminal to ask on. */
  readonly prompter?: Terminal["prompter"];
  /** Called by each write. */
  readonly onOut?: (all: string) => void;
}

export function fakeTerminal(options: FakeTerminalOptions = {}): FakeTerminal {
  const { columns, hasColors = false, env = {}, nowMs = () => 0, prompter, onOut } = options;
  const output = { out: "", err: "" };
  const interrupted = new AbortController();
  return {
    output,
    out(text) {
      output.out += text;
      onOut?.(output.out);
    },
    err: (text) => void (output.err += text),
    apart: (work) => work(),
    columns,
    hasColors,
    prompter,
    env,
    signal: interrupted.signal,
    nowMs,
    // Pauses take no time.
    sleep: (_, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        setImmediate(resolve);
      }),
    interrupt: () => interrupted.abort(new Error("ended by SIGINT")),
  };
}

/** Runs a command line against a cluster, as a user with its kubeconfig. */
export async function treadle(
  cluster: TestCluster,
  line: string,
  options: FakeTerminalOptions = {},
): Promise<{ readonly code: ExitCode; readonly out: string; readonly err: string }> {
  const terminal = fakeTerminal({ nowMs: () => cluster.clock.now(), env: { KUBECONFIG: kubeconfigOf(cluster) }, ...options });
  const code = await runTreadle(line.split(" "), terminal);
  return { code, ...terminal.output };
}

/** Writes the kubeconfig of a cluster with `https`. */
export function kubeconfigOf(cluster: TestCluster): string {
  const file = join(mkdtempSync(join(tmpdir(), "treadle-cli-")), "kubeconfig");
  writeFileSync(file, cluster.kubeconfig);
  return file;
}
