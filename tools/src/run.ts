/** Starts programs for the tools. PATH is that of tools/bootstrap.mjs. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { root } from "./workspaces.ts";

export interface RunOptions {
  /** @defaultValue the root of the workspace */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Stands before each line of the output, for programs that run side by side. */
  readonly label?: string;
}

export interface Captured {
  readonly code: number;
  /** stdout and stderr, as they came. */
  readonly output: string;
}

/** What turbo gets in its environment, so that it prints nothing but the tasks. */
export const quietTurbo: Readonly<Record<string, string>> = {
  TURBO_TELEMETRY_DISABLED: "1",
  TURBO_NO_UPDATE_NOTIFIER: "1",
  TURBO_PRINT_VERSION_DISABLED: "1",
};

/** Runs a program with our stdout and stderr and no stdin; resolves to its exit code. Programs that are `.cmd` files on Windows work too. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<number> {
  return (await start(command, args, options, false)).code;
}

/** As {@link run}, but keeps the output instead of showing it. */
export async function capture(command: string, args: readonly string[], options: RunOptions = {}): Promise<Captured> {
  return await start(command, args, options, true);
}

function start(command: string, args: readonly string[], options: RunOptions, keep: boolean): Promise<Captured> {
  // On Windows a name on PATH may be a .cmd file, which Node starts only through a shell, and a shell wants its arguments quoted.
  const shell = process.platform === "win32" && !/[\\/]/.test(command);
  const quoted = shell ? args.map((each) => `"${each.replaceAll('"', '\\"')}"`) : args;
  const { label } = options;
  const how = keep || label !== undefined ? "pipe" : "inherit";
  return new Promise((resolve, reject) => {
    const child = spawn(command, quoted, { cwd: options.cwd ?? root, env: options.env ?? process.env, stdio: ["ignore", how, how], shell });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      if (keep) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
      else createInterface({ input: stream }).on("line", (line) => console.log(`${label} | ${line}`));
    }
    const pass = (): void => void child.kill("SIGTERM");
    process.once("SIGTERM", pass);
    const forget = (): void => void process.off("SIGTERM", pass);
    child.once("error", (error) => {
      forget();
      reject(new Error(`cannot start ${command}: ${error.message}`, { cause: error }));
    });
    child.once("close", (code) => {
      forget();
      resolve({ code: code ?? 1, output });
    });
  });
}
