/**
 * Who must be woken by what: from the declared `reads`, `owns` and `watch` of a handler to plain functions over objects
 * and indexes. Pure; the controller package connects them to informers.
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
} from "@treadle/apimachinery";
import { type AnyHandler, pipelineOf } from "./handler.ts";
import type { DeclaredWatch } from "./build/collected.ts";
import { inNamespaceOf, type ManyRead, type OneRead, refOfRead, selectorOf, type WatchForm, watchFormOf } from "./reads.ts";
import type { Cache } from "./req.ts";

/** An index over the primaries, by which they are found from the objects that they name. */
export interface PrimaryIndex {
  /** The name of the index. */
  readonly name: string;
  /** Returns the keys of a primary in the index. */
  readonly keys: (primary: KubernetesObject) => readonly string[];
}

/** What of another kind concerns which primaries. */
export interface Trigger {
  /** The watched kind. */
  readonly kind: Kind;
  /** What of its objects must be watched. */
  readonly form: WatchForm;
  /** For people: `step "read-input" reads input`. */
  readonly because: string;
  /** The index of the primaries, where the watch needs one. */
  readonly index?: PrimaryIndex;
  /** The primaries that `object`, as it is or was, concerns. */
  readonly primaries: (object: KubernetesObject, lookup: TriggerLookup) => Iterable<Ref>;
}

/** What routing looks up. */
export interface TriggerLookup {
  /** Returns the primaries with a key of an index. */
  readonly byIndex: (name: string, key: string) => readonly KubernetesObject[];
  /** The cache. */
  readonly cache: Cache;
}

/** Everything that triggers a handler's primaries besides their own events. */
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
        read.type === "one" ? triggerOfOne(read, read.watches, { index, because }) : triggerOfMany(read, read.watches, { index, because }),
      );
    }
    for (const kind of step.owns) owned.set(groupKindOf(kind), kind);
  }
  const index = ownerIndex(handler);
  for (const kind of owned.values()) triggers.push(triggerOfOwned(handler, kind, index));
  pipeline.watches.forEach((watch, at) => triggers.push(triggerOfWatch(handler, watch, `${pipeline.name}/watch ${at}`)));
  return triggers;
}

interface Told {
  readonly index: string;
  readonly because: string;
}

/**
 * The kinds that must be watched for these handlers, primaries first, each once: whole where anything needs that, else as
 * metadata only.
 */
export function watchedKindsOf(handlers: readonly AnyHandler[]): readonly Kind[] {
  const watched = new Map<string, { readonly kind: Kind; readonly form: WatchForm }>();
  const forms = [
    ...handlers.map(({ kind }) => ({ kind, form: "whole" as const })),
    ...handlers.flatMap((handler) => triggersOf(handler).map(({ kind, form }) => ({ kind, form }))),
  ];
  for (const { kind, form } of forms) {
    const id = `${apiVersionOf(kind)}/${kind.kind}`;
    const known = watched.get(id);
    if (known === undefined || (known.form === "metadata" && form === "whole")) watched.set(id, { kind, form });
  }
  return [...watched.values()].map(({ kind, form }) => (form === "whole" ? kind : metadataOnly(kind)));
}

function triggerOfOne(read: OneRead, form: WatchForm, { index, because }: Told): Trigger {
  return {
    kind: read.kind,
    form,
    because,
    index: {
      name: index,
      keys: unlessThrows((primary) => {
        const ref = refOfRead(read, primary);
        return ref === undefined ? [] : [keyOf(ref)];
      }),
    },
    primaries: (object, { byIndex }) => byIndex(index, keyOf(object.metadata)).map(refOf),
  };
}

/** Filed under one label of the selector, in its namespace; the other labels are compared when the event comes. */
function triggerOfMany(read: ManyRead, form: WatchForm, { index, because }: Told): Trigger {
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
 * By controller owner reference, else by the owner-id label. Wider than `ownership()`: an object of ours that got another
 * controller still triggers us, so that the loss is seen.
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
        // By uid: a namesake of an owner that was deleted is not concerned.
        return byIndex(index.name, controller.uid).map(refOf);
      }
      const { labels = {} } = object.metadata;
      return ownLabels.flatMap((label) => (labels[label] === undefined ? [] : byIndex(index.name, labels[label]).map(refOf)));
    },
  };
}

/** `index` names the index that it may need. */
export function triggerOfWatch({ kind: primaryKind }: AnyHandler, { kind, form, by }: DeclaredWatch, index: string): Trigger {
  const common = { kind, form, because: "watch()" };
  switch (by.type) {
    case "map":
      return {
        ...common,
        primaries(object, { cache }) {
          const primaries: Ref[] = [];
          // `Array.from` would take a promise, of a map that is async by mistake, for a list of none.
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
    case "refs":
      return {
        ...common,
        index: {
          name: index,
          // No pass asks for them, too: what is thrown here is for the log.
          keys: (primary) =>
            [...by.refs(primary)].map((ref) => keyOf(inNamespaceOf(primary, kind, typeof ref === "string" ? { name: ref } : ref))),
        },
        primaries: (object, { byIndex }) => byIndex(index, keyOf(object.metadata)).map(refOf),
      };
  }
}

/** @throws TypeError for a name that no primary can have: nobody would ever be woken, and nobody would know. */
function primaryOf(kind: Kind, object: KubernetesObject, given: { readonly gives: string; readonly ref: Ref }): Ref {
  const ref = inNamespaceOf(object, kind, given.ref);
  if (kind.scope === "Cluster" || ref.namespace !== undefined) return ref;
  throw new TypeError(
    `${given.gives} gave ${JSON.stringify(ref.name)} without a namespace; ${kind.kind} is namespaced, and ${object.kind} ${object.metadata.name} is not: let map return { namespace, name }, e.g. the metadata of what cache.list(${kind.kind}) gives`,
  );
}

/**
 * An object for which the author's function throws names nothing: its own pass fails with the error and shows it; all
 * others keep being woken.
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
