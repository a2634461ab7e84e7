/** Converts the JSON of a custom resource to CEL values, by its schema (k8s.io/apiserver `pkg/cel/common/valuesunstructured.go`). */
import { type CompiledSchema, compileSchema } from "../schema/schema.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { parseDuration, parseTimestamp } from "./library/time.ts";
import { escapeName, keywordField } from "./escaping.ts";
import { CelError, Dict, Duration, List, Struct, type Value } from "./values.ts";

/** Converts a JSON value. @throws CelError when it does not fit the schema */
export function toValue(json: unknown, schema: CompiledSchema, isRoot: boolean = schema.isEmbedded): Value {
  if (json === null || json === undefined) {
    if (schema.isNullable) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  }
  if (schema.isIntOrString) {
    if (typeof json === "string") return json;
    if (typeof json === "number" && Number.isInteger(json)) return BigInt(json);
    throw new CelError("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      if (!isObject(json)) throw new CelError("invalid data, expected a map for the provided schema with type=object");
      return objectValue(json, schema, isRoot);
    case "array":
      return listValue(json, schema);
    case "string":
      return textValue(json, schema.format);
    case "number":
      if (typeof json === "number") return json;
      throw new CelError("invalid data, expected float");
    case "integer":
      if (typeof json === "number" && Number.isInteger(json)) return BigInt(json);
      throw new CelError("invalid data, expected int");
    case "boolean":
      if (typeof json === "boolean") return json;
      throw new CelError("invalid data, expected bool");
    default:
      throw new CelError("invalid type, expected object, array, number, integer, boolean or string");
  }
}

function objectValue(json: JsonObject, schema: CompiledSchema, isRoot: boolean): Value {
  const { additional } = schema;
  if (additional === undefined || additional === true || isRoot) return new JsonStruct(json, schema, isRoot);
  return new Dict(new Map(Object.entries(json).map(([key, item]) => [key, toValue(item, additional)])));
}

function listValue(json: unknown, schema: CompiledSchema): Value {
  const { items } = schema;
  if (!Array.isArray(json)) throw new CelError("invalid data, expected an array for the provided schema with type=array");
  if (items === undefined) throw new CelError("invalid array type, expected Items with a non-empty Schema");
  const keys = schema.mapKeys.map((key) => escapeName(key) ?? key);
  return new List(
    json.map((item) => toValue(item, items)),
    schema.listType,
    keys,
  );
}

function textValue(json: unknown, format: string | undefined): Value {
  if (typeof json !== "string") throw new CelError("invalid data, expected string");
  switch (format) {
    case "byte":
      return new Uint8Array(Buffer.from(json, "base64"));
    case "duration": {
      const nanos = parseDuration(json, true);
      if (nanos === undefined) throw new CelError(`Invalid duration ${json}: unable to parse ${json} as duration`);
      return new Duration(nanos);
    }
    case "date":
    case "date-time": {
      const time = parseTimestamp(format === "date" ? `${json}T00:00:00Z` : json);
      if (time === undefined) throw new CelError(`Invalid ${format} formatted string ${json}`);
      return time;
    }
    default:
      return json;
  }
}

/** An object whose fields are converted when they are read. */
class JsonStruct extends Struct {
  readonly #json: JsonObject;
  readonly #byName: ReadonlyMap<string, readonly [property: string, schema: CompiledSchema]>;
  readonly #known = new Map<string, Value>();

  constructor(json: JsonObject, schema: CompiledSchema, isRoot: boolean) {
    super();
    this.#json = json;
    this.#byName = namesOf(schema, isRoot);
  }

  get fields(): readonly string[] {
    return [...this.#byName].filter(([, [property]]) => isSet(this.#json, property)).map(([name]) => name);
  }

  get(field: string): Value | undefined {
    const known = this.#known.get(field);
    if (known !== undefined) return known;
    const found = this.#byName.get(field) ?? this.#byName.get(keywordField(field) ?? "");
    if (found === undefined || !isSet(this.#json, found[0])) return undefined;
    const value = toValue(this.#json[found[0]], found[1]);
    this.#known.set(field, value);
    return value;
  }
}

/** Reports whether a field is set. Null counts as absent. */
function isSet(json: JsonObject, property: string): boolean {
  return Object.hasOwn(json, property) && json[property] !== null;
}

type Names = ReadonlyMap<string, readonly [property: string, schema: CompiledSchema]>;

const names = new WeakMap<CompiledSchema, { plain?: Names; root?: Names }>();

/** Returns the fields that rules can name, by their name. Computed once for each schema. */
function namesOf(schema: CompiledSchema, isRoot: boolean): Names {
  let of = names.get(schema);
  if (of === undefined) names.set(schema, (of = {}));
  const slot = isRoot ? "root" : "plain";
  return (of[slot] ??= new Map(
    [...schema.properties, ...(isRoot ? ROOT.properties : [])].flatMap(([property, sub]) => {
      const name = escapeName(property);
      return name === undefined ? [] : [[name, [property, sub] as const] as const];
    }),
  ));
}

const TEXT = { type: "string" };

/** The part of each resource that rules see. */
const ROOT: CompiledSchema = compileSchema({
  type: "object",
  properties: {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: { type: "object", properties: { name: TEXT, generateName: TEXT } },
  },
});
