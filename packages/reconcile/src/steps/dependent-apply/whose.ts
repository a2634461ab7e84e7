/** Whether a dependent may be written: by whose it is, and by what the author allows. */
import { groupKindOf, keyOf, type KubernetesObject, labelValueProblems, ownerId, ownerIdLabel, ownership } from "@treadle/apimachinery";
import { unitManager } from "../../pass/req-client.ts";
import type { ExtendedStep } from "../../extension.ts";
import type { DependentData } from "./extension.ts";
import { stepLabelValue } from "./dependent.ts";
import { appliedFields, type FieldSet } from "./owned-fields.ts";
import type { Unit } from "./unit.ts";

export type Whose =
  | { readonly type: "ours" }
  /** Not ours yet; the author lets us take it. `controller`: it has another controller, which must go first. */
  | { readonly type: "adoptable"; readonly hasController: boolean }
  /** `owner` is undefined where nobody controls it. */
  | { readonly type: "foreign"; readonly owner: string | undefined };

export function whoseIs(unit: Unit, live: KubernetesObject): Whose {
  const { dependent, owner, handlerNames } = unit;
  const { adopt } = dependent;
  const found = ownership(live, owner, handlerNames);
  if (found.type === "ours") {
    const step = otherStep(unit, live);
    if (step !== undefined) return { type: "foreign", owner: `step "${step}" of the same ${owner.kind}` };
    const other = otherHandler(unit, live);
    if (other === undefined) return { type: "ours" };
    return adopt === "force"
      ? { type: "adoptable", hasController: false }
      : { type: "foreign", owner: `the same ${owner.kind}, managed by ${other}` };
  }
  // All marks were taken off it, but what we applied is still there: to be put back like any other field.
  const wasApplied = appliedBy(unit, live) !== undefined;
  if (found.type === "free" && wasApplied) return { type: "ours" };
  const rival = found.type === "free" ? rivalOf(unit, live) : adopt === "force" ? keeperOf(unit, live) : undefined;
  if (rival !== undefined && (adopt !== "force" || rival.isSeen)) return { type: "foreign", owner: rival.text };
  const hasController = live.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
  if (adopt === "force") return { type: "adoptable", hasController };
  if (found.type === "free")
    return adopt === "ifUnowned" ? { type: "adoptable", hasController: false } : { type: "foreign", owner: undefined };
  return found;
}

interface Rival {
  readonly text: string;
  /** That it exists is known; else it may be where this operator does not look. */
  readonly isSeen: boolean;
}

/**
 * Another owner for which this step keeps the same object without marking it: two of them would take its fields from each
 * other for ever. One that exists no more does not count; one that is where this operator does not look does.
 */
function rivalOf({ dependent, pass }: Unit, live: KubernetesObject): Rival | undefined {
  const ours = unitManager(pass, dependent);
  const unit = ours.slice(0, ours.lastIndexOf("/") + 1);
  const uids = (live.metadata.managedFields ?? [])
    .filter(({ manager = "", operation }) => operation === "Apply" && manager !== ours && manager.startsWith(unit))
    .map(({ manager = "" }) => manager.slice(unit.length));
  if (uids.length === 0) return undefined;
  const { kind } = pass.pipeline;
  const primaries: readonly KubernetesObject[] = pass.env.cache.list(kind);
  const rival = primaries.find(({ metadata }) => uids.includes(metadata.uid ?? ""));
  if (rival !== undefined) return { text: `${kind.kind} ${keyOf(rival.metadata)}, which keeps it, too`, isSeen: true };
  if (kind.scope === "Cluster" || seesAll(pass)) return undefined;
  return { text: `a ${kind.kind} of another namespace, which keeps it, too`, isSeen: false };
}

/** No namespace has this name: only a cache of all of them answers for it. */
function seesAll({ env, pipeline }: Unit["pass"]): boolean {
  try {
    env.cache.list(pipeline.kind, { namespace: "-" });
    return true;
  } catch {
    return false;
  }
}

/** A living owner of the same handler that keeps it by the same step: whoever takes it from that one, loses it again. */
function keeperOf(unit: Unit, live: KubernetesObject): Rival | undefined {
  const { owner, pass } = unit;
  const labels = live.metadata.labels ?? {};
  const { handlerName, value, own } = stepLabelOf(unit, live);
  if (value !== own) return undefined;
  const controller = live.metadata.ownerReferences?.find((reference) => reference.controller === true);
  const id = labels[ownerIdLabel(handlerName)];
  const primaries: readonly KubernetesObject[] = pass.env.cache.list(pass.pipeline.kind);
  const keeper = primaries.find(
    (primary) =>
      primary.metadata.uid !== owner.metadata.uid &&
      (controller === undefined ? ownerId(primary) === id : primary.metadata.uid === controller.uid),
  );
  return keeper === undefined ? undefined : { text: `${owner.kind} ${keyOf(keeper.metadata)}, which keeps it, too`, isSeen: true };
}

