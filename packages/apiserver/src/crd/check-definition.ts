/** Validates a CustomResourceDefinition as a whole. `check-versions.ts` validates its versions, `check-schema.ts` its schemas. */
import { dns1123SubdomainProblems, jsonEqual } from "@treadle/apimachinery";
import { caBundleProblem } from "../admission/ca-bundle.ts";
import { conversionClientErrors } from "../builtin/validation/webhooks.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../errors/field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { hasCondition, listAt, objectAt, textAt, textsAt } from "../internal/read.ts";
import type { Draft } from "../storage/stored-object.ts";
import { labelProblems, sharedErrors, versionErrors } from "./check-versions.ts";

/** Returns the errors of a CRD (apiextensions-apiserver `validation`), in the order of the real server. */
export function definitionErrors(draft: Draft, previous: JsonObject | undefined): readonly FieldError[] {
  const spec = objectAt(draft, "spec");
  const errors: FieldError[] = [];
  const [group, plural] = [textAt(spec, "group"), textAt(spec, "names", "plural")];
  if (previous === undefined && draft.metadata.name !== `${plural}.${group}`)
    errors.push(invalid("metadata.name", draft.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  errors.push(...groupErrors(group));
  const scope = textAt(spec, "scope");
  if (scope === "") errors.push(required("spec.scope"));
  else if (scope !== "Cluster" && scope !== "Namespaced") errors.push(notSupported("spec.scope", scope, ["Cluster", "Namespaced"]));
  errors.push(...versionErrors(spec), ...nameErrors(objectAt(spec, "names")), ...sharedErrors(spec), ...conversionErrors(spec, previous));
  if (spec["preserveUnknownFields"] === true) {
    const text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    errors.push(invalid("spec.preserveUnknownFields", true, text));
  }
  if (previous !== undefined) errors.push(...changeErrors(spec, previous));
  errors.push(...storedErrors(draft, spec));
  if (isProtected(group)) errors.push(...approvalErrors(draft, previous));
  return errors;
}

function groupErrors(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalid("spec.group", group, problems.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

const NAMES = ["plural", "singular", "kind", "listKind"] as const;

function nameErrors(names: JsonObject): FieldError[] {
  const errors = NAMES.filter((field) => textAt(names, field) === "").map((field) => required(`spec.names.${field}`));
  for (const field of NAMES) {
    const value = textAt(names, field);
    const isKind = field === "kind" || field === "listKind";
    const problems = value === "" ? [] : labelProblems(isKind ? value.toLowerCase() : value);
    const lead = isKind ? "may have mixed case, but should otherwise match: " : "";
    if (problems.length > 0) errors.push(invalid(`spec.names.${field}`, value, lead + problems.join(",")));
  }
  for (const field of ["shortNames", "categories"]) {
    for (const [i, name] of textsAt(names, field).entries()) {
      const problems = labelProblems(name);
      if (problems.length > 0) errors.push(invalid(`spec.names.${field}[${i}]`, name, problems.join(",")));
    }
  }
  if (textAt(names, "kind") !== "" && names["kind"] === names["listKind"])
    errors.push(invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same"));
  return errors;
}

/** An established CRD cannot lose a usable `caBundle`. Until a CRD is established, it can have any. */
function checksCaBundle(previous: JsonObject | undefined): boolean {
  return previous !== undefined && hasCondition(previous, "Established") && !hasBrokenCaBundle(previous);
}

function conversionErrors(spec: JsonObject, previous: JsonObject | undefined): FieldError[] {
  const { conversion } = spec;
  if (!isObject(conversion)) return [];
  const at = "spec.conversion";
  const strategy = textAt(conversion, "strategy");
  const errors: FieldError[] = [];
  if (strategy === "Webhook") return conversionClientErrors(objectAt(conversion, "webhook"), checksCaBundle(previous));
  if (strategy === "") errors.push(required(`${at}.strategy`));
  else if (strategy !== "None") errors.push(notSupported(`${at}.strategy`, strategy, ["None", "Webhook"]));
  const text = "should not be set when strategy is not set to Webhook";
  const { clientConfig, conversionReviewVersions } = objectAt(conversion, "webhook");
  if (isObject(clientConfig)) errors.push(forbidden(`${at}.webhookClientConfig`, text));
  if (Array.isArray(conversionReviewVersions) && conversionReviewVersions.length > 0)
    errors.push(forbidden(`${at}.conversionReviewVersions`, text));
  return errors;
}

/** Reports whether the conversion webhook of a CRD has a `caBundle` without a certificate. Such a CRD is not established. */
export function hasBrokenCaBundle(definition: JsonObject): boolean {
  return caBundleProblem(textAt(definition, "spec", "conversion", "webhook", "clientConfig", "caBundle")) !== undefined;
}

/** Checks `status.storedVersions`: each must exist in the spec, and the storage version must be among them. */
function storedErrors(draft: Draft, spec: JsonObject): FieldError[] {
  const at = "status.storedVersions";
  const stored = textsAt(draft, "status", "storedVersions");
  const versions = listAt(spec, "versions");
  if (stored.length === 0) return [invalid(at, null, "must have at least one stored version")];
  const missing = stored.flatMap((version, i) => {
    if (versions.some(({ name }) => name === version)) return [];
    const text = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    return [invalid(`${at}[${i}]`, version, text)];
  });
  const unstored = versions.filter(({ name, storage }) => storage === true && !stored.includes(String(name)));
  return [...missing, ...unstored.map(({ name }) => invalid(at, stored, `must have the storage version ${String(name)}`))];
}

/** Reports whether a group belongs to Kubernetes. */
function isProtected(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

const APPROVED = "api-approved.kubernetes.io";

/** Checks the approval that a kind in a group of Kubernetes needs. An existing CRD without it stays valid. */
function approvalErrors(draft: Draft, previous: JsonObject | undefined): FieldError[] {
  const approval = (object: unknown): string => textAt(object, "metadata", "annotations", APPROVED);
  const given = approval(draft);
  if (previous !== undefined && approval(previous) === given) return [];
  const at = `metadata.annotations[${APPROVED}]`;
  const [text, see] = [
    `protected groups must have approval annotation "${APPROVED}"`,
    "see https://github.com/kubernetes/enhancements/pull/1111",
  ];
  if (given === "") return [required(at, `${text}, ${see}`)];
  const isKnown = given.startsWith("unapproved") || (URL.canParse(given) && given.includes("://"));
  return isKnown ? [] : [invalid(at, given, `${text} with either a URL or a reason starting with "unapproved", ${see}`)];
}

/** Returns the errors of fields that an update must not change. */
function changeErrors(spec: JsonObject, previous: JsonObject): FieldError[] {
  const old = objectAt(previous, "spec");
  const errors: FieldError[] = [];
  for (const field of ["group", "scope"]) {
    if (!jsonEqual(spec[field], old[field])) errors.push(invalid(`spec.${field}`, spec[field] ?? "", "field is immutable"));
  }
  const [names, oldNames] = [spec["names"], old["names"]];
  for (const field of ["kind", "plural"]) {
    const [value, before] = [isObject(names) ? names[field] : undefined, isObject(oldNames) ? oldNames[field] : undefined];
    if (value !== before) errors.push(invalid(`spec.names.${field}`, value ?? "", "field is immutable"));
  }
  return errors;
}
