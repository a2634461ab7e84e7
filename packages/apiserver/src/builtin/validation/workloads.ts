/** Validates Deployments and the other kinds that keep pods running. */
import { jsonEqual, matchesLabels } from "@treadle/apimachinery";
import { type FieldError, GoStruct } from "../../errors/field-errors.ts";
import { type JsonObject } from "../../internal/json.ts";
import { objectAt } from "../../internal/read.ts";
import { claimSpec } from "./claims.ts";
import { dnsLabel } from "./formats.ts";
import { podTemplate, templateMetadata } from "./pod-spec.ts";
import { labelSelector } from "./selectors.ts";
import { all, check, each, fields, ifGiven, nonNegative, oneOf, required, type Rule, type Spot, unchanged } from "./spot.ts";

type Errors = (draft: JsonObject, previous: JsonObject | undefined) => FieldError[];

/** Checks a number or a percentage such as `25%`. */
export const intOrPercent: Rule = (spot) => {
  if (typeof spot.value !== "string") nonNegative(spot);
  else if (!/^[0-9]+%$/.test(spot.text))
    spot.invalid(
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    );
};

export const atMostAll: Rule = (spot) => {
  if (/^\d+%$/.test(spot.text) && Number.parseInt(spot.text, 10) > 100) spot.invalid("must not be greater than 100%");
};

const isNothing = ({ value }: Spot): boolean => !/^[1-9]|^0+[1-9]/.test(String(value ?? 0).replace(/^-/, ""));

/** Reports whether a selector matches labels, or `undefined` when it is invalid. An absent selector matches nothing. */
function finds(selector: Spot, labels: JsonObject): boolean | undefined {
  if (check(selector.value, labelSelector).length > 0) return undefined;
  return selector.isSet && matchesLabels(selector.object, labels as Record<string, string>); // decoded as texts
}

/** Checks that the selector matches the labels of the template. */
export function matched(spec: Spot): void {
  const labels = spec.within("template", "metadata", "labels");
  if (finds(spec.at("selector"), labels.object) === false)
    labels.invalid("`selector` does not match template `labels`", labels.isSet ? labels.value : null);
}

/** Checks that a selector is not empty. */
function selector(spec: Spot, kind: string): void {
  const spot = spec.at("selector");
  labelSelector(spot);
  if (spot.isSet && spot.at("matchLabels").members.length + spot.at("matchExpressions").items.length === 0)
    spot.invalid(`empty selector is invalid for ${kind}`);
}

function alwaysRestarting(spec: Spot, kind: string): void {
  const [policy, deadline] = [spec.within("template", "spec", "restartPolicy"), spec.within("template", "spec", "activeDeadlineSeconds")];
  if (policy.text !== "Always") policy.notSupported(["Always"]);
  if (deadline.isSet) deadline.forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
}

/** Checks the template of a Deployment or a ReplicaSet, if its selector is valid. */
const selectedTemplate: Rule = (spec) => {
  required(spec.at("selector"));
  selector(spec, "deployment");
  if (finds(spec.at("selector"), {}) === undefined) return spec.at("selector").invalid("invalid label selector");
  matched(spec);
  podTemplate(spec.at("template"));
  alwaysRestarting(spec, "ReplicaSet");
};

const deploymentStrategy: Rule = (spot) => {
  const [type, rolling] = [spot.at("type"), spot.at("rollingUpdate")];
  if (type.text === "Recreate") {
    if (rolling.isSet) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
  } else if (type.text !== "RollingUpdate")
    spot.notSupported(["Recreate", "RollingUpdate"], new GoStruct({ Type: type.text, RollingUpdate: rolling.value ?? null }));
  else {
    const [unavailable, surge] = [rolling.at("maxUnavailable"), rolling.at("maxSurge")];
    intOrPercent(unavailable);
    intOrPercent(surge);
    if (isNothing(unavailable) && isNothing(surge)) unavailable.invalid("may not be 0 when `maxSurge` is 0");
    atMostAll(unavailable);
  }
};

const deploymentSpec: Rule = all(
  fields({ replicas: nonNegative }),
  selectedTemplate,
  fields({
    strategy: deploymentStrategy,
    minReadySeconds: nonNegative,
    revisionHistoryLimit: nonNegative,
    progressDeadlineSeconds: nonNegative,
  }),
  (spec) => {
    const deadline = spec.at("progressDeadlineSeconds");
    if (deadline.isSet && deadline.number <= spec.at("minReadySeconds").number) deadline.invalid("must be greater than minReadySeconds");
  },
);

export const deploymentErrors: Errors = errorsOf(deploymentSpec, "selector");
export const replicaSetErrors: Errors = errorsOf(
  all(fields({ replicas: nonNegative, minReadySeconds: nonNegative }), selectedTemplate),
  "selector",
);

const daemonStrategy: Rule = (spot) => {
  const [type, rolling] = [spot.at("type"), spot.at("rollingUpdate")];
  if (type.text === "OnDelete") return;
  if (type.text !== "RollingUpdate")
    return spot.notSupported(["RollingUpdate", "OnDelete"], new GoStruct({ Type: type.text, RollingUpdate: rolling.value ?? null }));
  if (!rolling.isSet) return rolling.required();
  const [unavailable, surge] = [rolling.at("maxUnavailable"), rolling.at("maxSurge")];
  for (const rule of [intOrPercent, atMostAll]) {
    rule(unavailable);
    rule(surge);
  }
  if (!isNothing(unavailable) && !isNothing(surge)) surge.invalid("may not be set when maxUnavailable is non-zero");
  if (isNothing(unavailable) && isNothing(surge)) unavailable.required("cannot be 0 when maxSurge is 0");
};

