/**
 * Discovery: the kinds that a server serves. It finds the kind of an object that is known only by `apiVersion` and `kind`. The
 * first lookup asks the server. A lookup that finds nothing asks again, since a CRD may have been installed. For
 * {@link MISS_MS} after that, the same lookup finds nothing without a request.
 */
import {
  ApiError,
  apiVersionOf,
  type Clock,
  groupKindOf,
  type Kind,
  orAborted,
  parseApiVersion,
  systemClock,
  type UntypedObject,
} from "@treadle/apimachinery";
import type { Client } from "../client.ts";
import { wait } from "../wait.ts";
import { Catalogue } from "./catalogue.ts";
import type { ServedKind } from "./served.ts";

/** A kind that is known only at run time, with its discovery data. */
export type DiscoveredKind = Kind<UntypedObject, UntypedObject> & ServedKind;

/** Names a kind: by the `apiVersion` of an object or manifest, or by its group, in the version that the server prefers. */
export type KindName =
  | { readonly apiVersion: string; readonly kind: string }
  | { readonly group: string; readonly kind: string; readonly version?: string };

/** Options of the lookups of a {@link Discovery}. */
export interface LookupOptions {
  /** Ends the lookup. It rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of {@link Discovery.kinds}. */
export interface KindsOptions extends LookupOptions {
  /** Called for each version, such as `metrics.k8s.io/v1beta1`, whose kinds are missing because its server does not answer. */
  readonly onMissing?: (apiVersion: string) => void;
}

/** Options of {@link discovery}. */
export interface DiscoveryOptions {
  /** Clock for the ages of answers. @defaultValue the system's */
  readonly clock?: Clock;
  /** Age in milliseconds at which the next lookup asks the server again. @defaultValue 600,000 */
  readonly maxAgeMs?: number;
}

/** Looks up the kinds that a server serves. It caches the answers. */
export interface Discovery {
  /**
   * Returns the kind of an object or a manifest, or of a `{ group, kind }` in the preferred version of the server.
   * @throws ApiError `isKindNotServed` that names the served versions; TypeError when `name` has no kind
   */
  kindOf(name: KindName, options?: LookupOptions): Promise<DiscoveredKind>;
  /** Returns a kind like {@link Discovery.kindOf}; `undefined` when the server does not serve it. */
  find(name: KindName, options?: LookupOptions): Promise<DiscoveredKind | undefined>;
  /** Returns every kind, the preferred version of each group first. Kinds of an aggregated server that does not answer are missing. */
  kinds(options?: KindsOptions): Promise<readonly DiscoveredKind[]>;
  /** Drops the cached answers, so that the next lookup asks the server. Call it when a kind is no longer served. */
  invalidate(): void;
}

/** Shortest time between two requests to the server. */
export const REFRESH_MS = 1_000;
/** Time for which a kind that was not found is not looked up again. */
export const MISS_MS = 5_000;
/** Maximum number of remembered misses, so that many wrong names do not fill the memory. */
const MAX_MISSES = 1_000;

/** Creates the discovery of one server. Keep it, since it caches. It sends nothing before the first lookup. */
export function discovery(client: Client, options: DiscoveryOptions = {}): Discovery {
  return new CachedDiscovery(client, options);
}

class CachedDiscovery implements Discovery {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  #known: { readonly catalogue: Catalogue; readonly askedAt: number; readonly number: number } | undefined;
  #loading: { readonly catalogue: Promise<Catalogue>; isSent: boolean } | undefined;
  /** Number of requests so far. A request that was sent after a lookup began answers it. */
  #sent = 0;
  /** Time of the last request, answered or not. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #former: Catalogue | undefined;
  readonly #misses = new Map<string, number>();

  constructor(client: Client, { clock = systemClock, maxAgeMs = 600_000 }: DiscoveryOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  async kindOf(name: KindName, options: LookupOptions = {}): Promise<DiscoveredKind> {
    const found = await this.find(name, options);
    if (found !== undefined) return found;
    const wanted = wantedOf(name);
    throw notServed(wanted, this.#known === undefined ? [] : await served(this.#known.catalogue, wanted));
  }

  async find(name: KindName, { signal }: LookupOptions = {}): Promise<DiscoveredKind | undefined> {
    const wanted = wantedOf(name);
    const since = this.#sent;
    const found = await lookUp(await this.#current(signal), wanted);
    if (found !== undefined) return found;
    const id = `${wanted.version ?? "*"}/${groupKindOf(wanted)}`;
    const missedAt = this.#misses.get(id);
    if (missedAt !== undefined && this.#clock.now() - missedAt < MISS_MS) return undefined;
    const again = await lookUp(await this.#refreshed(since, signal), wanted);
    this.#misses.delete(id);
    if (again === undefined) this.#missed(id);
    return again;
  }

  async kinds({ signal, onMissing = () => undefined }: KindsOptions = {}): Promise<readonly DiscoveredKind[]> {
    const catalogue = await this.#current(signal);
    const kindsOf = async (group: string, version: string, isStale: boolean): Promise<readonly ServedKind[]> => {
      const kinds = await catalogue.kindsOf(group, version).catch(() => undefined);
      if (kinds === undefined || (isStale && kinds.length === 0)) onMissing(apiVersionOf({ group, version }));
      return kinds ?? [];
    };
    const versions = catalogue.groups.flatMap(({ group, versions: all }) => all.map((each) => ({ group, ...each })));
    return (await Promise.all(versions.map(({ group, version, isStale }) => kindsOf(group, version, isStale)))).flat();
  }

  invalidate(): void {
    this.#known = undefined;
    this.#misses.clear();
  }

  async #current(signal: AbortSignal | undefined): Promise<Catalogue> {
    const known = this.#known;
    if (known === undefined) return this.#refreshed(-1, signal);
    return this.#clock.now() - known.askedAt < this.#maxAgeMs ? known.catalogue : this.#refreshed(this.#sent, signal);
  }

  /** The answer to a request that was sent after number `since`. It waits until the next request is allowed. */
  async #refreshed(since: number, signal: AbortSignal | undefined): Promise<Catalogue> {
    signal?.throwIfAborted();
    if (this.#known !== undefined && this.#known.number > since) return this.#known.catalogue;
    const { catalogue, isSent } = (this.#loading ??= this.#load());
    if (!isSent || since < this.#sent) return orAborted(catalogue, signal);
    // It was sent before this lookup began. All waiting lookups share the next one.
    await orAborted(Promise.allSettled([catalogue]), signal);
    return this.#refreshed(since, signal);
  }

  #load(): { readonly catalogue: Promise<Catalogue>; isSent: boolean } {
    const delayMs = this.#askedAt + REFRESH_MS - this.#clock.now();
    const load = async (): Promise<Catalogue> => {
      if (delayMs > 0) await wait(this.#clock, delayMs);
      loading.isSent = true;
      const number = ++this.#sent;
      const askedAt = this.#clock.now();
      this.#askedAt = askedAt;
      const catalogue = await Catalogue.load(this.#client, this.#former);
      this.#former = catalogue;
      this.#known = { catalogue, askedAt, number };
      return catalogue;
    };
    const catalogue = Promise.resolve()
      .then(load)
      .finally(() => {
        this.#loading = undefined;
      });
    // All waiting lookups may have been aborted.
    catalogue.catch(() => {});
    const loading = { catalogue, isSent: false };
    return loading;
  }

  #missed(id: string): void {
    const [oldest] = this.#misses.keys();
    if (this.#misses.size >= MAX_MISSES && oldest !== undefined) this.#misses.delete(oldest);
    this.#misses.set(id, this.#clock.now());
  }
}

interface Wanted {
  readonly group: string;
  readonly kind: string;
  readonly version: string | undefined;
}

function wantedOf(name: KindName): Wanted {
  const given = name as Readonly<Record<string, unknown>>;
  const { apiVersion, kind, group, version } = given;
  if (typeof kind !== "string" || kind === "") throw new TypeError(`cannot find a kind: kind is ${JSON.stringify(kind)}; give its name`);
  if (typeof apiVersion === "string" && /^[^/]+(\/[^/]+)?$/.test(apiVersion)) return { ...parseApiVersion(apiVersion), kind };
  if (typeof group === "string") return { group, kind, version: typeof version === "string" ? version : undefined };
  throw new TypeError(`cannot find the kind ${kind}: its apiVersion is ${JSON.stringify(apiVersion)}; write "version" or "group/version"`);
}

/** The kind in the requested version, else in the first version that has it. */
async function lookUp(catalogue: Catalogue, { group, kind, version }: Wanted): Promise<ServedKind | undefined> {
  const versions = version === undefined ? (catalogue.group(group)?.versions ?? []).map((each) => each.version) : [version];
  for (const each of versions) {
    const found = (await catalogue.kindsOf(group, each)).find((one) => one.kind === kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Hints for a kind that was not found: the versions that have it, or the problem of its group. */
async function served(catalogue: Catalogue, { group, kind }: Wanted): Promise<readonly string[]> {
  const versions = catalogue.group(group)?.versions ?? [];
  const lines = await Promise.all(
    versions.map(async ({ version, isStale }) => {
      const apiVersion = apiVersionOf({ group, version });
      if (isStale) return `the server behind ${apiVersion} does not answer`;
      const kinds = await catalogue.kindsOf(group, version).catch(() => []);
      return kinds.some((one) => one.kind === kind) ? `the server has it as ${apiVersion}` : undefined;
    }),
  );
  return lines.filter((line) => line !== undefined);
}

function notServed({ group, kind, version }: Wanted, notes: readonly string[]): ApiError {
  const name = version === undefined ? groupKindOf({ group, kind }) : `${kind} (${apiVersionOf({ group, version })})`;
  const advice = notes.length > 0 ? notes.join("; ") : "install its CRD, or correct apiVersion and kind";
  // The API answers with a 404 without a name for a kind that is not served.
  return new ApiError({
    message: `cannot find the kind ${name}: the server does not serve it; ${advice}`,
    status: 404,
    reason: "NotFound",
  });
}
