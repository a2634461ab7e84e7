/**
 * Types of values for field ownership: scalars, lists and maps, and how the parts of lists and maps are owned
 * (structured-merge-diff `schema`). They are made from the schema of a kind as kube-openapi `schemaconv` does.
 */
import { type CompiledSchema, compileSchema } from "../schema/schema.ts";
import { isObject } from "../internal/json.ts";

export type Scalar = "numeric" | "string" | "boolean" | "untyped";

export interface ListKind {
  /** List type. `atomic`: one owner for the whole list. */
  readonly relation: "atomic" | "set" | "map";
  /** Fields that identify an item of a list-map. */
  readonly keys: readonly string[];
  readonly items: TypeDef;
  /** Returns the default of a key that an item omits. */
  readonly keyDefault: (key: string) => unknown;
}

export interface MapKind {
  /** Whether the whole map has one owner. */
  readonly isAtomic: boolean;
  /** Reports whether the schema declares the field. A field that is only allowed is owned separately from its content. */
  readonly declares: (field: string) => boolean;
  /** Returns the type of a field, or `undefined` when it is not allowed. */
  readonly fieldType: (field: string) => TypeDef | undefined;
  /** Whether nothing is declared and everything is allowed. */
  readonly isDeduced: boolean;
}

/** The possible types of a value. There are several when the schema does not decide. */
export interface TypeDef {
  readonly scalar?: Scalar;
  readonly list?: ListKind;
  readonly map?: MapKind;
}

/** Any value, with one owner. */
const UNTYPED: TypeDef = {
  scalar: "untyped",
  list: { relation: "atomic", keys: [], items: undefined as unknown as TypeDef, keyDefault: () => undefined }, // set below: the type holds itself
  map: { isAtomic: true, declares: () => false, fieldType: () => UNTYPED, isDeduced: false },
};
(UNTYPED.list as { items: TypeDef }).items = UNTYPED;

/** Any value. Each member of a map has its own owner; a list has one. */
export const DEDUCED: TypeDef = {
  scalar: "untyped",
  list: { relation: "atomic", keys: [], items: UNTYPED, keyDefault: () => undefined },
  map: { isAtomic: false, declares: () => false, fieldType: () => DEDUCED, isDeduced: true },
};

/** Returns the type of a schema. Computed once for each schema. */
export function typeOf(schema: CompiledSchema): TypeDef {
  return made(schema, false);
}

/** Returns the types that fit the value, or all types when none fits. */
export function narrow(type: TypeDef, value: unknown): TypeDef {
  // Most values have one possible type.
  if (Number(type.scalar !== undefined) + Number(type.list !== undefined) + Number(type.map !== undefined) === 1) return type;
  switch (typeof value) {
    case "number":
    case "string":
    case "boolean":
      return type.scalar === undefined ? type : { scalar: type.scalar };
    default:
      if (Array.isArray(value)) return type.list === undefined ? type : { list: type.list };
      return !isObject(value) || type.map === undefined ? type : { map: type.map };
  }
}

/** One function for each type of value. The first one that fits is called. */
export interface Visitor<T> {
  readonly map: (kind: MapKind) => T;
  readonly scalar: (kind: Scalar) => T;
  readonly list: (kind: ListKind) => T;
}

export function visit<T>(type: TypeDef, visitor: Visitor<T>): T {
  if (type.map !== undefined) return visitor.map(type.map);
  if (type.scalar !== undefined) return visitor.scalar(type.scalar);
  return visitor.list(type.list ?? (UNTYPED.list as ListKind)); // a type is never empty
}

const MADE = { strict: new WeakMap<CompiledSchema, TypeDef>(), open: new WeakMap<CompiledSchema, TypeDef>() };

/** Makes a type. `isOpen`: a schema above preserves unknown fields, also for everything below it. */
function made(schema: CompiledSchema, isOpen: boolean): TypeDef {
  const opens = isOpen || schema.preservesUnknown;
  const cache = opens ? MADE.open : MADE.strict;
  const known = cache.get(schema);
  if (known !== undefined) return known;
  const type = make(schema, opens);
  cache.set(schema, type);
  return type;
}

function make(schema: CompiledSchema, isOpen: boolean): TypeDef {
  switch (schema.type) {
    case "object":
      return { map: mapKind(schema, isOpen) };
    case "array":
      return { list: listKind(schema, isOpen) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return { scalar: schema.isIntOrString || (schema.format !== undefined && schema.format !== "byte") ? "untyped" : "string" };
    default:
      return { scalar: "untyped", list: listKind(schema, isOpen), map: mapKind(schema, isOpen) };
  }
}

function listKind(schema: CompiledSchema, isOpen: boolean): ListKind {
  const { items } = schema;
  return {
    relation: schema.listType,
    keys: schema.mapKeys,
    // Computed late, because a schema can contain itself.
    get items() {
      return items === undefined ? UNTYPED : made(items, isOpen);
    },
    keyDefault: (key) => items?.properties.get(key)?.default?.value,
  };
}

function mapKind(schema: CompiledSchema, isOpen: boolean): MapKind {
  const { properties, additional, isEmbedded } = schema;
  const isBare = properties.size === 0 && !isEmbedded;
  const other = (): TypeDef | undefined => {
    if (additional === true) return DEDUCED;
    if (additional !== undefined) return made(additional, isOpen);
    return isOpen || isBare ? DEDUCED : undefined;
  };
  const declared = (field: string): CompiledSchema | undefined => (isEmbedded ? IDENTITY.get(field) : undefined) ?? properties.get(field);
  return {
    isAtomic: schema.isAtomicMap,
    declares: (field) => declared(field) !== undefined,
    fieldType: (field) => {
      const own = declared(field);
      return own === undefined ? other() : made(own, isOpen && !IDENTITY.has(field));
    },
    get isDeduced() {
      return isBare && (additional === true || additional === undefined || other()?.scalar === "untyped");
    },
  };
}

const TEXT = { type: "string" } as const;
const TEXT_MAP = { type: "object", additionalProperties: TEXT } as const;
const TIME = { type: "string", format: "date-time" } as const;

/** Schema of ObjectMeta. */
const METADATA: CompiledSchema = compileSchema({
  type: "object",
  properties: {
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    selfLink: TEXT,
    uid: TEXT,
    resourceVersion: TEXT,
    generation: { type: "integer" },
    creationTimestamp: TIME,
    deletionTimestamp: TIME,
    deletionGracePeriodSeconds: { type: "integer" },
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    finalizers: { type: "array", items: TEXT, "x-kubernetes-list-type": "set" },
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        properties: {
          apiVersion: TEXT,
          kind: TEXT,
          name: TEXT,
          uid: TEXT,
          controller: { type: "boolean" },
          blockOwnerDeletion: { type: "boolean" },
        },
        "x-kubernetes-map-type": "atomic",
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
    managedFields: {
      type: "array",
      items: {
        type: "object",
        properties: {
          manager: TEXT,
          operation: TEXT,
          apiVersion: TEXT,
          time: TIME,
          fieldsType: TEXT,
          fieldsV1: { type: "object" },
          subresource: TEXT,
        },
      },
      "x-kubernetes-list-type": "atomic",
    },
  },
});

/** Fields of each object, independent of its schema. */
export const IDENTITY: ReadonlyMap<string, CompiledSchema> = new Map([
  ["apiVersion", compileSchema(TEXT)],
  ["kind", compileSchema(TEXT)],
  ["metadata", METADATA],
]);
