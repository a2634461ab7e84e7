/**
 * Encodes the OpenAPI v2 document in protobuf: the messages of gnostic (`openapi.v2.Document`), as `kubectl explain` reads them. Empty and
 * zero values are left out, as proto3 does. Not encoded, because no server of Kubernetes has them: files, OAuth, XML, tags and contacts.
 */
import { isObject, type JsonObject } from "../internal/json.ts";
import { bytesField, doubleField, integerField } from "../protobuf/wire.ts";

/** Encodes the document. */
export function encodeSwagger(document: JsonObject): Buffer {
  return message("Document", document);
}

/**
 * The fields of the messages: number, name in JSON, and type. `s` is a string, `b` a boolean, `i` an integer, `d` a number, `any` any value.
 * `*` after a type is a list of it. A field without a type has the extensions (`x-`).
 */
const MESSAGES: Readonly<Record<string, string>> = {
  Document:
    "1 swagger s;2 info Info;3 host s;4 basePath s;5 schemes s*;6 consumes s*;7 produces s*;8 paths Paths;9 definitions Schemas;10 parameters Parameters;12 security Needs*;13 securityDefinitions Securities;16",
  Info: "1 title s;2 version s;3 description s;4 termsOfService s;7",
  PathItem:
    "1 $ref s;2 get Operation;3 put Operation;4 post Operation;5 delete Operation;6 options Operation;7 head Operation;8 patch Operation;9 parameters ParameterItem*;10",
  Operation:
    "1 tags s*;2 summary s;3 description s;4 externalDocs Docs;5 operationId s;6 produces s*;7 consumes s*;8 parameters ParameterItem*;9 responses Responses;10 schemes s*;11 deprecated b;12 security Needs*;13",
  BodyParameter: "1 description s;2 name s;3 in s;4 required b;5 schema Schema;6",
  Response: "1 description s;2 schema SchemaItem;5",
  Reference: "1 $ref s;2 description s",
  ApiKey: "1 type s;2 name s;3 in s;4 description s;5",
  Docs: "1 description s;2 url s;3",
  Schema:
    "1 $ref s;2 format s;3 title s;4 description s;5 default any;6 multipleOf d;7 maximum d;8 exclusiveMaximum b;9 minimum d;10 exclusiveMinimum b;11 maxLength i;12 minLength i;13 pattern s;14 maxItems i;15 minItems i;16 uniqueItems b;17 maxProperties i;18 minProperties i;19 required s*;20 enum any*;21 additionalProperties Additional;22 type Texts;23 items Items;24 allOf Schema*;25 properties Schemas;26 discriminator s;27 readOnly b;29 externalDocs Docs;30 example any;31",
  ...parameters(),
};

/** Parameters in headers and paths have the same fields. Those of queries and forms have one more. */
function parameters(): Readonly<Record<string, string>> {
  const names =
    "type s,format s,items Primitive,collectionFormat s,default any,maximum d,exclusiveMaximum b,minimum d,exclusiveMinimum b,maxLength i,minLength i,pattern s,maxItems i,minItems i,uniqueItems b,enum any*,multipleOf d".split(
      ",",
    );
  const numbered = (all: readonly string[]): string => [...all.map((one, at) => `${at + 1} ${one}`), String(all.length + 1)].join(";");
  const start = ["required b", "in s", "description s", "name s"];
  return {
    Primitive: numbered(names),
    HeaderParameter: numbered([...start, ...names]),
    QueryParameter: numbered([...start, "allowEmptyValue b", ...names]),
  };
}

