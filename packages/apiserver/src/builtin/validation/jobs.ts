/** Validates Jobs and CronJobs. */
import { dns1123LabelProblems, jsonEqual } from "@treadle/apimachinery";
import { type FieldError, GoStruct } from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { objectAt } from "../../internal/read.ts";
import { domainPath, qualifiedName } from "./formats.ts";
import { podTemplate } from "./pod-spec.ts";
import { parseCron } from "../cron.ts";
import { labelSelector } from "./selectors.ts";
import { all, check, fields, mustBeOneOf, nonNegative, oneOf, required, type Rule, type Spot, unchanged } from "./spot.ts";
import { matched } from "./workloads.ts";

const COUNTS = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished", "backoffLimitPerIndex"];
const MAX_PARALLELISM = 100_000;
const INDEXED_ONLY = "requires indexed completion mode";

const jobSpec: Rule = (spec) => {
  for (const field of COUNTS) nonNegative(spec.at(field));
  const [perIndex, failed] = [spec.at("backoffLimitPerIndex"), spec.at("maxFailedIndexes")];
  nonNegative(failed);
  if (failed.isSet && !perIndex.isSet) perIndex.required("when maxFailedIndexes is specified");
  const manager = spec.at("managedBy");
  if (manager.isSet) domainPath(manager);
  if (manager.text.length > 63) manager.tooLong(63);
  const mode = spec.at("completionMode");
  oneOf("NonIndexed", "Indexed")(mode);
  if (mode.text === "Indexed") indexed(spec);
  if (mode.text === "NonIndexed" || !mode.isSet) {
    if (perIndex.isSet) perIndex.invalid(INDEXED_ONLY);
    if (failed.isSet) failed.invalid(INDEXED_ONLY);
  }
  failurePolicy(spec);
  const success = spec.at("successPolicy");
  if (success.isSet && mode.text !== "Indexed") success.invalid(INDEXED_ONLY, successShown(success));
  else if (success.isSet && success.at("rules").isEmpty)
    success.at("rules").required("at least one rules must be specified when the successPolicy is specified");
  replacement(spec);
  podTemplate(spec.at("template"));
  const restart = spec.within("template", "spec", "restartPolicy");
  if (restart.isEmpty || restart.text === "Always") restart.required('valid values: "OnFailure", "Never"');
  else if (restart.text !== "OnFailure" && restart.text !== "Never") restart.notSupported(["OnFailure", "Never"]);
  else if (spec.at("podFailurePolicy").isSet && restart.text !== "Never")
    restart.invalid('only "Never" is supported when podFailurePolicy is specified');
};

function indexed(spec: Spot): void {
  const [completions, parallelism, failed] = [spec.at("completions"), spec.at("parallelism"), spec.at("maxFailedIndexes")];
  if (!completions.isSet) completions.required("when completion mode is Indexed");
  if (parallelism.number > MAX_PARALLELISM)
    parallelism.invalid(`must be less than or equal to ${MAX_PARALLELISM} when completion mode is Indexed`);
  if (completions.isSet && failed.number > completions.number) failed.invalid("must be less than or equal to completions");
  if (failed.number > MAX_PARALLELISM) failed.invalid(`must be less than or equal to ${MAX_PARALLELISM}`);
}

function successShown(success: Spot): GoStruct {
  const rules = success.at("rules").items.map((rule) => ({
    SucceededIndexes: rule.get("succeededIndexes") ?? null,
    SucceededCount: rule.get("succeededCount") ?? null,
  }));
  return new GoStruct({ Rules: rules });
}

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];

