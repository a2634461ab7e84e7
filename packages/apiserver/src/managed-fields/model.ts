/** A served kind for field ownership: its types by version, the conversion between versions, and the fields that a path does not write. */
import { compiledSchemaOf } from "../builtin/schemas.ts";
import { pruneObject } from "../schema/coerce.ts";
import { cloneJson, type JsonObject } from "../internal/json.ts";
import type { ResourceType, Served, ServedVersion } from "../storage/registry.ts";
import { keptByStatus } from "../builtin/status-rules.ts";
import { EMPTY_SET, fieldElement, type FieldSet, FieldSetBuilder, type PathNode } from "./field-set.ts";
import { ownershipSchema } from "./common-schemas.ts";
import type { Model } from "./settle.ts";
import { type TypeDef, typeOf } from "./field-types.ts";

/** Makes the model of a kind. `subresource` is that of the request, empty for the object itself. */
export function modelOf({ type, version }: Served, subresource: string): Model {
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
      return found === undefined ? undefined : ownershipTypeOf(type, found);
    },
    convert: (object, apiVersion) => {
      const [from, to] = [known.get(String(object["apiVersion"])), known.get(apiVersion)];
      return from === undefined || to === undefined || from === to ? object : convert(object, from, to);
    },
  };
}

const TYPES = new WeakMap<ServedVersion, TypeDef>();

/** Returns the type of a version. Computed once. */
function ownershipTypeOf(kind: ResourceType, version: ServedVersion): TypeDef {
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

function convert(object: JsonObject, from: ServedVersion, to: ServedVersion): JsonObject {
  let converted = from.toStored === undefined ? object : from.toStored(cloneJson(object));
  if (to.fromStored !== undefined) converted = to.fromStored(cloneJson(converted));
  converted = { ...converted, apiVersion: to.apiVersion };
  return to.schema === undefined ? converted : pruneObject(converted, to.schema);
}
