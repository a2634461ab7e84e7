/**
 * A host of plugins alone, in a process of its own: `node host.ts memory|timers FOLDER`. It takes programs from the folder, and does what its
 * parent sends: `socket PATH` to take a socket as well, `wait N` until N plugins are ready, `memory`, `idle MS` and `stop`.
 */
import { createHook } from "node:async_hooks";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PluginSource } from "@treadle/plugins";

const [mode = "", path = ""] = process.argv.slice(2);

/** How often each timer has fired, by the functions that set it. */
const fired = new Map<string, number>();
const setBy = new Map<number, string>();
if (mode === "timers") {
  Error.stackTraceLimit = 30;
  const hook = createHook({
    init: (id, type) => void (type === "Timeout" && setBy.set(id, settersIn(new Error().stack ?? ""))),
    before(id) {
      const by = setBy.get(id);
      if (by !== undefined) fired.set(by, (fired.get(by) ?? 0) + 1);
    },
    destroy: (id) => void setBy.delete(id),
  });
  hook.enable();
}

const { systemClock, systemRandom } = await import("@treadle/apimachinery");
const { folder, pluginHost, socket } = await import("@treadle/plugins");

/** The plugins that are ready, by what the host writes about them. An API server is not in the process of an operator. */
const readyNames = new Set<string>();
const client = {
  list: () => Promise.resolve({ items: [] }),
  apply(
    _: unknown,
    { metadata, status }: { readonly metadata: object; readonly status?: { readonly plugin: string; readonly state: string } },
  ) {
    if (status?.state === "Ready") readyNames.add(status.plugin);
    return Promise.resolve({ metadata });
  },
};

let addSocket: (file: string) => Promise<void>;
const later: PluginSource = {
  title: "sockets",
  start(env, signal) {
    addSocket = (file) => socket(file).start(env, signal);
    return Promise.resolve();
  },
};
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const host = pluginHost({ from: [folder(path), later], kinds: {} });
const env = { clock: systemClock, random: systemRandom, log, client, metrics: () => Promise.resolve(undefined) };
await host.start(new AbortController().signal, env as unknown as Parameters<typeof host.start>[1]); // The host uses nothing else of it.

process.on("message", (message: string) => void answer(message).then((text) => process.send?.(text)));
process.on("disconnect", () => process.exit());
process.send?.("started");

async function answer(message: string): Promise<object> {
  const [verb, text = ""] = message.split(" ");
  if (verb === "socket") await addSocket(text);
  if (verb === "stop") await host.stop?.();
  if (verb === "wait") await ready(Number(text));
  if (verb === "memory") return await memory();
  if (verb === "idle") return await idle(Number(text));
  return {};
}

async function ready(count: number): Promise<void> {
  while (readyNames.size < count) await sleep(20);
}

/** The memory after collections, in bytes: the least of some, because native memory is given back late. */
async function memory(): Promise<object> {
  let least = process.memoryUsage();
  for (let i = 0; i < 10; i++) {
    await sleep(200);
    globalThis.gc?.();
    const now = process.memoryUsage();
    least = { ...now, rss: Math.min(now.rss, least.rss), heapUsed: Math.min(now.heapUsed, least.heapUsed) };
  }
  return least;
}

async function idle(ms: number): Promise<object> {
  // What the start has set is over then.
  await sleep(11_000);
  fired.clear();
  const cpu = process.cpuUsage();
  await sleep(ms);
  const { user, system } = process.cpuUsage(cpu);
  const resources = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (type) => type)).map(([type, all]) => [
    type,
    all?.length,
  ]);
  return { fired: [...fired], cpuMs: (user + system) / 1_000, resources };
}

/** The functions of a stack besides those of Node and of this file. */
function settersIn(stack: string): string {
  const lines = stack.split("\n").filter((line) => !line.includes("node:") && !line.includes(import.meta.filename));
  return lines
    .slice(1, 4)
    .map((line) =>
      line
        .trim()
        .replace(/^at (async )?/, "")
        .replace(/\(?(file:\/\/)?\/\S*\/(\S+):\d+\)?$/, (_, __, file: string) => basename(file)),
    )
    .join(" < ");
}
