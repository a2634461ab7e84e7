/**
 * Maps events of other objects to the primaries that they affect, based on the handler's `reads`, `owns` and `watch`. Pure; the
 * controller package connects the triggers to informers.
 */
import {
  apiVersionOf,
  groupKindOf,
  groupOf,
  type Kind,
  type KubernetesObject,
  keyOf,
  metadataOnly,
  ownerId,
  ownerIdLabel,
  type Ref,
  kindIdOf,
} from "@treadle/apimachinery";
import { type AnyHandler, pipelineOf } from "./handler.ts";
import type { DeclaredWatch } from "./build/collected.ts";
import { inNamespaceOf, refsOfRead, selectorOf } from "./read-refs.ts";
import { type AnyRead, type ManyRead, type OneRead, type SeveralRead, type WatchForm, watchFormOf } from "./reads.ts";
import type { Cache } from "./req.ts";

/** A primary index finds the primaries that refer to an object. */
export interface PrimaryIndex {
  /** The name of the index. */
  readonly name: string;
  /** Returns the keys of a primary in the index. */
  readonly keys: (primary: KubernetesObject) => readonly string[];
}

/** A trigger maps the objects of another kind to the primaries whose passes they trigger. */
export interface Trigger {
  /** The watched kind. */
  readonly kind: Kind;
  /** Whether whole objects or their metadata must be watched. */
  readonly form: WatchForm;
  /** The reason of the trigger, for log lines, such as `step "read-input" reads input`. */
  readonly because: string;
  /** The index of the primaries, if the trigger needs one. */
  readonly index?: PrimaryIndex;
  /** Returns the primaries that `object`, before or after a change, concerns. */
  readonly primaries: (object: KubernetesObject, lookup: TriggerLookup) => Iterable<Ref>;
}

/** A trigger lookup finds primaries by an index, and other objects in the cache. */
export interface TriggerLookup {
  /** Returns the primaries with a key of an index. */
  readonly byIndex: (name: string, key: string) => readonly KubernetesObject[];
  /** Returns the primaries whose last pass named the object by this read; for reads with `through()`. */
  readonly byRead: (read: OneRead, ref: Ref) => Iterable<Ref>;
  /** The cache. */
  readonly cache: Cache;
}

/** Returns the triggers of a handler. Events of the primaries themselves are not among them. */
export function triggersOf(handler: AnyHandler): readonly Trigger[] {
  const pipeline = pipelineOf(handler);
  const triggers: Trigger[] = [];
  const owned = new Map<string, Kind>();
  for (const step of pipeline.leaves) {
    for (const [name, read] of Object.entries(step.reads)) {
      const index = `${pipeline.name}/${step.name}/${name}`;
      const because = `step "${step.name}" reads ${name}`;
      if (read.watches === undefined) continue;
      if (read.type === "many" && read.isOwned) {
        triggers.push({ ...triggerOfOwned(handler, read.kind, ownerIndex(handler)), form: read.watches, because });
        continue;
      }
      triggers.push(
        read.type === "many"
          ? triggerOfMany(read, read.watches, { index, because })
          : triggerOfNamed(read, read.watches, { index, because }),
      );
    }
    for (const kind of step.owns) owned.set(groupKindOf(kind), kind);
  }
  const index = ownerIndex(handler);
  for (const kind of owned.values()) triggers.push(triggerOfOwned(handler, kind, index));
  pipeline.watches.forEach((watch, at) => triggers.push(triggerOfWatch(handler, watch, `${pipeline.name}/watch ${at}`)));
  return triggers;
}

interface TriggerIdentity {
  readonly index: string;
  readonly because: string;
}

/**
 * Returns the kinds that must be watched for these handlers: primaries first, each kind once. A kind is metadata only unless
 * something needs whole objects.
 *
 * @param others reads besides those of the steps
 */
