/** CEL types in Kubernetes: the type of a schema, the names of types in messages, and the compatibility of types. */
import { type CompiledSchema } from "../schema/schema.ts";
import { escapeName } from "./escaping.ts";

/** A type. An object that `isOpen` has fields of any name and type. `max` is the maximum number of characters, items or keys by the schema; absent without a schema. */
export type Type =
  | { readonly type: "dyn"; readonly max?: number }
  /** Scalars, and types of the libraries such as `kubernetes.Quantity`. */
  | { readonly type: "plain"; readonly name: string; readonly max?: number }
  | { readonly type: "list"; readonly item: Type; readonly max?: number }
  | { readonly type: "map"; readonly key: Type; readonly value: Type; readonly max?: number }
  | { readonly type: "object"; readonly name: string; readonly fields: ReadonlyMap<string, Type>; readonly isOpen?: true }
  | { readonly type: "optional"; readonly item: Type }
  | { readonly type: "type"; readonly item: Type }
  /** A parameter of a signature. */
  | { readonly type: "param"; readonly name: string };

export const DYN: Type = { type: "dyn" };
export const BOOL: PlainType = plain("bool");
export const INT: PlainType = plain("int");
export const STRING: PlainType = plain("string");

export type PlainType = Type & { readonly type: "plain" };

export function plain(name: string): PlainType {
  return { type: "plain", name };
}

/** Returns the type of a schema in rules, or `undefined` when rules cannot see it. `name` is the type name of an object. */
export function typeOfSchema(schema: CompiledSchema, isRoot: boolean, name: string): Type | undefined {
  const { limits } = schema;
  if (schema.isIntOrString) return { type: "dyn", max: limits.maxLength === undefined ? LONGEST : limits.maxLength * 4 };
  switch (schema.type) {
    case "array": {
      const { items } = schema;
      const item = items === undefined ? undefined : typeOfSchema(items, items.isEmbedded, `${name}.@idx`);
      return item && items && { type: "list", item, max: limits.maxItems ?? Math.floor(LONGEST / (smallest(items) + 1)) };
    }
    case "object":
      return typeOfObject(schema, isRoot, name);
    case "string":
      return { ...plain(FORMATS[schema.format ?? ""] ?? "string"), max: longestText(schema) };
    case "boolean":
      return { ...BOOL, max: 0 };
    case "number":
      return { ...plain("double"), max: 0 };
    case "integer":
      return { ...INT, max: 0 };
    default:
      return undefined;
  }
}

const FORMATS: Readonly<Record<string, string>> = { byte: "bytes", duration: "duration", date: "timestamp", "date-time": "timestamp" };

function typeOfObject(schema: CompiledSchema, isRoot: boolean, name: string): Type | undefined {
  if (!isRoot && schema.additional !== undefined && schema.additional !== true) {
    const value = typeOfSchema(schema.additional, schema.additional.isEmbedded, `${name}.@elem`);
    const max = schema.limits.maxProperties ?? Math.floor(LONGEST / (smallest(schema.additional) + 6));
    return value && { type: "map", key: { ...STRING, max: 0 }, value, max };
  }
  const fields = new Map<string, Type>();
  for (const [property, sub] of schema.properties) {
    const type = typeOfSchema(sub, sub.isEmbedded, `${name}.${escapeName(property) ?? property}`);
    const escaped = escapeName(property);
    if (type !== undefined && escaped !== undefined) fields.set(escaped, type);
  }
  if (isRoot) {
    const text: Type = { ...STRING, max: LONGEST };
    fields.set("apiVersion", text);
    fields.set("kind", text);
    const meta = new Map([
      ["name", text],
      ["generateName", text],
    ]);
    fields.set("metadata", { type: "object", name: `${name}.metadata`, fields: meta });
  }
  return { type: "object", name, fields };
}

/** A request has at most 3 MiB, and two bytes are quotes or brackets (k8s.io/apiserver `pkg/cel/limits.go`). */
const LONGEST = 3 * 1024 * 1024 - 2;

function longestText({ format, limits, enum: values }: CompiledSchema): number {
  if (format === "duration" || format === "date-time") return 32;
  if (format === "date") return 12;
  if (limits.maxLength !== undefined) return format === "byte" ? limits.maxLength : limits.maxLength * 4; // bytes, not characters
  if (values === undefined || format === "byte") return LONGEST;
  return Math.max(0, ...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));
}

