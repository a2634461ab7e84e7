/**
 * Decides whether an object may be written or deleted: by its owner, by the other units of the handler, and by what the
 * author allows.
 */
import {
  keyOf,
  type KubernetesObject,
  labelValueProblems,
  ownerAnnotations,
  ownerId,
  ownerIdLabel,
  ownership,
} from "@treadle/apimachinery";
import type { Context, UnitInfo } from "./context.ts";
import { managerOf, ownerUidIn, refTo, UNIT_SUFFIX, unitLabelValue } from "./marks.ts";
import { appliedFields, type FieldSet } from "./owned-fields.ts";
import type { Policy } from "./plan.ts";

/** Whether the unit may write an object. */
export type Ownership =
  | { readonly type: "ours" }
  /** Not ours yet, but the author lets us take it. `hasController`: another controller must be removed first. */
  | { readonly type: "adoptable"; readonly hasController: boolean }
  /** `owner` is undefined where the object has no owner. */
  | { readonly type: "foreign"; readonly owner: string | undefined };

/** Decides whether `live` may be written by the unit of `context`. */
export function ownershipOf(context: Context, policy: Policy, live: KubernetesObject): Ownership {
  const { owner, handlerNames } = context;
  const { adopt } = policy;
  const byMarks = ownership(live, owner, handlerNames);
  const isNamesakes = policy.adoptsNamesake === true && adopt !== "never" && byMarks.type === "foreign" && isOfNamesake(context, live);
  const found = isNamesakes ? FREE : byMarks;
  if (found.type !== "foreign") {
    const unit = otherUnit(context, policy, live);
    if (unit !== undefined) return { type: "foreign", owner: `${context.unitNoun} "${unit}" of the same ${owner.kind}` };
  }
  if (found.type === "ours") {
    const other = otherHandler(context, live);
    if (other === undefined) return { type: "ours" };
    return adopt === "force"
      ? { type: "adoptable", hasController: false }
      : { type: "foreign", owner: `the same ${owner.kind}, managed by ${other}` };
  }
  // All marks were removed, but the fields that we applied are still there: the marks are reverted like any other field.
  if (found.type === "free" && appliedBy(context, live) !== undefined) return { type: "ours" };
  const rival = found.type === "free" ? rivalOf(context, policy, live) : adopt === "force" ? keeperOf(context, live) : undefined;
  // The earlier owner of the name is not an owner in another namespace.
  if (rival !== undefined && (rival.isSeen || (adopt !== "force" && !isNamesakes))) return { type: "foreign", owner: rival.text };
  const hasController = live.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
  if (adopt === "force") return { type: "adoptable", hasController };
  if (found.type === "free")
    return adopt === "ifUnowned" ? { type: "adoptable", hasController: false } : { type: "foreign", owner: undefined };
  return found;
}

const FREE = Object.freeze({ type: "free" } as const);

/** Whether the object is of an earlier owner with the kind, namespace and name of ours: a restored backup has its marks. */
export function isOfNamesake({ owner, handlerNames }: Context, { metadata }: KubernetesObject): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  if (ownerReferences.some(({ controller }) => controller === true)) return false;
  const name = handlerNames.find((each) => labels[ownerIdLabel(each)] !== undefined);
  if (name === undefined || labels[ownerIdLabel(name)] === ownerId(owner)) return false;
  return Object.entries(ownerAnnotations(owner, name)).every(([key, value]) => annotations[key] === value);
}

/** Whether the marks say that the object is of our owner. A copy has them too. */
export function hasOurMarks({ owner, handlerNames }: Context, live: KubernetesObject): boolean {
  return ownership(live, owner, handlerNames).type === "ours";
}

/**
 * Whether the unit created the object or took it, so that it may delete it. The marks alone do not prove that: a copy has
 * them too. A mark that a user removed does not disprove it, as long as another mark and our applied fields are there.
 */
