/** The objects that were read, and the tree that follows from them. Building a tree sends nothing: what is not in the pool is `wanted`. */
import { groupKindOf, groupOf, type KubernetesObject, ownerId } from "@treadle/apimachinery";
import { idOf, nameOf, type ObjectName } from "../cluster/object-name.ts";
import { isBuiltIn, type ServedKinds } from "../cluster/served-kinds.ts";
import { numberAt } from "../json.ts";
import { claimsOf, type Mention, mentioned, type Reference, typedReferences } from "./references.ts";
import { healthOf, type Relation } from "./situation.ts";
import { conditionsOf, entriesOf } from "./status-fields.ts";

/** What is known about an object. */
export interface Known {
  readonly state: "found" | "missing" | "refused" | "unserved";
  readonly object: KubernetesObject | undefined;
}

/** A node of the tree while it is built. */
export interface Draft {
  readonly name: ObjectName;
  readonly relation: Relation;
  /** Absent: it was not read yet. */
  readonly known: Known | undefined;
  readonly children: Draft[];
}

/** Objects by their names, and by their owners. */
export class Pool {
  readonly #known = new Map<string, Known>();
  readonly #owned = new Map<string, KubernetesObject[]>();

  /** Adds an object that exists. The first version of an object stays. */
  add(object: KubernetesObject): void {
    const id = idOf(nameOf(object));
    if (this.#known.get(id)?.object !== undefined) return;
    this.#known.set(id, { state: "found", object });
    for (const owner of ownersOf(object)) this.#owned.set(owner, [...(this.#owned.get(owner) ?? []), object]);
  }

  /** Notes that an object was looked for. */
  note(name: ObjectName, state: "missing" | "refused" | "unserved"): void {
    const id = idOf(name);
    if (!this.#known.has(id)) this.#known.set(id, { state, object: undefined });
  }

  known(name: ObjectName): Known | undefined {
    return this.#known.get(idOf(name));
  }

  /** Returns the objects that `owner` owns, except what only history needs. */
  ownedBy(owner: KubernetesObject): readonly KubernetesObject[] {
    const { uid } = owner.metadata;
    if (uid === undefined) return [];
    return [...(this.#owned.get(uid) ?? []), ...(this.#owned.get(ownerId(owner)) ?? [])].filter((each) => !isFormerRevision(each));
  }
}

/** Uids of owner references, and values of owner-id labels: for objects that no reference can reach. */
function ownersOf({ metadata: { ownerReferences = [], labels = {} } }: KubernetesObject): ReadonlySet<string> {
  const ids = Object.entries(labels).flatMap(([key, value]) => (key.endsWith("/owner-id") ? [value] : []));
  return new Set([...ownerReferences.map(({ uid }) => uid), ...ids]);
}

/** A Deployment keeps a ReplicaSet without pods for each former revision. */
function isFormerRevision(object: KubernetesObject): boolean {
  if (object.kind !== "ReplicaSet") return false;
  return numberAt(object, "spec", "replicas") === 0 && (numberAt(object, "status", "replicas") ?? 0) === 0;
}

/**
 * Builds the tree below `root`. An object is in it once: below its owner, else where an entry names it, else where a spec, a status or a
 * message names it. Names in specs and messages are followed only for objects that are not ready.
 */
export function treeOf(root: KubernetesObject, pool: Pool, kinds: ServedKinds): Draft {
  const seen = new Set<string>();
  const all: Draft[] = [];
  const add = (parent: Draft | undefined, name: ObjectName, relation: Relation): void => {
    if (seen.has(idOf(name))) return;
    seen.add(idOf(name));
    const draft: Draft = { name, relation, known: pool.known(name), children: [] };
    parent?.children.push(draft);
    all.push(draft);
    const object = draft.known?.object;
    if (object === undefined) return;
    for (const { name: below, entry } of entriesOf(object)) add(draft, below, { type: "dependent", entry });
    for (const below of pool.ownedBy(object)) add(draft, nameOf(below), { type: "owned" });
  };
  add(undefined, nameOf(root), { type: "root" });
  // The list grows while it is read: references of new objects are followed, too.
  for (const draft of all) for (const { name, path } of followed(draft, kinds)) add(draft, name, { type: "named", path });
  for (const draft of all)
    for (const { name, by, isSaidMissing } of mentionedBy(draft, kinds)) {
      const known = pool.known(name);
      if (known === undefined || known.state === "found" || isSaidMissing) add(draft, name, { type: "mentioned", by });
    }
  return all[0] as Draft; // The root was added first.
}

/** Objects of operators name others by typed references. Of the kinds of Kubernetes, pods name their claims. */
function followed({ known }: Draft, kinds: ServedKinds): readonly Reference[] {
  const object = known?.object;
  if (object?.kind === "Pod" && object.apiVersion === "v1") return healthOf(object, []).type === "Ready" ? [] : claimsOf(object);
  if (object === undefined || isBuiltIn({ group: groupOf(object.apiVersion) }) || healthOf(object, []).type === "Ready") return [];
  const owners = new Set((object.metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind}/${name}`));
  return typedReferences(object)
    .filter(({ name }) => !owners.has(`${name.kind}/${name.name}`))
    .map(({ name, path }) => ({ path, name: placed(name, kinds) }));
}

function mentionedBy({ known }: Draft, kinds: ServedKinds): readonly (Mention & { readonly by: string })[] {
  const object = known?.object;
  if (object === undefined || isBuiltIn({ group: groupOf(object.apiVersion) }) || healthOf(object, []).type === "Ready") return [];
  return conditionsOf(object)
    .filter(({ status, reason }) => status !== "True" && reason !== "NotReached")
    .flatMap(({ type, message }) => mentioned(message, object.metadata.namespace, kinds).map((mention) => ({ ...mention, by: type })));
}

/** A reference to a cluster-scoped object has no namespace, whatever it says. */
function placed(name: ObjectName, kinds: ServedKinds): ObjectName {
  const kind = kinds.of(name);
  if (kind === undefined || kind.scope === "Namespaced" || name.namespace === undefined) return name;
  const { namespace: _, ...rest } = name;
  return rest;
}

export function draftsOf(root: Draft): readonly Draft[] {
  return [root, ...root.children.flatMap(draftsOf)];
}

/** Returns group and kind as one word. */
export function typeIdOf({ apiVersion, kind }: ObjectName): string {
  return groupKindOf({ group: groupOf(apiVersion), kind });
}
