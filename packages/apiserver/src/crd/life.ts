/**
 * The controllers of CRDs that are part of the API server. They accept the names of a CRD, establish it, and delete its
 * objects before the CRD is deleted. They write the status as the manager `kube-apiserver`. There are no timers: work that
 * became due is done at the end of the request that caused it.
 */
import { jsonEqual } from "@treadle/apimachinery";
import type { Parts } from "../request/context.ts";
import { CRD_CLEANUP_FINALIZER, emptyOut } from "../objects/deletion.ts";
import { cloneJson, type JsonObject, valueAt } from "../internal/json.ts";
import { hasCondition, listAt } from "../internal/read.ts";
import { localCall } from "../request/local-call.ts";
import { secondsOf, stringsOf } from "../objects/object-meta.ts";
import type { Collection, Entry } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { change } from "../verbs/update.ts";
import { hasBrokenCaBundle } from "./check-definition.ts";
import { type Condition, namingOf, withCondition } from "./names.ts";
import { DEFINITIONS, DEFINITIONS_ID } from "./resource.ts";

export class DefinitionLife {
  readonly #parts: Parts;
  readonly #definitions: Collection;
  /** Groups in which a CRD was changed or deleted. */
  readonly #due = new Set<unknown>();
  readonly #going = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#definitions = parts.store.collection(DEFINITIONS_ID);
    this.#definitions.listen(({ type, entry }) => {
      this.#due.add(groupOf(entry));
      if (type === "DELETED") this.#going.delete(entry.key);
      else if (entry.object.metadata.deletionTimestamp !== undefined) this.#going.add(entry.key);
    });
  }

  /** Does the work that is due. Called after each write; without a changed or deleted CRD it does nothing. */
  settle(): void {
    this.#nameAll();
    for (const name of this.#going) this.#end(name);
    // A deleted CRD has freed its names.
    this.#nameAll();
  }

  #nameAll(): void {
    for (const group of this.#due) {
      this.#due.delete(group);
      for (const { key } of this.#groupOf(group)) this.#name(key, group);
    }
  }

  #groupOf(group: unknown): readonly Entry[] {
    return this.#definitions.all().filter((entry) => groupOf(entry) === group);
  }

  /** Accepts the names that are free. A CRD that has all its names is established. */
  #name(name: string, group: unknown): void {
    const entry = this.#definitions.get(name);
    if (entry === undefined) return;
    const { object } = entry;
    if (!jsonEqual(valueAt(object, ["spec", "names"]), valueAt(object, ["status", "acceptedNames"]))) {
      const all = this.#groupOf(group).map((each) => each.object);
      const { names, condition } = namingOf(object, all);
      this.#write(entry, { acceptedNames: names, conditions: this.#conditions(object, [condition, ...establishing(object, condition)]) });
    }
    const named = this.#definitions.get(name);
    if (named !== undefined && hasCondition(named.object, "NamesAccepted") && !hasCondition(named.object, "Established"))
      this.#write(named, {
        conditions: this.#conditions(named.object, [hasBrokenCaBundle(named.object as JsonObject) ? INVALID_BUNDLE : ESTABLISHED]),
      });
  }

  /** Deletes the objects of a CRD that is being deleted, and then removes its finalizer. */
  #end(name: string): void {
    const entry = this.#definitions.get(name);
    if (entry === undefined || !stringsOf(entry.object.metadata.finalizers).includes(CRD_CLEANUP_FINALIZER)) return;
    const marked = this.#write(entry, { conditions: this.#conditions(entry.object, [DELETING]) });
    const type = this.#parts.registry.type(name);
    if (type !== undefined && emptyOut(this.#parts, type, () => true) > 0) return;
    const condition = type === undefined ? NEVER_ESTABLISHED : EMPTY;
    const finalizers = stringsOf(entry.object.metadata.finalizers).filter((finalizer) => finalizer !== CRD_CLEANUP_FINALIZER);
    this.#write(marked, { conditions: this.#conditions(marked.object, [condition]) }, finalizers);
  }

  #conditions(object: object, conditions: readonly Condition[]): readonly JsonObject[] {
    const now = secondsOf(this.#parts.clock.now());
    let status = object;
    for (const condition of conditions) status = { status: { conditions: withCondition(status, condition, now) } };
    return listAt(status, "status", "conditions");
  }

  /** Writes the status unless it is unchanged, and returns the stored object. */
  #write(entry: Entry, status: JsonObject, finalizers?: readonly string[]): Entry {
    const { metadata, ...rest } = cloneJson(entry.object) as unknown as Draft; // a copy of a stored object
    const draft = { ...rest, metadata, status: { ...(rest["status"] as JsonObject), ...cloneJson(status) } } as Draft;
    if (finalizers?.length === 0) delete metadata["finalizers"];
    else if (finalizers !== undefined) metadata["finalizers"] = [...finalizers];
    const call = localCall(this.#parts, DEFINITIONS, { name: entry.key, subresource: "status" });
    change(call, { entry, draft, subresource: "status", options: { fieldManager: MANAGER, fieldValidation: "Ignore", isDryRun: false } });
    return this.#definitions.get(entry.key) ?? entry;
  }
}

const MANAGER = "kube-apiserver";
const DELETING: Condition = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};
const EMPTY: Condition = { type: "Terminating", status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" };
const NEVER_ESTABLISHED: Condition = {
  type: "Terminating",
  status: "False",
  reason: "NeverEstablished",
  message: "resource was never established",
};
const NAMED = "the initial names have been accepted";
const ESTABLISHED: Condition = { type: "Established", status: "True", reason: "InitialNamesAccepted", message: NAMED };
const INVALID_BUNDLE: Condition = {
  type: "Established",
  status: "False",
  reason: "InvalidCABundle",
  message: "The conversion webhook CABundle is invalid",
};
const INSTALLING: Condition = { type: "Established", status: "False", reason: "Installing", message: NAMED };
const NOT_ACCEPTED: Condition = { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };

/** Makes the condition Established. An established kind stays established, even when the CRD asks for a name that is taken. */
function establishing(definition: object, { status }: Condition): readonly Condition[] {
  if (hasCondition(definition, "Established")) return [];
  if (status === "True") return [INSTALLING];
  return listAt(definition, "status", "conditions").some(({ type }) => type === "Established") ? [] : [NOT_ACCEPTED];
}

function groupOf({ object }: Entry): unknown {
  return valueAt(object, ["spec", "group"]);
}
