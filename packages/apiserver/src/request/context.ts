/** The context of a request: the parts of the server, and the request after it was read. */
import type { ApiRequest, ApiResponse, Clock, Random } from "@treadle/apimachinery";
import type { Admission } from "../admission/admission.ts";
import type { Deliberation } from "./deliberation.ts";
import type { Conversions } from "../crd/conversion-webhooks.ts";
import type { Access } from "../authorization/access.ts";
import type { UserInfo } from "../authorization/identity.ts";
import { type Accepted, encode, type Encoding, typeOf } from "./content.ts";
import { goQuote } from "../internal/json.ts";
import type { RequestMetrics } from "../metrics/request-metrics.ts";
import type { Registry, Served } from "../storage/registry.ts";
import type { ResourceRoute } from "./routes.ts";
import { badRequest } from "../errors/status-errors.ts";
import { type Collection, type Entry, keyFor, type Store } from "../storage/store.ts";
import { representationOf } from "../storage/served-form.ts";
import type { Representation } from "../storage/representation.ts";

/** The parts of one server. */
export interface Parts {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly uid: () => string;
  readonly watchBuffer: number;
  readonly bookmarkIntervalMs: number;
  /** Whether a garbage collector runs. */
  readonly collectsGarbage: boolean;
  /** Whether the controllers of workloads run, which take off the finalizers of claims and volumes. */
  readonly simulatesWorkloads: boolean;
  /** Authentication and authorization. */
  readonly access: Access;
  readonly admission: Admission;
  readonly conversions: Conversions;
  /** Counts of requests and of events of watches, for `/metrics`. */
  readonly metrics: RequestMetrics;
  /** Open streams and the ids of their kinds. A stream ends when the server closes or the kind changes. */
  readonly streams: Map<{ end(): void }, string>;
}

/** One request to a served kind. */
export interface Call {
  readonly parts: Parts;
  readonly request: ApiRequest;
  /** User of the request, after impersonation. */
  readonly user: UserInfo;
  readonly route: ResourceRoute;
  readonly query: URLSearchParams;
  readonly served: Served;
  readonly collection: Collection;
  readonly accepted: Accepted;
  /** Warnings for the client; filled while the request is handled. */
  readonly warnings: string[];
  /** State of a request that webhooks see. Absent for writes of the server itself. */
  readonly deliberation?: Deliberation;
}

/** Returns the entry that the path names, if it exists. @throws StatusError 400 */
export function entryOf(call: Call): Entry | undefined {
  const { name } = call.route;
  const problem = name === "." || name === ".." ? `may not be '${name}'` : name.includes("%") ? "may not contain '%'" : undefined;
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problem}`);
  return call.collection.get(keyFor(call.route.namespace, call.route.name));
}

/** Returns the representation of an entry in the version and form of this request. */
export function representationFor(call: Call, entry: Entry): Representation {
  const representation = representationOf(entry, call.served.version, call.served.type);
  return call.accepted.metadataOf !== undefined ? representation.metadataOnly : representation;
}

/** Makes an answer from a JSON text, in the accepted encoding. */
export async function respondIn(encoding: Encoding, status: number, json: string): Promise<ApiResponse> {
  return respond(status, await encode(json, encoding), typeOf(encoding));
}

/** Makes an answer. */
export function respond(status: number, body: string, contentType = "application/json"): ApiResponse {
  return { status, headers: { "content-type": contentType }, body };
}
