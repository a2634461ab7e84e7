/** What is wrong with a CustomResourceDefinition: names, versions, subresources; the schemas are in `check-schema.ts`. */
import { dns1035LabelProblems, dns1123SubdomainProblems, jsonEqual } from "@treadle/apimachinery";
import { type FieldError, invalid, notSupported, required } from "../field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import type { Draft } from "../storage.ts";
import { rootSchemaErrors } from "./check-schema.ts";

/** The problems of a CRD that is to be stored (apiextensions-apiserver `validation`). */
export function definitionErrors(draft: Draft, previous: JsonObject | undefined): readonly FieldError[] {
  const { spec } = draft;
  if (!isObject(spec)) return [required("spec", "")];
  const errors: FieldError[] = [...nameErrors(draft, spec), ...versionErrors(spec)];
  const { scope } = spec;
  if (typeof scope !== "string" || scope === "") errors.push(required("spec.scope"));
  else if (scope !== "Cluster" && scope !== "Namespaced") errors.push(notSupported("spec.scope", scope, ["Cluster", "Namespaced"]));
  errors.push(...conversionErrors(spec));
  if (spec["preserveUnknownFields"] === true) {
    const text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    errors.push(invalid("spec.preserveUnknownFields", true, text));
  }
  if (previous !== undefined) errors.push(...changeErrors(draft, spec, previous));
  return errors;
}

