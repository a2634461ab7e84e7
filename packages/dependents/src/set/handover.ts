/** Moves an object from one owner to another one: it is neither deleted nor changed, but for its marks. */
import {
  type Kind,
  keyOf,
  type KubernetesObject,
  type ManagedFieldsEntry,
  ownerAnnotations,
  ownerIdLabel,
  ownerLabels,
  ownership,
  type Ref,
} from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { unitManager } from "@treadle/reconcile/unstable/engine";
import { digestAnnotation, UNIT_SUFFIX, unitLabels, unitLabelValue } from "../core/marks.ts";
import { removed } from "../core/release.ts";
import { POLICIES_SUFFIX } from "./plan/member.ts";

/** Who keeps an object: a step of a handler, for an owner that was read from the server. */
export interface Keeper {
  /** The owner. */
  readonly owner: KubernetesObject;
  /** The name of the handler. */
  readonly handler: string;
  /** The name of the set, or of the dependent. */
  readonly step: string;
}

/** An object, who keeps it, and who is to keep it. */
export interface Handover {
  /** The kind of the object. */
  readonly kind: Kind;
  /** The object, by name and namespace. */
  readonly ref: Ref;
  /** Who keeps the object. */
  readonly from: Keeper;
  /** Who is to keep it. */
  readonly to: Keeper;
}

/**
 * Hands an object over in one guarded write: the marks of `from` become those of `to`, and so do the applied fields. `to` must render
 * the object before, and reports until then that it is not its own: a set removes an object that it does not render. The next pass of
 * `to` finds it as if it had created it, and writes only what differs. `from` may stop rendering the object after it: until then it
 * reports that the object is not its own. Safe to repeat.
 *
 * @returns whether the object is now kept by `to`; `false`: it does not exist
 * @throws Error when the object is kept by neither, and the error of the server; 409 when another writer was faster
 */
export async function handover(client: Pick<Client, "get" | "patch">, { kind, ref, from, to }: Handover): Promise<boolean> {
  const live: KubernetesObject | undefined = await client.get(kind, ref);
  if (live === undefined) return false;
  if (isKeptBy(live, to)) return true;
  if (!isKeptBy(live, from))
    throw new Error(
      `cannot hand over ${kind.kind} ${keyOf(ref)}: step "${from.step}" of ${from.owner.kind} ${keyOf(from.owner.metadata)} does not keep it`,
    );
  const { uid, resourceVersion, labels = {}, annotations = {}, ownerReferences = [], managedFields = [] } = live.metadata;
  const metadata = {
    uid,
    resourceVersion,
    labels: {
      ...removed([ownerIdLabel(from.handler), from.handler + UNIT_SUFFIX], labels),
      ...ownerLabels(to.owner, to.handler),
      ...unitLabels(to.handler, to.step),
    },
    annotations: { ...moved(annotations, from.handler, to.handler), ...ownerAnnotations(to.owner, to.handler) },
    ownerReferences: ownerReferences.filter((reference) => reference.uid !== from.owner.metadata.uid),
    managedFields: managedFields.map((entry) => renamed(entry, managerOf(from), managerOf(to))),
  };
  await client.patch(kind, ref, { type: "merge", body: { metadata } });
  return true;
}

function isKeptBy(live: KubernetesObject, { owner, handler, step }: Keeper): boolean {
  return ownership(live, owner, handler).type === "ours" && live.metadata.labels?.[handler + UNIT_SUFFIX] === unitLabelValue(step);
}

function managerOf({ owner, handler, step }: Keeper): string {
  return unitManager({ handlerName: handler, unit: step, uid: owner.metadata.uid ?? "" });
}

function renamed(entry: ManagedFieldsEntry, from: string, to: string): ManagedFieldsEntry {
  return entry.manager === from ? { ...entry, manager: to } : entry;
}

/** The annotations with policies and digest move with the object, so that nothing is applied again. */
function moved(annotations: Readonly<Record<string, string>>, from: string, to: string): Readonly<Record<string, string | null>> {
  if (from === to) return {};
  const found: Record<string, string | null> = {};
  for (const key of [from + POLICIES_SUFFIX, digestAnnotation(from), `${from}/owner`]) {
    const value = annotations[key];
    if (value === undefined) continue;
    found[key] = null;
    if (key !== `${from}/owner`) found[to + key.slice(from.length)] = value;
  }
  return found;
}
