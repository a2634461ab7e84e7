/**
 * Watches of kinds that are known only at run time, by `req.watch`. The engine notes which step asks for which kind; the environment
 * watches. A watch lives as long as some object asks for it.
 */
import { apiVersionOf, groupKindOf, isMetadataOnly, type Kind, type UntypedObject } from "@treadle/apimachinery";
import type { KindName } from "@treadle/client";
import { misuse } from "./internal/misuse.ts";
import { truncate } from "./internal/redact.ts";

/** A kind watch is the state of a watch that a step asked for by `req.watch`. */
export type KindWatch<K extends Kind = Kind> =
  /** All objects are listed and `req.cache` shows them; `kind` is the kind to ask the cache and the client with. */
  | { readonly type: "synced"; readonly kind: K }
  /**
   * The server serves the kind, and offers no watch of it to any client, such as TokenReview and PodMetrics. No pass starts by its
   * objects. `kind` is the kind to ask the client with, for what the server does offer.
   */
  | { readonly type: "unwatchable"; readonly kind: K; readonly reason: string }
  /** `pending`: the objects are being listed. `refused`: a right is missing. A change of the state triggers a pass. */
  | { readonly type: "pending" | "not-served" | "refused"; readonly reason: string };

/** This is the kind that {@link KindWatch} names for the argument `K` of `req.watch`. */
export type WatchedKind<K> = K extends Kind ? K : Kind<UntypedObject, UntypedObject>;

/** Kind watches are the service behind `req.watch`, for one handler. */
export interface KindWatches {
  /**
   * Watches a kind for the primary `key`, until {@link KindWatches.release}, and returns the state of the watch. Idempotent. Changes of
   * objects that a primary owns, and changes of the state, trigger a pass. It must not throw.
   */
  hold(kind: Kind | KindName, key: string): KindWatch;
  /** Ends the hold of the primary `key`; `id` is the {@link watchIdOf} of the kind. The watch ends some time after its last hold. */
  release(id: string, key: string): void;
}

/** Returns the id of a watch: the kind or its name, and the form of its objects. @throws Misuse for a value that names no kind */
export function watchIdOf(kind: Kind | KindName): string {
  const { apiVersion, group, version = "*", kind: name } = (kind ?? {}) as Readonly<Record<string, unknown>>;
  const of =
    typeof apiVersion === "string" ? apiVersion : typeof group === "string" ? apiVersionOf({ group, version: String(version) }) : "";
  if (typeof name !== "string" || name === "" || !/^[^/]+(\/[^/]+)?$/.test(of))
    throw misuse(
      "ERR_INVALID_STEP",
      `req.watch: ${shown(kind)} is not a kind: give one, or its name { apiVersion: "apps/v1", kind: "Deployment" }`,
    );
  return `${of}/${name}${isKind(kind) && isMetadataOnly(kind) ? " (metadata)" : ""}`;
}

/** Returns whether `kind` is a whole kind, and not only the name of one. */
export function isKind(kind: Kind | KindName): kind is Kind {
  return "plural" in kind && "scope" in kind && "version" in kind;
}

/** Returns the text for a kind or its name in messages: with the version, if one is given. */
export function kindText(kind: Kind | KindName): string {
  const { apiVersion, group = "", version, kind: name } = kind as Readonly<Record<string, string>>;
  if (apiVersion !== undefined) return `${name} (${apiVersion})`;
  return version === undefined ? groupKindOf({ group, kind: name ?? "" }) : `${name} (${apiVersionOf({ group, version })})`;
}

function shown(kind: unknown): string {
  try {
    return truncate(JSON.stringify(kind) ?? String(kind), 100);
  } catch {
    return `a value of type ${typeof kind}`;
  }
}
