/**
 * Failures as `Status` objects of the real API server (k8s.io/apimachinery `api/errors`). Codes, reasons, details and
 * messages are the same, because clients and users match on them.
 */
import type { ApiResponse, Status, StatusCause } from "@treadle/apimachinery";
import { aggregate, type FieldError } from "./field-errors.ts";
import { goQuote } from "../internal/json.ts";

/** A resource in an error. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** A failure that the client gets as its answer. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status) {
    super(status.message);
    this.status = status;
  }
}

/** Makes the response of a failure. */
export function failedResponse(status: Status): ApiResponse {
  const retryAfter = status.details?.retryAfterSeconds;
  const headers = {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
  };
  return { status: status.code, headers, body: JSON.stringify(status) };
}

type Details = NonNullable<Status["details"]>;

/** Returns `plural.group`, or `plural` for the core group. */
function qualified(resource: GroupResource): string {
  return resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
}

export function notFound(resource: GroupResource, name: string): StatusError {
  return failure(404, "NotFound", `${qualified(resource)} ${goQuote(name)} not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  return failure(409, "AlreadyExists", `${qualified(resource)} ${goQuote(name)} already exists`, detailsOf(resource, name));
}

/** An object that is being deleted has the name. */
export function whileDeleting({ status }: StatusError): StatusError {
  return new StatusError({ ...status, message: `object is being deleted: ${status.message}` });
}

/** No free name was found for `generateName`. */
export function generateNameConflict(resource: GroupResource, name: string): StatusError {
  const message = `${qualified(resource)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`;
  return failure(409, "AlreadyExists", message, { ...detailsOf(resource, name), retryAfterSeconds: 1 });
}

export function conflict(resource: GroupResource, name: string, cause: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} ${goQuote(name)}: ${cause}`;
  return failure(409, "Conflict", message, detailsOf(resource, name));
}

/** An apply would change fields of other managers. */
export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return failure(409, "Conflict", message, { causes });
}

/** The applied value is not an object of the kind. The real server has no better code for it. */
export function untypable(cause: string): StatusError {
  return failure(500, "", cause);
}

/** The resourceVersion of a write is not the stored one. */
export function staleVersion(resource: GroupResource, name: string): StatusError {
  return conflict(resource, name, "the object has been modified; please apply your changes to the latest version and try again");
}

export function forbiddenError(resource: GroupResource, name: string, cause: string, causes: readonly StatusCause[] = []): StatusError {
  const what = name === "" ? qualified(resource) : `${qualified(resource)} ${goQuote(name)}`;
  // A path is not a resource.
  return failure(403, "Forbidden", `${resource.resource === "" ? "" : `${what} is `}forbidden: ${cause}`, {
    ...detailsOf(resource, name),
    ...(causes.length === 0 ? {} : { causes }),
  });
}

export function invalidObject(
  of: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const what = of.group === "" ? of.kind : `${of.kind}.${of.group}`;
  const causes = errors.map((error) => ({ reason: error.reason, message: error.body, field: error.field }));
  return failure(422, "Invalid", `${what} ${goQuote(name)} is invalid: ${aggregate(errors)}`, {
    ...detailsOf({ group: of.group, resource: of.kind }, name),
    causes,
  });
}

/** The patch is valid and cannot be applied to the object (a failed `test`, a path that does not exist). It names no cause. */
export function unprocessablePatch(): StatusError {
  return failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

export function badRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

export function methodNotSupported(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${goQuote(qualified(resource))}`;
  return failure(405, "MethodNotAllowed", message, detailsOf(resource, ""));
}

/** The method does not exist at this path. */
export function methodNotAllowed(): StatusError {
  return failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
}

/** The path has no representation of the accepted types. */
export function noRepresentation(available: readonly string[]): StatusError {
  return failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`, {});
}

/** The client accepts only the metadata of one object, and the answer is a list. */
export function notOneObject({ type }: { readonly type: KindName }): StatusError {
  const cause = `you requested PartialObjectMetadata, but the requested object is a list (*${goTypeName(type)}List)`;
  return failure(406, "NotAcceptable", cause);
}

/** The client accepts only a list of metadata, and the answer is one object. */
export function noList({ type }: { readonly type: KindName }, goType?: string): StatusError {
  // The real server has no better code for custom resources.
  if (type.isCustom && goType === undefined) return failure(500, "", "content is not a list");
  const cause = `you requested PartialObjectMetadataList, but the requested object is not a list (*${goType ?? goTypeName(type)})`;
  return failure(406, "NotAcceptable", cause);
}

interface KindName {
  readonly group: string;
  readonly kind: string;
  readonly isCustom: boolean;
}

function goTypeName({ group, kind, isCustom }: KindName): string {
  return isCustom ? "unstructured.Unstructured" : `${group === "" ? "core" : (group.split(".")[0] ?? "")}.${kind}`;
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return failure(415, "UnsupportedMediaType", message);
}

export function entityTooLarge(message: string): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}

/** A PodDisruptionBudget does not allow it now. */
export function tooManyRequests(message: string, cause: string, retryAfterSeconds = 0): StatusError {
  const causes = [{ reason: "DisruptionBudget", message: cause }];
  return failure(429, "TooManyRequests", message, { causes, ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }) });
}

/** A failure of a built-in kind for which the real server has no code. */
export function unclassified(message: string): StatusError {
  return failure(500, "", message);
}

export function expired(message: string): StatusError {
  return failure(410, "Expired", message);
}

/** A read asks for a future resourceVersion. */
export function tooLargeVersion(asked: number, current: number): StatusError {
  return failure(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

export function unauthorized(): StatusError {
  return failure(401, "Unauthorized", "Unauthorized");
}

/** The API group of the path is not served. */
export function resourceNotServed(): StatusError {
  return failure(404, "NotFound", "the server could not find the requested resource", {});
}

/** An object to create has a resourceVersion. The real server has no better code for it. */
export function versionOnCreate(): StatusError {
  return failure(500, "", "resourceVersion should not be set on objects to be created");
}

/** The resourceVersion is not a number. The real server has no better code for it. */
export function unreadableVersion(cause: string): StatusError {
  return failure(500, "", cause);
}

export function shuttingDown(): StatusError {
  return failure(503, "ServiceUnavailable", "apiserver is shutting down", { retryAfterSeconds: 1 });
}

/** What the request needs does not answer. */
export function serviceUnavailable(message: string): StatusError {
  return failure(503, "ServiceUnavailable", message);
}

export function internalError(cause: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${cause}`, { causes: [{ message: cause }] });
}

function failure(code: number, reason: string, message: string, details?: Details): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

function detailsOf(resource: GroupResource, name: string): Details {
  return {
    ...(name === "" ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    ...(resource.resource === "" ? {} : { kind: resource.resource }),
  };
}

/** Headers of texts of Go's HTTP server. */
export const TEXT_HEADERS = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" } as const;

/** Answer of Go's mux for a path that does not exist. */
export const PAGE_NOT_FOUND: ApiResponse = { status: 404, headers: TEXT_HEADERS, body: "404 page not found\n" };
