/** The process of the operator, as `treadle dev` sees it. */
import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { createInterface } from "node:readline";
import { type Envelope, type FromOperator, opened, type OperatorSettings, type ToOperator } from "./messages.ts";

/** What a process says before its end. */
export interface OperatorListener {
  message(message: FromOperator): void;
  /** A line that the program printed. */
  printed(stream: "stdout" | "stderr", text: string): void;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of the operator. */
export interface OperatorProcess {
  readonly pid: number | undefined;
  send(message: ToOperator): void;
  /** Ends it at once. */
  kill(): void;
  /** Resolves when it has ended, after its last message and line. */
  readonly exited: Promise<Exit>;
}

/** Starts a process. */
export type StartOperator = (listener: OperatorListener) => OperatorProcess;

/** The program of a process. */
export interface ProgramOptions extends OperatorSettings {
  /** The absolute path of its module. */
  readonly module: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How long the output of a process that has ended may take, in milliseconds. */
const DRAIN_MS = 500;

/** Ends what a process has started and left, such as a run of Helm. A program in a group of its own stays, and may hold the output open. */
function endPrograms({ pid, stdout, stderr }: ChildProcess): void {
  try {
    if (pid !== undefined && process.platform !== "win32") process.kill(-pid, "SIGKILL");
  } catch {
    // There is none.
  }
  setTimeout(() => {
    stdout?.destroy();
    stderr?.destroy();
  }, DRAIN_MS);
}

/** Makes the function that starts the program. */
export function startsProgram({ module, env, isOwnCluster, webhookHost }: ProgramOptions): StartOperator {
  const preload = new URL(`./child/preload${extname(import.meta.url)}`, import.meta.url);
  if (isOwnCluster) preload.searchParams.set("cluster", "own");
  preload.searchParams.set("webhooks", webhookHost);
  return (listener) => {
    const child = fork(module, [], {
      // A debugger of this process is not one of the operator: both would use one port.
      execArgv: [...process.execArgv.filter((flag) => !flag.startsWith("--inspect")), `--import=${preload.href}`],
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // Ctrl-C is for this process, which tells the operator when to stop. On Windows it would open another console.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    child.on("message", (received) => {
      const message = opened<FromOperator>(received);
      if (message !== undefined) listener.message(message);
    });
    // A message to a process that has just ended is not needed any more.
    child.on("error", () => undefined);
    for (const name of ["stdout", "stderr"] as const) {
      const stream = child[name];
      if (stream !== null) createInterface({ input: stream }).on("line", (text) => listener.printed(name, text));
    }
    return {
      pid: child.pid,
      send(message) {
        const envelope: Envelope<ToOperator> = { treadleDev: message };
        if (child.connected) child.send(envelope, () => undefined);
      },
      kill: () => void child.kill("SIGKILL"),
      exited: new Promise((resolve) => {
        child.once("exit", () => endPrograms(child));
        child.once("close", (code, signal) => resolve({ code, signal }));
        // Only for a program that cannot be started at all, which is never closed.
        child.once("error", () => child.pid === undefined && resolve({ code: 1, signal: null }));
      }),
    };
  };
}
