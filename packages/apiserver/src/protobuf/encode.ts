/**
 * Encodes JSON objects in protobuf, in the envelope of Kubernetes and as frames of a watch. `decode.ts` reads the same
 * messages. A string has one character for each byte (latin1), as bodies of this server have. Absent fields are omitted; a
 * real server writes some of them empty, which has the same meaning.
 */
import type { JsonObject } from "../internal/json.ts";
import { type MessageField, messageFields, messageOf } from "./messages.ts";
import { bytesField, doubleField, integerField, WireError } from "./wire.ts";

/** Encodes an object or a list in its envelope. @throws WireError when its kind has no message, or a value does not fit its field */
export function encodeProtobuf(object: JsonObject): string {
  return enveloped(object).toString("latin1");
}

/** Encodes an event of a watch: its length in four bytes, and the event with the object in its envelope. */
export function encodeEvent(type: string, object: JsonObject): string {
  const event = Buffer.concat([bytesField(1, Buffer.from(type)), bytesField(2, bytesField(1, enveloped(object)))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]).toString("latin1");
}

function enveloped(object: JsonObject): Buffer {
  const [apiVersion, kind] = [String(object["apiVersion"]), String(object["kind"])];
  const name = messageOf(apiVersion, kind);
  if (name === undefined) throw new WireError(`objects of kind ${kind} in ${apiVersion} have no protobuf message`);
  const type = Buffer.concat([bytesField(1, Buffer.from(apiVersion)), bytesField(2, Buffer.from(kind))]);
  const raw = typeof name === "string" ? message(name, object) : list(name.items, object);
  // Older readers expect the last two fields, encoding and media type, to be present and empty.
  const rest = [bytesField(3, Buffer.alloc(0)), bytesField(4, Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("k8s\0"), bytesField(1, type), bytesField(2, raw), ...rest]);
}

/** Encodes a list. Lists of all kinds have the same two fields. */
function list(items: string, object: JsonObject): Buffer {
  const all = Array.isArray(object["items"]) ? (object["items"] as readonly JsonObject[]) : []; // the items of a list are objects
  return Buffer.concat([
    bytesField(1, message("meta.v1.ListMeta", (object["metadata"] ?? {}) as JsonObject)), // an object, where it is given
    ...all.map((item) => bytesField(2, message(items, item))),
  ]);
}

/** Encodes a message, with its fields in the order of their numbers. */
function message(name: string, value: unknown): Buffer {
  const parts: Buffer[] = [];
  for (const [number, field] of [...messageFields(name)].toSorted(([a], [b]) => a - b)) {
    // An empty name: the fields belong to the owner of the message. `@`: the value is the whole content.
    const given = field.name === "" || field.name === "@" ? value : objectIn(value, name)[field.name];
    if (given === undefined || given === null) continue;
    if (field.name === "") {
      const inner = message(field.type, given);
      if (inner.length > 0) parts.push(bytesField(number, inner));
    } else parts.push(...fieldIn(number, field, given));
  }
  return Buffer.concat(parts);
}

function fieldIn(number: number, field: MessageField, value: unknown): readonly Buffer[] {
  switch (field.form) {
    case "one":
      return [single(number, field.type, value)];
    case "many":
      if (!Array.isArray(value)) throw misfit(value, "a list");
      return value.map((item) => single(number, field.type, item));
    case "map":
      return Object.entries(objectIn(value, "a map"))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, member]) => bytesField(number, Buffer.concat([bytesField(1, Buffer.from(key)), single(2, field.type, member)])));
  }
}

function single(number: number, type: string, value: unknown): Buffer {
  switch (type) {
    case "s":
      return bytesField(number, Buffer.from(String(value)));
    case "x":
      return bytesField(number, Buffer.from(String(value), "base64"));
    case "i":
      return integerField(number, integerOf(value));
    case "b":
      return integerField(number, value === true ? 1n : 0n);
    case "d":
      return doubleField(number, Number(value));
    default:
      return bytesField(number, (SPECIAL[type] ?? ((member: unknown) => message(type, member)))(value));
  }
}

/** Messages that are one JSON value. */
const SPECIAL: Readonly<Record<string, (value: unknown) => Buffer>> = {
  "meta.v1.Time": time,
  "meta.v1.MicroTime": time,
  "resource.Quantity": (value) => bytesField(1, Buffer.from(String(value))),
  "intstr.IntOrString": (value) =>
    typeof value === "string"
      ? Buffer.concat([integerField(1, 1n), integerField(2, 0n), bytesField(3, Buffer.from(value))])
      : Buffer.concat([integerField(1, 0n), integerField(2, integerOf(value)), bytesField(3, Buffer.alloc(0))]),
  "meta.v1.FieldsV1": json,
  "runtime.RawExtension": json,
  "apiextensions.v1.JSON": json,
  "apiextensions.v1.JSONSchemaPropsOrArray": (value) =>
    Array.isArray(value) ? Buffer.concat(value.map((item) => bytesField(2, schema(item)))) : bytesField(1, schema(value)),
  "apiextensions.v1.JSONSchemaPropsOrBool": (value) =>
    typeof value === "boolean" ? integerField(1, value ? 1n : 0n) : Buffer.concat([integerField(1, 1n), bytesField(2, schema(value))]),
  "apiextensions.v1.JSONSchemaPropsOrStringArray": (value) =>
    Array.isArray(value) ? Buffer.concat(value.map((item) => bytesField(2, Buffer.from(String(item))))) : bytesField(1, schema(value)),
};

function schema(value: unknown): Buffer {
  return message("apiextensions.v1.JSONSchemaProps", value);
}

function json(value: unknown): Buffer {
  return bytesField(1, Buffer.from(JSON.stringify(value)));
}

function time(value: unknown): Buffer {
  const [, seconds = "", fraction = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(String(value)) ?? [];
  const milliseconds = Date.parse(`${seconds}Z`);
  if (Number.isNaN(milliseconds)) throw misfit(value, "a time");
  return Buffer.concat([integerField(1, BigInt(milliseconds) / 1000n), integerField(2, BigInt(fraction.slice(0, 9).padEnd(9, "0")))]);
}

function integerOf(value: unknown): bigint {
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  throw misfit(value, "an integer");
}

function objectIn(value: unknown, what: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject; // no list
  throw misfit(value, what);
}

function misfit(value: unknown, what: string): WireError {
  return new WireError(`${JSON.stringify(value)?.slice(0, 50)} is not ${what}`);
}
