/**
 * The operator's process: `operator.ts OPTIONS`. It tells its parent each event of its informers and what each pass saw, and
 * ends in good order on SIGTERM.
 */
import { createHook } from "node:async_hooks";
import { readdirSync } from "node:fs";
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { createClient, httpTransport } from "@treadle/client";
import { createManager } from "@treadle/controller";
import type { Informer } from "@treadle/informer";
import { handler, one, step } from "@treadle/reconcile";
import { defective, forgets, reporter } from "./defects.ts";
import type { FromOperator, KindName, OperatorOptions, Seen, State, Stats, ToOperator } from "./messages.ts";
import { Widget } from "./widget.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as OperatorOptions;
const KINDS: readonly KindName[] = ["Widget", "ConfigMap", "Secret"];
const { server, token, ca, namespace, speed, defect } = options;
let [passes, failures] = [0, 0];
const unsent: Seen[] = [];
const timers = waitingTimers();
const wallClock = Date.now;
let setByMs = 0;
let blockMs = 0;

const look = step(Widget, {
  name: "look",
  reads: {
    input: one(ConfigMap, (widget) => widget.metadata.name),
    secret: one(Secret, (widget) => widget.metadata.name),
  },
  do({ object, reads: { input, secret }, status }) {
    report({ type: "pass", ...stateOf(object), ConfigMap: input ? stateOf(input) : null, Secret: secret ? stateOf(secret) : null });
    block();
    if (forgets(defect, object.metadata.name)) return;
    status.value = object.spec.value;
    status.text = input?.data?.["value"] ?? "none";
    status.secret = Buffer.from(secret?.data?.["value"] ?? "", "base64").toString() || "none";
  },
});

const direct = httpTransport({ server, ...(ca === undefined ? {} : { credentials: { ca }, http2: true }) });
const report = reporter(defect, (seen) => {
  // Together, as many as one turn brings.
  if (unsent.length === 0) setImmediate(() => send({ type: "seen", seen: unsent.splice(0) }));
  unsent.push(seen);
});
const transport = defective(defect, {
  request: (request) =>
    direct.request({ ...request, headers: { ...request.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) } }),
  close: () => direct.close(),
});
const manager = createManager({
  client: (wish) => createClient({ transport, ...wish }),
  namespaces: [namespace],
  probes: false,
  metrics: false,
  logLevel: "warn",
  ...(speed === 1 ? {} : { clock: fasterClock(speed) }),
  onPass: ({ result }) => {
    passes++;
    if (result.error !== undefined) failures++;
  },
}).add(handler(Widget).step(look).build());

Date.now = () => wallClock() + setByMs;
process.on("message", heard);
process.on("disconnect", orphaned);
const running = manager.run();
await Promise.race([running, started()]);
for (const kind of KINDS) informerOf(kind).onEvent(({ type, object }) => report({ type: "event", kind, event: type, ...stateOf(object) }));
send({ type: "ready" });
await running;
process.off("disconnect", orphaned).disconnect();

/** Nobody hears it any more. */
function orphaned(): void {
  process.exit(1);
}

function heard(message: ToOperator): void {
  switch (message.type) {
    case "dump":
      // After the events that are on their way.
      setImmediate(() => {
        const [Widgets, ConfigMaps, Secrets] = KINDS.map((kind) => informerOf(kind).list().map(stateOf));
        send({ type: "dump", dump: { Widget: Widgets ?? [], ConfigMap: ConfigMaps ?? [], Secret: Secrets ?? [] } });
      });
      break;
    case "stats":
      send({ type: "stats", stats: stats() });
      break;
    case "jump":
      setByMs += message.ms;
      break;
    case "block":
      blockMs = message.ms;
      break;
  }
}

function block(): void {
  const until = performance.now() + blockMs;
  blockMs = 0;
  while (performance.now() < until);
}

function started(): Promise<void> {
  return new Promise((resolve) => {
    const off = manager.onChange(() => {
      if (manager.status().state !== "running") return;
      off();
      resolve();
    });
  });
}

/** That of the Secrets has their metadata only. */
function informerOf(name: KindName): Informer {
  const found = manager.informers?.all().find(({ kind }) => kind.kind === name);
  if (found === undefined) throw new Error(`no informer of ${name}`);
  return found;
}

function stateOf({ metadata: { namespace: within = "", name, uid = "", resourceVersion: version = "" } }: KubernetesObject): State {
  return { key: `${within}/${name}`, uid, version };
}

function stats(): Stats {
  const { rss, heapUsed } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => /^(TCPSocket|TLS)Wrap$/i.test(name)).length;
  const mb = (bytes: number): number => Math.round(bytes / 1e5) / 10;
  return { rssMb: mb(rss), heapMb: mb(heapUsed), files: openFiles(), sockets, timers: timers.size, passes, failures };
}

/** The timers that wait, also those that keep no process alive: those of the system's clock, which no list of Node has. */
function waitingTimers(): ReadonlySet<number> {
  const waiting = new Set<number>();
  createHook({
    init: (id, type) => void (type === "Timeout" && waiting.add(id)),
    destroy: (id) => void waiting.delete(id),
  }).enable();
  return waiting;
}

function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined; // no Linux
  }
}

/** Everything that waits by it, waits as long by its own measure: the server's time is left behind. */
function fasterClock(factor: number): Clock {
  const startedAt = wallClock();
  const elapsed = (): number => performance.now() * factor;
  return {
    now: () => startedAt + elapsed(),
    elapsed,
    after(delayMs, run) {
      const timer = setTimeout(run, Math.min(delayMs / factor, 2 ** 31 - 1)).unref();
      return { cancel: () => clearTimeout(timer) };
    },
  };
}

function send(message: FromOperator): void {
  process.send?.(message);
}