const daemonSetSpec: Rule = (spec) => {
  selector(spec, "daemonset");
  matched(spec);
  podTemplate(spec.at("template"));
  alwaysRestarting(spec, "DaemonSet");
  fields({ minReadySeconds: nonNegative, updateStrategy: daemonStrategy, revisionHistoryLimit: nonNegative })(spec);
};

export function daemonSetErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (object) => {
    const spec = object.at("spec");
    if (previous !== undefined) unchanged(objectAt(previous, "spec")["selector"])(spec.at("selector"));
    daemonSetSpec(spec);
  });
}

const ORDER = "OrderedReady";

const statefulStrategy: Rule = (spot) => {
  const [type, rolling] = [spot.at("type"), spot.at("rollingUpdate")];
  const shown = (): GoStruct =>
    new GoStruct({ Partition: rolling.get("partition") ?? 0, MaxUnavailable: rolling.get("maxUnavailable") ?? null });
  if (type.text === "OnDelete") {
    if (rolling.isSet) rolling.invalid("only allowed for updateStrategy 'RollingUpdate'", shown());
  } else if (type.text === "RollingUpdate") fields({ partition: nonNegative })(rolling);
  else
    spot.invalid(
      "must be 'RollingUpdate' or 'OnDelete'",
      new GoStruct({ Type: type.text, RollingUpdate: rolling.isSet ? shown().fields : null }),
    );
};

function statefulSetSpec(spec: Spot, isNew: boolean): void {
  const policy = spec.at("podManagementPolicy");
  if (policy.text !== ORDER && policy.text !== "Parallel") policy.invalid(`must be '${ORDER}' or 'Parallel'`);
  statefulStrategy(spec.at("updateStrategy"));
  const retention = oneOf("Retain", "Delete");
  fields({ whenDeleted: retention, whenScaled: retention })(spec.at("persistentVolumeClaimRetentionPolicy"));
  const claims = spec.at("volumeClaimTemplates");
  if (isNew) each(fields({ spec: claimSpec }))(claims);
  fields({ replicas: nonNegative, minReadySeconds: nonNegative, ordinals: fields({ start: nonNegative }) })(spec);
  if (isNew) ifGiven(dnsLabel)(spec.at("serviceName"));
  required(spec.at("selector"));
  selector(spec, "statefulset");
  if (finds(spec.at("selector"), {}) === undefined) spec.at("selector").invalid("");
  else {
    matched(spec);
    const template = withClaims(spec).at("template");
    podTemplate(template);
    templateMetadata(template);
  }
  alwaysRestarting(spec, "StatefulSet");
}

/** Returns the spec of a StatefulSet, whose pods have a volume for each claim template. */
function withClaims(spec: Spot): Spot {
  const claims = spec.at("volumeClaimTemplates").items.map((claim) => claim.within("metadata", "name").text);
  const { subdomain: _, hostname: __, ...pod } = spec.within("template", "spec").object;
  const others = spec.within("template", "spec", "volumes").items.filter((volume) => !claims.includes(volume.at("name").text));
  const volumes = [...claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })), ...others.map(({ value }) => value)];
  const template = { ...spec.at("template").object, spec: { ...pod, volumes } };
  return spec.withValue({ ...spec.object, template });
}

const CHANGEABLE = ["replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"];

export function statefulSetErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (object) => {
    const spec = object.at("spec");
    statefulSetSpec(spec, previous === undefined);
    if (previous === undefined || jsonEqual(fixedPart(spec.object), fixedPart(objectAt(previous, "spec")))) return;
    const names = CHANGEABLE.map((field) => `'${field}'`).join(", ");
    spec.forbidden(`updates to statefulset spec for fields other than ${names} and 'minReadySeconds' are forbidden`);
  });
}

function fixedPart(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !CHANGEABLE.includes(field) && field !== "minReadySeconds"));
}

/** Returns a check of a spec with one immutable field. */
function errorsOf(rule: Rule, immutable: string): Errors {
  return (draft, previous) =>
    check(draft, (object) => {
      const spec = object.at("spec");
      rule(spec);
      if (previous !== undefined) unchanged(objectAt(previous, "spec")[immutable])(spec.at(immutable));
    });
}

export const replicationControllerErrors: Errors = (draft) =>
  check(draft, (object) => {
    const spec = object.at("spec");
    fields({ minReadySeconds: nonNegative, replicas: nonNegative })(spec);
    const labels = spec.within("template", "metadata", "labels");
    required(spec.at("selector"));
    if (!spec.at("template").isSet) return spec.at("template").required();
    if (spec.at("selector").members.some(([key, { value }]) => labels.get(key) !== value))
      labels.invalid("`selector` does not match template `labels`", labels.isSet ? labels.value : null);
    podTemplate(spec.at("template"));
    const policy = spec.within("template", "spec", "restartPolicy");
    if (policy.text !== "Always") policy.notSupported(["Always"]);
  });

export const podTemplateErrors: Errors = (draft) => check(draft, fields({ template: podTemplate }));

/** Checks that the data of a ControllerRevision does not change. */
export const controllerRevisionErrors: Errors = (draft, previous) =>
  check(draft, (object) => {
    const data = object.at("data");
    nonNegative(object.at("revision"));
    if (previous !== undefined) unchanged(previous["data"])(data);
    else if (!data.isSet) data.required("data is mandatory");
  });
