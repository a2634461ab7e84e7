/** A served kind for field ownership: its types by version, the conversion between versions, and the fields that a path does not write. */
import { compiledSchemaOf } from "../builtin/schemas.ts";
import { problemsText, TypeMismatchError, typeProblems } from "./check-type.ts";
import { type Converting, objectIn } from "../crd/object-version.ts";
import { StatusError } from "../errors/status-errors.ts";
import { cloneJson, isObject, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import type { Deliberation } from "../request/deliberation.ts";
import type { ResourceType, ServedVersion } from "../storage/registry.ts";
import { keptByStatus } from "../builtin/status-rules.ts";
import { EMPTY_SET, fieldElement, type FieldSet, FieldSetBuilder, type PathNode } from "./field-set.ts";
import { ownershipSchema } from "./common-schemas.ts";
import type { Model } from "./settle.ts";
import { type TypeDef, typeOf } from "./field-types.ts";

/** The request whose objects are compared. */
export interface Modelled extends Omit<Converting, "deliberation"> {
  /** Absent for writes of the server itself. */
  readonly deliberation?: Deliberation | undefined;
}

/**
 * Makes the model of a kind. `subresource` is that of the request, empty for the object itself. An object that a webhook cannot
 * convert is compared as it is in an update, and fails an apply, as on the real server.
 */
export function modelOf(call: Modelled, subresource: string, isApply: boolean): Model {
  const { type, version } = call.served;
  const known = new Map(type.versions.map((one) => [one.apiVersion, one]));
  return {
    apiVersion: version.apiVersion,
    ignored: (apiVersion) => {
      if (known.get(apiVersion)?.status !== true) return EMPTY_SET;
      if (subresource === "status") return keptSet(type);
      // For custom kinds only the version of the request ignores the status.
      return type.isCustom && apiVersion !== version.apiVersion ? EMPTY_SET : STATUS;
    },
    typeIn: (apiVersion) => {
      const found = known.get(apiVersion);
      if (found !== undefined) return ownershipTypeOf(type, found);
      if (type.isCustom) throw new TypeMismatchError(`request to convert CR to an invalid group/version: ${apiVersion}`);
      if (apiVersion.split("/").length > 2) throw new TypeMismatchError(`unexpected GroupVersion string: ${apiVersion}`);
      return undefined;
    },
    convert: (object, apiVersion) => {
      const [from, to] = [known.get(String(object["apiVersion"])), known.get(apiVersion)];
      return from === undefined || to === undefined || from === to ? object : convert(call, object, { from, to, isApply });
    },
  };
}

const TYPES = new WeakMap<ServedVersion, TypeDef>();

/** Returns the type of a version. Computed once. */
export function ownershipTypeOf(kind: ResourceType, version: ServedVersion): TypeDef {
  let type = TYPES.get(version);
  if (type === undefined) {
    type = typeOf(ownershipSchema(kind.isCustom ? version.schema : compiledSchemaOf(kind, version)));
    TYPES.set(version, type);
  }
  return type;
}

// The strategies of the real server reset these fields before they store an object.
const STATUS: FieldSet = setOf([["status"]]);
const KEPT = new WeakMap<ResourceType, FieldSet>();

/** Returns the fields that a write of the status does not change. Computed once. */
function keptSet(type: ResourceType): FieldSet {
  let set = KEPT.get(type);
  if (set === undefined) {
    set = setOf(keptByStatus(type));
    KEPT.set(type, set);
  }
  return set;
}

function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const set = new FieldSetBuilder();
  for (const path of paths)
    set.add(path.reduce<PathNode | undefined>((parent, field) => ({ parent, element: fieldElement(field) }), undefined));
  return set.build();
}

interface Way {
  readonly from: ServedVersion;
  readonly to: ServedVersion;
  readonly isApply: boolean;
}

/**
 * Converts an object. Unknown fields of the other version are not removed, as on the real server.
 *
 * @throws Suspension, TypeMismatchError for unknown fields, and StatusError for an apply whose object cannot be converted
 */
function convert(call: Modelled, object: JsonObject, way: Way): JsonObject {
  const { from, to } = way;
  let converted: JsonObject;
  if (to.conversion === undefined) {
    const stored = from.toStored === undefined ? object : from.toStored(cloneJson(object));
    converted = to.fromStored === undefined ? stored : to.fromStored(cloneJson(stored));
  } else converted = convertByWebhook(call, object, way);
  const { type } = call.served;
  // It is a custom resource that could not be converted.
  if (converted === object && to.conversion !== undefined) return object;
  converted = { ...converted, apiVersion: to.apiVersion };
  checkFields(converted, type, to);
  return converted;
}

/** Checks an object of a custom kind. @throws TypeMismatchError when the version does not have its fields */
function checkFields(object: JsonObject, type: ResourceType, version: ServedVersion): void {
  const problems = type.isCustom ? typeProblems(object, ownershipTypeOf(type, version), true) : [];
  if (problems.length > 0) throw new TypeMismatchError(problemsText(problems));
}

/**
 * Checks an object that is read in the version of the request. The object of a kind with one version was validated when it was
 * stored.
 *
 * @throws TypeMismatchError when the version does not have its fields
 */
export function checkVersionFields({ type, version }: Modelled["served"], object: JsonObject): void {
  if (type.versions.length > 1) checkFields(object, type, version);
}

function convertByWebhook({ deliberation, ...call }: Modelled, object: JsonObject, { to, isApply }: Way): JsonObject {
  const { metadata } = object;
  if (deliberation === undefined || !isObject(metadata)) return object;
  // The times of field owners differ at each try.
  const { managedFields, ...rest } = metadata;
  const converted = objectIn({ ...call, deliberation }, { ...object, metadata: rest }, to);
  if (converted instanceof StatusError) {
    if (isApply) throw converted;
    return object;
  }
  const meta = objectAt(converted, "metadata");
  return { ...converted, metadata: managedFields === undefined ? meta : { ...meta, managedFields } };
}
