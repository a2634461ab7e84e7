/** How quotas count PersistentVolumeClaims: their number and their storage, also for each storage class. */
import { jsonEqual } from "@treadle/apimachinery";
import type { Amounts } from "../builtin/demands.ts";
import { canonicalQuantity, quantityNanos } from "../builtin/quantity.ts";
import type { JsonObject } from "../internal/json.ts";
import { at, textAt } from "../internal/read.ts";
import type { Evaluator } from "./evaluator.ts";
import { selectsName } from "./scopes.ts";

const NUMBER = "persistentvolumeclaims";
const STORAGE = "requests.storage";
const CLASS = ".storageclass.storage.k8s.io/";

export const claims: Evaluator = {
  counts: (resource) =>
    resource === `count/${NUMBER}` || [NUMBER, STORAGE].some((name) => resource === name || resource.endsWith(CLASS + name)),
  handles: ({ object, previous, subresource }) =>
    subresource === "" || (subresource === "status" && previous !== undefined && hasChanged(object, previous)),
  usage(claim) {
    const annotated = textAt(claim, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class");
    const storageClass = annotated === "" ? textAt(claim, "spec", "storageClassName") : annotated;
    const used: Amounts = { [NUMBER]: "1", ...storageOf(claim) };
    const byClass = Object.entries(used).map(([name, amount]) => [`${storageClass}${CLASS}${name}`, amount] as const);
    return { [`count/${NUMBER}`]: "1", ...used, ...(storageClass === "" ? {} : Object.fromEntries(byClass)) };
  },
  isIn: (claim, scope) => scope.scopeName === "VolumeAttributesClass" && selectsName(scope, attributeClasses(claim)),
  releases: hasChanged,
};

/** Returns the storage in whole bytes: what was asked for, or allocated if this is more. */
function storageOf(claim: JsonObject): Amounts {
  const asked = at(claim, "spec", "resources", "requests", "storage");
  if (asked === undefined) return {};
  const allocated = at(claim, "status", "allocatedResources", "storage");
  const most = allocated !== undefined && quantityNanos(allocated) > quantityNanos(asked) ? allocated : asked;
  const one = 1_000_000_000n;
  const nanos = quantityNanos(most);
  return { [STORAGE]: nanos % one === 0n ? String(most) : canonicalQuantity(String((nanos + one - 1n) / one)) };
}

function hasChanged(claim: JsonObject, previous: JsonObject): boolean {
  const allocated = (object: JsonObject): unknown => at(object, "status", "allocatedResources", "storage");
  return allocated(claim) !== allocated(previous) || !jsonEqual(attributeClasses(claim), attributeClasses(previous));
}

function attributeClasses(claim: JsonObject): readonly string[] {
  const names = [
    textAt(claim, "spec", "volumeAttributesClassName"),
    textAt(claim, "status", "currentVolumeAttributesClassName"),
    textAt(claim, "status", "modifyVolumeStatus", "targetVolumeAttributesClassName"),
  ];
  return [...new Set(names)].filter((name) => name !== "").toSorted();
}
