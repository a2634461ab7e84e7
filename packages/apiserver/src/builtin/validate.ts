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
  if (previous === undefined || jsonEqual(selector, inside(previous, "spec")["selector"])) return [];
  return [invalid("spec.selector", selector ?? null, "field is immutable")];
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
