/** Validates new pods, and updates of pods. */
import { jsonEqual } from "@treadle/apimachinery";
import type { FieldError } from "../../errors/field-errors.ts";
import { type JsonObject } from "../../internal/json.ts";
import { listAt, objectAt } from "../../internal/read.ts";
import { podOnly, podSpec } from "./pod-spec.ts";
import { tolerations } from "./selectors.ts";
import { between, check, type Spot } from "./spot.ts";

export function podErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (pod) => {
    const spec = pod.at("spec");
    podSpec(spec, { name: pod.within("metadata", "name").text, isPod: true });
    podOnly(spec);
    if (previous === undefined) {
      if (!spec.at("ephemeralContainers").isEmpty) spec.at("ephemeralContainers").forbidden("cannot be set on create");
      if (!spec.at("schedulingGates").isEmpty && !spec.at("nodeName").isEmpty)
        spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
    } else changes(spec, objectAt(previous, "spec"));
  });
}

const CHANGEABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

function changes(spec: Spot, old: JsonObject): void {
  for (const field of ["containers", "initContainers"]) {
    const list = spec.at(field);
    if (list.items.length !== listAt(old, field).length) return list.forbidden("pod updates may not add or remove containers");
    for (const container of list.items) {
      const image = container.at("image");
      if (image.isEmpty) image.required();
      if (image.text.trim() !== image.text) image.invalid("must not have leading or trailing whitespace");
    }
  }
  if (!deadline(spec.at("activeDeadlineSeconds"), old["activeDeadlineSeconds"])) return;
  addedTolerations(spec.at("tolerations"), listAt(old, "tolerations"));
  const gates = new Set(listAt(old, "schedulingGates").map(({ name }) => name));
  for (const gate of spec.at("schedulingGates").items)
    if (!gates.has(gate.get("name")))
      gate.at("name").forbidden(`only deletion is allowed, but found new scheduling gate '${gate.at("name").text}'`);
  if (!jsonEqual(fixedPart(spec.object, old), fixedPart(old, old)))
    spec.forbidden(`pod updates may not change fields other than ${CHANGEABLE.join(",")}`);
}

/** Checks an update of the deadline, and reports whether the other fields are checked. */
function deadline(spot: Spot, old: unknown): boolean {
  const before = spot.errorCount;
  if (spot.isSet) {
    between(0, 2 ** 31 - 1)(spot);
    if (spot.errorCount === before && typeof old === "number" && old < spot.number)
      spot.invalid("must be less than or equal to previous value");
    return spot.errorCount === before;
  }
  if (old !== undefined) spot.invalid("must not update from a positive integer to nil value", null);
  return true;
}

function addedTolerations(spot: Spot, old: readonly JsonObject[]): void {
  const timeless = (value: unknown): JsonObject => ({ ...objectAt(value), tolerationSeconds: 0 });
  const isKept = old.every((each) => spot.items.some((item) => jsonEqual(timeless(item.value), timeless(each))));
  if (isKept) tolerations(spot);
  else spot.forbidden("existing toleration can not be modified except its tolerationSeconds");
}

/** Returns a spec without mutable fields. The node affinity of a gated pod is mutable. */
function fixedPart(spec: JsonObject, old: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec;
  for (const field of ["containers", "initContainers"]) rest[field] = listAt(rest, field).map(({ image: ____, ...container }) => container);
  if (Number(old["terminationGracePeriodSeconds"]) < 0 && rest["terminationGracePeriodSeconds"] === 1)
    rest["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"];
  if (listAt(old, "schedulingGates").length === 0) return rest;
  const { nodeSelector: _____, affinity, ...fixed } = rest;
  const { nodeAffinity: ______, ...others } = objectAt(affinity);
  return { ...fixed, affinity: others };
}
