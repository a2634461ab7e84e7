/**
 * Facts about the cluster for renderers: the version of the API server, and what it serves. They are requested when a renderer
 * first reads them, once for all sets of a client, and again when they are older than {@link MAX_AGE_MS}.
 */
import { ApiError, apiVersionOf, type Clock, orAborted } from "@treadle/apimachinery";
import { type Client, discovery, type Discovery } from "@treadle/client";
import { digestOf } from "../../core/body.ts";

/** Age at which the next reader requests the facts again, in milliseconds. */
const MAX_AGE_MS = 600_000;
/** Time after a failed request in which older facts count, in milliseconds. */
const RETRY_MS = 10_000;

/** The parts that are requested separately. */
export type FactName = "version" | "served";

/** What an API server serves, at one time. */
export interface Served {
  /** API versions, and kinds in them: `apps/v1` and `apps/v1/Deployment`; sorted. */
  readonly all: readonly string[];
  /** Whether the server serves it; `undefined`: the server behind its API version does not answer. */
  has(name: string): boolean | undefined;
  /** A digest of `all`. */
  readonly digest: string;
}

/** The known facts; `undefined` for a part that was not requested, or that is too old. */
export interface Facts {
  readonly version: string | undefined;
  readonly served: Served | undefined;
}

/** The facts about one cluster. It sends nothing before the first {@link ClusterFacts.fetch}. */
export class ClusterFacts {
  readonly #client: Pick<Client, "raw">;
  readonly #discovery: Discovery;
  readonly #version: Fact<string>;
  readonly #served: Fact<Served>;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    // Facts decides the age: a second one would make facts older than they are.
    this.#discovery = discovery(client, { clock, maxAgeMs: 0 });
    this.#version = new Fact(clock, () => versionOf(this.#client));
    this.#served = new Fact(clock, (former) => this.#loadServed(former));
  }

  /** Returns the facts that are known and not too old. Sends nothing. */
  peek(): Facts {
    return { version: this.#version.fresh, served: this.#served.fresh };
  }

  /**
   * Requests parts that are not known or too old. If the server does not answer, older facts count.
   * @throws ApiError, ConnectionError, or the signal's reason
   */
  async fetch(names: Iterable<FactName>, signal: AbortSignal): Promise<Facts> {
    const parts = new Set(names);
    const [version, served] = await Promise.all([
      parts.has("version") ? this.#version.get(signal) : this.#version.fresh,
      parts.has("served") ? this.#served.get(signal) : this.#served.fresh,
    ]);
    return { version, served };
  }

  /** Makes the next reader request what the server serves. Call it when a kind was added or removed. */
  invalidate(): void {
    this.#served.invalidate();
  }

  async #loadServed(former: Served | undefined): Promise<Served> {
    const missing = new Set<string>();
    const kinds = await this.#discovery.kinds({ onMissing: (apiVersion) => void missing.add(apiVersion) });
    const names = new Set(kinds.flatMap((kind) => [apiVersionOf(kind), `${apiVersionOf(kind)}/${kind.kind}`]));
    const unknown = new Set<string>();
    for (const apiVersion of missing) {
      names.add(apiVersion);
      // A server that does not answer for a while still serves what it served.
      const before = (former?.all ?? []).filter((name) => name.startsWith(`${apiVersion}/`));
      for (const name of before) names.add(name);
      if (before.length === 0) unknown.add(apiVersion);
    }
    return servedOf(names, unknown);
  }
}

/** The facts of each client: they belong to the cluster, not to a set or an object. */
const FACTS = new WeakMap<Client, ClusterFacts>();

/** Returns the facts about the cluster of a client, the same each time. `clock` counts at the first call. */
export function clusterFactsOf(client: Client, clock: Clock): ClusterFacts {
  let facts = FACTS.get(client);
  if (facts === undefined) FACTS.set(client, (facts = new ClusterFacts(client, clock)));
  return facts;
}

/** @param unknown API versions whose kinds are not known */
export function servedOf(names: Iterable<string>, unknown: ReadonlySet<string> = new Set()): Served {
  const served = new Set(names);
  const all = Object.freeze([...served].toSorted());
  return {
    all,
    has: (name) => served.has(name) || (unknown.has(name.slice(0, name.lastIndexOf("/"))) ? undefined : false),
    digest: digestOf(all),
  };
}

/** One part of the facts: all readers share a request. */
class Fact<Value> {
  readonly #clock: Clock;
  readonly #load: (former: Value | undefined) => Promise<Value>;
  #known: { readonly value: Value; readonly until: number } | undefined;
  #loading: Promise<Value> | undefined;
  #invalidations = 0;

  constructor(clock: Clock, load: (former: Value | undefined) => Promise<Value>) {
    this.#clock = clock;
    this.#load = load;
  }

  get fresh(): Value | undefined {
    return this.#known !== undefined && this.#clock.now() < this.#known.until ? this.#known.value : undefined;
  }

  get(signal: AbortSignal): Promise<Value> {
    const { fresh } = this;
    if (fresh !== undefined) return Promise.resolve(fresh);
    this.#loading ??= this.#loaded().finally(() => {
      this.#loading = undefined;
    });
    return orAborted(this.#loading, signal);
  }

  invalidate(): void {
    this.#invalidations++;
    if (this.#known !== undefined) this.#known = { ...this.#known, until: Number.NEGATIVE_INFINITY };
  }

  async #loaded(): Promise<Value> {
    const askedAt = this.#clock.now();
    const former = this.#known;
    const before = this.#invalidations;
    try {
      const value = await this.#load(former?.value);
      // An answer to an older request may not show what has changed.
      const until = this.#invalidations === before ? askedAt + MAX_AGE_MS : Number.NEGATIVE_INFINITY;
      this.#known = { value, until };
      return value;
    } catch (error) {
      if (former === undefined) throw error;
      this.#known = { value: former.value, until: this.#clock.now() + RETRY_MS };
      return former.value;
    }
  }
}

async function versionOf(client: Pick<Client, "raw">): Promise<string> {
  const request = { method: "GET", path: "/version", headers: { accept: "application/json" } } as const;
  const { status, body } = await client.raw(request, { verb: "get", target: "the version of the API server" });
  if (status !== 200) throw new ApiError({ message: `cannot get the version of the API server: /version answered ${status}`, status });
  const version = gitVersionIn(body);
  if (version === undefined) throw new Error("cannot get the version of the API server: /version answered without gitVersion");
  return version;
}

function gitVersionIn(body: string | undefined): string | undefined {
  try {
    const document = JSON.parse(body ?? "") as { readonly gitVersion?: unknown } | null;
    return typeof document?.gitVersion === "string" ? document.gitVersion : undefined;
  } catch {
    return undefined;
  }
}
