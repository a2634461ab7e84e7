/**
 * The garbage collector of kube-controller-manager. It deletes objects whose owners no longer exist, and implements the
 * propagation policies `Foreground` and `Orphan`.
 *
 * It reads the store and writes with its own requests. These follow some turns of the event loop after the change that caused
 * them, never within the request. It has no timers. When the kind of an owner is not served, nothing is known about the
 * owner: the object stays until the kind is served.
 */
import type { OwnerReference } from "@treadle/apimachinery";
import type { Parts } from "../request/context.ts";
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from "../objects/deletion.ts";
import { stringsOf } from "../objects/object-meta.ts";
import type { ResourceType } from "../storage/registry.ts";
import { type Change, type Entry, keyFor } from "../storage/store.ts";
import type { StoredMeta } from "../storage/stored-object.ts";
import { type Node, OwnerGraph, ownersOf } from "./graph.ts";
import { CollectorWrites, type Outcome, type Send } from "./writes.ts";

export class GarbageCollector {
  readonly #parts: Parts;
  readonly #writes: CollectorWrites;
  readonly #graph = new OwnerGraph();
  /** Objects to check, and owners whose dependents are to be orphaned. */
  #due = new Set<Node>();
  #letGo = new Set<Node>();
  /** Objects that could not be decided or written, until something changes; and owners whose dependents could not be orphaned. */
  readonly #parked = new Set<Node>();
  readonly #parkedLetGo = new Set<Node>();
  /** Owners that no longer exist, even when their kind is no longer served. */
  readonly #absent = new Set<string>();
  readonly #unsubscribe: readonly (() => void)[];
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: Parts, send: Send) {
    this.#parts = parts;
    this.#writes = new CollectorWrites(parts.registry, send);
    this.#unsubscribe = [parts.store.listen((id, change) => this.#observe(id, change)), parts.registry.onInstall(() => this.#retry())];
  }

  /** Whether the collector has no work. */
  get isIdle(): boolean {
    return this.#working === undefined;
  }

  /** Resolves when the collector has no work. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  close(): void {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #observe(id: string, { type, entry, previous }: Change): void {
    if (type === "DELETED") {
      this.#observeDeletion(entry);
      return;
    }
    const { node, hasAdded, released } = this.#graph.put(id, entry);
    for (const uid of released) this.#add(this.#graph.get(uid));
    if (hasAdded || this.#parked.has(node)) this.#add(node);
    if (this.#parkedLetGo.size > 0) this.#retry();
    if (starts(ORPHAN_FINALIZER, entry, previous)) {
      this.#letGo.add(node);
      this.#wake();
    } else if (starts(FOREGROUND_FINALIZER, entry, previous)) {
      for (const dependent of this.#graph.dependentsOf(node.uid)) this.#add(dependent);
      this.#add(node);
    }
  }

  #observeDeletion(entry: Entry): void {
    const node = this.#graph.get(entry.object.metadata.uid);
    if (node === undefined) return;
    this.#graph.remove(node);
    this.#parked.delete(node);
    this.#parkedLetGo.delete(node);
    const dependents = this.#graph.dependentsOf(node.uid);
    if (dependents.length > 0) this.#remember(entry);
    for (const dependent of dependents) this.#add(dependent);
    for (const { uid } of node.owners) {
      const owner = this.#graph.get(uid);
      if (owner !== undefined && isWaiting(this.#live(owner)?.object.metadata)) this.#add(owner);
    }
  }

  #remember({ object: { apiVersion, kind, metadata }, namespace }: Entry): void {
    this.#absent.add(coordinates({ apiVersion, kind, name: metadata.name, uid: metadata.uid }, namespace));
    const [oldest] = this.#absent;
    if (this.#absent.size > MAX_ABSENT && oldest !== undefined) this.#absent.delete(oldest);
  }

  #add(node: Node | undefined): void {
    // The real collector ignores events, too.
    if (node === undefined || node.id === EVENTS_ID) return;
    this.#due.add(node);
    this.#wake();
  }

  #retry(): void {
    for (const node of this.#parked) this.#add(node);
    for (const node of this.#parkedLetGo) this.#letGo.add(node);
    this.#parkedLetGo.clear();
    if (this.#letGo.size > 0) this.#wake();
  }

  #wake(): void {
    if (this.#isClosed) return;
    this.#working ??= this.#work();
  }

  /** Works in rounds, each in its own turn of the event loop. Other clients see the states in between, as with the real collector. */
  async #work(): Promise<void> {
    await turn();
    while (!this.#isClosed && this.#due.size + this.#letGo.size > 0) {
      const letGo = this.#letGo;
      const due = this.#due;
      this.#letGo = new Set();
      this.#due = new Set();
      for (const owner of letGo) await this.#orphan(owner);
      for (const node of due) await this.#attempt(node);
      await turn();
    }
    // Reset here, before the promise is seen as fulfilled: a change in between must start new work.
    this.#working = undefined;
  }

  /** Returns the object of a node if it still exists. */
  #live({ id, key, uid }: Node): Entry | undefined {
    const entry = this.#parts.store.collection(id).get(key);
    return entry?.object.metadata.uid === uid ? entry : undefined;
  }

  async #attempt(node: Node): Promise<void> {
    this.#parked.delete(node);
    const entry = this.#live(node);
    if (entry === undefined) return;
    const { metadata } = entry.object;
    if (isWaiting(metadata)) {
      await this.#finishForeground(node, entry);
      return;
    }
    // The deletion of this object already has a propagation policy. Its dependents are checked after it is deleted.
    if (metadata.deletionTimestamp !== undefined) return;
    const owners = ownersOf(metadata);
    if (owners.length === 0) return;
    const found = this.#classify(node, entry, owners);
    if (found === undefined) return;
    if (found.solid.length > 0) {
      const dropped = new Set([...found.dangling, ...found.waiting].map(({ uid }) => uid));
      if (dropped.size > 0) await this.#dropReferences(node, entry, dropped);
    } else if (found.waiting.length > 0 && this.#graph.dependentsOf(node.uid).length > 0) {
      await this.#deleteInForeground(node);
    } else {
      await this.#delete(node, policyOf(metadata));
    }
  }

  /** Removes the finalizer of an owner that is deleted in the foreground, as soon as no dependent blocks it. */
  async #finishForeground(node: Node, entry: Entry): Promise<void> {
    const blockers = this.#graph.blockersOf(node.uid);
    if (blockers.length === 0) {
      await this.#removeFinalizer(node, entry, FOREGROUND_FINALIZER);
      return;
    }
    for (const blocker of blockers) if (!isWaiting(this.#live(blocker)?.object.metadata)) this.#add(blocker);
  }

  async #deleteInForeground(node: Node): Promise<void> {
    const isCircle = this.#graph.dependentsOf(node.uid).some((one) => isWaiting(this.#live(one)?.object.metadata));
    const entry = this.#live(node);
    if (isCircle && entry !== undefined) {
      const ownerReferences = ownersOf(entry.object.metadata).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      await this.#patch(node, entry, { ownerReferences });
    }
    await this.#delete(node, "Foreground");
  }

  async #orphan(owner: Node): Promise<void> {
    for (const dependent of this.#graph.dependentsOf(owner.uid)) {
      const entry = this.#live(dependent);
      const outcome = entry === undefined ? "done" : await this.#dropReferences(dependent, entry, new Set([owner.uid]));
      if (outcome === "done") continue;
      // A dependent that keeps its reference would be deleted with the owner, so the owner must stay.
      (outcome === "conflict" ? this.#letGo : this.#parkedLetGo).add(owner);
      return;
    }
    const entry = this.#live(owner);
    if (entry === undefined) return;
    const outcome = await this.#removeFinalizer(owner, entry, ORPHAN_FINALIZER);
    if (outcome !== "done") (outcome === "conflict" ? this.#letGo : this.#parkedLetGo).add(owner);
  }

  /** Sorts the owners by their state, or returns `undefined` when a state is unknown. */
  #classify(node: Node, entry: Entry, owners: readonly OwnerReference[]): Owners | undefined {
    const found: Owners = { solid: [], dangling: [], waiting: [] };
    for (const owner of owners) {
      if (this.#absent.has(coordinates(owner, "")) || this.#absent.has(coordinates(owner, entry.namespace))) {
        found.dangling.push(owner);
        continue;
      }
      const type = this.#typeOf(owner);
      if (type === undefined) {
        this.#parked.add(node);
        return undefined;
      }
      // A cluster-scoped object cannot have an owner in a namespace. Such a reference is invalid and has no effect.
      if (type.isNamespaced && entry.namespace === "") return undefined;
      const key = keyFor(type.isNamespaced ? entry.namespace : "", owner.name);
      const metadata = this.#parts.store.collection(type.id).get(key)?.object.metadata;
      if (metadata === undefined || metadata.uid !== owner.uid) found.dangling.push(owner);
      else found[isWaiting(metadata) ? "waiting" : "solid"].push(owner);
    }
    return found;
  }

  #typeOf({ apiVersion, kind }: OwnerReference): ResourceType | undefined {
    for (const { type, version } of this.#parts.registry.all()) if (version.apiVersion === apiVersion && type.kind === kind) return type;
    return undefined;
  }

  #dropReferences(node: Node, entry: Entry, uids: ReadonlySet<string>): Promise<Outcome> {
    const left = ownersOf(entry.object.metadata).filter(({ uid }) => !uids.has(uid));
    return this.#patch(node, entry, { ownerReferences: left.length === 0 ? null : left });
  }

  async #removeFinalizer(node: Node, entry: Entry, finalizer: string): Promise<Outcome> {
    const finalizers = stringsOf(entry.object.metadata.finalizers);
    const left = finalizers.filter((name) => name !== finalizer);
    if (left.length === finalizers.length) return "done";
    return this.#patch(node, entry, { finalizers: left.length === 0 ? null : left });
  }

  async #patch(node: Node, entry: Entry, metadata: object): Promise<Outcome> {
    return this.#note(node, await this.#writes.patch(node, entry, metadata));
  }

  async #delete(node: Node, propagationPolicy: string): Promise<void> {
    const entry = this.#live(node);
    if (entry !== undefined) this.#note(node, await this.#writes.delete(node, entry, propagationPolicy));
  }

  /** A conflict is retried at once with the new state. Any other refusal is retried after the next change. */
  #note(node: Node, outcome: Outcome): Outcome {
    if (outcome === "conflict") this.#add(node);
    if (outcome === "refused") this.#parked.add(node);
    return outcome;
  }
}

