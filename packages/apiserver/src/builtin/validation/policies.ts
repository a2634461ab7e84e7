/** Validates admission policies and their bindings (pkg/apis/admissionregistration/validation of Kubernetes). Expressions are compiled. */
import { dns1035LabelProblems, dns1123SubdomainProblems, labelKeyProblems } from "@treadle/apimachinery";
import { compile, type Expected, withVariableTypes } from "../../admission/expressions.ts";
import { requestTypes } from "../../admission/request-names.ts";
import type { Type } from "../../cel/types.ts";
import type { FieldError } from "../../errors/field-errors.ts";
import type { JsonObject } from "../../internal/json.ts";
import { pathSegment, subdomain } from "./formats.ts";
import { labelSelector } from "./selectors.ts";
import { check, each, mustBeOneOf, needed, oneOf, type Rule, required, type Spot, unique } from "./spot.ts";
import { matchConditions, rule } from "./webhooks.ts";

type Types = ReadonlyMap<string, Type>;

/** Returns the errors of a ValidatingAdmissionPolicy. */
export function validatingPolicyErrors(draft: JsonObject): FieldError[] {
  return check(draft, (policy) => {
    const spec = policy.at("spec");
    const types = common(spec);
    const hasVariables = spec.at("variables").items.length > 0;
    const all = hasVariables ? withVariables(spec, types) : types;
    const [validations, annotations] = [spec.at("validations"), spec.at("auditAnnotations")];
    if (validations.isEmpty && annotations.isEmpty)
      for (const list of [validations, annotations]) list.required("validations or auditAnnotations must contain at least one item");
    each((spot) => validation(spot, all))(validations);
    if (annotations.items.length > MAX_ANNOTATIONS) annotations.invalid(`must not have more than ${MAX_ANNOTATIONS} auditAnnotations`);
    const seen = new Set<string>();
    for (const annotation of annotations.items) {
      auditAnnotation(annotation, policy.at("metadata").at("name").text, all);
      const key = annotation.at("key");
      if (seen.has(key.text)) key.duplicate(key.text);
      seen.add(key.text);
    }
  });
}

const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_EXPRESSION = 5 * 1024;

/** Returns the errors of a MutatingAdmissionPolicy. */
export function mutatingPolicyErrors(draft: JsonObject): FieldError[] {
  return check(draft, (policy) => {
    const spec = policy.at("spec");
    const types = common(spec, "matchConstraints");
    const all = withVariables(spec, types);
    const mutations = spec.at("mutations");
    if (mutations.isEmpty) mutations.required("mutations must contain at least one item");
    each((spot) => mutation(spot, all))(mutations);
    mustBeOneOf("IfNeeded", "Never")(spec.at("reinvocationPolicy"));
  });
}

/** Returns the errors of a ValidatingAdmissionPolicyBinding. */
export function validatingBindingErrors(draft: JsonObject): FieldError[] {
  return check(draft, (binding) => {
    const spec = binding.at("spec");
    bindingSpec(spec);
    const actions = spec.at("validationActions");
    const seen = new Set<string>();
    for (const action of actions.items) {
      oneOf("Audit", "Deny", "Warn")(action);
      if (seen.has(action.text)) action.duplicate(action.text);
      seen.add(action.text);
    }
    if (seen.has("Deny") && seen.has("Warn"))
      actions.invalid(
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      );
    if (seen.size === 0) actions.required("at least one validation action is required");
  });
}

/** Returns the errors of a MutatingAdmissionPolicyBinding. */
export function mutatingBindingErrors(draft: JsonObject): FieldError[] {
  return check(draft, (binding) => {
    const spec = binding.at("spec");
    bindingSpec(spec);
    mutableOperations(spec.at("matchResources"));
  });
}

/** Checks what both kinds of policies have. Returns the types of the variables. */
function common(spec: Spot, mutating?: "matchConstraints"): Types {
  mustBeOneOf("Fail", "Ignore")(spec.at("failurePolicy"));
  const kind = spec.at("paramKind");
  if (kind.isSet) paramKind(kind);
  const constraints = spec.at("matchConstraints");
  if (!constraints.isSet) constraints.required();
  else {
    matchResources(constraints);
    if (constraints.at("resourceRules").isEmpty) constraints.at("resourceRules").required();
    if (mutating !== undefined) mutableOperations(constraints);
  }
  const types = requestTypes(kind.isSet);
  matchConditions(spec.at("matchConditions"), (spot) => compiles(spot, types, { returns: ["bool"] }, spot.text.trim()));
  return types;
}

function mutableOperations(resources: Spot): void {
  for (const { value } of resources.at("resourceRules").items.flatMap((one) => one.at("operations").items)) {
    const at = resources.at("resourceRules").at("operations").withValue(value);
    oneOf("*", "CONNECT", "CREATE", "UPDATE")(at);
  }
}

const matchResources: Rule = (spot) => {
  mustBeOneOf("Equivalent", "Exact")(spot.at("matchPolicy"));
  for (const selector of [spot.at("namespaceSelector"), spot.at("objectSelector")]) {
    if (selector.isSet) labelSelector(selector);
    else selector.required();
  }
  each(namedRule)(spot.at("resourceRules"));
  each(namedRule)(spot.at("excludeResourceRules"));
};

const namedRule: Rule = (spot) => {
  const names = spot.at("resourceNames");
  each(pathSegment)(names);
  unique(({ text }) => text)(names);
  rule(spot);
};

