/** The requests that the garbage collector sends: patches of metadata and deletions, each of one version of one object. */
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { byPriority } from "../discovery/discovery.ts";
import type { Registry } from "../storage/registry.ts";
import type { Entry } from "../storage/store.ts";
import type { Node } from "./graph.ts";

/** Sends a request of the collector and returns its answer; never rejects. */
export type Send = (request: ApiRequest) => Promise<ApiResponse>;

/** Outcome of a request. A request for an object that no longer exists is done. */
export type Outcome = "done" | "conflict" | "refused";

/** Writes objects as kube-controller-manager does. */
export class CollectorWrites {
  readonly #registry: Registry;
  readonly #send: Send;

  constructor(registry: Registry, send: Send) {
    this.#registry = registry;
    this.#send = send;
  }

  /** Merges `metadata` into that of the object. */
  patch(node: Node, { object }: Entry, metadata: object): Promise<Outcome> {
    const { uid, resourceVersion } = object.metadata;
    const body = { metadata: { uid, resourceVersion, ...metadata } };
    return this.#request(node, { method: "PATCH", body, contentType: "application/merge-patch+json" });
  }

  /** Deletes the object with a propagation policy. */
  delete(node: Node, { object }: Entry, propagationPolicy: string): Promise<Outcome> {
    const { uid, resourceVersion } = object.metadata;
    const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid, resourceVersion }, propagationPolicy };
    return this.#request(node, { method: "DELETE", body, contentType: "application/json" });
  }

  async #request(node: Node, { method, body, contentType }: Write): Promise<Outcome> {
    const path = this.#pathOf(node);
    if (path === undefined) return "done";
    const headers = { "content-type": contentType, accept: "application/json", "user-agent": "kube-controller-manager" };
    const { status } = await this.#send({ method, path, headers, body: JSON.stringify(body) });
    if (status < 300 || status === 404) return "done";
    return status === 409 ? "conflict" : "refused";
  }

  /** The path of the object in the preferred version of its kind, or `undefined` when the kind is not served. */
  #pathOf({ id, key }: Node): string | undefined {
    const type = this.#registry.type(id);
    if (type === undefined) return undefined;
    const [version] = type.versions.filter(({ served }) => served).toSorted((a, b) => byPriority(a.version, b.version));
    if (version === undefined) return undefined;
    const [namespace, name] = type.isNamespaced ? (key.split("/") as [string, string]) : [undefined, key]; // the key of a namespaced object
    const root = version.group === "" ? "/api" : "/apis";
    const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
    return `${root}/${version.apiVersion}${scope}/${type.plural}/${encodeURIComponent(name)}`;
  }
}

interface Write {
  readonly method: "PATCH" | "DELETE";
  readonly body: object;
  readonly contentType: string;
}
