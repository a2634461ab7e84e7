/** A terminal for commands of releases: pauses take no time, and move its clock. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TestCluster } from "@treadle/testing";
import { type ExitCode, runTreadle } from "../../src/index.ts";
import { fakeTerminal, type FakeTerminal, type FakeTerminalOptions, kubeconfigOf } from "../fake-terminal.ts";

/** What a command wrote, and how it ended. */
export interface Ended {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

export interface ReleaseTerminalOptions extends FakeTerminalOptions {
  readonly stdin?: string;
  readonly user?: string;
  /** Called by each pause; the clock of the cluster may be moved there. */
  readonly onSleep?: (ms: number) => Promise<void> | void;
  /** Whether pauses take their time, for what has a clock of its own. @defaultValue false */
  readonly isReal?: boolean;
}

/** Makes a terminal whose clock begins at `clock.ms`, and moves it. */
export function releaseTerminal(kubeconfig: string, clock: { ms: number }, options: ReleaseTerminalOptions = {}): FakeTerminal {
  const { stdin, user = "ada", onSleep, isReal = IS_ON_REAL_SERVER, env = {}, ...rest } = options;
  const terminal = fakeTerminal({
    nowMs: () => clock.ms,
    env: { KUBECONFIG: kubeconfig, USER: user, HOSTNAME: "laptop", ...env },
    ...rest,
  });
  return {
    ...terminal,
    ...(stdin === undefined ? {} : { input: async () => stdin }),
    async sleep(ms, signal) {
      if (isReal) await wait(ms, undefined, { signal });
      await onSleep?.(ms);
      await terminal.sleep(ms, signal);
      clock.ms += ms;
    },
  };
}

/** Set where tests have a real server, with a clock of its own. */
const IS_ON_REAL_SERVER = (process.env["TREADLE_TEST_KUBECONFIG"] ?? "") !== "";

/** Runs command lines against one cluster. Words are separated by spaces. */
export class Releases {
  readonly clock: { ms: number };
  readonly kubeconfig: string;
  readonly #defaults: ReleaseTerminalOptions;

  constructor(cluster: TestCluster, defaults: ReleaseTerminalOptions = {}) {
    this.clock = { ms: cluster.clock.now() };
    this.kubeconfig = kubeconfigOf(cluster);
    this.#defaults = defaults;
  }

  async run(line: string, options: ReleaseTerminalOptions = {}): Promise<Ended> {
    const terminal = releaseTerminal(this.kubeconfig, this.clock, { ...this.#defaults, ...options });
    const code = await runTreadle(line.split(" "), terminal);
    return { code, ...terminal.output };
  }
}

/** Writes files into a new folder, and returns its path. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "treadle-release-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A ConfigMap as YAML. */
export function configMapYaml(name: string, value: string, annotations: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(annotations).map(([key, text]) => `\n    ${key}: ${JSON.stringify(text)}`);
  const notes = lines.length === 0 ? "" : `\n  annotations:${lines.join("")}`;
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}${notes}\ndata:\n  value: ${JSON.stringify(value)}\n`;
}
