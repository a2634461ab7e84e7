/** Compares the CRDs of two versions of an operator. Pure. */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@treadle/apimachinery";
import type { Breaks, Change } from "../problem.ts";
import { equal } from "./schema-change.ts";
import { schemaChanges } from "./schema.ts";

/** What is known of the new version besides its CRDs. */
export interface ComparedWith {
  readonly old: readonly CustomResourceDefinition[];
  readonly next: readonly CustomResourceDefinition[];
}

/** Returns all changes, CRD by CRD. CRDs of other groups in `old` are those of other operators. */
export function crdChanges({ old, next }: ComparedWith): readonly Change[] {
  const groups = new Set(next.map(({ spec }) => spec.group));
  const former = new Map(old.map((crd) => [crd.metadata.name, crd]));
  const gone = old.filter(({ metadata, spec }) => groups.has(spec.group) && next.every((crd) => crd.metadata.name !== metadata.name));
  return [
    ...gone.map(({ metadata }) =>
      change({
        id: "crd-removed",
        breaks: "objects",
        where: metadata.name,
        message: "The CRD is not in the new version: who deletes it deletes all its objects.",
        remedy: "Keep the CRD until there are no objects.",
      }),
    ),
    ...next.flatMap((crd) => {
      const before = former.get(crd.metadata.name);
      return before === undefined ? [] : ofCrd(before, crd);
    }),
  ];
}

function ofCrd(old: CustomResourceDefinition, next: CustomResourceDefinition): readonly Change[] {
  const { name } = next.metadata;
  return [...scopeChanges(old, next), ...nameChanges(old, next), ...versionChanges(old, next), ...conversionChanges(old, next)].map(
    (each) => ({ ...each, where: `${name}${each.where === "" ? "" : ` ${each.where}`}` }),
  );
}

function scopeChanges({ spec: old }: CustomResourceDefinition, { spec: next }: CustomResourceDefinition): readonly Change[] {
  if (old.scope === next.scope) return [];
  return [
    change({
      id: "scope-changed",
      breaks: "objects",
      where: "",
      message: `The scope was ${old.scope} and is ${next.scope}: the server refuses the change.`,
      remedy: "Use another kind, and copy the objects.",
    }),
  ];
}

function nameChanges(
  { spec: { names: old } }: CustomResourceDefinition,
  { spec: { names: next } }: CustomResourceDefinition,
): readonly Change[] {
  const changes: Change[] = [];
  if (old.kind !== next.kind)
    changes.push(
      change({
        id: "names-changed",
        breaks: "objects",
        where: "",
        message: `The kind was ${old.kind} and is ${next.kind}: stored objects have the old kind.`,
        remedy: "Use another plural for another kind.",
      }),
    );
  for (const name of ["singular", "listKind"] as const)
    if (old[name] !== undefined && old[name] !== next[name])
      changes.push(named(`${name} was ${old[name]} and is ${next[name] ?? "not set"}`, name === "listKind" ? "clients" : "nothing"));
  for (const name of ["shortNames", "categories"] as const)
    for (const gone of (old[name] ?? []).filter((each) => next[name]?.includes(each) !== true))
      changes.push({ ...named(`"${gone}" was removed from ${name}`, "clients"), severity: "warning" });
  return changes;
}

function named(what: string, breaks: Breaks): Change {
  return change({ id: "names-changed", breaks, where: "", message: `${what}.`, remedy: "Keep the names: scripts and clients use them." });
}

function versionChanges(old: CustomResourceDefinition, next: CustomResourceDefinition): readonly Change[] {
  const versions = new Map(next.spec.versions.map((version) => [version.name, version]));
  const stored = new Set([
    ...(old.status?.storedVersions ?? []),
    ...old.spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
  ]);
  const known = new Set(old.spec.versions.map(({ name }) => name));
  return [
    ...old.spec.versions.flatMap((version) => {
      const now = versions.get(version.name);
      return now === undefined ? versionRemoved(version, stored.has(version.name)) : ofVersion(version, now);
    }),
    ...next.spec.versions
      .filter(({ name }) => !known.has(name))
      .map(({ name }) => change({ id: "version-added", breaks: "nothing", where: name, message: "The version was added.", remedy: "" })),
    ...storageChanges(old, next),
  ];
}

