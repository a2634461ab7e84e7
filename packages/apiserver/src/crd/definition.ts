/** Makes the kind that a CustomResourceDefinition defines. */
import type { ConversionWebhook } from "../storage/registry.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt, textsAt } from "../internal/read.ts";
import type { ResourceType, ScalePaths, ServedVersion } from "../storage/registry.ts";
import { readPrinterColumns } from "../table/printer-columns.ts";
import { compileSchema } from "../schema/schema.ts";

/** Returns the kind that a CRD defines, with the names that were accepted. The CRD is already checked and completed. */
export function customResource(definition: JsonObject): ResourceType {
  const spec = objectAt(definition, "spec");
  const names = objectAt(definition, "status", "acceptedNames");
  const group = textAt(spec, "group");
  const plural = textAt(names, "plural");
  const raw = listAt(spec, "versions");
  const webhook = conversionWebhook(objectAt(spec, "conversion"));
  const conversion = webhook === undefined ? {} : { conversion: webhook };
  const pairs = raw.map((version) => ({
    isStorage: version["storage"] === true,
    version: { ...toVersion(group, textAt(names, "kind"), version), ...conversion },
  }));
  const storage = (pairs.find((pair) => pair.isStorage) ?? pairs[0])?.version;
  if (storage === undefined) throw new Error(`CRD ${plural}.${group} has no version`);
  return {
    id: `${plural}.${group}`,
    group,
    plural,
    singular: textAt(names, "singular"),
    kind: textAt(names, "kind"),
    listKind: textAt(names, "listKind"),
    shortNames: textsAt(names, "shortNames"),
    categories: textsAt(names, "categories"),
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
  const version = textAt(raw, "name");
  const apiVersion = `${group}/${version}`;
  const subresources = objectAt(raw, "subresources");
  const schema = objectAt(raw, "schema")["openAPIV3Schema"];
  const selectable = listAt(raw, "selectableFields");
  const warning = textAt(raw, "deprecationWarning") || `${apiVersion} ${kind} is deprecated`;
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
    selectableFields: selectable.map((field) => textAt(field, "jsonPath").replace(/^\./, "")),
  };
}

function conversionWebhook(conversion: JsonObject): ConversionWebhook | undefined {
  if (conversion["strategy"] !== "Webhook") return undefined;
  const webhook = objectAt(conversion, "webhook");
  return { clientConfig: objectAt(webhook, "clientConfig"), reviewVersions: textsAt(webhook, "conversionReviewVersions") };
}

function scalePaths(raw: JsonObject): ScalePaths {
  const labels = textAt(raw, "labelSelectorPath");
  return {
    specReplicas: pathIn(textAt(raw, "specReplicasPath")),
    statusReplicas: pathIn(textAt(raw, "statusReplicasPath")),
    ...(labels === "" ? {} : { labelSelector: pathIn(labels) }),
  };
}

function pathIn(jsonPath: string): readonly string[] {
  return jsonPath.replace(/^\./, "").split(".");
}
