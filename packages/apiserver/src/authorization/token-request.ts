/** TokenRequest: a POST to `serviceaccounts/NAME/token` makes a token of the account. */
import type { Call } from "../request/context.ts";
import { type FieldError, invalid } from "../errors/field-errors.ts";
import { goQuote, isObject, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { secondsOf } from "../objects/object-meta.ts";
import { badRequest, conflict, invalidObject, notFound } from "../errors/status-errors.ts";
import { keyFor } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import type { BoundObject } from "./tokens.ts";

const OF = { group: "authentication.k8s.io", kind: "TokenRequest" } as const;
/** kubernetes `authentication/validation`. */
const MIN_SECONDS = 600;

/** Answers a TokenRequest. @throws StatusError 400, 404, 409, 422 */
export function answerTokenRequest({ parts, route }: Call, asked: Draft): JsonObject {
  const { name: given = "", uid } = asked.metadata as Partial<StoredObject["metadata"]>; // read by readMeta
  if (given !== "" && given !== route.name) {
    const error = invalid("metadata.name", given, "must match the service account name if specified");
    throw invalidObject(OF, route.name, [error]);
  }
  const account = find(parts.store, "serviceaccounts", route.namespace, route.name);
  const { metadata } = account;
  if (uid !== undefined && uid !== metadata.uid) {
    const cause = `the UID in the token request (${uid}) does not match the UID of the service account (${metadata.uid})`;
    throw conflict({ group: OF.group, resource: OF.kind }, route.name, cause);
  }
  const spec = objectAt(asked, "spec");
  const seconds = Number(spec["expirationSeconds"]); // has a default
  const errors = secondsErrors(seconds);
  if (errors.length > 0) throw invalidObject(OF, "", errors);
  const audiences =
    Array.isArray(spec["audiences"]) && spec["audiences"].length > 0 ? spec["audiences"].map(String) : [parts.access.accountTokens.issuer];
  const bound = isObject(spec["boundObjectRef"]) ? boundObject(parts.store, route, spec["boundObjectRef"]) : undefined;
  const token = parts.access.accountTokens.issue({ account, audiences, seconds, id: parts.uid(), bound });
  const now = parts.clock.now();
  const shown = { name: route.name, namespace: route.namespace, uid: metadata.uid, creationTimestamp: secondsOf(now) };
  return {
    ...asked,
    metadata: { ...asked.metadata, ...shown },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec["boundObjectRef"] ?? null },
    status: { token, expirationTimestamp: secondsOf(now + seconds * 1000) },
  };
}

function secondsErrors(seconds: number): readonly FieldError[] {
  const at = "spec.expirationSeconds";
  if (seconds < MIN_SECONDS) return [invalid(at, seconds, "may not specify a duration less than 10 minutes")];
  return seconds > 2 ** 32 ? [invalid(at, seconds, "may not specify a duration larger than 2^32 seconds")] : [];
}

function boundObject(store: Call["parts"]["store"], { namespace, name: account }: Call["route"], ref: JsonObject): BoundObject {
  const text = (field: string): string => (typeof ref[field] === "string" ? ref[field] : "");
  const [apiVersion, kind, name] = [text("apiVersion"), text("kind"), text("name")];
  if (apiVersion !== "v1" || (kind !== "Pod" && kind !== "Secret" && kind !== "Node")) {
    const slash = apiVersion.lastIndexOf("/");
    throw badRequest(
      `cannot bind token to object of type ${apiVersion.slice(0, Math.max(slash, 0))}/${apiVersion.slice(slash + 1)}, Kind=${kind}`,
    );
  }
  const object = find(store, `${kind.toLowerCase()}s`, kind === "Node" ? "" : namespace, name);
  const podAccount = isObject(object["spec"]) ? object["spec"]["serviceAccountName"] : undefined;
  if (kind === "Pod" && podAccount !== account)
    throw badRequest(`cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`);
  const { uid } = object.metadata;
  if (text("uid") !== "" && text("uid") !== uid) {
    const cause = `the UID in the bound object reference (${text("uid")}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kind }, name, cause);
  }
  return { kind, apiVersion, name, uid };
}

function find(store: Call["parts"]["store"], plural: string, namespace: string, name: string): StoredObject {
  const entry = store.collection(plural).get(keyFor(namespace, name));
  if (entry === undefined) throw notFound({ group: "", resource: plural }, name);
  return entry.object;
}