function versionRemoved({ name, served }: CustomResourceDefinitionVersion, isStored: boolean): readonly Change[] {
  if (isStored)
    return [
      change({
        id: "version-removed",
        breaks: "objects",
        where: name,
        message: "The version was removed, and objects are stored in it: the server refuses the CRD.",
        remedy: "First release a CRD that stores another version, and call migrateStoredVersions(). Remove the version in a later release.",
      }),
    ];
  const breaks = served ? "clients" : "nothing";
  return [change({ id: "version-removed", breaks, where: name, message: "The version was removed.", remedy: DEPRECATE })];
}

const DEPRECATE = "Mark the version as deprecated first, and remove it when nobody uses it.";

function storageChanges(old: CustomResourceDefinition, next: CustomResourceDefinition): readonly Change[] {
  const [was, is] = [storageOf(old), storageOf(next)];
  const remains = next.spec.versions.some(({ name }) => name === was?.name);
  if (was === undefined || is === undefined || was.name === is.name || !remains) return [];
  return [
    change({
      id: "storage-version-changed",
      breaks: "nothing",
      where: is.name,
      message: `Objects are stored in ${is.name} now, and were in ${was.name}.`,
      remedy: "",
    }),
  ];
}

function storageOf({ spec }: CustomResourceDefinition): CustomResourceDefinitionVersion | undefined {
  return spec.versions.find(({ storage }) => storage);
}

function ofVersion(old: CustomResourceDefinitionVersion, next: CustomResourceDefinitionVersion): readonly Change[] {
  const changes = schemaChanges(old.schema?.openAPIV3Schema ?? {}, next.schema?.openAPIV3Schema ?? {}).map(({ path, ...rest }) =>
    change({ ...rest, where: path === "" ? old.name : `${old.name} ${path}` }),
  );
  return [...servedChanges(old, next), ...subresourceChanges(old, next), ...changes].map((each) => inVersion(each, old.name));
}

/** Kubernetes promises nothing to clients of alpha versions. */
function inVersion(each: Change, version: string): Change {
  return each.severity === "error" && each.breaks === "clients" && /^v\d+alpha\d+$/.test(version) ? { ...each, severity: "warning" } : each;
}

function servedChanges(old: CustomResourceDefinitionVersion, next: CustomResourceDefinitionVersion): readonly Change[] {
  if (old.served === next.served) return [];
  const message = next.served ? "The version is served now." : "The version is not served any more.";
  return [
    change({
      id: "version-not-served",
      breaks: next.served ? "nothing" : "clients",
      where: old.name,
      message,
      remedy: next.served ? "" : DEPRECATE,
    }),
  ];
}

function subresourceChanges(old: CustomResourceDefinitionVersion, next: CustomResourceDefinitionVersion): readonly Change[] {
  const changes: Change[] = [];
  const of = (message: string, path: string, breaks: Breaks = "clients"): void =>
    void changes.push(
      change({
        id: "subresource-changed",
        breaks,
        where: `${old.name} ${path}`,
        message,
        remedy: breaks === "nothing" ? "" : "Keep it in this version.",
      }),
    );
  const [status, nextStatus] = [old.subresources?.status !== undefined, next.subresources?.status !== undefined];
  if (status && !nextStatus)
    of("The status subresource was removed: writes of it fail, and writes of the object change the status.", "/status");
  if (!status && nextStatus) of("The status is a subresource now: writes of the object do not change it any more.", "/status");
  const [scale, nextScale] = [old.subresources?.scale, next.subresources?.scale];
  if (scale !== undefined && !equal(scale, nextScale)) of("The scale subresource was changed or removed: autoscalers use it.", "/scale");
  if (scale === undefined && nextScale !== undefined) of("The scale subresource was added.", "/scale", "nothing");
  for (const { jsonPath } of old.selectableFields ?? [])
    if (next.selectableFields?.some((field) => field.jsonPath === jsonPath) !== true)
      of("Field selectors cannot name the field any more.", jsonPath.slice(1));
  return changes;
}

/** The CRDs of a program have no conversion: its address depends on where the operator runs. So only a single version is known to need none. */
function conversionChanges({ spec: old }: CustomResourceDefinition, { spec: next }: CustomResourceDefinition): readonly Change[] {
  if (old.conversion?.strategy !== "Webhook" || next.conversion?.strategy === "Webhook") return [];
  if (next.conversion === undefined || next.versions.length < 2) return [];
  return [
    change({
      id: "conversion-removed",
      breaks: "objects",
      where: "",
      message: "The conversion by a webhook was removed: the server drops fields that another version does not have.",
      remedy: "Keep the conversion while there are several versions.",
    }),
  ];
}

function change(given: Omit<Change, "severity">): Change {
  return { ...given, severity: given.breaks === "nothing" ? "none" : "error" };
}
