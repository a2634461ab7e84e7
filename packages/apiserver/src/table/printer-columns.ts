/** `additionalPrinterColumns` of a CRD: makes the cells of a row from their paths. */
import { goJson, type JsonObject } from "../internal/json.ts";
import { listAt } from "../internal/read.ts";
import { AGE, type Column } from "./column.ts";
import { age } from "./format.ts";
import { type JsonPath, JsonPathError, parseJsonPath } from "./json-path.ts";

/** A column and its path. Without a valid path there is no value. */
export interface PrinterColumn {
  readonly column: Column;
  readonly path: JsonPath | undefined;
}

/** Returns the columns of one version of a CRD. By default it has only the age. */
export function readPrinterColumns(raw: unknown): readonly PrinterColumn[] {
  const given = listAt(raw);
  if (given.length === 0) return [{ column: AGE, path: parseJsonPath(".metadata.creationTimestamp") }];
  return given.map((one) => {
    const text = (field: string): string => (typeof one[field] === "string" ? one[field] : "");
    const description = text("description") || `Custom resource definition column (in JSONPath format): ${text("jsonPath")}`;
    const priority = typeof one["priority"] === "number" ? one["priority"] : 0;
    return {
      column: { name: text("name"), type: text("type"), format: text("format"), description, priority },
      path: readPath(text("jsonPath")),
    };
  });
}

/** Returns the cell of a column. It is null when the path finds no value of the column's type. */
export function printerCell({ column, path }: PrinterColumn, object: JsonObject, nowMs: number): unknown {
  const found = path === undefined ? [] : valuesAt(path, object);
  if (found.length === 0) return null;
  const [value] = found;
  switch (column.type) {
    case "string":
      return textOf(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateOf(value, nowMs) : null;
    default:
      return null;
  }
}

function readPath(text: string): JsonPath | undefined {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function valuesAt(path: JsonPath, object: JsonObject): readonly unknown[] {
  try {
    return path(object);
  } catch (error) {
    if (error instanceof JsonPathError) return [];
    throw error;
  }
}

function textOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return goJson(value);
  // The text of Go's templates for a missing value.
  return value === null || value === undefined ? "<no value>" : String(value);
}

function dateOf(value: string, nowMs: number): string {
  if (value !== "" && !RFC_3339.test(value)) return "<invalid>";
  return age(value, nowMs);
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
