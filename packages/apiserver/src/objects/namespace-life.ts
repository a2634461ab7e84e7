/**
 * Deletes the content of a namespace that is being deleted, and reports in its status what is left, as the namespace
 * controller of kube-controller-manager does. There are no timers: work that became due is done at the end of the request
 * that caused it.
 */
import type { Parts } from "../request/context.ts";
import { type Condition, withCondition } from "../crd/names.ts";
import { emptyOut } from "./deletion.ts";
import { cloneJson, type JsonObject, valueAt } from "../internal/json.ts";
import { listAt, objectAt } from "../internal/read.ts";
import { localCall } from "../request/local-call.ts";
import { secondsOf, stringsOf } from "./object-meta.ts";
import type { Collection, Entry } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { change } from "../verbs/update.ts";

/** Follows the namespaces that are being deleted, and finishes them. */
export class NamespaceLife {
  readonly #parts: Parts;
  readonly #namespaces: Collection;
  readonly #going = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#namespaces = parts.store.collection("namespaces");
    this.#namespaces.listen(({ type, entry }) => {
      if (type === "DELETED") this.#going.delete(entry.key);
      else if (entry.object.metadata.deletionTimestamp !== undefined) this.#going.add(entry.key);
    });
  }

  /** Does the work that is due. Called after each write. */
  settle(): void {
    for (const name of this.#going) this.#end(name);
  }

  #end(name: string): void {
    const left = this.#leftIn(name);
    const entry = this.#namespaces.get(name);
    if (entry === undefined) return;
    const finalizers = stringsOf(valueAt(entry.object, ["spec", "finalizers"]));
    const isOwn = finalizers.includes(OWN_FINALIZER);
    if (isOwn)
      this.#write(entry, "status", { status: { ...objectAt(entry.object, "status"), conditions: this.#conditions(entry.object, left) } });
    if (isOwn && left.resources.size > 0) return;
    const others = finalizers.filter((finalizer) => finalizer !== OWN_FINALIZER);
    const emptied = this.#namespaces.get(name);
    if (emptied === undefined) return;
    // The namespace is deleted when both kinds of finalizers are empty.
    const isHeld = others.length + stringsOf(emptied.object.metadata.finalizers).length > 0;
    if (!isHeld) this.#namespaces.delete(emptied);
    else if (isOwn) this.#write(emptied, "finalize", { spec: others.length === 0 ? {} : { finalizers: others } });
  }

  /** Deletes the content, and returns what finalizers still hold. */
  #leftIn(namespace: string): Left {
    const [resources, finalizers] = [new Map<string, number>(), new Map<string, number>()];
    for (const type of this.#parts.registry.types()) {
      if (!type.isNamespaced) continue;
      const isIn = (entry: Entry): boolean => entry.namespace === namespace;
      const count = emptyOut(this.#parts, type, isIn);
      if (count === 0) continue;
      resources.set(`${type.plural}.${type.group}`, count);
      for (const { object } of this.#parts.store.collection(type.id).all().filter(isIn))
        for (const finalizer of stringsOf(object.metadata.finalizers)) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
    return { resources, finalizers };
  }

  #conditions(namespace: object, { resources, finalizers }: Left): readonly JsonObject[] {
    const now = secondsOf(this.#parts.clock.now());
    const found: readonly Condition[] = [
      ...FINE,
      resources.size === 0
        ? NOTHING_LEFT
        : {
            type: "NamespaceContentRemaining",
            status: "True",
            reason: "SomeResourcesRemain",
            message: `Some resources are remaining: ${listed(resources, "has")}`,
          },
      finalizers.size === 0
        ? NOTHING_HELD
        : {
            type: "NamespaceFinalizersRemaining",
            status: "True",
            reason: "SomeFinalizersRemain",
            message: `Some content in the namespace has finalizers remaining: ${listed(finalizers, "in")}`,
          },
    ];
    let status = namespace;
    for (const condition of found) status = { status: { conditions: withCondition(status, condition, now) } };
    return listAt(status, "status", "conditions");
  }

  /** Writes a part of the namespace unless it is unchanged. */
  #write(entry: Entry, subresource: string, part: JsonObject): void {
    const draft = { ...cloneJson(entry.object), ...cloneJson(part) } as unknown as Draft; // a copy of a stored object
    const call = localCall(this.#parts, NAMESPACES, { name: entry.key, subresource });
    change(call, { entry, draft, subresource, options: { fieldManager: MANAGER, fieldValidation: "Ignore", isDryRun: false } });
  }
}

/** Number of objects that are left of each resource, and number that each finalizer holds. */
interface Left {
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

function listed(counts: ReadonlyMap<string, number>, verb: string): string {
  const parts = [...counts].map(([name, count]) => `${name} ${verb} ${count} resource instances`);
  return parts.toSorted().join(", ");
}

const NAMESPACES = { group: "", version: "v1", plural: "namespaces" };
const OWN_FINALIZER = "kubernetes";
const MANAGER = "kube-controller-manager";

/** Conditions of failures that cannot occur here. */
const FINE: readonly Condition[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    status: "False",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    status: "False",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  {
    type: "NamespaceDeletionContentFailure",
    status: "False",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
];
const NOTHING_LEFT: Condition = {
  type: "NamespaceContentRemaining",
  status: "False",
  reason: "ContentRemoved",
  message: "All content successfully removed",
};
const NOTHING_HELD: Condition = {
  type: "NamespaceFinalizersRemaining",
  status: "False",
  reason: "ContentHasNoFinalizers",
  message: "All content-preserving finalizers finished",
};
