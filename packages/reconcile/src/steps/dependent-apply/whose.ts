/** Whether a dependent may be written: by whose it is, and by what the author allows. */
import { keyOf, type KubernetesObject, labelValueProblems, ownership } from "@treadle/apimachinery";
import { unitManager } from "../../internal/req-client.ts";
import { stepLabels } from "./dependent.ts";
import { appliedFields } from "./owned-fields.ts";
import type { Unit } from "./unit.ts";

export type Whose =
  | { readonly type: "ours" }
  /** Not ours yet; the author lets us take it. `controller`: it has another controller, which must go first. */
  | { readonly type: "adoptable"; readonly hasController: boolean }
  | { readonly type: "foreign"; readonly owner: string };

export function whoseIs(unit: Unit, live: KubernetesObject): Whose {
  const { dependent, owner, handlerName, pass } = unit;
  const { adopt } = dependent;
  const found = ownership(live, owner, handlerName);
  if (found.type === "ours") {
    const other = otherStep(unit, live);
    return other === undefined ? { type: "ours" } : { type: "foreign", owner: `step "${other}" of the same ${owner.kind}` };
  }
  // All marks were taken off it, but what we applied is still there: to be put back like any other field.
  const wasApplied = appliedFields(live, unitManager(pass, dependent)) !== undefined;
  if (found.type === "free" && wasApplied) return { type: "ours" };
  const rival = found.type === "free" ? rivalOf(unit, live) : undefined;
  if (rival !== undefined && adopt !== "force") return { type: "foreign", owner: rival };
  const hasController = live.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
  if (adopt === "force") return { type: "adoptable", hasController };
  if (found.type === "free")
    return adopt === "ifUnowned" ? { type: "adoptable", hasController: false } : { type: "foreign", owner: "nobody that says so" };
  return found;
}

/**
 * Another owner for which this step keeps the same object without marking it: two of them would take its fields from each
 * other for ever. One that exists no more does not count.
 */
function rivalOf({ dependent, pass }: Unit, live: KubernetesObject): string | undefined {
  const ours = unitManager(pass, dependent);
  const unit = ours.slice(0, ours.lastIndexOf("/") + 1);
  const uids = (live.metadata.managedFields ?? [])
    .filter(({ manager = "", operation }) => operation === "Apply" && manager !== ours && manager.startsWith(unit))
    .map(({ manager = "" }) => manager.slice(unit.length));
  if (uids.length === 0) return undefined;
  const { kind } = pass.pipeline;
  const primaries: readonly KubernetesObject[] = pass.env.cache.list(kind);
  const rival = primaries.find(({ metadata }) => uids.includes(metadata.uid ?? ""));
  return rival === undefined ? undefined : `${kind.kind} ${keyOf(rival.metadata)}, which keeps it, too`;
}

/** Whether a step of ours made it, or took it: what may be deleted. */
export function isMadeByUs({ dependent, owner, handlerName }: Unit, live: KubernetesObject): boolean {
  const labels = live.metadata.labels ?? {};
  const isOfStep = Object.entries(stepLabels(handlerName, dependent.name)).every(([key, value]) => labels[key] === value);
  return isOfStep && ownership(live, owner, handlerName).type === "ours";
}

/** Another step that this handler has and whose label the object carries; that of a step which is no more does not count. */
function otherStep({ dependent, handlerName, pass }: Unit, live: KubernetesObject): string | undefined {
  const [key, own] = Object.entries(stepLabels(handlerName, dependent.name))[0] as [string, string];
  const label = live.metadata.labels?.[key];
  if (label === undefined || label === own || labelValueProblems(label).length > 0) return undefined;
  return pass.pipeline.leaves.find((step) => step.dependent !== undefined && stepLabels(handlerName, step.name)[key] === label)?.name;
}