export function watchedKindsOf(handlers: readonly AnyHandler[], others: readonly AnyRead[] = []): readonly Kind[] {
  const watched = new Map<string, { readonly kind: Kind; readonly form: WatchForm }>();
  const forms = [
    ...handlers.map(({ kind }) => ({ kind, form: "whole" as const })),
    ...handlers.flatMap((handler) => triggersOf(handler).map(({ kind, form }) => ({ kind, form }))),
    ...others.flatMap(({ kind, watches }) => (watches === undefined ? [] : [{ kind, form: watches }])),
  ];
  for (const { kind, form } of forms) {
    const id = kindIdOf(kind);
    const known = watched.get(id);
    if (known === undefined || (known.form === "metadata" && form === "whole")) watched.set(id, { kind, form });
  }
  return [...watched.values()].map(({ kind, form }) => (form === "whole" ? kind : metadataOnly(kind)));
}

/** Returns the ids (`apiVersion/kind`) of the watched kinds that every declaration of these handlers can do without. `others`: reads besides those of the steps. */
export function optionalKindsOf(handlers: readonly AnyHandler[], others: readonly AnyRead[] = []): ReadonlySet<string> {
  const [optional, required] = [new Set<string>(), new Set(handlers.map(({ kind }) => kindIdOf(kind)))];
  const note = ({ kind, watches, ifNotServed }: AnyRead): void => {
    if (watches !== undefined) (ifNotServed === "skip" ? optional : required).add(kindIdOf(kind));
  };
  others.forEach(note);
  for (const { leaves, watches } of handlers.map(pipelineOf)) {
    for (const { kind } of watches) required.add(kindIdOf(kind));
    for (const { owns, optionalOwns, reads } of leaves) {
      for (const kind of owns) (optionalOwns.includes(kind) ? optional : required).add(kindIdOf(kind));
      Object.values(reads).forEach(note);
    }
  }
  return new Set([...optional].filter((id) => !required.has(id)));
}

function triggerOfNamed(read: OneRead | SeveralRead, form: WatchForm, { index, because }: TriggerIdentity): Trigger {
  // The reference depends on another object, so it is not a key of the primary.
  if (read.type === "one" && read.through !== undefined)
    return { kind: read.kind, form, because, primaries: ({ metadata }, { byRead }) => byRead(read, metadata) };
  return {
    kind: read.kind,
    form,
    because,
    index: {
      name: index,
      keys: unlessThrows((primary) => refsOfRead(read, primary).map(keyOf)),
    },
    primaries: (object, { byIndex }) => byIndex(index, keyOf(object.metadata)).map(refOf),
  };
}

/** Indexes a primary by one label of its selector. The other labels and the namespace are compared at the event. */
function triggerOfMany(read: ManyRead, form: WatchForm, { index, because }: TriggerIdentity): Trigger {
  return {
    kind: read.kind,
    form,
    because,
    index: {
      name: index,
      keys: unlessThrows((primary) => {
        const [first] = Object.entries(selectorOf(read, primary).matchLabels).sort(([a], [b]) => (a < b ? -1 : 1));
        return [first === undefined ? ANY_LABELS : labelKey(first[0], first[1])];
      }),
    },
    primaries: (object, { byIndex }) => {
      const labels = object.metadata.labels ?? {};
      const candidates = [ANY_LABELS, ...Object.entries(labels).map(([key, value]) => labelKey(key, value))].flatMap((key) =>
        byIndex(index, key),
      );
      return candidates.filter((primary) => selects(read, primary, object)).map(refOf);
    },
  };
}

function selects(read: ManyRead, primary: KubernetesObject, object: KubernetesObject): boolean {
  const { matchLabels, namespace } = selectorOf(read, primary);
  const labels = object.metadata.labels ?? {};
  if (!Object.entries(matchLabels).every(([key, value]) => labels[key] === value)) return false;
  if (namespace === "*" || read.kind.scope === "Cluster") return true;
  const within = inNamespaceOf(primary, read.kind, namespace === undefined ? { name: "" } : { name: "", namespace }).namespace;
  return within === undefined || within === object.metadata.namespace;
}

/** One index for all owned kinds, by owner id and by uid: an index is known by its name. */
function ownerIndex({ name }: AnyHandler): PrimaryIndex {
  return {
    name: `${name}/owner-id`,
    keys: unlessThrows((primary) => [ownerId(primary), ...(primary.metadata.uid === undefined ? [] : [primary.metadata.uid])]),
  };
}

