/** Which kinds the server serves, in which versions and with which rules. */
import type { Clock } from "@treadle/apimachinery";
import type { ClientConfig } from "../admission/webhook-client.ts";
import type { UserInfo } from "../authorization/identity.ts";
import type { CompiledSchema } from "../schema/schema.ts";
import type { JsonObject } from "../internal/json.ts";
import type { GroupResource } from "../errors/status-errors.ts";
import type { Store } from "./store.ts";
import type { Draft, StoredObject } from "./stored-object.ts";
import type { FieldError } from "../errors/field-errors.ts";
import type { PrinterColumn } from "../table/printer-columns.ts";

/** `spec.conversion` of a CRD with the strategy Webhook. */
export interface ConversionWebhook {
  readonly clientConfig: ClientConfig;
  readonly reviewVersions: readonly string[];
}

export type NameRule = "subdomain" | "label" | "segment";

/** Where the scale subresource finds its numbers, as field names from the root of the object. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector?: readonly string[];
}

/** A kind in one version. A new definition of the kind makes new values, so they serve as cache keys. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** `group/version`, or `version` in the core group. */
  readonly apiVersion: string;
  readonly served: boolean;
  /** Absent for built-in kinds, and for the empty schema. */
  readonly schema?: CompiledSchema;
  readonly status: boolean;
  readonly scale?: ScalePaths;
  /** Of a CRD: what its tables show beside the name. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Fields beyond metadata that a field selector may name. */
  readonly selectableFields: readonly string[];
  /** What field selectors look at, where it is not the object as it is. */
  readonly selectedAs?: (object: JsonObject) => JsonObject;
  /** The text of the warning header on each use. */
  readonly deprecation?: string;
  /** The webhook that converts between the versions of the kind. */
  readonly conversion?: ConversionWebhook;
  /** From and to the stored form, where it differs by more than apiVersion. */
  readonly fromStored?: (object: JsonObject) => JsonObject;
  readonly toStored?: (object: JsonObject) => JsonObject;
}

/** What a kind does besides being stored. */
export interface Hooks {
  /** Completes what the client sent, as if it had sent it so; `previous` is absent on create. */
  readonly convert?: (draft: Draft, previous: JsonObject | undefined) => void;
  /** Adds what the server itself decides: nobody is recorded as its manager. Values inside the draft are to be replaced, not changed. */
  readonly prepare?: (
    draft: Draft,
    previous: JsonObject | undefined,
    given: { readonly store: Store; readonly clock: Clock; readonly user: UserInfo },
  ) => void;
  /** Checks an object in the version that the client sent, named by `apiVersion`; `previous` is in it, too. */
  readonly validate?: (draft: Draft, previous: JsonObject | undefined, apiVersion: string) => readonly FieldError[];
  /** The last word on a valid object, by what else is stored. @throws StatusError */
  readonly admit?: (draft: Draft, previous: JsonObject | undefined, given: { readonly store: Store; readonly isDryRun: boolean }) => void;
  /** An update is checked like a new object, metadata included, and says so once more. */
  readonly rechecksMetadata?: true;
  /** What is let through and said aloud, of an object that is to be stored. */
  readonly warn?: (draft: Draft, previous: JsonObject | undefined) => readonly string[];
  /** Changes an object that is marked as deleted. */
  readonly prepareDelete?: (draft: Draft) => void;
}

export interface ResourceType {
  /** `plural.group`: names the collection. */
  readonly id: string;
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly isCustom: boolean;
  readonly versions: readonly ServedVersion[];
  readonly storage: ServedVersion;
  /** A create may bring a status, though it is a subresource (nodes: the kubelet registers itself so). */
  readonly keepsStatus: boolean;
  /** What raises metadata.generation: any change outside metadata and status, or nothing. */
  readonly countsGenerations: boolean;
  readonly nameRule: NameRule;
  /** An update may come without resourceVersion. */
  readonly isUnconditional: boolean;
  /** A PUT of an object that does not exist creates it. */
  readonly createsOnUpdate: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** A deletion that says nothing of dependents leaves them (kinds that are older than garbage collection). */
  readonly orphansDependents?: boolean;
  /** A finalizer that every object gets when it is deleted (a CRD waits for its objects). */
  readonly heldWhileDeleting: string | undefined;
  /** A deletion only marks the object; the server removes it when its content is gone (namespaces). */
  readonly marksDeletion: boolean;
  /** How long an object is to stay after its deletion, in seconds; absent: not at all. */
  readonly graceSeconds?: (object: StoredObject, requested: number | undefined) => number;
  readonly hooks: Hooks;
  /** Objects are never stored: a create is answered at once, see `verbs/review.ts`. */
  readonly isReview?: boolean;
}

/** A kind as one URL reaches it. */
export interface Served {
  readonly type: ResourceType;
  readonly version: ServedVersion;
}

export class Registry {
  readonly #types = new Map<string, ResourceType>();
  readonly #served = new Map<string, Served>();
  readonly #ending = new Set<string>();
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` after each kind that is installed, until the returned function is called. */
  onInstall(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Serves a kind, or replaces its definition. */
  install(type: ResourceType): void {
    this.remove(type.id);
    this.#types.set(type.id, type);
    for (const version of type.versions) {
      if (version.served) this.#served.set(`${version.group}/${version.version}/${type.plural}`, { type, version });
    }
    for (const listener of this.#listeners) listener();
  }

  remove(id: string): void {
    this.#types.delete(id);
    for (const [key, served] of this.#served) if (served.type.id === id) this.#served.delete(key);
  }

  /** Notes that the CRD of a kind is being deleted: its objects go, and no new one comes. */
  setEnding(id: string, isEnding: boolean): void {
    if (isEnding) this.#ending.add(id);
    else this.#ending.delete(id);
  }

  isEnding(id: string): boolean {
    return this.#ending.has(id);
  }

  type(id: string): ResourceType | undefined {
    return this.#types.get(id);
  }

  types(): IterableIterator<ResourceType> {
    return this.#types.values();
  }

  find(group: string, version: string, plural: string): Served | undefined {
    return this.#served.get(`${group}/${version}/${plural}`);
  }

  /** Everything served, in the order of installation. */
  all(): IterableIterator<Served> {
    return this.#served.values();
  }
}

/** The id of a resource: `plural.group`, or `plural` in the core group. */
export function idOf(group: string, plural: string): string {
  return group === "" ? plural : `${plural}.${group}`;
}

export function resourceOf(type: ResourceType): GroupResource {
  return { group: type.group, resource: type.plural };
}
