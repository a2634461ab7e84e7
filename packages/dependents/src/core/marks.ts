/** The marks that an object carries: whose it is, of which unit, and by which field managers it was applied. */
import {
  apiVersionOf,
  type Kind,
  type KubernetesObject,
  keyOf,
  MAX_LABEL_LENGTH,
  ownerLabels,
  type Ref,
  shortenName,
} from "@treadle/apimachinery";
import { unitManager } from "@treadle/reconcile/unstable/engine";
import type { Context } from "./context.ts";
import type { DependentIdentity } from "./entries.ts";
import type { Policy } from "./plan.ts";

/** The label by which the objects of a unit are found, after the name of the handler. */
export const UNIT_SUFFIX = "/dependent";

/** The label of a unit. */
export function unitLabels(handlerName: string, unit: string): Readonly<Record<string, string>> {
  return { [handlerName + UNIT_SUFFIX]: unitLabelValue(unit) };
}

/** The value of the label of a unit. */
export function unitLabelValue(unit: string): string {
  return shortenName(unit, MAX_LABEL_LENGTH);
}

/** The labels that all objects of the unit and its owner have, and no others. */
export function marksOf(
  { unit, owner, memory }: Pick<Context, "unit" | "owner" | "memory">,
  handlerName: string,
): Readonly<Record<string, string>> {
  return memory
    .unit(unit)
    .labels(handlerName, () => Object.freeze({ ...ownerLabels(owner, handlerName), ...unitLabels(handlerName, unit) }));
}

/** The annotation that holds a digest of what was applied: after a restart it tells a smaller desired state from what the server added. */
export function digestAnnotation(handlerName: string): string {
  return `${handlerName}/applied`;
}

/** The value of that annotation for an object that keeps fields, because the server refused to change them. */
export function digestOfKept(digest: string): string {
  return `${digest}-kept`;
}

/** The field manager of a unit of the handler for this owner. @defaultValue this unit, under the present name of the handler */
export function managerOf(context: Context, given: { readonly unit?: string; readonly handlerName?: string } = {}): string {
  const { unit = context.unit, handlerName = context.handlerName } = given;
  return unitManager({ handlerName, unit, uid: context.owner.metadata.uid ?? "" });
}

/** The uid of the owner in the name of a field manager of a unit; `undefined` for any other manager. @defaultValue as {@link managerOf} */
export function ownerUidIn(
  context: Context,
  manager: string,
  given: { readonly unit?: string; readonly handlerName?: string } = {},
): string | undefined {
  const slash = manager.lastIndexOf("/");
  const ownLength = context.owner.metadata.uid?.length ?? 0;
  return slash >= 0 && manager.slice(0, slash) === managerOf(context, given).slice(0, -1 - ownLength)
    ? manager.slice(slash + 1)
    : undefined;
}

/** The object in an entry of the status. */
export function identityOf(kind: Kind, target: Ref): DependentIdentity {
  const { name, namespace } = target;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** What messages call the object: `ConfigMap web`, with its namespace where that is not the owner's. */
export function titleOf({ kind, displayName }: Policy, target: Ref, owner: KubernetesObject): string {
  const isNear = target.namespace === undefined || target.namespace === owner.metadata.namespace;
  return `${displayName ?? kind.kind} ${isNear ? target.name : keyOf(target)}`;
}

/** A reference to an object that was read. */
export function refTo({ metadata: { name, namespace } }: KubernetesObject): Ref {
  return namespace === undefined ? { name } : { name, namespace };
}
