/** CustomResourceDefinitions as a kind of their own: completed, checked, and served from the moment they are stored. */
import { jsonEqual } from "@treadle/apimachinery";
import type { Parts } from "../context.ts";
import { CRD_CLEANUP_FINALIZER } from "../deletion.ts";
import { cloneJson, isObject, type JsonObject } from "../internal/json.ts";
import { secondsOf } from "../object-meta.ts";
import type { Registry, ResourceType, ServedVersion } from "../registry.ts";
import type { Clock } from "@treadle/apimachinery";
import type { Draft } from "../storage.ts";
import { definitionErrors } from "./check.ts";
import { customResource } from "./definition.ts";

export const DEFINITIONS_ID = "customresourcedefinitions.apiextensions.k8s.io";

const V1: ServedVersion = {
  group: "apiextensions.k8s.io",
  version: "v1",
  apiVersion: "apiextensions.k8s.io/v1",
  served: true,
  status: true,
  selectableFields: [],
};

/** The kind CustomResourceDefinition. */
export function definitionsResource(clock: Clock, registry: Registry): ResourceType {
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
      convert: (draft, previous) => complete(draft, previous, { clock, registry }),
      validate: definitionErrors,
      prepareDelete: (draft) =>
        setCondition(draft, clock, ["Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"]),
    },
  };
}

/** Serves what CRDs define, as they come, change and go. */
export function serveDefinitions(parts: Parts): void {
  const { registry, store, streams } = parts;
  store.collection(DEFINITIONS_ID).listen(({ type, entry, previous }) => {
    const id = entry.object.metadata.name;
    if (type !== "DELETED" && previous !== undefined && jsonEqual(entry.object["spec"], previous.object["spec"])) return;
    if (type === "DELETED") registry.remove(id);
    else if (isAccepted(entry.object)) registry.install(customResource(entry.object as JsonObject));
    // Watches of the old definition would go on showing objects by it; the real server ends them, too.
    for (const [stream, of] of streams) if (of === id) stream.end();
  });
}

function isAccepted(definition: JsonObject): boolean {
  const conditions = isObject(definition["status"]) ? definition["status"]["conditions"] : undefined;
  return Array.isArray(conditions) && conditions.some((one) => isObject(one) && one["type"] === "Established" && one["status"] === "True");
}

/** Fills in what the server fills in. What is malformed is left for the check. */
function complete(
  draft: Draft,
  previous: JsonObject | undefined,
  { clock, registry }: { readonly clock: Clock; readonly registry: Registry },
): void {
  const spec = isObject(draft["spec"]) ? cloneJson(draft["spec"]) : undefined;
  if (spec === undefined) return;
  draft["spec"] = spec;
  const names = isObject(spec["names"]) ? spec["names"] : {};
  const { kind } = names;
  if (typeof kind === "string") {
    names["singular"] ||= kind.toLowerCase();
    names["listKind"] ||= `${kind}List`;
  }
  spec["conversion"] ??= { strategy: "None" };
  const versions = Array.isArray(spec["versions"]) ? spec["versions"].filter(isObject) : [];
  const before = previous !== undefined && isObject(previous["status"]) ? previous["status"] : {};
  const stored = new Set(Array.isArray(before["storedVersions"]) ? before["storedVersions"] : []);
  for (const version of versions) if (version["storage"] === true && typeof version["name"] === "string") stored.add(version["name"]);
  draft["status"] = {
    ...cloneJson(before),
    ...(isObject(draft["status"]) ? draft["status"] : {}),
    acceptedNames: cloneJson(names),
    storedVersions: [...stored],
  };
  const taken = nameConflict(registry, draft, names);
  if (taken === undefined) {
    setCondition(draft, clock, ["NamesAccepted", "True", "NoConflicts", "no conflicts found"]);
    setCondition(draft, clock, ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"]);
  } else {
    setCondition(draft, clock, ["NamesAccepted", "False", taken.reason, taken.message]);
    setCondition(draft, clock, ["Established", "False", "NotAccepted", "not all names are accepted"]);
  }
}

/** Another resource of the same group that has one of the names already. */
function nameConflict(
  registry: Registry,
  draft: Draft,
  names: JsonObject,
): { readonly reason: string; readonly message: string } | undefined {
  const group = isObject(draft["spec"]) ? draft["spec"]["group"] : undefined;
  for (const type of registry.types()) {
    if (type.group !== group || type.id === draft.metadata.name) continue;
    if (type.kind === names["kind"]) return { reason: "KindConflict", message: `${JSON.stringify(type.kind)} is already in use` };
    if (type.singular === names["singular"])
      return { reason: "SingularConflict", message: `${JSON.stringify(type.singular)} is already in use` };
    const short = type.shortNames.find((name) => Array.isArray(names["shortNames"]) && names["shortNames"].includes(name));
    if (short !== undefined) return { reason: "ShortNamesConflict", message: `${JSON.stringify(short)} is already in use` };
  }
  return undefined;
}

/** Sets a condition of the CRD; its time moves only when its status does. */
function setCondition(draft: Draft, clock: Clock, [type, status, reason, message]: readonly [string, string, string, string]): void {
  const current: JsonObject = isObject(draft["status"]) ? draft["status"] : {};
  const conditions = Array.isArray(current["conditions"]) ? current["conditions"].filter(isObject) : [];
  const before = conditions.find((one) => one["type"] === type);
  const lastTransitionTime = before?.["status"] === status ? before["lastTransitionTime"] : secondsOf(clock.now());
  const next = { type, status, reason, message, lastTransitionTime };
  const others = conditions.map((one) => (one === before ? next : one));
  draft["status"] = { ...current, conditions: before === undefined ? [...others, next] : others };
}