/**
 * Finds the owner by the controller's owner reference, else by the owner-id label. This is wider than `ownership()`: an object of
 * ours that got another controller still triggers a pass, so that the loss is noticed.
 */
function triggerOfOwned(handler: AnyHandler, kind: Kind, index: PrimaryIndex): Trigger {
  const { kind: primaryKind } = handler;
  const ownLabels = pipelineOf(handler).before.names.map(ownerIdLabel);
  return {
    kind,
    form: watchFormOf(kind),
    because: `a step owns ${groupKindOf(kind)}`,
    index,
    primaries: (object, { byIndex }) => {
      const controller = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
      if (
        controller !== undefined &&
        controller.kind === primaryKind.kind &&
        groupOf(controller.apiVersion) === groupOf(apiVersionOf(primaryKind))
      ) {
        // By uid: an object with the name of a deleted owner is not the owner.
        return byIndex(index.name, controller.uid).map(refOf);
      }
      const { labels = {} } = object.metadata;
      return ownLabels.flatMap((label) => (labels[label] === undefined ? [] : byIndex(index.name, labels[label]).map(refOf)));
    },
  };
}

/** Returns the trigger of a declared watch; `index` is the name of the index that it may need. */
export function triggerOfWatch(handler: AnyHandler, { kind, form, by }: DeclaredWatch, index: string): Trigger {
  const { kind: primaryKind } = handler;
  const common = { kind, form, because: "watch()" };
  switch (by.type) {
    case "map":
      return {
        ...common,
        primaries(object, { cache }) {
          const primaries: Ref[] = [];
          // `Array.from` would take the promise of an async map for an empty list.
          for (const ref of by.map(object, cache)) primaries.push(primaryOf(primaryKind, object, { gives: "map", ref }));
          return primaries;
        },
      };
    case "label":
      return {
        ...common,
        primaries: (object) => {
          const name = object.metadata.labels?.[by.label];
          if (name === undefined || name === "") return [];
          return [primaryOf(primaryKind, object, { gives: `the label ${by.label}`, ref: { name } })];
        },
      };
    case "owner":
      return {
        ...common,
        index: { name: index, keys: ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]) },
        primaries: ({ metadata }, { byIndex }) => (metadata.ownerReferences ?? []).flatMap(({ uid }) => byIndex(index, uid)).map(refOf),
      };
    case "owned":
      return { ...triggerOfOwned(handler, kind, ownerIndex(handler)), ...common };
    case "refs":
      return {
        ...common,
        index: {
          name: index,
          // No pass calls `refs`, so an error must reach the log here.
          keys: (primary) =>
            [...by.refs(primary)].map((ref) => keyOf(inNamespaceOf(primary, kind, typeof ref === "string" ? { name: ref } : ref))),
        },
        primaries: (object, { byIndex }) => byIndex(index, keyOf(object.metadata)).map(refOf),
      };
  }
}

/** @throws TypeError for a name that no primary can have: without the error, no pass would ever start and no log line would show it. */
function primaryOf(kind: Kind, object: KubernetesObject, given: { readonly gives: string; readonly ref: Ref }): Ref {
  const ref = inNamespaceOf(object, kind, given.ref);
  if (kind.scope === "Cluster" || ref.namespace !== undefined) return ref;
  throw new TypeError(
    `${given.gives} gave ${JSON.stringify(ref.name)} without a namespace; ${kind.kind} is namespaced, and ${object.kind} ${object.metadata.name} is not: let map return { namespace, name }, e.g. the metadata of what cache.list(${kind.kind}) gives`,
  );
}

/**
 * A primary for which the author's function throws gets no keys. The pass of that primary fails with the error and reports it.
 * The others keep their triggers.
 */
function unlessThrows(keys: PrimaryIndex["keys"]): PrimaryIndex["keys"] {
  return (primary) => {
    try {
      return keys(primary);
    } catch {
      return [];
    }
  };
}

const ANY_LABELS = "*";

function labelKey(key: string, value: string): string {
  return `${key}=${value}`;
}

function refOf({ metadata }: KubernetesObject): Ref {
  return metadata.namespace === undefined ? { name: metadata.name } : { name: metadata.name, namespace: metadata.namespace };
}
