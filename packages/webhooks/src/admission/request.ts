/**
 * Reads AdmissionReview v1. Any client that reaches the port can send anything, so each field is checked before an author's function gets it.
 * Messages name fields and never contain values of objects.
 */
import { apiVersionOf, groupOf, type KubernetesObject } from "@treadle/apimachinery";
import { CallError } from "../call.ts";
import { type AnyWebhooks, OPERATIONS } from "../definition.ts";
import type { Operation, ReviewedUser } from "../types.ts";
import { isObject, type Json } from "../json.ts";

/** The request of an AdmissionReview. */
export interface AdmissionRequest {
  /** The id of the review, which the answer repeats. */
  readonly uid: string;
  readonly operation: Operation;
  readonly subresource: string;
  /** The name of the object; empty while only `generateName` is set. */
  readonly name: string;
  /** The namespace; empty for an object of the cluster. */
  readonly namespace: string;
  readonly user: ReviewedUser;
  readonly isDryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** The new object; for DELETE the deleted one; for CONNECT the options, with the metadata of the object. */
  readonly object: KubernetesObject;
  /** The stored object, for UPDATE and DELETE. */
  readonly old: KubernetesObject | undefined;
  /** Whether the client wrote in another version, from which the API server converted the object. */
  readonly isConverted: boolean;
}

const API_VERSION = "admission.k8s.io/v1";

/** Reads the body of a call. @throws CallError 400 for a body that is no review of the kind of `webhooks` */
export function readRequest(webhooks: AnyWebhooks, body: unknown): AdmissionRequest {
  if (!isObject(body)) throw noReview("the body is not a JSON object", "Send an AdmissionReview, as an API server does");
  const { kind, apiVersion, request } = body;
  if (kind !== "AdmissionReview") throw noReview(`kind is ${shown(kind)}`, "Send an AdmissionReview: this path is for API servers");
  if (apiVersion !== API_VERSION)
    throw noReview(`apiVersion is ${shown(apiVersion)}`, `Set admissionReviewVersions: ["v1"] in the webhook's configuration`);
  if (!isObject(request)) throw noReview("it has no request", "Send an AdmissionReview with a request");
  const uid = request["uid"];
  if (typeof uid !== "string" || uid === "") throw noReview("request.uid is missing", "Send the uid, which the answer repeats");
  const operation = OPERATIONS.find((one) => one === request["operation"]);
  if (operation === undefined) throw noReview(`request.operation is ${shown(request["operation"])}`, `Use one of ${OPERATIONS.join(", ")}`);
  const subresource = textAt(request, "subResource");
  checkKind(webhooks, request, subresource);
  const { name, namespace } = { name: textAt(request, "name"), namespace: textAt(request, "namespace") };
  return {
    uid,
    operation,
    subresource,
    name,
    namespace,
    user: userOf(request["userInfo"]),
    isDryRun: request["dryRun"] === true,
    options: isObject(request["options"]) ? request["options"] : {},
    isConverted: ![undefined, webhooks.kind.version].includes(textOrNone(fieldsAt(request, "requestKind"), "version")),
    ...objectsOf(request, operation, { name, namespace }),
  };
}

/** A review of another kind or version would give the author's functions fields that their types do not have. */
function checkKind({ kind }: AnyWebhooks, request: Json, subresource: string): void {
  const { group, version, resource } = fieldsAt(request, "resource");
  if (group !== kind.group || resource !== kind.plural) {
    const got = `${shown(resource)} of group ${shown(group)}`;
    throw noReview(
      `request.resource is ${got}`,
      `This path reviews ${kind.plural} of group ${JSON.stringify(kind.group)}: correct the configuration`,
    );
  }
  const of = fieldsAt(request, "kind");
  if (version !== kind.version || (subresource === "" && of["version"] !== kind.version))
    throw noReview(
      `the object has version ${shown(of["version"])}`,
      `Register the webhook for ${apiVersionOf(kind)} with matchPolicy: Equivalent, so that the API server converts objects`,
    );
  if (subresource === "" && request["operation"] !== "CONNECT" && of["kind"] !== kind.kind)
    throw noReview(`request.kind is ${shown(of["kind"])}`, `This path reviews ${kind.kind}: correct the configuration`);
}

function objectsOf(
  request: Json,
  operation: Operation,
  ref: { readonly name: string; readonly namespace: string },
): Pick<AdmissionRequest, "object" | "old"> {
  switch (operation) {
    case "CREATE":
      return { object: objectAt(request, "object"), old: undefined };
    case "UPDATE":
      return { object: objectAt(request, "object"), old: objectAt(request, "oldObject") };
    case "DELETE": {
      const old = objectAt(request, "oldObject");
      return { object: old, old };
    }
    case "CONNECT": {
      // Options such as PodExecOptions have no metadata. With it, a function knows which object the connection is to.
      const { name, namespace } = ref;
      const metadata = { name, ...(namespace === "" ? {} : { namespace }) };
      return { object: objectAt({ object: { metadata, ...fieldsAt(request, "object") } }, "object"), old: undefined };
    }
  }
}

function objectAt(request: Json, field: "object" | "oldObject"): KubernetesObject {
  const given = request[field];
  if (!isObject(given)) throw noReview(`request.${field} is missing`, `Send the whole object for ${shown(request["operation"])}`);
  const { apiVersion, kind, metadata } = given;
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    throw noReview(`request.${field} has no apiVersion and kind`, "Send the whole object");
  if (!isObject(metadata)) throw noReview(`request.${field} has no metadata`, "Send the whole object, with its metadata");
  return given as unknown as KubernetesObject; // what the type demands was checked above; the server made the rest
}

function userOf(given: unknown): ReviewedUser {
  if (!isObject(given)) throw noReview("request.userInfo is missing", "Send the user of the request");
  const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
  const extra = Object.entries(fieldsAt(given, "extra")).map(([key, value]) => [key, texts(value)] as const);
  return {
    username: textAt(given, "username"),
    uid: textAt(given, "uid"),
    groups: texts(given["groups"]),
    extra: Object.fromEntries(extra),
  };
}

/** Returns whether a group is part of Kubernetes. The API server writes the spec of its kinds even when the client left it out. */
export function isBuiltIn({ apiVersion }: Pick<KubernetesObject, "apiVersion">): boolean {
  const group = groupOf(apiVersion);
  return !group.includes(".") || group.endsWith(".k8s.io");
}

function noReview(what: string, fix: string): CallError {
  return new CallError(400, "ERR_INVALID_REVIEW", `cannot read the AdmissionReview: ${what}. ${fix}`);
}

function fieldsAt(fields: Json, name: string): Json {
  const value = fields[name];
  return isObject(value) ? value : {};
}

function textOrNone(fields: Json, name: string): string | undefined {
  return textAt(fields, name) || undefined;
}

function textAt(fields: Json, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Kinds, versions and operations are shown. A client may send a long text in their place. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return "missing";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 63)) : `of type ${Array.isArray(value) ? "list" : typeof value}`;
}
