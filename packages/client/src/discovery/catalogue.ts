/**
 * The kinds that a server serves, requested when they are needed. Aggregated discovery takes two requests for all kinds, and
 * conditional requests later. Without it each group version is requested separately.
 */
import { type ApiResponse, apiVersionOf } from "@treadle/apimachinery";
import { parseJson } from "../answer.ts";
import type { Client } from "../client.ts";
import { apiError, invalidBody } from "../failure.ts";
import { DISCOVERY_ACCEPT, groupsIn, kindsIn, type ServedGroup } from "./documents.ts";
import type { ServedKind } from "./served.ts";

const ROOTS = ["/api", "/apis"] as const;

/** A root document and its ETag. */
interface Root {
  readonly etag: string | undefined;
  readonly groups: readonly ServedGroup[];
}

/** One state of the served kinds. The kinds of a version that lacks them are requested once, when they are needed. */
export class Catalogue {
  readonly #client: Client;
  readonly #roots: readonly Root[];
  readonly #kinds = new Map<string, Promise<readonly ServedKind[]>>();

  private constructor(client: Client, roots: readonly Root[]) {
    this.#client = client;
    this.#roots = roots;
  }

  /** Requests the root documents. @throws ApiError, ConnectionError */
  static async load(client: Client, former?: Catalogue): Promise<Catalogue> {
    const known = former === undefined ? [] : former.#roots;
    const roots = await Promise.all(ROOTS.map((path, index) => loadRoot(client, path, known[index])));
    return new Catalogue(client, roots);
  }

  get groups(): readonly ServedGroup[] {
    return this.#roots.flatMap(({ groups }) => groups);
  }

  group(name: string): ServedGroup | undefined {
    return this.groups.find(({ group }) => group === name);
  }

  /** The kinds of one version; none when it is not served. */
  async kindsOf(group: string, version: string): Promise<readonly ServedKind[]> {
    const served = this.group(group)?.versions.find((each) => each.version === version);
    if (served === undefined) return [];
    if (served.kinds !== undefined) return served.kinds;
    const id = apiVersionOf({ group, version });
    const known = this.#kinds.get(id);
    if (known !== undefined) return known;
    const loading = loadKinds(this.#client, group, version);
    this.#kinds.set(id, loading);
    // A failure is not cached, so the next lookup asks again.
    loading.catch(() => this.#kinds.delete(id));
    return loading;
  }
}

async function loadRoot(client: Client, path: string, former: Root | undefined): Promise<Root> {
  const condition: Record<string, string> = former?.etag === undefined ? {} : { "if-none-match": former.etag };
  const response = await get(client, path, { accept: DISCOVERY_ACCEPT, ...condition });
  if (response.status === 304 && former !== undefined) return former;
  // A server may serve named groups only, or the core group only.
  if (response.status === 404) return { etag: undefined, groups: [] };
  const groups = groupsIn(documentOf(path, response));
  if (groups === undefined) throw unusable(path, response);
  return { etag: response.headers["etag"], groups };
}

async function loadKinds(client: Client, group: string, version: string): Promise<readonly ServedKind[]> {
  const path = group === "" ? `/api/${encodeURIComponent(version)}` : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
  const response = await get(client, path, { accept: "application/json" });
  if (response.status === 404) return [];
  const kinds = kindsIn(documentOf(path, response), group, version);
  if (kinds === undefined) throw unusable(path, response);
  return kinds;
}

function get(client: Client, path: string, headers: Readonly<Record<string, string>>): Promise<ApiResponse> {
  return client.raw({ method: "GET", path, headers }, { verb: "discover", target: `what is served at ${path}` });
}

function documentOf(path: string, response: ApiResponse): unknown {
  if (response.status === 200) return parseJson(response.body ?? "");
  throw apiError({ ...context(path), nowMs: Date.now() }, response, response.body ?? "");
}

function unusable(path: string, response: ApiResponse): Error {
  return invalidBody(context(path), response, { body: response.body ?? "", problem: "not a discovery document", server: undefined });
}

function context(path: string): { readonly verb: string; readonly target: string } {
  return { verb: "discover", target: `what is served at ${path}` };
}