function nameErrors(draft: Draft, spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const group = textIn(spec, "group");
  const names = isObject(spec["names"]) ? spec["names"] : {};
  const plural = textIn(names, "plural");
  if (group === "") errors.push(required("spec.group"));
  else {
    const problems = dns1123SubdomainProblems(group);
    if (problems.length > 0) errors.push(invalid("spec.group", group, problems.join(",")));
    else if (!group.includes(".")) errors.push(invalid("spec.group", group, "should be a domain with at least one dot"));
  }
  for (const field of ["plural", "singular", "kind", "listKind"]) {
    const value = textIn(names, field);
    const at = `spec.names.${field}`;
    if (value === "") {
      errors.push(required(at));
      continue;
    }
    const isKind = field === "kind" || field === "listKind";
    const problems = dns1035LabelProblems(isKind ? value.toLowerCase() : value);
    const lead = isKind ? "may have mixed case, but should otherwise match: " : "";
    if (problems.length > 0) errors.push(invalid(at, value, lead + problems.join(",")));
  }
  if (names["kind"] !== undefined && names["kind"] === names["listKind"]) {
    errors.push(invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same"));
  }
  for (const field of ["shortNames", "categories"]) errors.push(...labelListErrors(names[field], `spec.names.${field}`));
  if (plural !== "" && group !== "" && draft.metadata.name !== `${plural}.${group}`) {
    errors.push(invalid("metadata.name", draft.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  return errors;
}

function labelListErrors(list: unknown, at: string): FieldError[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return [invalid(at, list, "must be a list")];
  return list.flatMap((item, i) => {
    const problems = typeof item === "string" ? dns1035LabelProblems(item) : ["must be a string"];
    return problems.length === 0 ? [] : [invalid(`${at}[${i}]`, item, problems.join(","))];
  });
}

function versionErrors(spec: JsonObject): FieldError[] {
  const { versions } = spec;
  if (!Array.isArray(versions) || versions.length === 0 || !versions.every(isObject)) {
    return [invalid("spec.versions", versions ?? null, "must have exactly one version marked as storage version")];
  }
  const errors: FieldError[] = [];
  const names = versions.map((version) => textIn(version, "name"));
  versions.forEach((version, i) => {
    const at = `spec.versions[${i}]`;
    const name = names[i] ?? "";
    const problems = dns1035LabelProblems(name);
    if (problems.length > 0) errors.push(invalid(`${at}.name`, name, problems.join(",")));
    for (const field of ["served", "storage"]) if (typeof version[field] !== "boolean") errors.push(required(`${at}.${field}`));
    errors.push(...subresourceErrors(version["subresources"], `${at}.subresources`));
    errors.push(...columnErrors(version["additionalPrinterColumns"], `${at}.additionalPrinterColumns`));
    const schema = isObject(version["schema"]) ? version["schema"]["openAPIV3Schema"] : undefined;
    if (!isObject(schema)) errors.push(required(`${at}.schema.openAPIV3Schema`, "schemas are required"));
    else {
      // Go's internal type has one schema for versions that all have the same, and tells its errors once.
      const isShared = versions.every((other) => jsonEqual(other["schema"], version["schema"]));
      const place = isShared ? "spec.validation.openAPIV3Schema" : `${at}.schema.openAPIV3Schema`;
      if (!isShared || i === 0) errors.push(...rootSchemaErrors(schema, place));
      errors.push(...selectableErrors(version["selectableFields"], schema, `${at}.selectableFields`));
    }
  });
  if (new Set(names).size < names.length) errors.push(invalid("spec.versions", versions, "must contain unique version names"));
  if (versions.filter((version) => version["storage"] === true).length !== 1) {
    errors.push(invalid("spec.versions", versions, "must have exactly one version marked as storage version"));
  }
  return errors;
}

function subresourceErrors(raw: unknown, at: string): FieldError[] {
  if (!isObject(raw) || !isObject(raw["scale"])) return [];
  const scale = raw["scale"];
  const errors: FieldError[] = [];
  for (const [field, root] of [
    ["specReplicasPath", ".spec"],
    ["statusReplicasPath", ".status"],
  ] as const) {
    const path = textIn(scale, field);
    if (path === "") errors.push(required(`${at}.scale.${field}`));
    else if (!path.startsWith(`${root}.`)) errors.push(invalid(`${at}.scale.${field}`, path, `should be a json path under ${root}`));
    else if (path.includes("[")) errors.push(invalid(`${at}.scale.${field}`, path, "must be a json path in the dot notation"));
  }
  const labels = textIn(scale, "labelSelectorPath");
  if (labels !== "" && !/^\.(spec|status)\./.test(labels)) {
    errors.push(invalid(`${at}.scale.labelSelectorPath`, labels, "should be a json path under either .spec or .status"));
  }
  return errors;
}

const COLUMN_TYPES: readonly string[] = ["boolean", "date", "integer", "number", "string"];

function columnErrors(raw: unknown, at: string): FieldError[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((column: unknown, i) => {
    if (!isObject(column)) return [invalid(`${at}[${i}]`, column, "must be an object")];
    const errors: FieldError[] = [];
    if (textIn(column, "name") === "") errors.push(required(`${at}[${i}].name`));
    const type = textIn(column, "type");
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    if (type === "") errors.push(required(`${at}[${i}].type`, types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${at}[${i}].type`, type, types));
    if (textIn(column, "jsonPath") === "") errors.push(required(`${at}[${i}].JSONPath`));
    return errors;
  });
}

function selectableErrors(raw: unknown, schema: JsonObject, at: string): FieldError[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((field: unknown, i) => {
    const path = isObject(field) ? textIn(field, "jsonPath") : "";
    const place = `${at}[${i}].jsonPath`;
    if (path === "") return [required(place)];
    if (path.startsWith(".metadata")) return [invalid(place, path, "must not point to fields in metadata")];
    let sub: unknown = schema;
    for (const name of path.replace(/^\./, "").split("."))
      sub = isObject(sub) && isObject(sub["properties"]) ? sub["properties"][name] : undefined;
    if (isObject(sub) && ["string", "boolean", "integer"].includes(textIn(sub, "type"))) return [];
    const text = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
    return [invalid(place, path, text)];
  });
}

function conversionErrors(spec: JsonObject): FieldError[] {
  const { conversion } = spec;
  if (!isObject(conversion)) return [];
  const strategy = textIn(conversion, "strategy");
  if (strategy === "None" || strategy === "") return [];
  if (strategy === "Webhook") return webhookErrors(conversion["webhook"]);
  return [notSupported("spec.conversion.strategy", strategy, ["None", "Webhook"])];
}

function webhookErrors(webhook: unknown): FieldError[] {
  const { clientConfig, conversionReviewVersions } = isObject(webhook) ? webhook : {};
  const at = "spec.conversion.webhookClientConfig";
  const errors: FieldError[] = [];
  if (!isObject(clientConfig)) errors.push(required(at, "required when strategy is set to Webhook"));
  else if ((clientConfig["url"] === undefined) === (clientConfig["service"] === undefined))
    errors.push(required(at, "exactly one of url or service is required"));
  if (!Array.isArray(conversionReviewVersions) || conversionReviewVersions.length === 0)
    errors.push(required("spec.conversion.conversionReviewVersions"));
  return errors;
}

/** What an update of a CRD may not change. */
function changeErrors(draft: Draft, spec: JsonObject, previous: JsonObject): FieldError[] {
  const old = isObject(previous["spec"]) ? previous["spec"] : {};
  const errors: FieldError[] = [];
  for (const field of ["group", "scope"]) {
    if (!jsonEqual(spec[field], old[field])) errors.push(invalid(`spec.${field}`, spec[field] ?? "", "field is immutable"));
  }
  const [names, oldNames] = [spec["names"], old["names"]];
  for (const field of ["kind", "plural"]) {
    const [value, before] = [isObject(names) ? names[field] : undefined, isObject(oldNames) ? oldNames[field] : undefined];
    if (value !== before) errors.push(invalid(`spec.names.${field}`, value ?? "", "field is immutable"));
  }
  const status = isObject(draft["status"]) ? draft["status"] : {};
  const stored = Array.isArray(status["storedVersions"]) ? status["storedVersions"] : [];
  const present = new Set(Array.isArray(spec["versions"]) ? spec["versions"].filter(isObject).map((version) => version["name"]) : []);
  stored.forEach((version, i) => {
    if (present.has(version)) return;
    const text = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    errors.push(invalid(`status.storedVersions[${i}]`, version, text));
  });
  return errors;
}

function textIn(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}
