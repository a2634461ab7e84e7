/**
 * `/debug`: the state of a manager, for a user who can run commands next to it. A heap holds every Secret that the operator
 * has read, so the server listens on loopback only, and does not answer requests that a web page has started.
 */
import type { IncomingHttpHeaders } from "node:http";
import { groupKindOf } from "@treadle/apimachinery";
import type { Informer } from "@treadle/informer";
import { messageOf } from "../../internal/error-text.ts";
import { type Answer, json, text } from "../http-server.ts";
import { isLoopback } from "../loopback.ts";
import type { Manager } from "../../manager.ts";
import type { Services } from "../../manager/services.ts";
import { objectPage } from "./object-page.ts";
import type { RecentErrors } from "./recent-errors.ts";

export interface DebugSource {
  readonly manager: Pick<Manager, "status" | "controllers" | "informers">;
  readonly errors: RecentErrors;
}

/** Maximum number of keys of each state that are shown of a queue. */
const MAX_KEYS = 100;
const MAX_SECONDS = 60;
/** Number of objects of an informer whose size is measured; the others count as their average. */
const SAMPLES = 50;

const PAGES: Readonly<Record<string, string>> = {
  status: "state, leadership, memory of the process",
  queues: `what runs, waits and is delayed, ${MAX_KEYS} keys of each`,
  informers: "what is cached, how large and how old it is, and what failed",
  errors: "the last passes that failed",
  object: "one object as packages of steps see it: ?controller=NAME&object=NAMESPACE/NAME, as text with &format=text",
  heap: "a heap snapshot (.heapsnapshot); the process is blocked meanwhile",
  profile: `a CPU profile (.cpuprofile) of ?seconds=10, at most ${MAX_SECONDS}`,
};

/** Makes the function that answers the requests. */
export function debugHandler(
  source: DebugSource,
  { log, signal }: Pick<Services, "log" | "signal">,
): (url: URL, headers: IncomingHttpHeaders) => Promise<Answer | undefined> {
  let isProfiling = false;
  const profile = async (asked: string): Promise<Answer> => {
    const seconds = Number(asked);
    if (!(seconds > 0 && seconds <= MAX_SECONDS))
      return text(400, `seconds is ${JSON.stringify(asked)}: give a number above 0, at most ${MAX_SECONDS}`);
    if (isProfiling) return text(409, "a profile is being made: try again when it is done");
    isProfiling = true;
    log.warn({ seconds }, "a CPU profile is being made");
    try {
      const { cpuProfile } = await import("./profiles.ts");
      return { status: 200, contentType: "application/json", body: await cpuProfile(seconds, signal) };
    } finally {
      isProfiling = false;
    }
  };
  const pages: Readonly<Record<string, (url: URL) => Answer | Promise<Answer>>> = {
    "": () =>
      text(
        200,
        Object.entries(PAGES)
          .map(([page, what]) => `/debug/${page}: ${what}`)
          .join("\n"),
      ),
    status: () => json(statusOf(source)),
    queues: () => json(source.manager.controllers.map((controller) => ({ ...controller.status(), keys: controller.keys(MAX_KEYS) }))),
    informers: () => json((source.manager.informers?.all() ?? []).map(informerOf)),
    errors: () => json(source.errors.all()),
    object: (url) => objectPage(source.manager, url),
    heap: async () => {
      log.warn({}, "a heap snapshot is being made: the process is blocked meanwhile");
      const { heapSnapshot } = await import("./profiles.ts");
      return { status: 200, contentType: "application/json", body: heapSnapshot() };
    },
    profile: ({ searchParams }) => profile(searchParams.get("seconds") ?? "10"),
  };
  return async (url, headers) => {
    const [, root, name = "", ...rest] = url.pathname.split("/");
    if (root !== "debug" || rest.length > 0) return undefined;
    if (!isFromHere(headers)) return text(403, "only for clients on this machine, and not for web pages");
    return Object.hasOwn(pages, name) ? await pages[name]?.(url) : undefined;
  };
}

/** Whether a request comes from a tool on this machine. A web page in a local browser may reach loopback as well, also by another host name. */
function isFromHere(headers: IncomingHttpHeaders): boolean {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  const name = /^\[(.*)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, "");
  return isLoopback(name) && origin === undefined && (site === undefined || site === "none" || site === "same-origin");
}

function statusOf({ manager }: DebugSource): object {
  const { state, leadership } = manager.status();
  return {
    state,
    leadership,
    process: {
      pid: process.pid,
      node: process.version,
      uptimeSeconds: Math.round(process.uptime()),
      memory: process.memoryUsage(),
      eventLoopUtilization: performance.eventLoopUtilization().utilization,
    },
  };
}

function informerOf(informer: Informer): object {
  const { lastError, ...progress } = informer.progress();
  return {
    kind: groupKindOf(informer.kind),
    ...progress,
    estimatedBytes: bytesOf(informer),
    ...(lastError === undefined ? {} : { lastError: messageOf(lastError) }),
  };
}

/** The estimated size as JSON, which is about the size in memory. */
function bytesOf(informer: Informer): number {
  const objects = informer.list();
  const step = Math.max(1, Math.floor(objects.length / SAMPLES));
  const sizes = objects.filter((_, i) => i % step === 0).map((object) => JSON.stringify(object).length);
  return sizes.length === 0 ? 0 : Math.round((sizes.reduce((sum, size) => sum + size, 0) / sizes.length) * objects.length);
}
