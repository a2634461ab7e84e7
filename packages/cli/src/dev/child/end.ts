/** Ends the process of the operator: gracefully when `treadle dev` asks for it, and also when `treadle dev` no longer exists. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { OperatorSettings } from "../messages.ts";
import type { Parent } from "./channel.ts";
import type { DevHost } from "./dev-host.ts";

/** How long the program may run on after its managers have stopped, in milliseconds. */
const REST_MS = 100;
/** How long a program may take to stop when `treadle dev` no longer exists, in milliseconds. */
const ORPHAN_MS = 5_000;

/** How much longer a process may take that hears nothing, in milliseconds. */
const DEAF_MS = 1_000;

/** Starts the thread that ends this process when `treadle dev` no longer exists, whatever the program does. */
export function startGuard({ isOwnCluster }: OperatorSettings): void {
  const workerData = { parent: process.ppid, graceMs: isOwnCluster ? DEAF_MS : ORPHAN_MS + DEAF_MS };
  const guard = new URL(`./guard${extname(import.meta.url.replace(/\?.*$/, ""))}`, import.meta.url);
  // The flags of this process would load the preload again.
  const worker = new Worker(guard, { workerData, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } });
  worker.unref();
  // Without it the program works as well.
  worker.on("error", () => undefined);
}

/** Listens for the end. */
export function endWithChannel(parent: Parent, host: DevHost, { isOwnCluster }: OperatorSettings): void {
  let isStopping = false;
  let isSignalled = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    // As a cluster does it: listeners of the program and of `manager.run()` stop what they know.
    if (!isSignalled) process.emit("SIGTERM", "SIGTERM");
    await Promise.allSettled(host.managers.map((manager) => manager.stop()));
    // A program that holds a timer or a socket does not end by itself.
    setTimeout(() => process.exit(), REST_MS).unref();
  };
  parent.listen((message) => {
    if (message.type === "stop") void stop();
  });
  process.once("disconnect", () => {
    // Nobody reads the output any more.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    if (isOwnCluster || isStopping) process.exit(1);
    setTimeout(() => process.exit(1), ORPHAN_MS).unref();
    void stop();
  });
  // On Windows Ctrl-C reaches every process of the console. `treadle dev` says when this one ends.
  if (process.platform === "win32") process.on("SIGINT", () => void (isSignalled = true));
}
