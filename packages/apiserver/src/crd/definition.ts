/** A CustomResourceDefinition as the server uses it: the kind it makes. */
import type { ConversionWebhook } from "../admission/conversion.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import type { ResourceType, ScalePaths, ServedVersion } from "../registry.ts";
import { readPrinterColumns } from "../table/printer-columns.ts";
import { compileSchema } from "./schema.ts";

/** The kind that a CRD defines. The CRD was checked and completed before. */
export function customResource(definition: JsonObject): ResourceType {
  const spec = objectIn(definition, "spec");
  const names = objectIn(spec, "names");
  const group = textIn(spec, "group");
  const plural = textIn(names, "plural");
  const raw = Array.isArray(spec["versions"]) ? spec["versions"].filter(isObject) : [];
  const webhook = conversionWebhook(objectIn(spec, "conversion"));
  const conversion = webhook === undefined ? {} : { conversion: webhook };
  const pairs = raw.map((version) => ({
    isStorage: version["storage"] === true,
    version: { ...toVersion(group, textIn(names, "kind"), version), ...conversion },
  }));
  const storage = (pairs.find((pair) => pair.isStorage) ?? pairs[0])?.version;
  if (storage === undefined) throw new Error(`CRD ${plural}.${group} has no version`);
  return {
    id: `${plural}.${group}`,
    group,
    plural,
    singular: textIn(names, "singular"),
    kind: textIn(names, "kind"),
    listKind: textIn(names, "listKind"),
    shortNames: textsIn(names, "shortNames"),
    categories: textsIn(names, "categories"),
    isNamespaced: spec["scope"] === "Namespaced",
    isCustom: true,
    versions: pairs.map((pair) => pair.version),
    storage,
    keepsStatus: false,
    countsGenerations: true,
    nameRule: "subdomain",
    isUnconditional: false,
    createsOnUpdate: false,
    returnsDeleted: false,
    heldWhileDeleting: undefined,
    marksDeletion: false,
    hooks: {},
  };
}

function toVersion(group: string, kind: string, raw: JsonObject): ServedVersion {
  const version = textIn(raw, "name");
  const apiVersion = `${group}/${version}`;
  const subresources = objectIn(raw, "subresources");
  const schema = objectIn(raw, "schema")["openAPIV3Schema"];
  const selectable = Array.isArray(raw["selectableFields"]) ? raw["selectableFields"].filter(isObject) : [];
  const warning = textIn(raw, "deprecationWarning") || `${apiVersion} ${kind} is deprecated`;
  return {
    group,
    version,
    apiVersion,
    served: raw["served"] === true,
    status: isObject(subresources["status"]),
    ...(isObject(schema) ? { schema: compileSchema(schema) } : {}),
    ...(isObject(subresources["scale"]) ? { scale: scalePaths(subresources["scale"]) } : {}),
    ...(raw["deprecated"] === true ? { deprecation: warning } : {}),
    printerColumns: readPrinterColumns(raw["additionalPrinterColumns"]),
    selectableFields: selectable.map((field) => textIn(field, "jsonPath").replace(/^\./, "")),
  };
}

function conversionWebhook(conversion: JsonObject): ConversionWebhook | undefined {
  if (conversion["strategy"] !== "Webhook") return undefined;
  const webhook = objectIn(conversion, "webhook");
  return { clientConfig: objectIn(webhook, "clientConfig"), reviewVersions: textsIn(webhook, "conversionReviewVersions") };
}

function scalePaths(raw: JsonObject): ScalePaths {
  const labels = textIn(raw, "labelSelectorPath");
  return {
    specReplicas: pathIn(textIn(raw, "specReplicasPath")),
    statusReplicas: pathIn(textIn(raw, "statusReplicasPath")),
    ...(labels === "" ? {} : { labelSelector: pathIn(labels) }),
  };
}

function pathIn(jsonPath: string): readonly string[] {
  return jsonPath.replace(/^\./, "").split(".");
}

function objectIn(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}

function textIn(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}

function textsIn(object: JsonObject, field: string): readonly string[] {
  const value = object[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
