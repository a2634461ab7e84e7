/**
 * Decodes bodies in protobuf (`application/vnd.kubernetes.protobuf`) to JSON objects. Bodies are strings in this server, so
 * one in protobuf has one character for each byte (latin1).
 */
import { secondsOf } from "../objects/object-meta.ts";
import type { JsonObject } from "../internal/json.ts";
import { type MessageField, messageFields, messageOf } from "./messages.ts";
import { fieldsIn, packedIntegers, signed, WireError } from "./wire.ts";

export { WireError };

/** Prefix of each object: `k8s` and a zero. A message with its kind follows. */
const MAGIC = "k8s\0";

/** Decodes an object in its envelope, or returns `undefined` when its kind has no messages. @throws WireError */
export function decodeProtobuf(body: string): JsonObject | undefined {
  if (body === "") throw new WireError("empty data");
  if (!body.startsWith(MAGIC))
    throw new WireError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  if (body.length === MAGIC.length) throw new WireError("empty body");
  const { apiVersion, kind, raw } = envelope(Buffer.from(body.slice(MAGIC.length), "latin1"));
  const name = messageOf(apiVersion, kind);
  if (name === undefined) return undefined;
  return { apiVersion, kind, ...(typeof name === "string" ? (message(name, raw, {}) as JsonObject) : list(name.items, raw)) }; // kinds are objects
}

function list(name: string, bytes: Buffer): JsonObject {
  const read: { metadata: unknown; items: unknown[] } = { metadata: {}, items: [] };
  for (const { number, value } of fieldsIn(bytes)) {
    if (number === 1) read.metadata = message("meta.v1.ListMeta", bytesOf(value), {});
    if (number === 2) read.items.push(message(name, bytesOf(value), {}));
  }
  return read;
}

function envelope(bytes: Buffer): { readonly apiVersion: string; readonly kind: string; readonly raw: Buffer } {
  let [apiVersion, kind, raw]: [string, string, Buffer] = ["", "", Buffer.alloc(0)];
  for (const { number, value } of fieldsIn(bytes)) {
    if (number === 2) raw = bytesOf(value);
    if (number !== 1) continue;
    for (const inner of fieldsIn(bytesOf(value))) {
      if (inner.number === 1) apiVersion = bytesOf(inner.value).toString();
      if (inner.number === 2) kind = bytesOf(inner.value).toString();
    }
  }
  return { apiVersion, kind, raw };
}

/** Reads a message into `object`. Unknown fields are ignored. */
function message(name: string, bytes: Buffer, object: JsonObject): unknown {
  const fields = messageFields(name);
  let whole: unknown;
  for (const { number, value } of fieldsIn(bytes)) {
    const field = fields.get(number);
    if (field === undefined) continue;
    if (field.name === "") message(field.type, bytesOf(value), object);
    else if (field.name === "@") whole = [...listIn(whole), ...values(field, value)];
    else if (field.form === "many") object[field.name] = [...listIn(object[field.name]), ...values(field, value)];
    else if (field.form === "map") object[field.name] = { ...(object[field.name] as JsonObject | undefined), ...entry(field, value) };
    else object[field.name] = single(field.type, value);
  }
  return whole ?? object;
}

type WireValue = bigint | number | Buffer;

function values({ type }: MessageField, value: WireValue): readonly unknown[] {
  return type === "i" && Buffer.isBuffer(value) ? packedIntegers(value) : [single(type, value)];
}

/** Reads an entry of a map, which is a message of key and value. */
function entry({ type }: MessageField, value: WireValue): JsonObject {
  let [key, member]: [string, unknown] = ["", single(type, type === "i" || type === "b" ? 0n : Buffer.alloc(0))];
  for (const inner of fieldsIn(bytesOf(value))) {
    if (inner.number === 1) key = bytesOf(inner.value).toString();
    if (inner.number === 2) member = single(type, inner.value);
  }
  return { [key]: member };
}

