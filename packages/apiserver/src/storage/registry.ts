/** The kinds that the server serves, with their versions and rules. */
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

/** Paths of the fields of the scale subresource, as field names from the root of the object. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector?: readonly string[];
}

/** A kind in one version. A new definition of the kind makes new values, so that they can be cache keys. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** `group/version`, or `version` in the core group. */
  readonly apiVersion: string;
  readonly served: boolean;
  /** Schema of a custom kind. Absent for built-in kinds and for an empty schema. */
  readonly schema?: CompiledSchema;
  readonly status: boolean;
  readonly scale?: ScalePaths;
  /** Columns of the table of a custom kind, in addition to the name. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Fields beyond metadata that a field selector can use. */
  readonly selectableFields: readonly string[];
  /** Converts an object for field selectors, when they do not see it as it is. */
  readonly selectedAs?: (object: JsonObject) => JsonObject;
  /** Text of the warning header of each request. */
  readonly deprecation?: string;
  /** Webhook that converts between the versions of the kind. */
  readonly conversion?: ConversionWebhook;
  /** Converts from the storage version. Absent when only apiVersion differs. */
  readonly fromStored?: (object: JsonObject) => JsonObject;
  readonly toStored?: (object: JsonObject) => JsonObject;
}

/** Rules of a kind beyond storage. */
export interface Hooks {
  /** Completes what the client sent, as if the client had sent it completed. `previous` is absent on create. */
  readonly convert?: (draft: Draft, previous: JsonObject | undefined) => void;
  /** Adds what the server decides. No manager is recorded for it. Values in the draft must be replaced, not modified. */
  readonly prepare?: (
    draft: Draft,
    previous: JsonObject | undefined,
    given: { readonly store: Store; readonly clock: Clock; readonly user: UserInfo; readonly simulatesWorkloads?: boolean },
  ) => void;
  /** Validates an object in the version of the request, which is `apiVersion`. `previous` has this version, too. */
  readonly validate?: (draft: Draft, previous: JsonObject | undefined, apiVersion: string) => readonly FieldError[];
  /** Validates an object whose status is written. */
  readonly validateStatus?: (draft: Draft, previous: JsonObject) => readonly FieldError[];
  /** Checks a valid object against other stored objects. @throws StatusError */
  readonly admit?: (draft: Draft, previous: JsonObject | undefined, given: { readonly store: Store; readonly isDryRun: boolean }) => void;
  /** Whether an update is validated like a new object, metadata included, so that its errors are listed twice. */
  readonly rechecksMetadata?: true;
  /** Returns the warnings about an object to store. */
  readonly warn?: (draft: Draft, previous: JsonObject | undefined) => readonly string[];
  /** Changes an object that is marked as deleted. */
  readonly prepareDelete?: (draft: Draft) => void;
}

export interface ResourceType {
  /** Id of the kind and its collection, `plural.group`. */
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
  /** Whether a create may set the status although it is a subresource (nodes: the kubelet registers itself this way). */
  readonly keepsStatus: boolean;
  /** Whether changes outside metadata and status increase metadata.generation. */
  readonly countsGenerations: boolean;
  readonly nameRule: NameRule;
  /** Whether an update needs no resourceVersion. */
  readonly isUnconditional: boolean;
  /** Whether a PUT creates an object that does not exist. */
  readonly createsOnUpdate: boolean;
  /** Whether DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Whether a deletion without a propagation policy orphans the dependents (kinds that are older than garbage collection). */
  readonly orphansDependents?: boolean;
  /** Finalizer that each object gets when it is deleted (a CRD waits for its objects). */
  readonly heldWhileDeleting: string | undefined;
  /** Whether a deletion only marks the object. The server deletes it when its content is deleted (namespaces). */
  readonly marksDeletion: boolean;
  /** Returns the grace period of a deletion, in seconds. Absent: no grace period. */
  readonly graceSeconds?: (object: StoredObject, requested: number | undefined) => number;
  readonly hooks: Hooks;
  /** Whether objects can only be created and are not stored, see `verbs/review.ts`. */
  readonly isReview?: boolean;
  /** Whether objects are computed for each read and cannot be written, see `verbs/component-statuses.ts`. */
  readonly isComputed?: boolean;
}

/** A kind in the version of a URL. */
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

  /** Notes that the CRD of a kind is being deleted. Its objects are deleted, and none can be created. */
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

  /** Returns everything that is served, in the order of installation. */
  all(): IterableIterator<Served> {
    return this.#served.values();
  }
}

/** Returns the id of a kind: `plural.group`, or `plural` for the core group. */
export function idOf(group: string, plural: string): string {
  return group === "" ? plural : `${plural}.${group}`;
}

export function resourceOf(type: ResourceType): GroupResource {
  return { group: type.group, resource: type.plural };
}
