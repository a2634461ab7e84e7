/**
 * `/openapi/v2`: all served kinds in one document of the older form, for clients that know only this form. It is made from
 * the OpenAPI v3 documents at the first request, and again after each change of the CRDs.
 */
import { isObject, type JsonObject } from "../internal/json.ts";

/** Makes the document from paths and schemas of OpenAPI v3. */
export function swaggerOf(version: string, paths: JsonObject, schemas: JsonObject): JsonObject {
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, isObject(item) ? toPath(item) : item])),
    definitions: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? toRoot(schema) : schema])),
    securityDefinitions: {
      BearerToken: { description: "Bearer Token authentication", type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

function toPath(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      key === "parameters" ? toParameters(value) : isObject(value) ? toOperation(value) : value,
    ]),
  );
}

function toOperation({ requestBody, responses, parameters, ...rest }: JsonObject): JsonObject {
  const content = isObject(requestBody) && isObject(requestBody["content"]) ? requestBody["content"] : {};
  const [body] = Object.values(content).filter(isObject);
  const given = isObject(body?.["schema"]) ? [{ name: "body", in: "body", required: true, schema: toSchema(body["schema"]) }] : [];
  const answers = Object.entries(isObject(responses) ? responses : {}).map(([code, answer]) => [code, toResponse(answer)]);
  return {
    ...rest,
    consumes: Object.keys(content).length === 0 ? ["*/*"] : Object.keys(content),
    produces: ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
    schemes: ["https"],
    parameters: [...given, ...toParameters(parameters)],
    responses: Object.fromEntries(answers) as JsonObject,
  };
}

function toParameters(parameters: unknown): readonly JsonObject[] {
  if (!Array.isArray(parameters)) return [];
  return parameters.filter(isObject).map(({ schema, ...rest }) => ({ ...rest, ...(isObject(schema) ? schema : {}) }));
}

function toResponse(answer: unknown): unknown {
  if (!isObject(answer)) return answer;
  const { content, ...rest } = answer;
  const [first] = isObject(content) ? Object.values(content).filter(isObject) : [];
  return isObject(first?.["schema"]) ? { ...rest, schema: toSchema(first["schema"]) } : rest;
}

/** Removes the fields of a kind that accepts any fields. Older kubectl would refuse all fields that are not listed. */
function toRoot(schema: JsonObject): JsonObject {
  const kinds = schema["x-kubernetes-group-version-kind"];
  if (schema["x-kubernetes-preserve-unknown-fields"] === true && kinds !== undefined)
    return { type: "object", "x-kubernetes-group-version-kind": kinds };
  return toSchema(schema);
}

/** Keywords that the older form does not have, or that its readers do not understand. */
const DROPPED: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "not", "nullable", "default"]);

function toSchema(schema: JsonObject): JsonObject {
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isNullable = schema["nullable"] === true;
  const hasItems = isObject(schema["items"]) && !isOpen && !isNullable;
  const isUntyped = isNullable || (schema["type"] === "array" && !hasItems) || (schema["type"] === "object" && isOpen);
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (DROPPED.has(key) || (key === "type" && isUntyped)) return [];
    if (key === "$ref") return [[key, String(value).replace("#/components/schemas/", "#/definitions/")]];
    if (key === "items" || key === "properties") {
      if (isOpen || isNullable) return [];
      return [[key, key === "items" ? toSchemaOr(value) : mapSchemas(value)]];
    }
    if (key === "additionalProperties") return [[key, toSchemaOr(value)]];
    if (key === "required") {
      const left = stillRequired(value, schema);
      return left.length === 0 ? [] : [[key, left]];
    }
    return [[key, value]];
  });
  return { ...referenced(schema), ...textual(schema), ...Object.fromEntries(entries) };
}

function toSchemaOr(value: unknown): unknown {
  return isObject(value) ? toSchema(value) : value;
}

function mapSchemas(value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toSchemaOr(one)])) : value;
}

/** Unwraps a reference with a description, which is a list with one item in OpenAPI v3. */
function referenced({ allOf }: JsonObject): JsonObject {
  const [only, more] = Array.isArray(allOf) ? allOf : [];
  return isObject(only) && more === undefined && only["$ref"] !== undefined ? toSchema(only) : {};
}

/** Quantities and int-or-string are strings with a format. */
function textual({ type, oneOf, properties, "x-kubernetes-int-or-string": isCustom }: JsonObject): JsonObject {
  return type === undefined && properties === undefined && Array.isArray(oneOf) && isCustom !== true ? { type: "string" } : {};
}

/** Nullable fields are not required. */
function stillRequired(required: unknown, { properties }: JsonObject): readonly unknown[] {
  const isNull = (name: unknown): boolean => {
    const property = isObject(properties) ? properties[String(name)] : undefined;
    return isObject(property) && property["nullable"] === true;
  };
  return Array.isArray(required) ? required.filter((name) => !isNull(name)) : [];
}
