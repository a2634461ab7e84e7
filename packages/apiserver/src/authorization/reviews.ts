/** Answers to reviews: of the rights of a user, and of the user of a request or a token. */
import { secondsOf } from "../objects/object-meta.ts";
import type { Call } from "../request/context.ts";
import { type FieldError, invalid } from "../errors/field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { badRequest, invalidObject } from "../errors/status-errors.ts";
import type { Draft } from "../storage/stored-object.ts";
import type { Attributes } from "./attributes.ts";
import { aggregated } from "./authorizer.ts";
import { type UserInfo, userInfoOf } from "./identity.ts";

/** Answers a SubjectAccessReview, LocalSubjectAccessReview or SelfSubjectAccessReview. @throws StatusError 422 */
export function answerAccess({ parts, served, user }: Call, asked: Draft): JsonObject {
  const { kind, group } = served.type;
  const spec = objectAt(asked, "spec");
  const errors = accessErrors(kind, spec, asked);
  if (errors.length > 0) throw invalidObject({ group, kind: "" }, "", errors); // The real server forgets the kind, too.
  const who = kind === "SelfSubjectAccessReview" ? user : userOf(spec);
  const { isAllowed, reason } = parts.access.authorizer.authorize(who, attributesIn(spec));
  return { ...asked, status: { allowed: isAllowed, ...(reason === "" ? {} : { reason }) } };
}

/** Answers a SelfSubjectRulesReview. @throws StatusError 400 */
export function answerRules({ parts, user }: Call, asked: Draft): JsonObject {
  const { namespace } = objectAt(asked, "spec");
  if (typeof namespace !== "string" || namespace === "") throw badRequest("no namespace on request");
  const { rules, errors } = parts.access.authorizer.rulesFor(user, namespace);
  const resourceRules = rules.flatMap(({ verbs, apiGroups, resources, resourceNames }) =>
    isSome(resources)
      ? [{ verbs: verbs ?? [], apiGroups: apiGroups ?? [], resources, ...(isSome(resourceNames) ? { resourceNames } : {}) }]
      : [],
  );
  const nonResourceRules = rules.flatMap(({ verbs, nonResourceURLs }) =>
    isSome(nonResourceURLs) ? [{ verbs: verbs ?? [], nonResourceURLs }] : [],
  );
  const evaluationError = errors.length === 0 ? {} : { evaluationError: aggregated(errors) };
  const { apiVersion, kind } = asked;
  return { kind, apiVersion, metadata: {}, spec: {}, status: { resourceRules, nonResourceRules, incomplete: false, ...evaluationError } };
}

export function answerSelf({ parts, user }: Call, { kind, apiVersion }: Draft): JsonObject {
  return { kind, apiVersion, metadata: { creationTimestamp: secondsOf(parts.clock.now()) }, status: { userInfo: shown(user) } };
}

/** Answers a TokenReview. @throws StatusError 400 */
export function answerToken({ parts }: Call, asked: Draft): JsonObject {
  const { token, audiences } = objectAt(asked, "spec");
  if (typeof token !== "string" || token === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = Array.isArray(audiences) && audiences.length > 0 ? audiences.map(String) : [parts.access.accountTokens.issuer];
  const found = parts.access.holderOf(token, wanted);
  if ("error" in found) return { ...asked, status: { user: {}, error: found.error } };
  return { ...asked, status: { authenticated: true, user: shown(userInfoOf(found.identity)), audiences: found.audiences } };
}

function accessErrors(kind: string, spec: JsonObject, asked: Draft): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { resourceAttributes, nonResourceAttributes, user, groups } = spec;
  if (isObject(resourceAttributes) && isObject(nonResourceAttributes))
    errors.push(
      invalid(
        "spec.nonResourceAttributes",
        goAttributes(nonResourceAttributes),
        "cannot be specified in combination with resourceAttributes",
      ),
    );
  if (!isObject(resourceAttributes) && !isObject(nonResourceAttributes)) {
    const text = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalid("spec.resourceAttributes", null, text));
  }
  const isNobody = (typeof user !== "string" || user === "") && (!Array.isArray(groups) || groups.length === 0);
  if (kind !== "SelfSubjectAccessReview" && isNobody)
    errors.push(invalid("spec.user", "", "at least one of user or group must be specified"));
  const { managedFields: _, ...metadata } = asked.metadata as JsonObject;
  const isLocal = kind === "LocalSubjectAccessReview";
  if (isLocal) delete metadata["namespace"];
  const text = isLocal ? "must be empty except for namespace" : "must be empty";
  if (Object.keys(metadata).length > 0) errors.push(invalid("metadata", asked.metadata, text));
  if (!isLocal) return errors;
  if (isObject(resourceAttributes) && (resourceAttributes["namespace"] ?? "") !== asked.metadata.namespace) {
    const given = resourceAttributes["namespace"] ?? "";
    errors.push(invalid("spec.resourceAttributes.namespace", given, "must match metadata.namespace"));
  }
  if (isObject(nonResourceAttributes))
    errors.push(invalid("spec.nonResourceAttributes", goAttributes(nonResourceAttributes), "disallowed on this kind of request"));
  return errors;
}

/** The attributes with the field names of Go. */
function goAttributes({ path = "", verb = "" }: JsonObject): JsonObject {
  return { Path: path, Verb: verb };
}

/** Returns the user of a review as it is given. No group is added. */
function userOf(spec: JsonObject): UserInfo {
  const groups = Array.isArray(spec["groups"]) ? spec["groups"].map(String) : [];
  return { name: textIn(spec, "user"), uid: textIn(spec, "uid"), groups, extra: {} };
}

function attributesIn({ resourceAttributes: at, nonResourceAttributes: path }: JsonObject): Attributes {
  if (!isObject(at)) return { verb: textIn(path, "verb"), path: textIn(path, "path") };
  return {
    verb: textIn(at, "verb"),
    group: textIn(at, "group"),
    version: textIn(at, "version"),
    resource: textIn(at, "resource"),
    subresource: textIn(at, "subresource"),
    namespace: textIn(at, "namespace"),
    name: textIn(at, "name"),
  };
}

function shown({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function isSome(values: readonly string[] | null | undefined): values is readonly string[] {
  return values !== undefined && values !== null && values.length > 0;
}

function textIn(object: unknown, field: string): string {
  const value = isObject(object) ? object[field] : undefined;
  return typeof value === "string" ? value : "";
}
