/** The rules of `x-kubernetes-validations` in a schema. */
import { isObject, type JsonObject } from "../internal/json.ts";

/** A rule of a CRD. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

export function readRules(raw: unknown): readonly Rule[] {
  return Array.isArray(raw) ? raw.filter(isObject).map(readRule) : [];
}

function readRule(raw: JsonObject): Rule {
  return {
    rule: textIn(raw, "rule"),
    message: textIn(raw, "message"),
    messageExpression: textIn(raw, "messageExpression"),
    reason: textIn(raw, "reason") || undefined,
    fieldPath: textIn(raw, "fieldPath"),
    optionalOldSelf: typeof raw["optionalOldSelf"] === "boolean" ? raw["optionalOldSelf"] : undefined,
  };
}

function textIn(raw: JsonObject, field: string): string {
  const value = raw[field];
  return typeof value === "string" ? value : "";
}
