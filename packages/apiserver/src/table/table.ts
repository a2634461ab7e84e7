/**
 * Tables (meta.k8s.io Table): objects as rows of cells, for `kubectl get`. Built-in kinds have the columns and cells of
 * Kubernetes' printers, other kinds those of their CRD. Ages follow the server's clock.
 */
import type { ApiResponse } from "@treadle/apimachinery";
import { type Call, respondIn } from "../request/context.ts";
import { cloneJson, type JsonObject } from "../internal/json.ts";
import type { Served } from "../storage/registry.ts";
import { badRequest, noList } from "../errors/status-errors.ts";
import type { EventType, Representation } from "../storage/representation.ts";
import type { Column } from "./column.ts";
import { columnsOf } from "./columns-of.ts";
import { age } from "./format.ts";
import { MACHINERY } from "./machinery.ts";
import { NETWORK } from "./network.ts";
import { OTHERS } from "./others.ts";
import { podCells, podConditions } from "./pods.ts";
import type { Cells, Printer } from "./printer.ts";
import { printerCell } from "./printer-columns.ts";
import { textAt } from "../internal/read.ts";
import { WORKLOADS } from "./workloads.ts";

const PRINTERS: ReadonlyMap<string, Printer> = new Map([
  ...Object.entries(WORKLOADS),
  ...Object.entries(NETWORK),
  ...Object.entries(OTHERS),
  ...Object.entries(MACHINERY),
  ["pods", podCells] as const,
]);

/** The columns of a table and the cells of a row. */
export interface TableForm {
  readonly columns: () => readonly Column[];
  readonly cells: (object: JsonObject, nowMs: number) => Cells;
  /** Returns the stored form of an object, which its row shows. By default that is the served one. */
  readonly stored?: (seen: JsonObject) => JsonObject;
  /** Go's name of the type, for objects that are not of the served kind. */
  readonly goType?: string;
}

/** Answers with one object in the accepted form. */
export async function objectAnswer(
  call: Call,
  status: number,
  representation: Representation,
  form: TableForm = formOf(call),
): Promise<ApiResponse> {
  const { encoding, table, metadataOf } = call.accepted;
  if (metadataOf === "list") throw noList(call.served, form.goType);
  const resourceVersion = representation.object.metadata.resourceVersion;
  const json = table === undefined ? representation.json : tableJson(call, [representation], { metadata: { resourceVersion }, form });
  return respondIn(encoding, status, json);
}

interface TableParts {
  readonly metadata: object;
  readonly hasHeaders?: boolean;
  readonly form?: TableForm;
}

/** Makes a table of several objects. @throws StatusError 400 */
export function tableJson(
  call: Call,
  representations: readonly Representation[],
  { metadata, hasHeaders = true, form = formOf(call) }: TableParts,
): string {
  const include = includeOf(call);
  const rows = representations.map((representation) => rowJson(call, representation, { include, form }));
  const columns = hasHeaders ? JSON.stringify(form.columns()) : "null";
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${call.accepted.table}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${columns},"rows":[${rows.join(",")}]}`;
}

/** Returns a function that makes the lines of one watch. Each is a table with one row; only the first has the columns. */
export function tableEvents(call: Call): (type: EventType | "BOOKMARK", representation: Representation) => string {
  includeOf(call);
  let hasHeaders = true;
  return (type, representation) => {
    const { resourceVersion } = representation.object.metadata;
    const table = tableJson(call, [representation], { metadata: { resourceVersion }, hasHeaders });
    hasHeaders = false;
    return `{"type":"${type}","object":${table}}\n`;
  };
}

/** Object of a row, in addition to its cells. */
type Include = "None" | "Metadata" | "Object";

/** Reads `includeObject`. @throws StatusError 400 */
function includeOf({ query }: Call): Include {
  const given = query.get("includeObject") ?? "";
  if (given === "") return "Metadata";
  if (given === "None" || given === "Metadata" || given === "Object") return given;
  const cause = `includeObject: Invalid value: ${JSON.stringify(given)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${cause}`);
}

function rowJson(
  call: Call,
  representation: Representation,
  { include, form }: { readonly include: Include; readonly form: TableForm },
): string {
  const { served, accepted, parts } = call;
  const seen = representation.object as unknown as JsonObject; // a stored object is JSON
  const object = form.stored?.(seen) ?? seen;
  const cells = JSON.stringify(form.cells(object, parts.clock.now()));
  const conditions = served.type.id === "pods" ? podConditions(object) : undefined;
  const partial = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${accepted.table}`, metadata: object["metadata"] };
  const shown = include === "None" ? "null" : include === "Object" ? representation.json : JSON.stringify(partial);
  return `{"cells":${cells},${conditions === undefined ? "" : `"conditions":${JSON.stringify(conditions)},`}"object":${shown}}`;
}

/** Returns the form of a kind. */
function formOf({ served }: Call): TableForm {
  const { toStored } = served.version;
  return {
    columns: () => columnsOf(served),
    cells: (object, nowMs) => cellsOf(served, object, nowMs),
    // Events have other field names in their own group, and autoscalers other annotations in v1.
    ...(toStored === undefined ? {} : { stored: (seen) => toStored(cloneJson(seen)) }),
  };
}

function cellsOf({ type, version }: Served, object: JsonObject, nowMs: number): Cells {
  const name = textAt(object, "metadata", "name");
  const created = textAt(object, "metadata", "creationTimestamp");
  if (type.isCustom) return [name, ...(version.printerColumns ?? []).map((column) => printerCell(column, object, nowMs))];
  const print = PRINTERS.get(type.id);
  if (print === undefined) return [name, created];
  return print(object, { name, age: age(created, nowMs), nowMs });
}