function single(type: string, value: WireValue): unknown {
  switch (type) {
    case "s":
      return bytesOf(value).toString();
    case "x":
      return bytesOf(value).toString("base64");
    case "i":
      return signed(integerOf(value));
    case "b":
      return integerOf(value) !== 0n;
    case "d":
      if (typeof value === "number") return value;
      throw new WireError("proto: wrong wireType for a double");
    default:
      return (SPECIAL[type] ?? ((bytes: Buffer) => message(type, bytes, {})))(bytesOf(value));
  }
}

/** Messages that are one JSON value. */
const SPECIAL: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  "meta.v1.Time": (bytes) => time(bytes, (seconds) => secondsOf(seconds * 1000)),
  "meta.v1.MicroTime": (bytes) =>
    time(bytes, (seconds, nanos) => secondsOf(seconds * 1000).replace("Z", `.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`)),
  "resource.Quantity": (bytes) => String(numbered(bytes).get(1) ?? "0"),
  "intstr.IntOrString": (bytes) => {
    const parts = numbered(bytes);
    return parts.get(1) === 1n ? String(parts.get(3) ?? "") : signed(integerOf(parts.get(2) ?? 0n));
  },
  "meta.v1.FieldsV1": json,
  "runtime.RawExtension": json,
  "apiextensions.v1.JSON": json,
  "apiextensions.v1.JSONSchemaPropsOrArray": (bytes) => either(bytes, { one: 1, many: 2 }),
  "apiextensions.v1.JSONSchemaPropsOrBool": (bytes) => either(bytes, { one: 2, truth: 1 }),
  "apiextensions.v1.JSONSchemaPropsOrStringArray": (bytes) => either(bytes, { one: 1, texts: 2 }),
};

/** An empty message is no time. The first second of 1970 is a time. */
function time(bytes: Buffer, text: (seconds: number, nanos: number) => string): string | null {
  const parts = numbered(bytes);
  if (bytes.length === 0) return null;
  return text(signed(integerOf(parts.get(1) ?? 0n)), signed(integerOf(parts.get(2) ?? 0n)));
}

function json(bytes: Buffer): unknown {
  const raw = numbered(bytes).get(1);
  if (raw === undefined || raw.toString() === "") return null;
  try {
    return JSON.parse(raw.toString()) as unknown;
  } catch (error) {
    throw new WireError(`the raw value ${raw.toString().slice(0, 30)} is no JSON`, { cause: error });
  }
}

/** Reads a schema, or the value that may be in its place. */
function either(
  bytes: Buffer,
  numbers: { readonly one: number; readonly many?: number; readonly truth?: number; readonly texts?: number },
): unknown {
  const schema = (value: WireValue): unknown => message("apiextensions.v1.JSONSchemaProps", bytesOf(value), {});
  const [list, texts]: [unknown[], string[]] = [[], []];
  let [found, truth]: [unknown, boolean] = [undefined, false];
  for (const { number, value } of fieldsIn(bytes)) {
    if (number === numbers.one) found = schema(value);
    if (number === numbers.many) list.push(schema(value));
    if (number === numbers.truth) truth = integerOf(value) !== 0n;
    if (number === numbers.texts) texts.push(bytesOf(value).toString());
  }
  if (found !== undefined) return found;
  return numbers.truth !== undefined ? truth : numbers.many !== undefined ? list : texts;
}

/** Returns the last value of each field. */
function numbered(bytes: Buffer): ReadonlyMap<number, WireValue> {
  return new Map([...fieldsIn(bytes)].map(({ number, value }) => [number, value]));
}

function bytesOf(value: WireValue): Buffer {
  if (Buffer.isBuffer(value)) return value;
  throw new WireError("proto: wrong wireType for a field of bytes");
}

function integerOf(value: WireValue): bigint {
  if (typeof value === "bigint") return value;
  throw new WireError("proto: wrong wireType for an integer");
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
