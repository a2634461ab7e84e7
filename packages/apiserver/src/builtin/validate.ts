/** What built-in kinds refuse beside wrong types: keys and contents of ConfigMaps and Secrets, and what may not change. */
import { jsonEqual } from "@treadle/apimachinery";
import { type FieldError, forbidden, invalid, required, tooLong } from "../field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";

/** core `MaxSecretSize`. */
const MAX_BYTES = 1024 * 1024;
const SET = "field is immutable when `immutable` is set";

export function configMapErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  const [data, binary] = [inside(draft, "data"), inside(draft, "binaryData")];
  const errors = frozenErrors(draft, previous, ["data", "binaryData"]);
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...keyErrors("data", key));
    if (Object.hasOwn(binary, key)) errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    bytes += Buffer.byteLength(String(value));
  }
  for (const [key, value] of Object.entries(binary)) {
    errors.push(...keyErrors("binaryData", key));
    bytes += Buffer.byteLength(String(value), "base64");
  }
  if (bytes > MAX_BYTES) errors.push(tooLong("[]", MAX_BYTES));
  return errors;
}

export function secretErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  const { type } = draft;
  const data = inside(draft, "data");
  const errors: FieldError[] = [];
  if (previous !== undefined && type !== previous["type"]) errors.push(invalid("type", type, "field is immutable"));
  errors.push(...frozenErrors(draft, previous, ["data"]), ...Object.keys(data).flatMap((key) => keyErrors("data", key)));
  const bytes = Object.values(data).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), "base64"), 0);
  if (bytes > MAX_BYTES) errors.push(tooLong("data", MAX_BYTES));
  const { keys = [], isOneEnough = false } = CONTENTS[String(type)] ?? {};
  const missing = keys.filter((key) => !Object.hasOwn(data, key));
  if (isOneEnough ? missing.length === keys.length : missing.length > 0) errors.push(...missing.map((key) => required(`data[${key}]`)));
  return errors;
}

/** The keys that a type of Secret must have. */
const CONTENTS: Readonly<Record<string, { readonly keys: readonly string[]; readonly isOneEnough?: boolean }>> = {
  "kubernetes.io/dockercfg": { keys: [".dockercfg"] },
  "kubernetes.io/dockerconfigjson": { keys: [".dockerconfigjson"] },
  "kubernetes.io/basic-auth": { keys: ["username", "password"], isOneEnough: true },
  "kubernetes.io/ssh-auth": { keys: ["ssh-privatekey"] },
  "kubernetes.io/tls": { keys: ["tls.crt", "tls.key"] },
};

/** A binding stays one of its role. */
export function roleRefErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  if (previous === undefined || jsonEqual(draft["roleRef"], previous["roleRef"])) return [];
  const { apiGroup = "", kind = "", name = "" } = inside(draft, "roleRef");
  return [invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
}

/** A workload goes on finding the pods that it made. */
export function selectorErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  const { selector } = inside(draft, "spec");
  const errors = templateErrors(draft);
  if (previous !== undefined && !jsonEqual(selector, inside(previous, "spec")["selector"]))
    errors.push(invalid("spec.selector", selector ?? null, "field is immutable"));
  return errors;
}

/** What a Job is to do stays; only one that is suspended may get another template. */
export function jobErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  const errors = templateErrors(draft);
  if (previous === undefined) return errors;
  const [spec, old] = [inside(draft, "spec"), inside(previous, "spec")];
  const isElastic = old["completionMode"] === "Indexed" && spec["completions"] === spec["parallelism"];
  const fixed = [
    ...(isElastic ? [] : ["completions"]),
    "selector",
    ...(old["suspend"] === true ? [] : ["template"]),
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ];
  const changed = fixed.filter((field) => !jsonEqual(spec[field], old[field]));
  return [...errors, ...changed.map((field) => invalid(`spec.${field}`, spec[field] ?? null, "field is immutable"))];
}

/** The pods of a workload must be those that it selects. */
function templateErrors(draft: JsonObject): FieldError[] {
  const spec = inside(draft, "spec");
  const wanted = inside(inside(spec, "selector"), "matchLabels");
  const labels = inside(inside(inside(spec, "template"), "metadata"), "labels");
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return [];
  return [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
}

/** An address that was given stays. */
export function serviceErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  const [spec, old] = [inside(draft, "spec"), inside(previous ?? {}, "spec")];
  const isKept = !old["clusterIP"] || [spec, old].some(({ type }) => type === "ExternalName") || spec["clusterIP"] === old["clusterIP"];
  return isKept ? [] : [invalid("spec.clusterIPs[0]", [spec["clusterIP"] ?? ""], "may not change once set")];
}

/** An event is in the namespace of what it is about; one about what has none is in `default`. */
export function eventErrors(draft: JsonObject): FieldError[] {
  const about = draft["involvedObject"];
  if (!isObject(about)) return [];
  const { namespace = "" } = about;
  const own = inside(draft, "metadata")["namespace"];
  if (own === namespace || (namespace === "" && own === "default")) return [];
  return [invalid("involvedObject.namespace", namespace, "does not match event.namespace")];
}

const CHANGEABLE = ["replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"];

export function statefulSetErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  if (previous === undefined) return [];
  const rest = (object: JsonObject): JsonObject => {
    const fixed = { ...inside(object, "spec") };
    for (const field of [...CHANGEABLE, "minReadySeconds"]) delete fixed[field];
    return fixed;
  };
  if (jsonEqual(rest(draft), rest(previous))) return [];
  const names = CHANGEABLE.map((field) => `'${field}'`).join(", ");
  return [forbidden("spec", `updates to statefulset spec for fields other than ${names} and 'minReadySeconds' are forbidden`)];
}

function frozenErrors(draft: JsonObject, previous: JsonObject | undefined, fields: readonly string[]): FieldError[] {
  if (previous?.["immutable"] !== true) return [];
  const changed = fields.filter((field) => !jsonEqual(draft[field], previous[field]));
  return [...(draft["immutable"] === true ? [] : ["immutable"]), ...changed].map((field) => forbidden(field, SET));
}

const KEY = "[-._a-zA-Z0-9]+";

function keyErrors(field: string, key: string): FieldError[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push("must be no more than 253 characters");
  if (!new RegExp(`^${KEY}$`).test(key)) {
    const what = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(`${what} (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${KEY}')`);
  }
  if (key === "." || key === "..") problems.push(`must not be '${key}'`);
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems.map((problem) => invalid(`${field}[${key}]`, key, problem));
}

function inside(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}