/** Returns the minimum size of a value in JSON, in bytes. It limits the number of values when there is no other limit. */
export function smallest(schema: CompiledSchema): number {
  if (schema.isIntOrString) return 1;
  switch (schema.type) {
    case "string":
      return SMALLEST_TEXT[schema.format ?? ""] ?? 2;
    case "boolean":
      return 4;
    case "integer":
    case "number":
      return 1;
    case "object": {
      let size = 2;
      for (const name of schema.required) {
        const property = schema.properties.get(name);
        if (property !== undefined && property.default === undefined) size += name.length + smallest(property) + 4;
      }
      return size;
    }
    default:
      return 2;
  }
}

const SMALLEST_TEXT: Readonly<Record<string, number>> = { duration: 3, date: 12, "date-time": 21 };

/** Returns the name of a type in messages of cel-go. */
export function typeName(type: Type): string {
  switch (type.type) {
    case "dyn":
    case "param":
      return "dyn";
    case "plain":
      return SHOWN[type.name] ?? type.name;
    case "object":
      return type.name;
    case "list":
      return `list(${typeName(type.item)})`;
    case "map":
      return `map(${typeName(type.key)}, ${typeName(type.value)})`;
    case "optional":
      return `optional_type(${typeName(type.item)})`;
    case "type":
      return type.item.type === "dyn" ? "type" : `type(${typeName(type.item)})`;
  }
}

const SHOWN: Readonly<Record<string, string>> = { null_type: "null", timestamp: "timestamp", duration: "duration" };

/** Types that parameters of a signature are bound to. */
export type Bindings = Map<string, Type>;

/** Reports whether a value of type `given` fits `wanted`, and binds parameters. */
export function fits(given: Type, wanted: Type, bound: Bindings): boolean {
  if (wanted.type === "param") return bind(wanted, given, bound);
  if (given.type === "param") return bind(given, wanted, bound);
  if (given.type === "dyn" || wanted.type === "dyn") return true;
  if (isNull(given)) return isNull(wanted) || takesNull(wanted);
  if (isNull(wanted)) return takesNull(given);
  switch (given.type) {
    case "plain":
      return wanted.type === "plain" && given.name === wanted.name;
    case "object":
      return wanted.type === "object" && given.name === wanted.name;
    case "map":
      return wanted.type === "map" && fits(given.key, wanted.key, bound) && fits(given.value, wanted.value, bound);
    case "type":
      return wanted.type === "type"; // types of all kinds may be compared
    default:
      return wanted.type === given.type && fits(given.item, wanted.item, bound);
  }
}

/** Replaces parameters by their bound types. With `isFinal` unbound ones become `dyn`. */
export function substitute(type: Type, bound: Bindings, isFinal = false): Type {
  switch (type.type) {
    case "param": {
      const found = bound.get(type.name);
      if (found !== undefined) return substitute(found, bound, isFinal);
      return isFinal ? DYN : type;
    }
    case "list":
    case "optional":
    case "type":
      return { ...type, item: substitute(type.item, bound, isFinal) };
    case "map":
      return { ...type, key: substitute(type.key, bound, isFinal), value: substitute(type.value, bound, isFinal) };
    default:
      return type;
  }
}

function bind(param: Type & { readonly type: "param" }, other: Type, bound: Bindings): boolean {
  if (other.type === "param" && other.name === param.name) return true;
  const before = bound.get(param.name);
  if (before === undefined) {
    if (mentions(substitute(other, bound), param.name)) return other.type === "param";
    bound.set(param.name, other);
    return true;
  }
  if (!fits(other, before, bound)) return false;
  if (isMoreGeneral(other, before)) bound.set(param.name, other);
  return true;
}

function isMoreGeneral(a: Type, b: Type): boolean {
  return a.type === "dyn" || (isNull(b) && !isNull(a));
}

function mentions(type: Type, name: string): boolean {
  if (type.type === "param") return type.name === name;
  if (type.type === "map") return mentions(type.key, name) || mentions(type.value, name);
  return (type.type === "list" || type.type === "optional" || type.type === "type") && mentions(type.item, name);
}

function isNull(type: Type): boolean {
  return type.type === "plain" && type.name === "null_type";
}

/** Reports whether a type can be compared with null: objects, times and types of the libraries. */
function takesNull(type: Type): boolean {
  return type.type === "object" || type.type === "optional" || (type.type === "plain" && !SCALARS.has(type.name));
}

const SCALARS: ReadonlySet<string> = new Set(["bool", "int", "uint", "double", "string", "bytes", "null_type"]);
