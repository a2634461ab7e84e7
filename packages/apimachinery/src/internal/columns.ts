/** Printer columns and the scale subresource: paths into the schema, checked against the schema. */
import type { JsonSchema, PrinterColumn, ScaleSubresource } from "../crd-types.ts";
import type { DefinitionProblem } from "../definition-error.ts";
import type { PrinterColumnInput } from "../resource-definition.ts";

/** The default columns of every resource, shown after the author's columns. Messages are long, so `-o wide` alone shows them. */
const DEFAULT_COLUMNS: readonly PrinterColumn[] = [
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

/** apiextensions-apiserver validation, printerColumnDatatypes and customResourceColumnDefinitionFormats. */
const TYPES: readonly string[] = ["integer", "number", "string", "boolean", "date"];
const FORMATS: readonly string[] = ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];

/** Returns the author's columns, and the default columns whose names are free. */
export function printerColumns(
  given: readonly PrinterColumnInput<string>[],
  withDefaults: boolean,
  root: JsonSchema,
  problems: DefinitionProblem[],
): readonly PrinterColumn[] {
  const own = given.flatMap((column, i) => columnOf(column, root, `printerColumns[${i}]`, problems));
  const names = own.map((column) => column.name.toLowerCase());
  names.forEach((name, i) => {
    if (names.indexOf(name) !== i)
      problems.push({
        path: `printerColumns[${i}]`,
        reason: `a column named ${JSON.stringify(own[i]?.name)} is given twice`,
        fix: "Rename one",
      });
  });
  return [...own, ...(withDefaults ? DEFAULT_COLUMNS.filter((column) => !names.includes(column.name.toLowerCase())) : [])];
}

/** Returns the scale subresource, with its paths in the form that the API server expects. */
export function scaleSubresource(given: ScaleSubresource, root: JsonSchema, problems: DefinitionProblem[]): ScaleSubresource {
  const check = (key: keyof ScaleSubresource, path: string, prefixes: readonly string[], type: string): string => {
    const jsonPath = path.startsWith(".") ? path : `.${path}`;
    const at = schemaAt(root, jsonPath.slice(1));
    if (!prefixes.some((prefix) => jsonPath.startsWith(prefix)) || /[[\]]/.test(jsonPath)) {
      problems.push({
        path: `scale.${key}`,
        reason: `${JSON.stringify(path)} must be a plain path below ${prefixes.join(" or ")}`,
        fix: `Write e.g. "${prefixes[0]}replicas"`,
      });
    } else if (at?.type !== type) {
      problems.push({
        path: `scale.${key}`,
        reason: at === undefined ? `the schema has no field ${jsonPath}` : `the field ${jsonPath} is not of type ${type}`,
        fix: `Declare it as ${type === "integer" ? "z.int32()" : "z.string()"}`,
      });
    }
    return jsonPath;
  };
  return {
    specReplicasPath: check("specReplicasPath", given.specReplicasPath, [".spec."], "integer"),
    statusReplicasPath: check("statusReplicasPath", given.statusReplicasPath, [".status."], "integer"),
    ...(given.labelSelectorPath === undefined
      ? {}
      : { labelSelectorPath: check("labelSelectorPath", given.labelSelectorPath, [".status.", ".spec."], "string") }),
  };
}

function columnOf(
  given: PrinterColumnInput<string>,
  root: JsonSchema,
  at: string,
  problems: DefinitionProblem[],
): readonly PrinterColumn[] {
  const { name, description, priority, format } = given;
  const extra = {
    ...(description === undefined ? {} : { description }),
    ...(format === undefined ? {} : { format }),
    ...(priority === undefined ? {} : { priority }),
  };
  if (format !== undefined && !FORMATS.includes(format))
    problems.push({ path: at, reason: `the format ${JSON.stringify(format)} is unknown`, fix: `Use one of ${FORMATS.join(", ")}` });
  if (priority !== undefined && !Number.isInteger(priority))
    problems.push({ path: at, reason: `the priority ${priority} is not a whole number`, fix: "Use 0, or 1 for -o wide only" });
  if (given.type !== undefined && !TYPES.includes(given.type))
    problems.push({ path: at, reason: `the type ${JSON.stringify(given.type)} is unknown`, fix: `Use one of ${TYPES.join(", ")}` });
  if (name === "") problems.push({ path: at, reason: "the column has no name", fix: "Give it one" });
  if (given.jsonPath !== undefined) {
    if (given.path !== undefined) problems.push({ path: at, reason: "both path and jsonPath are given", fix: "Keep one" });
    if (!given.jsonPath.startsWith("."))
      problems.push({
        path: at,
        reason: `the JSONPath ${JSON.stringify(given.jsonPath)} must begin with a dot`,
        fix: `Write ${JSON.stringify(`.${given.jsonPath}`)}`,
      });
    return [{ name, type: given.type ?? "string", jsonPath: given.jsonPath, ...extra }];
  }
  const field = given.path === undefined ? undefined : schemaAt(root, given.path);
  if (field === undefined) {
    problems.push({
      path: at,
      reason: `the schema has no field ${JSON.stringify(given.path)}`,
      fix: "Name a field of spec or status, or give a jsonPath",
    });
    return [];
  }
  return [{ name, type: given.type ?? columnType(field), jsonPath: `.${given.path}`, ...extra }];
}

function columnType(field: JsonSchema): PrinterColumn["type"] {
  if (field.format === "date-time") return "date";
  return field.type === "integer" || field.type === "number" || field.type === "boolean" ? field.type : "string";
}

/** The schema of the field at a path in dots below the root. */
function schemaAt(root: JsonSchema, path: string): JsonSchema | undefined {
  if (path === "metadata.creationTimestamp" || path === "metadata.deletionTimestamp") return { type: "string", format: "date-time" };
  if (path === "metadata.generation") return { type: "integer" };
  if (path === "metadata.name" || path === "metadata.namespace") return { type: "string" };
  let at: JsonSchema | undefined = root;
  for (const name of path.split(".")) {
    const properties: Readonly<Record<string, JsonSchema>> = at?.properties ?? {};
    const next: JsonSchema | boolean | undefined = Object.hasOwn(properties, name) ? properties[name] : at?.additionalProperties;
    at = typeof next === "object" ? next : undefined;
  }
  return at;
}
