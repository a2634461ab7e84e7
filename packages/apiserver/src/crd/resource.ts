/** CustomResourceDefinition as a kind: CRDs are completed and checked, and their kinds are served as soon as they are stored. */
import { jsonEqual } from "@treadle/apimachinery";
import type { Parts } from "../request/context.ts";
import type { ResourceRoute } from "../request/routes.ts";
import { CRD_CLEANUP_FINALIZER } from "../objects/deletion.ts";
import { cloneJson, isObject, type JsonObject, valueAt } from "../internal/json.ts";
import { hasCondition, listAt, objectAt } from "../internal/read.ts";
import { secondsOf } from "../objects/object-meta.ts";
import type { ResourceType, ServedVersion } from "../storage/registry.ts";
import type { Clock } from "@treadle/apimachinery";
import type { Draft } from "../storage/stored-object.ts";
import { definitionErrors } from "./check-definition.ts";
import { formatWarnings } from "./check-versions.ts";
import { customResource } from "./definition.ts";
import { type Condition, withCondition } from "./names.ts";
import { omitEmpty } from "./omit-empty.ts";

export const DEFINITIONS_ID = "customresourcedefinitions.apiextensions.k8s.io";

/** API of the kind CustomResourceDefinition. */
export const DEFINITIONS = { group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" } as const;

const PENDING: Condition = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionPending",
  message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
};

const V1: ServedVersion = {
  group: "apiextensions.k8s.io",
  version: "v1",
  apiVersion: "apiextensions.k8s.io/v1",
  served: true,
  status: true,
  selectableFields: [],
};

/** Makes the kind CustomResourceDefinition. */
export function definitionsResource(clock: Clock): ResourceType {
  return {
    id: DEFINITIONS_ID,
    group: V1.group,
    plural: "customresourcedefinitions",
    singular: "customresourcedefinition",
    kind: "CustomResourceDefinition",
    listKind: "CustomResourceDefinitionList",
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    isNamespaced: false,
    isCustom: false,
    versions: [V1],
    storage: V1,
    keepsStatus: false,
    countsGenerations: true,
    nameRule: "subdomain",
    isUnconditional: true,
    createsOnUpdate: false,
    returnsDeleted: false,
    heldWhileDeleting: CRD_CLEANUP_FINALIZER,
    marksDeletion: false,
    hooks: {
      convert: complete,
      validate: definitionErrors,
      warn: (draft, previous) => formatWarnings(objectAt(draft, "spec"), objectAt(previous, "spec")),
      prepareDelete: (draft) => {
        const conditions = withCondition(draft, PENDING, secondsOf(clock.now()));
        draft["status"] = { ...(isObject(draft["status"]) ? draft["status"] : {}), conditions };
      },
    },
  };
}

/**
 * Reports whether a route leads to a kind that has its names and is not established, because its CRD has a broken `caBundle`.
 * The real server fails to make its client then.
 */
export function isUnresolved({ store }: Parts, { group, version, resource }: ResourceRoute): boolean {
  const definition = store.collection(DEFINITIONS_ID).get(`${resource}.${group}`)?.object;
  if (definition === undefined || !hasCondition(definition, "NamesAccepted") || hasCondition(definition, "Established")) return false;
  return listAt(definition, "spec", "versions").some(({ name, served }) => name === version && served === true);
}

/** Installs and removes kinds as their CRDs are created, changed and deleted. */
export function serveDefinitions(parts: Parts): void {
  const { registry, store, streams } = parts;
  store.collection(DEFINITIONS_ID).listen(({ type, entry, previous }) => {
    const id = entry.object.metadata.name;
    registry.setEnding(id, type !== "DELETED" && hasCondition(entry.object, "Terminating"));
    const isServed = type !== "DELETED" && hasCondition(entry.object, "Established");
    if (isServed && previous !== undefined && isDefinedAlike(entry.object, previous.object)) return;
    if (isServed) registry.install(customResource(entry.object as JsonObject));
    else registry.remove(id);
    // Open watches would still show objects by the old definition. The real server ends them, too, and makes a new watch cache.
    for (const [stream, of] of streams) if (of === id) stream.end();
    store.collection(id).expireWatches();
  });
}

function isDefinedAlike(one: JsonObject, other: JsonObject): boolean {
  return (
    jsonEqual(one["spec"], other["spec"]) &&
    jsonEqual(valueAt(one, ["status", "acceptedNames"]), valueAt(other, ["status", "acceptedNames"])) &&
    hasCondition(other, "Established")
  );
}

/** Fills in defaults. Malformed fields are left for the validation. */
function complete(draft: Draft, previous: JsonObject | undefined): void {
  const spec = isObject(draft["spec"]) ? cloneJson(draft["spec"]) : undefined;
  if (spec === undefined) return;
  draft["spec"] = spec;
  const names = objectAt(spec, "names");
  const { kind } = names;
  if (typeof kind === "string" && kind !== "") {
    names["singular"] ||= kind.toLowerCase();
    names["listKind"] ||= `${kind}List`;
  }
  spec["conversion"] ??= { strategy: "None" };
  const versions = listAt(spec, "versions");
  for (const version of versions) omitEmptyIn(version);
  const before = objectAt(previous, "status");
  const written = objectAt(draft, "status");
  const stored = new Set([written["storedVersions"], before["storedVersions"]].find(Array.isArray) ?? []);
  const current = versions.find((version) => version["storage"] === true)?.["name"];
  if (typeof current === "string") stored.add(current);
  draft["status"] = { ...cloneJson(before), ...written, storedVersions: [...stored] };
}

function omitEmptyIn(version: JsonObject): void {
  const schema = isObject(version["schema"]) ? version["schema"]["openAPIV3Schema"] : undefined;
  if (isObject(schema)) omitEmpty(schema);
}
