/** Finds kubectl, and runs it in a test. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Returns the kubectl of the control plane, or else that of PATH, or `undefined`. */
export function findKubectl(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const cache = join(env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "treadle", "controlplane");
  const built = existsSync(cache) ? readdirSync(cache).toSorted().toReversed() : [];
  const dirs = [
    env["KUBEBUILDER_ASSETS"],
    env["TREADLE_CONTROLPLANE_DIR"],
    ...built.map((version) => join(cache, version)),
    ...(env["PATH"] ?? "").split(delimiter),
  ];
  const name = process.platform === "win32" ? "kubectl.exe" : "kubectl";
  return dirs.flatMap((dir) => (dir === undefined || dir === "" ? [] : [join(dir, name)])).find((file) => existsSync(file));
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running kubectl. */
export interface Running {
  readonly ended: Promise<Ran>;
  /** Resolves when one of its outputs contains the text. */
  shows(text: string | RegExp): Promise<void>;
  stop(): void;
}

export interface Start {
  readonly kubeconfig: string;
  readonly home: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts kubectl with its caches and settings in a folder of the test. */
export function startKubectl(program: string, args: readonly string[], { kubeconfig, home, stdin = "", env = {} }: Start): Running {
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: process.env["PATH"], HOME: home, KUBECONFIG: kubeconfig, NO_PROXY: "127.0.0.1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {}); // it may have ended without reading
  child.stdin?.end(stdin);
  let [stdout, stderr] = ["", ""];
  const watchers = new Set<() => void>();
  const collect = (add: (text: string) => void) => (text: string) => {
    add(text);
    for (const look of watchers) look();
  };
  child.stdout?.setEncoding("utf8").on(
    "data",
    collect((text) => (stdout += text)),
  );
  child.stderr?.setEncoding("utf8").on(
    "data",
    collect((text) => (stderr += text)),
  );
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    ended,
    stop: () => void child.kill("SIGTERM"),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const isThere = (): boolean =>
          [stdout, stderr].some((output) => (typeof text === "string" ? output.includes(text) : text.test(output)));
        const look = (): void => {
          if (!isThere()) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        void ended.then(() =>
          isThere() ? undefined : reject(new Error(`kubectl ${args.join(" ")} ended without ${String(text)}:\n${stdout}${stderr}`)),
        );
      }),
  };
}
