/** Refuses invalid options where they are given, and not when they are first used. */
import {
  apiVersionOf,
  isDns1123Label,
  labelRequirements,
  parseFieldSelector,
  parseLabelSelector,
  type UntypedObject,
} from "@treadle/apimachinery";
import { projection } from "@treadle/informer";
import type { CachedKind } from "../cached.ts";
import type { ControllerOptions } from "../controller-options.ts";
import { checkLeaderElection } from "../leader-election/options.ts";
import type { ManagerOptions } from "../manager-options.ts";
import { messageOf } from "../internal/error-text.ts";
import { isLoopback } from "../servers/loopback.ts";

/** Checks the options of a manager. @throws RangeError that names the option and its valid values */
export function checkManagerOptions(options: ManagerOptions): void {
  const { namespaces, probes, metrics, debug, leaderElection, concurrency } = options;
  checkDrain(options.drain, "createManager: ");
  if (options.drain !== undefined && options.dryRun)
    throw new RangeError("createManager: a drain in a dry run would never end: set either drain or dryRun");
  if (typeof leaderElection === "object") checkLeaderElection(leaderElection);
  for (const name of ["gracefulShutdownMs", "cacheSyncTimeoutMs", "kindRetryMs"] as const) {
    const ms = options[name];
    if (ms !== undefined && !(Number.isFinite(ms) && ms >= 0 && ms <= MAX_MS))
      throw new RangeError(`createManager: ${name} is ${String(ms)}: give milliseconds from 0 to ${MAX_MS}`);
  }
  if (concurrency !== undefined && !isCount(concurrency))
    throw new RangeError(`createManager: concurrency must be a whole number from 1, not ${concurrency}`);
  checkResync("createManager", options.resyncMs);
  checkNamespaces("createManager", namespaces);
  checkCache(options.cache ?? []);
  checkMetrics(options);
  if (typeof debug === "object" && debug.host !== undefined && !isLoopback(debug.host))
    throw new RangeError(
      `createManager: debug.host is ${JSON.stringify(debug.host)}: it is served on loopback only, since it shows the memory of the process`,
    );
  for (const [name, server] of Object.entries({ probes, metrics, debug })) {
    const port = typeof server === "boolean" ? undefined : server?.port;
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
      throw new RangeError(`createManager: ${name}.port is ${String(port)}: give a port from 0 (any free one) to 65535`);
  }
}

function checkDrain(drain: unknown, where: string): void {
  if (drain !== undefined && drain !== "release" && drain !== "clean")
    throw new RangeError(`${where}drain is ${JSON.stringify(drain)}: give "release" or "clean", or leave it out`);
}

/** Checks a list of namespaces. @throws RangeError that begins with `where` */
export function checkNamespaces(where: string, namespaces: readonly string[] | undefined): void {
  if (namespaces !== undefined && !(Array.isArray(namespaces) && namespaces.length > 0))
    throw new RangeError(`${where}: namespaces is empty, so nothing would be watched: leave it out for all namespaces`);
  for (const namespace of namespaces ?? [])
    if (typeof namespace !== "string" || !isDns1123Label(namespace))
      throw new RangeError(`${where}: ${JSON.stringify(namespace)} in namespaces is not a valid name of a namespace`);
}

function checkCache(cache: readonly CachedKind[]): void {
  const seen = new Set<string>();
  for (const { kind, labelSelector, fieldSelector, keep } of cache) {
    const id = `${apiVersionOf(kind)} ${kind.kind}`;
    if (seen.has(id)) throw new RangeError(`createManager: cache names ${id} twice: use one cached(${kind.kind}, ...)`);
    seen.add(id);
    try {
      if (typeof labelSelector === "string") parseLabelSelector(labelSelector);
      else if (labelSelector !== undefined) labelRequirements({ matchLabels: labelSelector });
      parseFieldSelector(fieldSelector ?? "");
      projection<UntypedObject>(keep ?? []);
    } catch (error) {
      throw new RangeError(`createManager: cache of ${kind.kind}: ${messageOf(error)}`, { cause: error });
    }
  }
}

function checkMetrics({ metrics, host }: ManagerOptions): void {
  if (metrics === undefined || metrics === false) return;
  const { tls, authorize, conditions } = metrics;
  if (conditions !== undefined && conditions !== "each")
    throw new RangeError(`createManager: metrics.conditions is ${JSON.stringify(conditions)}: give "each", or leave it out`);
  if (tls !== undefined && !(isFile(tls.certFile) && isFile(tls.keyFile)))
    throw new RangeError("createManager: metrics.tls needs certFile and keyFile, the names of two files");
  if (authorize === true && tls === undefined && !isLoopback(metrics.host ?? host))
    throw new RangeError(
      "createManager: metrics.authorize without metrics.tls would have tokens sent in the clear: give tls, or host 127.0.0.1",
    );
}

function checkResync(where: string, ms: number | false | undefined): void {
  if (ms !== undefined && ms !== false && !(ms > 0 && ms <= MAX_RESYNC_MS))
    throw new RangeError(`${where}: resyncMs is ${String(ms)}: give milliseconds above 0, up to ${MAX_RESYNC_MS}, or false`);
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1;
}

function isFile(name: unknown): boolean {
  return typeof name === "string" && name !== "";
}

/** Checks the options of a controller. @throws RangeError that names the handler, the option and its valid values */
export function checkControllerOptions(options: ControllerOptions<never>, handler: string): void {
  checkDrain(options.drain, `cannot add handler "${handler}": `);
  const { concurrency, backoff } = options;
  if (concurrency !== undefined && !isCount(concurrency))
    throw new RangeError(`cannot add handler "${handler}": concurrency must be a whole number from 1, not ${concurrency}`);
  checkResync(`cannot add handler "${handler}"`, options.resyncMs);
  if (backoff === undefined || backoff === "cluster" || backoff === "external") return;
  const {
    baseMs,
    maxMs,
    factor = 2,
    bucket,
  } = typeof backoff === "object" && backoff !== null ? backoff : { baseMs: Number.NaN, maxMs: Number.NaN, bucket: undefined };
  if (bucket !== undefined && !(bucket?.perSecond > 0 && Number.isFinite(bucket.perSecond) && bucket.burst >= 1))
    throw new RangeError(
      `cannot add handler "${handler}": backoff.bucket is ${JSON.stringify(bucket)}: give { perSecond, burst } with perSecond above 0 and burst from 1`,
    );
  if (!(baseMs >= 0 && baseMs <= maxMs && maxMs <= MAX_MS && factor >= 1 && Number.isFinite(factor)))
    throw new RangeError(
      `cannot add handler "${handler}": backoff is ${JSON.stringify(backoff)}: give "cluster", "external" or { baseMs, maxMs, factor } with 0 <= baseMs <= maxMs and factor from 1`,
    );
}

/** The longest time that a timer of Node can wait. */
const MAX_MS = 2 ** 31 - 1;
/** With its jitter. */
const MAX_RESYNC_MS = 2 ** 30;