export function isMadeByUs(context: Context, policy: Policy, live: KubernetesObject): boolean {
  const { owner, handlerNames } = context;
  const { metadata } = live;
  if (metadata.uid === owner.metadata.uid) return false;
  const found = ownership(live, owner, handlerNames);
  if (found.type === "foreign") return false;
  const { value: label, own } = unitLabelOf(context, live);
  if (label !== undefined && label !== own) return false;
  const applied = appliedBy(context, live);
  if (label === undefined && (otherHandler(context, live) !== undefined || otherUnit(context, policy, live) !== undefined)) return false;
  // If every mark was removed, the object is not deleted.
  if (found.type === "free") return applied?.["f:metadata"] !== undefined;
  const isReferred = metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) === true;
  if (label === undefined) return applied !== undefined;
  // A PUT leaves no proof but the marks: the cache does not keep the managers of updates.
  return isReferred || applied !== undefined || policy.update !== undefined || policy.writes === "replace";
}

/**
 * Whether a unit of the handler has written the object for our owner, as the entries of all field managers say. Caches do not keep
 * them: give an object as the server has it. A copy has our marks, and not these entries.
 */
export function isWrittenByUs({ owner, handlerNames, replacedManagers }: Context, { metadata }: KubernetesObject): boolean {
  const { managedFields = [], ownerReferences = [] } = metadata;
  const uid = owner.metadata.uid ?? "";
  if (ownerReferences.some((reference) => reference.controller === true && reference.uid === uid)) return true;
  // A PUT is made under the name of the handler, and the server unites the oldest entries of many.
  const puts = [...handlerNames, ...replacedManagers, "ancient-changes"];
  return managedFields.some(({ manager = "", operation, subresource = "" }) => {
    if (subresource !== "") return false;
    return operation === "Apply" ? manager.endsWith(`/${uid}`) : puts.includes(manager);
  });
}

/** The former names of the handler under which this unit still has fields of the object. */
export function formerNames(context: Context, live: KubernetesObject): readonly string[] {
  return context.handlerNames.slice(1).filter((handlerName) => appliedFields(live, managerOf(context, { handlerName })) !== undefined);
}

/** The units that applied to the object what they now keep elsewhere: their fields must be removed. */
export function formerUnits(context: Context, policy: Policy, live: KubernetesObject): readonly string[] {
  return context.units
    .filter(({ unit }) => unit !== context.unit && appliedFields(live, managerOf(context, { unit })) !== undefined)
    .filter((other) => hasLeft(context, policy, { other, live }))
    .map(({ unit }) => unit);
}

interface Rival {
  readonly text: string;
  /** The rival is known to exist; `false`: it may exist where this operator does not look. */
  readonly isSeen: boolean;
}

/**
 * Another owner for which a unit of this handler keeps the same object without marking it: the two would overwrite each
 * other's fields forever. A deleted owner does not count; one that this operator does not watch does.
 */
function rivalOf(context: Context, policy: Policy, live: KubernetesObject): Rival | undefined {
  const { ownerKind, cache, units, owner } = context;
  const appliers = (live.metadata.managedFields ?? []).flatMap(({ manager = "", operation }) => {
    if (operation !== "Apply") return [];
    const other = units.find(({ unit }) => ownerUidIn(context, manager, { unit }) !== undefined);
    const uid = other === undefined ? undefined : ownerUidIn(context, manager, { unit: other.unit });
    return other === undefined || uid === undefined || uid === owner.metadata.uid ? [] : [{ other, uid }];
  });
  if (appliers.length === 0) return undefined;
  const primaries: readonly KubernetesObject[] = cache.list(ownerKind);
  for (const { other, uid } of appliers) {
    const rival = primaries.find(({ metadata }) => metadata.uid === uid);
    if (rival !== undefined && (other.unit === context.unit || other.keeps(rival, policy.kind, refTo(live)) !== false))
      return { text: `${ownerKind.kind} ${keyOf(rival.metadata)}, which keeps it too`, isSeen: true };
  }
  const isUnseen = appliers.some(
    ({ other, uid }) => other.unit === context.unit && !primaries.some(({ metadata }) => metadata.uid === uid),
  );
  if (!isUnseen || ownerKind.scope === "Cluster" || cache.covers(ownerKind, "*")) return undefined;
  return { text: `a ${ownerKind.kind} of another namespace, which keeps it too`, isSeen: false };
}