/**
 * Whether a step of ours made it, or took it: what may be deleted. The marks alone do not tell: a copy has them, too. A
 * mark that somebody took off does not tell the opposite, as long as another one and what we applied are there.
 */
export function isMadeByUs(unit: Unit, live: KubernetesObject): boolean {
  const { dependent, owner, handlerNames } = unit;
  const { metadata } = live;
  if (metadata.uid === owner.metadata.uid) return false;
  const found = ownership(live, owner, handlerNames);
  if (found.type === "foreign") return false;
  const { value: label, own } = stepLabelOf(unit, live);
  if (label !== undefined && label !== own) return false;
  const applied = appliedBy(unit, live);
  if (label === undefined && otherHandler(unit, live) !== undefined) return false;
  // Who takes all marks off an object keeps it.
  if (found.type === "free") return applied?.["f:metadata"] !== undefined;
  const isReferred = metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) === true;
  if (label === undefined) return applied !== undefined;
  // Of what a merge of the author's own has stored nothing tells but the marks: the cache does not keep who updated.
  return isReferred || applied !== undefined || dependent.options.update !== undefined;
}

/**
 * Another step that this handler has and whose label the object carries. That of a step which is no more does not count,
 * nor one that keeps another object by now: it would lose this one in any case, and two steps that exchange their names
 * would wait for each other for ever.
 */
function otherStep(unit: Unit, live: KubernetesObject): string | undefined {
  const { ext } = unit;
  const { value: label, own } = stepLabelOf(unit, live);
  if (label === undefined || label === own || labelValueProblems(label).length > 0) return undefined;
  const other = ext.handler.steps.find((step) => stepLabelValue(step.name) === label);
  return other === undefined || hasLeft(unit, other, live) ? undefined : other.name;
}

interface StepLabel {
  /** Of the handler, as the object knows it. */
  readonly handlerName: string;
  /** What the object carries. */
  readonly value: string | undefined;
  /** What it carries when it is of this step. */
  readonly own: string;
}

/** The label by which the object says of which step it is: under the present name of the handler, or one of before. */
function stepLabelOf({ dependent, handlerName, handlerNames }: Unit, { metadata }: KubernetesObject): StepLabel {
  const { labels = {} } = metadata;
  const known = handlerNames.find((name) => labels[name + STEP_SUFFIX] !== undefined) ?? handlerName;
  return { handlerName: known, value: labels[known + STEP_SUFFIX], own: stepLabelValue(dependent.name) };
}

/** What the step has applied, under whatever name its handler had. */
function appliedBy({ pass, dependent, handlerNames }: Unit, live: KubernetesObject): FieldSet | undefined {
  for (const name of handlerNames) {
    const applied = appliedFields(live, unitManager(pass, dependent, name));
    if (applied !== undefined) return applied;
  }
  return undefined;
}

/** The field managers of this step under former names of the handler whose fields must go now. */
export function renamedManagers({ pass, ext, dependent, handlerNames }: Unit, live: KubernetesObject): readonly string[] {
  const renamed = handlerNames
    .slice(1)
    .map((name) => unitManager(pass, dependent, name))
    .filter((manager) => appliedFields(live, manager) !== undefined);
  return renamed.length > 0 && ext.claim(`dependent ${dependent.name}`, { isNeededByOld: true }) ? renamed : [];
}

/** The field managers of steps that applied to the object what they now keep elsewhere: their fields must go. */
export function formerManagers(unit: Unit, live: KubernetesObject): readonly string[] {
  const { pass, ext, dependent } = unit;
  return ext.handler.steps
    .filter((step) => step.name !== dependent.name)
    .filter((step) => appliedFields(live, unitManager(pass, step)) !== undefined && hasLeft(unit, step, live))
    .map((step) => unitManager(pass, step));
}

/** Whether a step keeps another object than this one; one that does not know what it keeps does not leave. */
function hasLeft({ dependent, owner }: Unit, step: ExtendedStep<DependentData>, live: KubernetesObject): boolean {
  if (groupKindOf(step.data.kind) !== groupKindOf(dependent.kind)) return false;
  try {
    return keyOf(step.data.target(owner)) !== keyOf(live.metadata);
  } catch {
    return false;
  }
}

const STEP_SUFFIX = "/dependent";

/** Another handler that keeps the object for the same owner: a reference does not tell one handler from the other, labels do. */
function otherHandler({ handlerNames }: Unit, live: KubernetesObject): string | undefined {
  const labels = Object.keys(live.metadata.labels ?? {});
  if (handlerNames.some((name) => labels.includes(name + STEP_SUFFIX))) return undefined;
  return labels.find((key) => key.endsWith(STEP_SUFFIX))?.slice(0, -STEP_SUFFIX.length);
}
