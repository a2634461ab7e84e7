/** Validates selectors of labels and of nodes. */
import { labelValueProblems } from "@treadle/apimachinery";
import { nameProblems } from "../../objects/object-meta.ts";
import { dnsLabel, labels, labelValue, qualifiedName } from "./formats.ts";
import { each, fields, ifSet, needed, type Rule, type Spot } from "./spot.ts";

const labelRequirement: Rule = (spot) => {
  const values = spot.at("values");
  const operator = spot.at("operator");
  switch (operator.text) {
    case "In":
    case "NotIn":
      if (values.isEmpty) values.required("must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case "Exists":
    case "DoesNotExist":
      if (!values.isEmpty) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    default:
      operator.invalid("not a valid selector operator");
  }
  qualifiedName(spot.at("key"));
  for (const value of values.items) labelValue(value);
};

export const labelSelector: Rule = fields({ matchLabels: labels, matchExpressions: each(labelRequirement) });

const nodeRequirement: Rule = (spot) => {
  const values = spot.at("values");
  const { text } = spot.at("operator");
  if (text === "Gt" || text === "Lt") {
    if (values.items.length !== 1) values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
    qualifiedName(spot.at("key"));
    for (const value of values.items) labelValue(value);
  } else labelRequirement(spot);
};

const nodeField: Rule = (spot) => {
  const values = spot.at("values");
  const { text } = spot.at("operator");
  if (text === "In" || text === "NotIn") {
    if (values.items.length !== 1) values.required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  } else spot.at("operator").invalid("not a valid selector operator");
  const key = spot.at("key");
  if (key.text !== "metadata.name") key.invalid("not a valid field selector key");
  else for (const value of values.items) for (const problem of nameProblems("subdomain", value.text, false)) value.invalid(problem);
};

const nodeTerm: Rule = fields({ matchExpressions: each(nodeRequirement), matchFields: each(nodeField) });

export const nodeSelector: Rule = fields({
  nodeSelectorTerms: needed(each(nodeTerm), "must have at least one node selector term"),
});

const weight: Rule = (spot) => {
  if (spot.number < 1 || spot.number > 100) spot.invalid("must be in the range 1-100", spot.number);
};

const nodeAffinity: Rule = fields({
  requiredDuringSchedulingIgnoredDuringExecution: ifSet(nodeSelector),
  preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, preference: nodeTerm })),
});

/** Checks label keys whose values come from the pod. */
function labelKeys(spot: Spot, selector: Spot): void {
  if (spot.isEmpty) return;
  if (!selector.isSet) spot.forbidden("must not be specified when labelSelector is not set");
  else for (const key of spot.items) qualifiedName(key);
}

const podTerm: Rule = (spot) => {
  const selector = spot.at("labelSelector");
  labelSelector(selector);
  labelSelector(spot.at("namespaceSelector"));
  for (const name of spot.at("namespaces").items) dnsLabel(name.named(`${spot.path}.namespace`));
  labelKeys(spot.at("matchLabelKeys"), selector);
  labelKeys(spot.at("mismatchLabelKeys"), selector);
  const topology = spot.at("topologyKey");
  if (topology.isEmpty) topology.required("can not be empty");
  qualifiedName(topology);
};

const podAffinity: Rule = fields({
  requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, podAffinityTerm: podTerm })),
});

export const affinity: Rule = fields({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity });

export const TAINT_EFFECTS: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

const toleration: Rule = (spot) => {
  const [key, operator, value, effect] = [spot.at("key"), spot.at("operator"), spot.at("value"), spot.at("effect")];
  if (!key.isEmpty) qualifiedName(key);
  else if (operator.text !== "Exists")
    operator.invalid('operator must be Exists when `key` is empty, which means "match all values and all keys"');
  if (spot.at("tolerationSeconds").isSet && effect.text !== "NoExecute")
    effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set");
  if (operator.text === "Exists") {
    if (!value.isEmpty) operator.invalid("value must be empty when `operator` is 'Exists'", value.text);
  } else if (operator.text === "Equal" || operator.isEmpty) {
    const problems = labelValueProblems(value.text);
    if (problems.length > 0) operator.invalid(problems.join(";"), value.text);
  } else operator.notSupported(operator.text === "Lt" || operator.text === "Gt" ? ["Equal", "Exists", "Lt", "Gt"] : ["Equal", "Exists"]);
  if (!effect.isEmpty && !TAINT_EFFECTS.includes(effect.text)) effect.notSupported(TAINT_EFFECTS);
};

export const tolerations: Rule = each(toleration);

const topology: Rule = (spot) => {
  const when = spot.at("whenUnsatisfiable");
  const skew = spot.at("maxSkew");
  if (skew.number <= 0) skew.invalid("must be greater than zero", skew.number);
  if (spot.at("topologyKey").isEmpty) spot.at("topologyKey").required("can not be empty");
  if (!WHEN.includes(when.text)) when.notSupported(WHEN);
};

const WHEN = ["DoNotSchedule", "ScheduleAnyway"];
const inclusion: Rule = ifSet((spot) => {
  if (spot.text !== "Honor" && spot.text !== "Ignore") spot.notSupported(["Honor", "Ignore"]);
});

export const topologySpread: Rule = (spot) => {
  spot.items.forEach((constraint, i) => {
    topology(constraint);
    const shown = (item: Spot): string => `{${item.at("topologyKey").text}, ${item.at("whenUnsatisfiable").text}}`;
    if (spot.items.slice(i + 1).some((other) => shown(other) === shown(constraint)))
      constraint.at("{topologyKey, whenUnsatisfiable}").duplicate(shown(constraint));
    const domains = constraint.at("minDomains");
    const when = constraint.at("whenUnsatisfiable").text;
    if (domains.isSet && domains.number <= 0) domains.invalid("must be greater than zero");
    if (domains.isSet && when !== "DoNotSchedule")
      domains.invalid(`can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${when}`);
    inclusion(constraint.at("nodeAffinityPolicy"));
    inclusion(constraint.at("nodeTaintsPolicy"));
    labelKeys(constraint.at("matchLabelKeys"), constraint.at("labelSelector"));
    labelSelector(constraint.at("labelSelector"));
  });
};
