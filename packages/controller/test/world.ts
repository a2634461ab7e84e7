/** An operator against the in-memory API server, in this process and in virtual time; everything it does is counted. */
import { type FakeClock, fakeClock, keyOf, seededRandom, type Transport } from "@treadle/apimachinery";
import { type ApiServer, type ApiServerOptions, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import type { AnyHandler } from "@treadle/reconcile";
import { onTestFinished } from "vitest";
import { createManager, type Manager, type ManagerOptions, type PassReport } from "../src/index.ts";
import { Gadget, Widget } from "./widget.ts";

export { Gadget, Widget, widget } from "./widget.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface World {
  readonly server: ApiServer;
  readonly clock: FakeClock;
  readonly manager: Manager;
  /** Somebody else's client; not counted. */
  readonly user: Client;
  /** What the operator asked of the server but lists and watches: `PATCH /apis/...`. */
  readonly requests: string[];
  readonly lists: string[];
  readonly logs: LogLine[];
  /** Every pass: `handler key`, in the order in which they ended. */
  readonly passes: string[];
  readonly reports: PassReport[];
  settled(horizonMs?: number): Promise<void>;
  /** The keys of the passes since the last call. */
  passesSince(): string[];
}

export interface WorldOptions extends ManagerOptions {
  readonly handlers: readonly AnyHandler[];
  readonly resources?: ApiServerOptions["resources"];
  /** Stands between the operator and the server. */
  readonly intercept?: (transport: Transport) => Transport;
  readonly start?: boolean;
}

/** A running operator; stopped when the test is over. */
export async function startWorld({ handlers, resources = [Widget, Gadget], intercept, start, ...options }: WorldOptions): Promise<World> {
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(1), resources });
  const [requests, lists, logs, passes, reports]: [string[], string[], LogLine[], string[], PassReport[]] = [[], [], [], [], []];
  const direct = server.transport();
  const counted: Transport = {
    request(request) {
      const isWatching =
        request.stream === true || (request.method === "GET" && !/\/[^/]*\/status$/.test(request.path) && isCollection(request.path));
      (isWatching ? lists : requests).push(`${request.method} ${request.path.split("?")[0]}`);
      return direct.request(request);
    },
    close: () => direct.close(),
  };
  const log = (level: LogLine["level"]) => (data: object, text: string) => void logs.push({ level, data: { ...data }, text });
  const manager = createManager({
    client: (wish) => createClient({ ...wish, transport: intercept?.(counted) ?? counted, clock, random: seededRandom(2) }),
    clock,
    random: seededRandom(3),
    probes: false,
    metrics: false,
    signals: false,
    log: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    onPass: (report) => {
      reports.push(report);
      passes.push(`${report.handler.name} ${keyOf(report.ref)}`);
    },
    ...options,
  });
  for (const handler of handlers) manager.add(handler);
  const user = createClient({ transport: server.transport(), clock, fieldManager: "user" });
  let seen = 0;
  const world: World = {
    server,
    clock,
    manager,
    user,
    requests,
    lists,
    logs,
    passes,
    reports,
    settled: (horizonMs = 0) => manager.settled({ horizonMs }),
    passesSince() {
      const since = passes.slice(seen).map((pass) => pass.split(" ")[1] ?? "");
      seen = passes.length;
      return since;
    },
  };
  onTestFinished(async () => {
    const stopped = manager.stop().catch(() => undefined); // Tests of a bad end look at it themselves.
    await clock.advance(60_000);
    await stopped;
    await server.close();
  });
  if (start !== false) {
    await manager.start();
    await world.settled();
  }
  return world;
}

function isCollection(path: string): boolean {
  return /^\/(api|apis\/[^/]+)\/[^/]+\/(namespaces\/[^/]+\/)?[a-z]+(\?|$)/.test(path);
}