function failurePolicy(spec: Spot): void {
  const template = spec.within("template", "spec");
  const names = [...template.at("containers").items, ...template.at("initContainers").items].map((container) => container.get("name"));
  const rules = spec.within("podFailurePolicy", "rules");
  if (rules.items.length > 20) rules.tooMany(rules.items.length, 20);
  for (const rule of rules.items) {
    const [action, codes, conditions] = [rule.at("action"), rule.at("onExitCodes"), rule.at("onPodConditions")];
    if (action.isEmpty) action.required(`valid values: [${ACTIONS.map((name) => JSON.stringify(name)).join(" ")}]`);
    else if (action.text === "FailIndex") {
      if (!spec.at("backoffLimitPerIndex").isSet) action.invalid("requires the backoffLimitPerIndex to be set");
    } else if (!ACTIONS.includes(action.text)) action.notSupported(ACTIONS);
    if (codes.isSet) exitCodes(codes, names);
    for (const condition of conditions.items) {
      qualifiedName(condition.at("type"));
      mustBeOneOf("False", "True", "Unknown")(condition.at("status"));
    }
    if (codes.isSet && !conditions.isEmpty) rule.invalidAsWhole("specifying both OnExitCodes and OnPodConditions is not supported");
    if (!codes.isSet && conditions.isEmpty) rule.invalidAsWhole("specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function exitCodes(spot: Spot, names: readonly unknown[]): void {
  const [operator, container, values] = [spot.at("operator"), spot.at("containerName"), spot.at("values")];
  mustBeOneOf("In", "NotIn")(operator);
  if (container.isSet && !names.includes(container.value))
    container.invalid("must be one of the container or initContainer names in the pod template");
  if (values.isEmpty) return values.invalid("at least one value is required", values.value ?? []);
  if (values.items.length > 255) values.tooMany(values.items.length, 255);
  const seen = new Set<number>();
  let isOrdered = true;
  for (const [i, value] of values.items.entries()) {
    if (operator.text === "In" && value.number === 0) value.invalid("must not be 0 for the In operator");
    if (seen.has(value.number)) value.duplicate();
    seen.add(value.number);
    if (i > 0 && (values.items[i - 1]?.number ?? 0) > value.number) isOrdered = false;
  }
  if (!isOrdered) values.invalid("must be ordered");
}

function replacement(spec: Spot): void {
  const policy = spec.at("podReplacementPolicy");
  if (!policy.isSet) return;
  if (spec.at("podFailurePolicy").isSet) oneOf("Failed")(policy);
  else oneOf("Failed", "TerminatingOrFailed")(policy);
}

const selectingJob: Rule = all(jobSpec, (spec) => {
  required(spec.at("selector"));
  labelSelector(spec.at("selector"));
  matched(spec);
});

/** Checks the selector of a Job, and the labels that the server gave to its pods. */
function generatedSelector(job: Spot): void {
  const spec = job.at("spec");
  if (spec.get("manualSelector") === true) return;
  const uid = job.within("metadata", "uid").text;
  const labels = spec.within("template", "metadata", "labels");
  for (const [key, want] of [
    ["batch.kubernetes.io/controller-uid", uid],
    ["batch.kubernetes.io/job-name", job.within("metadata", "name").text],
  ] as const)
    if (labels.get(key) !== want) labels.named(`${labels.path}[${key}]`).invalid(`must be '${want}'`, labels.value ?? null);
  const wanted = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  const selector = spec.at("selector");
  if (selector.isSet && !jsonEqual(selector.value, wanted)) selector.invalid("`selector` not auto-generated");
}

export function jobErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (job) => {
    const spec = job.at("spec");
    generatedSelector(job);
    selectingJob(spec);
    const [name, completions] = [job.within("metadata", "name"), spec.at("completions")];
    const host = `${name.text}-${completions.number - 1}`;
    if (spec.get("completionMode") === "Indexed" && completions.number > 0 && dns1123LabelProblems(host).length > 0)
      name.invalid(`will not able to create pod with invalid DNS label: ${host}`);
    if (previous === undefined) return;
    selectingJob(spec);
    jobChanges(spec, objectAt(previous, "spec"));
  });
}

const FIXED_AFTER_TEMPLATE = ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];

/** Checks immutable fields of a Job. Only a suspended one may get another template. */
function jobChanges(spec: Spot, old: JsonObject): void {
  const completions = spec.at("completions");
  if (spec.get("completionMode") !== "Indexed") unchanged(old["completions"])(completions);
  else if (completions.isSet && completions.value !== old["completions"] && completions.value !== spec.get("parallelism"))
    completions.invalid("can only be modified in tandem with spec.parallelism");
  unchanged(old["selector"])(spec.at("selector"));
  if (old["suspend"] !== true) unchanged(old["template"])(spec.at("template"));
  for (const field of FIXED_AFTER_TEMPLATE) unchanged(old[field])(spec.at(field));
}

function schedule(spot: Spot, old: unknown, zone: Spot): void {
  if (spot.isEmpty) return spot.required();
  const cron = parseCron(spot.text.replace(/^(CRON_)?TZ=\S+ /, ""));
  if (typeof cron === "string") spot.invalid(cron);
  if (!spot.text.includes("TZ")) return;
  if (zone.isSet) spot.invalid("cannot use both timeZone field and TZ or CRON_TZ in schedule");
  else if (!String(old ?? "").includes("TZ")) spot.invalid("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
}

export function cronJobErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  const old = isObject(previous?.["spec"]) ? previous["spec"] : undefined;
  return check(draft, (job) => {
    const spec = job.at("spec");
    const zone = spec.at("timeZone");
    schedule(spec.at("schedule"), old?.["schedule"], zone);
    nonNegative(spec.at("startingDeadlineSeconds"));
    const problem = zone.isSet && zone.value !== old?.["timeZone"] ? timeZoneProblem(zone.text) : undefined;
    if (problem !== undefined) zone.invalid(problem);
    mustBeOneOf("Allow", "Forbid", "Replace")(spec.at("concurrencyPolicy"));
    const template = spec.within("jobTemplate", "spec");
    jobSpec(template);
    if (template.at("selector").isSet) template.at("selector").invalid("`selector` will be auto-generated");
    if (template.get("manualSelector") === true) template.at("manualSelector").notSupported(["nil", "false"]);
    fields({ successfulJobsHistoryLimit: nonNegative, failedJobsHistoryLimit: nonNegative })(spec);
    const name = job.within("metadata", "name");
    if (previous === undefined && name.text.length > 52) name.invalid("must be no more than 52 characters");
  });
}

/** Returns the problem of the name of a time zone. */
function timeZoneProblem(name: string): string | undefined {
  if (name === "") return "timeZone must be nil or non-empty string";
  if (name.toLowerCase() === "local") return "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return undefined;
  } catch {
    return `unknown time zone ${name}`;
  }
}