interface Owners {
  /** Owners that exist. */
  readonly solid: OwnerReference[];
  /** Owners that do not exist. */
  readonly dangling: OwnerReference[];
  /** Owners that exist until their dependents are deleted. */
  readonly waiting: OwnerReference[];
}

const EVENTS_ID = "events";

/** Maximum number of remembered owners, as in the real collector. */
const MAX_ABSENT = 500;

/** Identifies an owner, independent of the version in the reference. */
function coordinates({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return [group, kind, namespace, name, uid].join(" ");
}

/** Whether the object is being deleted in the foreground. */
function isWaiting(metadata: StoredMeta | undefined): boolean {
  return metadata?.deletionTimestamp !== undefined && stringsOf(metadata.finalizers).includes(FOREGROUND_FINALIZER);
}

/** Reports whether `entry` is the first state in which the object is being deleted and has the finalizer. */
function starts(finalizer: string, entry: Entry, previous: Entry | undefined): boolean {
  const isSo = (one: Entry): boolean =>
    one.object.metadata.deletionTimestamp !== undefined && stringsOf(one.object.metadata.finalizers).includes(finalizer);
  return isSo(entry) && !(previous !== undefined && isSo(previous));
}

/** Returns the propagation policy that the finalizers of an object ask for before it is deleted. */
function policyOf({ finalizers }: StoredMeta): string {
  const held = stringsOf(finalizers);
  return held.includes(ORPHAN_FINALIZER) ? "Orphan" : held.includes(FOREGROUND_FINALIZER) ? "Foreground" : "Background";
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
