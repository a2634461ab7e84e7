/** CEL types as Kubernetes uses them: what a schema is to a rule, how types are named in messages, and what fits what. */
import { type CompiledSchema } from "../crd/schema.ts";
import { escapeName } from "./names.ts";

export type Type =
  | { readonly type: "dyn" }
  /** Scalars, and types that only functions know: `kubernetes.Quantity`. */
  | { readonly type: "plain"; readonly name: string }
  | { readonly type: "list"; readonly item: Type }
  | { readonly type: "map"; readonly key: Type; readonly value: Type }
  | { readonly type: "object"; readonly name: string; readonly fields: ReadonlyMap<string, Type> }
  | { readonly type: "optional"; readonly item: Type }
  | { readonly type: "type"; readonly item: Type }
  /** Of a signature, to be found out. */
  | { readonly type: "param"; readonly name: string };

export const DYN: Type = { type: "dyn" };
export const BOOL: Type = plain("bool");
export const INT: Type = plain("int");
export const STRING: Type = plain("string");

export function plain(name: string): Type {
  return { type: "plain", name };
}

/** What values of a schema are to a rule; `undefined` when rules cannot see them. `name` is that of an object's type. */
export function typeOfSchema(schema: CompiledSchema, isRoot: boolean, name: string): Type | undefined {
  if (schema.isIntOrString) return DYN;
  switch (schema.type) {
    case "array": {
      const item = schema.items === undefined ? undefined : typeOfSchema(schema.items, schema.items.isEmbedded, `${name}.@idx`);
      return item && { type: "list", item };
    }
    case "object":
      return typeOfObject(schema, isRoot, name);
    case "string":
      return plain(FORMATS[schema.format ?? ""] ?? "string");
    case "boolean":
      return BOOL;
    case "number":
      return plain("double");
    case "integer":
      return INT;
    default:
      return undefined;
  }
}

const FORMATS: Readonly<Record<string, string>> = { byte: "bytes", duration: "duration", date: "timestamp", "date-time": "timestamp" };

function typeOfObject(schema: CompiledSchema, isRoot: boolean, name: string): Type | undefined {
  if (!isRoot && schema.additional !== undefined && schema.additional !== true) {
    const value = typeOfSchema(schema.additional, schema.additional.isEmbedded, `${name}.@elem`);
    return value && { type: "map", key: STRING, value };
  }
  const fields = new Map<string, Type>();
  for (const [property, sub] of schema.properties) {
    const type = typeOfSchema(sub, sub.isEmbedded, `${name}.${escapeName(property) ?? property}`);
    const escaped = escapeName(property);
    if (type !== undefined && escaped !== undefined) fields.set(escaped, type);
  }
  if (isRoot) {
    fields.set("apiVersion", STRING);
    fields.set("kind", STRING);
    const meta = new Map([
      ["name", STRING],
      ["generateName", STRING],
    ]);
    fields.set("metadata", { type: "object", name: `${name}.metadata`, fields: meta });
  }
  return { type: "object", name, fields };
}

/** As cel-go writes a type in messages. */
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

/** What parameters of a signature turned out to be. */
export type Bindings = Map<string, Type>;

/** Whether a value of type `given` may stand where `wanted` is; binds parameters on the way. */
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

/** A type with its parameters replaced by what they are bound to; free ones are `dyn` when `isFinal`. */
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
      return { type: type.type, item: substitute(type.item, bound, isFinal) };
    case "map":
      return { type: "map", key: substitute(type.key, bound, isFinal), value: substitute(type.value, bound, isFinal) };
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

/** Objects, times and the types of the libraries may be compared with null. */
function takesNull(type: Type): boolean {
  return type.type === "object" || type.type === "optional" || (type.type === "plain" && !SCALARS.has(type.name));
}

const SCALARS: ReadonlySet<string> = new Set(["bool", "int", "uint", "double", "string", "bytes", "null_type"]);
