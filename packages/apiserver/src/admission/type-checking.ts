/**
 * Checks the expressions of a ValidatingAdmissionPolicy against the types of the kinds that it matches
 * (k8s.io/apiserver `admission/plugin/policy/validating/typechecking.go`).
 */
import { AUTHORIZER } from "../cel/library/authorizer.ts";
import { compileProgram } from "../cel/program.ts";
import { DYN, type Type } from "../cel/types.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt, textsAt } from "../internal/read.ts";
import type { Registry, Served } from "../storage/registry.ts";
import { NAMESPACE, REQUEST } from "./expression-types.ts";
import { withVariableTypes } from "./expressions.ts";
import { typeOfKind } from "./object-types.ts";

/** A warning in the status of a policy. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** Maximum number of kinds for one rule. */
const MAX_KINDS = 10;

/** Returns the warnings about a policy. `nanos` makes the names of types unique, as the time of the real server does. */
export function expressionWarnings(registry: Registry, policy: JsonObject, nanos: number): readonly ExpressionWarning[] {
  const kinds = kindsOf(registry, policy).flatMap((served) => {
    const types = typesFor(registry, policy, { served, nanos });
    return types === undefined ? [] : [{ name: kindText(served), types }];
  });
  const check = (expression: string, fieldRef: string): readonly ExpressionWarning[] => {
    const found = kinds.flatMap(({ name, types }) => {
      const program = compileProgram(expression, types);
      return typeof program === "string" ? [`${name}: ${program}\n`] : [];
    });
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join("\n") }];
  };
  return listAt(policy, "spec", "validations").flatMap((validation, i) => {
    const message = textAt(validation, "messageExpression");
    return [
      ...check(textAt(validation, "expression"), `spec.validations[${i}].expression`),
      ...(message === "" ? [] : check(message, `spec.validations[${i}].messageExpression`)),
    ];
  });
}

function kindText({ type, version }: Served): string {
  return `${version.group}/${version.version}, Kind=${type.kind}`;
}

/** Returns the kinds of the rules without wildcards and subresources, sorted. */
function kindsOf(registry: Registry, policy: JsonObject): readonly Served[] {
  const found = new Map<string, Served>();
  const all = [...registry.all()];
  for (const rule of listAt(policy, "spec", "matchConstraints", "resourceRules")) {
    const [groups, versions] = [textsAt(rule, "apiGroups"), textsAt(rule, "apiVersions")];
    const resources = textsAt(rule, "resources").filter((resource) => !/[*/]/.test(resource));
    if ([...groups, ...versions].some((text) => text.includes("*"))) continue;
    let count = 0;
    for (const group of groups.toSorted())
      for (const version of versions.toSorted())
        for (const resource of resources.toSorted())
          for (const served of all.filter((one) => isNamed(one, { group, version, resource }))) {
            if (count < MAX_KINDS) found.set(kindText(served), served);
            // The real server ignores all later rules, too.
            if (++count === MAX_KINDS) return sorted(found);
          }
  }
  return sorted(found);
}

/** Reports whether a rule names a kind. As in a RESTMapper, an empty group is any group, and a resource may be in the singular. */
function isNamed(
  { type, version }: Served,
  wanted: { readonly group: string; readonly version: string; readonly resource: string },
): boolean {
  const resource = wanted.resource.toLowerCase();
  if (wanted.group !== "" && version.group !== wanted.group) return false;
  return version.version === wanted.version && (type.plural === resource || type.singular === resource);
}

function sorted(found: ReadonlyMap<string, Served>): readonly Served[] {
  const keyOf = ({ type, version }: Served): readonly string[] => [version.group, version.version, type.kind];
  return [...found.values()].toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    const at = x.findIndex((part, i) => part !== y[i]);
    return at < 0 ? 0 : (x[at] ?? "") < (y[at] ?? "") ? -1 : 1;
  });
}

/** Returns the types of all names for a kind, or `undefined` for a kind without a schema. */
function typesFor(
  registry: Registry,
  policy: JsonObject,
  { served, nanos }: { readonly served: Served; readonly nanos: number },
): ReadonlyMap<string, Type> | undefined {
  const object = typeOfKind(served, `${served.type.kind}${nanos}`);
  if (object === undefined) return undefined;
  const { paramKind } = objectAt(policy, "spec");
  const types = new Map<string, Type>([
    ["namespaceObject", NAMESPACE],
    ["request", REQUEST],
    ["object", object],
    ["oldObject", object],
    ["authorizer", AUTHORIZER],
    ...(isObject(paramKind) ? [["params", paramType(registry, paramKind, nanos)] as const] : []),
  ]);
  const variables = listAt(policy, "spec", "variables").map((one) => ({
    name: textAt(one, "name"),
    expression: textAt(one, "expression"),
  }));
  return withVariableTypes(types, variables, ({ expression }, seen) => compileProgram(expression, seen));
}

function paramType(registry: Registry, { apiVersion, kind }: JsonObject, nanos: number): Type {
  const served = [...registry.all()].find(({ type, version }) => version.apiVersion === apiVersion && type.kind === kind);
  return (served && typeOfKind(served, `${served.type.kind}${nanos}`)) ?? DYN;
}
