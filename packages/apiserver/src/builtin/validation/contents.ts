/** Validates ConfigMaps, Secrets and namespaces: keys, contents and immutable fields. */
import { jsonEqual } from "@treadle/apimachinery";
import type { FieldError } from "../../errors/field-errors.ts";
import { goTypeOf, isObject, type JsonObject } from "../../internal/json.ts";
import { jsonProblem } from "../../internal/json-text.ts";
import { configKeyProblems, qualifiedName } from "./formats.ts";
import { check, type Spot, unchanged } from "./spot.ts";

/** core `MaxSecretSize`. */
const MAX_BYTES = 1024 * 1024;

export function configMapErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (map) => {
    frozen(map, previous, ["data", "binaryData"]);
    let bytes = 0;
    for (const [key, value] of map.at("data").members) {
      configKey(value, key);
      if (map.at("binaryData").get(key) !== undefined) value.invalid("duplicate of key present in binaryData", key);
      bytes += Buffer.byteLength(value.text);
    }
    for (const [key, value] of map.at("binaryData").members) {
      configKey(value, key);
      bytes += Buffer.byteLength(value.text, "base64");
    }
    if (bytes > MAX_BYTES) map.named("[]").tooLong(MAX_BYTES);
  });
}

export function secretErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (secret) => {
    const [type, data] = [secret.at("type"), secret.at("data")];
    if (previous !== undefined) unchanged(previous["type"])(type);
    frozen(secret, previous, ["data"]);
    for (const [key, value] of data.members) configKey(value, key);
    const bytes = data.members.reduce((sum, [, value]) => sum + Buffer.byteLength(value.text, "base64"), 0);
    if (bytes > MAX_BYTES) data.tooLong(MAX_BYTES);
    contents(secret, data, type.text);
  });
}

/** Keys that each type of Secret must have. */
const CONTENTS: Readonly<Record<string, { readonly keys: readonly string[]; readonly isOneEnough?: boolean; readonly isJson?: boolean }>> =
  {
    "kubernetes.io/dockercfg": { keys: [".dockercfg"], isJson: true },
    "kubernetes.io/dockerconfigjson": { keys: [".dockerconfigjson"], isJson: true },
    "kubernetes.io/basic-auth": { keys: ["username", "password"], isOneEnough: true },
    "kubernetes.io/ssh-auth": { keys: ["ssh-privatekey"] },
    "kubernetes.io/tls": { keys: ["tls.crt", "tls.key"] },
  };
const ACCOUNT = "kubernetes.io/service-account.name";

function contents(secret: Spot, data: Spot, type: string): void {
  if (type === "kubernetes.io/service-account-token") {
    const annotations = secret.within("metadata", "annotations");
    if (!annotations.get(ACCOUNT)) annotations.named(`${annotations.path}[${ACCOUNT}]`).required();
  }
  const { keys = [], isOneEnough = false, isJson = false } = CONTENTS[type] ?? {};
  const missing = keys.filter((key) => data.get(key) === undefined);
  if (isOneEnough ? missing.length === keys.length : missing.length > 0)
    for (const key of missing) data.named(`${data.path}[${key}]`).required();
  for (const key of isJson ? keys : []) {
    const problem = data.get(key) === undefined ? undefined : objectProblem(Buffer.from(String(data.get(key)), "base64").toString());
    if (problem !== undefined) data.named(`${data.path}[${key}]`).invalid(problem, "<secret contents redacted>");
  }
}

/** Returns Go's error for a text that is not a JSON object. */
function objectProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) || value === null) return undefined;
    return `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`;
  } catch {
    return jsonProblem(text);
  }
}

/** Returns the warning about a TLS Secret with an invalid certificate. */
export function secretWarnings(draft: JsonObject): readonly string[] {
  const { type, data } = draft;
  const certificate = isObject(data) ? Buffer.from(String(data["tls.crt"] ?? ""), "base64").toString() : "";
  if (type !== "kubernetes.io/tls" || certificate.includes("-----BEGIN ")) return [];
  return ["tls: failed to find any PEM data in certificate input"];
}

function configKey(value: Spot, key: string): void {
  for (const problem of configKeyProblems(key)) value.invalid(problem, key);
}

const SET = "field is immutable when `immutable` is set";

function frozen(object: Spot, previous: JsonObject | undefined, fields: readonly string[]): void {
  if (previous?.["immutable"] !== true) return;
  if (object.get("immutable") !== true) object.at("immutable").forbidden(SET);
  for (const field of fields) if (!jsonEqual(object.get(field), previous[field])) object.at(field).forbidden(SET);
}

export function namespaceErrors(draft: JsonObject): FieldError[] {
  return check(draft, (namespace) => {
    for (const finalizer of namespace.within("spec", "finalizers").items) {
      const spot = finalizer.named("spec.finalizers");
      qualifiedName(spot);
      if (!spot.text.includes("/") && spot.text !== "kubernetes")
        spot.invalid("name is neither a standard finalizer name nor is it fully qualified");
    }
  });
}