/** Messages whose form depends on the value. */
const SPECIAL: Readonly<Record<string, (value: unknown) => Buffer>> = {
  any: (value) => bytesField(2, Buffer.from(yamlOf(value))),
  Paths: (value) => Buffer.concat([extensions(1, value), named(2, "PathItem", withoutExtensions(value))]),
  Responses: (value) => Buffer.concat([named(1, "ResponseItem", withoutExtensions(value)), extensions(2, value)]),
  Schemas: (value) => named(1, "Schema", value),
  Securities: (value) => named(1, "SecurityItem", value),
  SecurityItem: (value) => part(2, "ApiKey", value),
  Needs: (value) => named(1, "Texts", value),
  Texts: (value) => Buffer.concat(listOf(value).map((text) => part(1, "s", text))),
  Items: (value) => Buffer.concat(listOf(value).map((schema) => part(1, "Schema", schema))),
  SchemaItem: (value) => part(1, "Schema", value),
  Additional: (value) => (typeof value === "boolean" ? integerField(2, value ? 1n : 0n) : part(1, "Schema", value)),
  ResponseItem: (value) => (hasReference(value) ? part(2, "Reference", value) : part(1, "Response", value)),
  Parameters: (value) => named(1, "Parameter", value),
  Parameter: parameter,
  ParameterItem: (value) => (hasReference(value) ? part(2, "Reference", value) : part(1, "Parameter", value)),
};

function parameter(value: unknown): Buffer {
  const place = isObject(value) ? value["in"] : undefined;
  if (place === "body") return part(1, "BodyParameter", value);
  const number = place === "header" ? 1 : place === "formData" ? 2 : place === "query" ? 3 : 4;
  return bytesField(2, part(number, number === 2 || number === 3 ? "QueryParameter" : "HeaderParameter", value));
}

function message(type: string, value: unknown): Buffer {
  const special = SPECIAL[type];
  if (special !== undefined) return special(value);
  const object = isObject(value) ? value : {};
  return Buffer.concat(fieldsOf(type).flatMap(({ number, name, type: of }) => fieldIn(number, of, name === "" ? object : object[name])));
}

function fieldIn(number: number, type: string, value: unknown): readonly Buffer[] {
  if (value === undefined || value === null) return [];
  if (type === "") return [extensions(number, value)];
  if (type.endsWith("*")) return listOf(value).map((item) => part(number, type.slice(0, -1), item));
  const isDefault = (type === "s" && value === "") || (type === "b" && value === false) || (/^[id]$/.test(type) && value === 0);
  return isDefault ? [] : [part(number, type, value)];
}

function part(number: number, type: string, value: unknown): Buffer {
  switch (type) {
    case "s":
      return bytesField(number, Buffer.from(String(value)));
    case "b":
      return integerField(number, value === true ? 1n : 0n);
    case "i":
      return integerField(number, BigInt(Math.trunc(Number(value))));
    case "d":
      return doubleField(number, Number(value));
    default:
      return bytesField(number, message(type, value));
  }
}

/** Encodes the members of an object as a list of names with values. */
function named(number: number, type: string, value: unknown): Buffer {
  const members = isObject(value) ? Object.entries(value) : [];
  return Buffer.concat(members.map(([name, member]) => bytesField(number, Buffer.concat([part(1, "s", name), part(2, type, member)]))));
}

const EXTENSION = "x-";

function extensions(number: number, value: unknown): Buffer {
  const members = isObject(value) ? Object.entries(value) : [];
  return named(number, "any", Object.fromEntries(members.filter(([name]) => name.startsWith(EXTENSION))));
}

function withoutExtensions(value: unknown): JsonObject {
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).filter(([name]) => !name.startsWith(EXTENSION)));
}

function hasReference(value: unknown): boolean {
  return isObject(value) && value["$ref"] !== undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** JSON is YAML, too. */
function yamlOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: string;
}

// A cache: its values depend only on the table.
const known = new Map<string, readonly Field[]>();

function fieldsOf(type: string): readonly Field[] {
  const found = known.get(type);
  if (found !== undefined) return found;
  const fields = (MESSAGES[type] ?? "").split(";").map((text) => {
    const [number = "", name = "", of = ""] = text.split(" ");
    return { number: Number(number), name, type: of };
  });
  known.set(type, fields);
  return fields;
}