const paramKind: Rule = (spot) => {
  const [version, kind] = [spot.at("apiVersion"), spot.at("kind")];
  const [group = "", name] = version.text.includes("/") ? version.text.split("/") : ["", version.text];
  if (version.isEmpty) version.required();
  else if (version.text.split("/").length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`);
  else {
    const problems = group === "" ? [] : dns1123SubdomainProblems(group);
    if (problems.length > 0) version.invalid(problems.join(","), group);
    if (name === "") version.invalid("version must be specified");
    else {
      const wrong = dns1035LabelProblems(name ?? "");
      if (wrong.length > 0) version.invalid(wrong.join(","), name);
    }
  }
  if (kind.isEmpty) return kind.required();
  const problems = dns1035LabelProblems(kind.text.toLowerCase());
  if (problems.length > 0) kind.invalid(`may have mixed case, but should otherwise match: ${problems.join(",")}`);
};

function bindingSpec(spec: Spot): void {
  needed(subdomain)(spec.at("policyName"));
  const [ref, resources] = [spec.at("paramRef"), spec.at("matchResources")];
  if (ref.isSet) paramRef(ref);
  if (resources.isSet) matchResources(resources);
}

const EXCLUSIVE = "name and selector are mutually exclusive";

function paramRef(spot: Spot): void {
  const [name, selector] = [spot.at("name"), spot.at("selector")];
  if (!name.isEmpty) {
    pathSegment(name);
    if (selector.isSet) name.forbidden(EXCLUSIVE);
  }
  if (selector.isSet) {
    labelSelector(selector);
    if (!name.isEmpty) selector.forbidden(EXCLUSIVE);
  }
  if (name.isEmpty && !selector.isSet) spot.required("one of name or selector must be specified");
  mustBeOneOf("Deny", "Allow")(spot.at("parameterNotFoundAction"));
}

/** Reports the error of an expression. `text` is what is compiled. */
function compiles(spot: Spot, types: Types, expected: Expected, text: string = spot.text): void {
  const program = compile(text, types, expected);
  if (typeof program === "string") spot.invalid(program, text);
}

/** Checks the variables, each with those before it. Returns the types with all of them. */
function withVariables(spec: Spot, types: Types): Types {
  const list = spec.at("variables").items.map((spot) => ({ spot, name: spot.at("name").text, expression: spot.at("expression").text }));
  return withVariableTypes(types, list, ({ spot, name, expression }, seen) => {
    if (name.trim() === "") spot.at("name").required("name is not specified");
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || RESERVED.has(name)) spot.at("name").invalid("must be a valid CEL identifier");
    const program = compile(expression, seen, {});
    if (expression.trim() === "") spot.at("expression").required("expression is not specified");
    else if (typeof program === "string") spot.at("expression").invalid(program, expression);
    return program;
  });
}

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

function validation(spot: Spot, types: Types): void {
  const [expression, message, said] = [spot.at("expression"), spot.at("message"), spot.at("messageExpression")];
  if (expression.text.trim() === "") expression.required("expression is not specified");
  else compiles(expression, types, { returns: ["bool"] });
  const isBlank = (one: Spot): boolean => one.text !== "" && one.text.trim() === "";
  if (isBlank(said)) said.invalid("must be non-empty if specified");
  else if (said.text !== "") compiles(said, withoutRights(types), { returns: ["string"] });
  if (isBlank(message)) message.invalid("must be non-empty if specified");
  else if (/[\n\r]/.test(message.text.trim())) message.invalid("must not contain line breaks");
  oneOf("Forbidden", "Invalid", "RequestEntityTooLarge")(spot.at("reason"));
}

/** Messages cannot depend on the rights of a user. */
function withoutRights(types: Types): Types {
  return new Map([...types].filter(([name]) => !name.startsWith("authorizer")));
}

function auditAnnotation(spot: Spot, name: string, types: Types): void {
  const [key, expression] = [spot.at("key"), spot.at("valueExpression")];
  if (name === "") key.invalid("requires metadata.name be non-empty");
  else for (const problem of labelKeyProblems(`${name}/${key.text}`)) key.invalid(problem, `${name}/${key.text}`);
  const text = expression.text.trim();
  if (text === "") expression.required("valueExpression is not specified");
  else if (Buffer.byteLength(text) > MAX_ANNOTATION_EXPRESSION)
    expression.required(`must not exceed ${MAX_ANNOTATION_EXPRESSION} bytes in length`);
  else {
    const program = compile(text, types, { returns: ["string", "null"] });
    if (typeof program === "string") expression.invalid(program);
  }
}

const PATCHES = {
  ApplyConfiguration: { own: "applyConfiguration", other: "jsonPatch", returns: "Object" },
  JSONPatch: { own: "jsonPatch", other: "applyConfiguration", returns: "list(JSONPatch)" },
} as const;

function mutation(spot: Spot, types: Types): void {
  const type = spot.at("patchType");
  mustBeOneOf("ApplyConfiguration", "JSONPatch")(type);
  if (type.text !== "ApplyConfiguration" && type.text !== "JSONPatch") return;
  const { own, other, returns } = PATCHES[type.text];
  const expression = spot.at(own).at("expression");
  if (!spot.at(own).isSet) spot.at(own).required(`must be specified when patchType is ${type.text}`);
  else if (expression.text.trim() === "") required(expression.withValue(""));
  else compiles(expression, types, { returns: [returns], hasPatchTypes: true }, expression.text.trim());
  if (spot.at(other).isSet) spot.at(other).invalid(`must not be specified when patchType is ${type.text}`, `{${other}}`);
}
