/** The options of a DELETE, in its body, or else in its query. */
import { BodyError, encodingOf, parseBody } from "../request/content.ts";
import type { Call } from "../request/context.ts";
import { SCHEME } from "../request/draft.ts";
import { type FieldError, invalid, notSupported } from "../errors/field-errors.ts";
import { goFloat } from "../internal/go-float.ts";
import { goQuote, goTypeOf, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { stringsOf } from "../objects/object-meta.ts";
import { dryRunErrors, readBoolean, readInteger } from "../request/write-options.ts";
import { badRequest, invalidObject } from "../errors/status-errors.ts";

export interface DeleteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagation: string | undefined;
  readonly graceSeconds: number | undefined;
  readonly isDryRun: boolean;
}

/** Reads the options. @throws StatusError 400, 415, 422 */
export async function readDeleteOptions({ request, query }: Call): Promise<DeleteOptions> {
  const hasBody = request.body !== undefined && request.body !== "";
  // With a body the real server ignores the query, including a dry run.
  const options = hasBody ? await readBody(request.body, request.headers["content-type"]) : fromQuery(query);
  const { propagation, orphan, dryRun } = options;
  const errors: FieldError[] = dryRunErrors(dryRun);
  if (orphan !== undefined && propagation !== undefined) {
    errors.push(invalid("propagationPolicy", propagation, "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (propagation !== undefined && !POLICIES.includes(propagation))
    errors.push(notSupported("propagationPolicy", propagation, [...POLICIES, "nil"]));
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  return {
    ...options,
    propagation: propagation ?? (orphan === undefined ? undefined : orphan ? "Orphan" : "Background"),
    isDryRun: dryRun.length > 0,
  };
}

const POLICIES: readonly string[] = ["Foreground", "Background", "Orphan"];

interface Given extends Omit<DeleteOptions, "isDryRun"> {
  readonly orphan: boolean | undefined;
  readonly dryRun: readonly string[];
}

function fromQuery(query: URLSearchParams): Given {
  return {
    uid: query.get("uid") || undefined,
    resourceVersion: query.get("resourceVersion") || undefined,
    propagation: query.get("propagationPolicy") || undefined,
    orphan: readBoolean(query, "orphanDependents"),
    dryRun: query.getAll("dryRun"),
    graceSeconds: readInteger(query, "gracePeriodSeconds"),
  };
}

async function readBody(text: string, contentType: string | undefined): Promise<Given> {
  let body: unknown;
  try {
    body = await parseBody(text, encodingOf(contentType));
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    throw badRequest(error.message);
  }
  const options = objectAt(body);
  const kind = String(options["kind"] || "DeleteOptions"); // a text, by parseBody
  if (kind !== "DeleteOptions") {
    const version = String(options["apiVersion"] || "meta.k8s.io/v1");
    throw badRequest(`no kind ${goQuote(kind)} is registered for version ${goQuote(version)} in ${SCHEME}`);
  }
  return fromBody(options);
}

/** Reads options inside another object. @throws StatusError 400 */
export function readPosted(options: unknown): Pick<DeleteOptions, "uid" | "resourceVersion" | "graceSeconds" | "propagation"> {
  return fromBody(objectAt(options));
}

function fromBody(options: JsonObject): Given {
  const read = reader(options, "DeleteOptions.");
  const preconditions = read("preconditions", "object", "v1.Preconditions");
  const inside = reader(objectAt(preconditions), "Preconditions.preconditions.");
  const dryRun = read("dryRun", "array", "[]string");
  for (const item of stringsOf(dryRun)) if (typeof item !== "string") throw wrongType(item, "DeleteOptions.dryRun", "string");
  const orphan = read("orphanDependents", "bool", "bool");
  read("ignoreStoreReadErrorWithClusterBreakingPotential", "bool", "bool");
  const grace = read("gracePeriodSeconds", "number", "int64");
  if (typeof grace === "number" && !isInt64(grace)) {
    const text = goFloat(grace);
    throw badRequest(`json: cannot unmarshal number ${text} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`);
  }
  return {
    uid: textOf(inside("uid", "string", "types.UID")),
    resourceVersion: textOf(inside("resourceVersion", "string", "string")),
    propagation: textOf(read("propagationPolicy", "string", "v1.DeletionPropagation")),
    orphan: typeof orphan === "boolean" ? orphan : undefined,
    dryRun: stringsOf(dryRun),
    graceSeconds: typeof grace === "number" ? grace : undefined,
  };
}

/** Returns a reader of members with one JSON type. A precondition of the wrong type must not be ignored. @throws StatusError 400 */
function reader(object: JsonObject, at: string): (field: string, type: string, goType: string) => unknown {
  return (field, type, goType) => {
    const value = object[field] ?? undefined;
    if (value !== undefined && goTypeOf(value) !== type) throw wrongType(value, `${at}${field}`, goType);
    return value;
  };
}

function wrongType(value: unknown, at: string, goType: string): Error {
  return badRequest(`json: cannot unmarshal ${goTypeOf(value)} into Go struct field ${at} of type ${goType}`);
}

function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