/** An existing owner for which the same unit keeps the object: if we took it, that owner would take it again. */
function keeperOf(context: Context, live: KubernetesObject): Rival | undefined {
  const { owner, ownerKind, cache } = context;
  const labels = live.metadata.labels ?? {};
  const { handlerName, value, own } = unitLabelOf(context, live);
  if (value !== own) return undefined;
  const controller = live.metadata.ownerReferences?.find((reference) => reference.controller === true);
  const id = labels[ownerIdLabel(handlerName)];
  const primaries: readonly KubernetesObject[] = cache.list(ownerKind);
  const keeper = primaries.find(
    (primary) =>
      primary.metadata.uid !== owner.metadata.uid &&
      (controller === undefined ? ownerId(primary) === id : primary.metadata.uid === controller.uid),
  );
  return keeper === undefined ? undefined : { text: `${owner.kind} ${keyOf(keeper.metadata)}, which keeps it too`, isSeen: true };
}

/**
 * The other unit of this handler that has the object: the one whose label it carries, else the first that applied it. A
 * unit that the handler does not have any more does not count. Neither does one that keeps another object now: it would
 * lose this one anyway, and two units that exchange their objects would wait for each other forever.
 */
function otherUnit(context: Context, policy: Policy, live: KubernetesObject): string | undefined {
  const { value: label, own } = unitLabelOf(context, live);
  if (label === own) return undefined;
  const keeps = (other: UnitInfo): boolean => other.unit !== context.unit && !hasLeft(context, policy, { other, live });
  const isLabel = label !== undefined && labelValueProblems(label).length === 0;
  const labelled = isLabel ? context.units.find((other) => unitLabelValue(other.unit) === label && keeps(other)) : undefined;
  if (labelled !== undefined) return labelled.unit;
  const [first] = context.units.filter(({ unit }) => appliedFields(live, managerOf(context, { unit })) !== undefined);
  return first !== undefined && keeps(first) ? first.unit : undefined;
}

interface UnitLabel {
  /** The name of the handler in the key of the label. */
  readonly handlerName: string;
  /** The value that the object carries. */
  readonly value: string | undefined;
  /** The value that it carries when it is of this unit. */
  readonly own: string;
}

/** The label that names the unit of the object, under the present name of the handler or a former one. */
function unitLabelOf({ unit, handlerName, handlerNames }: Context, { metadata }: KubernetesObject): UnitLabel {
  const { labels = {} } = metadata;
  const known = handlerNames.find((name) => labels[name + UNIT_SUFFIX] !== undefined) ?? handlerName;
  return { handlerName: known, value: labels[known + UNIT_SUFFIX], own: unitLabelValue(unit) };
}

/** The fields that the unit has applied, under any name of its handler. */
function appliedBy(context: Context, live: KubernetesObject): FieldSet | undefined {
  for (const handlerName of context.handlerNames) {
    const applied = appliedFields(live, managerOf(context, { handlerName }));
    if (applied !== undefined) return applied;
  }
  return undefined;
}

/** Whether a unit keeps another object of the kind than this one. */
function hasLeft(
  { owner }: Context,
  { kind }: Policy,
  { other, live }: { readonly other: UnitInfo; readonly live: KubernetesObject },
): boolean {
  return other.keeps(owner, kind, refTo(live)) === false;
}

/** Another handler that keeps the object for the same owner: a reference does not tell one handler from another, labels do. */
function otherHandler({ handlerNames }: Context, live: KubernetesObject): string | undefined {
  const labels = Object.keys(live.metadata.labels ?? {});
  if (handlerNames.some((name) => labels.includes(name + UNIT_SUFFIX))) return undefined;
  return labels.find((key) => key.endsWith(UNIT_SUFFIX))?.slice(0, -UNIT_SUFFIX.length);
}
