/** The variables of admission expressions: the objects, the request, its namespace, parameters, and the rights of its user. */
import type { Authorizer } from "../authorization/authorizer.ts";
import { accountName, type UserInfo, userInfoOf } from "../authorization/identity.ts";
import { AUTHORIZER, type AskRights, RESOURCE_CHECK, Rights } from "../cel/library/authorizer.ts";
import { DYN, type Type } from "../cel/types.ts";
import { Dict, List, type Value } from "../cel/values.ts";
import type { JsonObject } from "../internal/json.ts";
import type { Store } from "../storage/store.ts";
import { NAMESPACE, REQUEST } from "./expression-types.ts";
import type { Names } from "./expressions.ts";
import type { Wanted } from "./matching.ts";

/** What expressions see. `undefined` objects are null. */
export interface RequestValues {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly request: JsonObject;
  readonly namespaceObject?: JsonObject | undefined;
  /** Absent when the policy has no parameters. */
  readonly params?: { readonly object: JsonObject | undefined };
  readonly rights: Rights;
}

const TYPES: ReadonlyMap<string, Type> = new Map([
  ["object", DYN],
  ["oldObject", DYN],
  ["request", REQUEST],
  ["namespaceObject", NAMESPACE],
  ["authorizer", AUTHORIZER],
  ["authorizer.requestResource", RESOURCE_CHECK],
]);
const TYPES_WITH_PARAMS: ReadonlyMap<string, Type> = new Map([...TYPES, ["params", DYN]]);

/** Returns the types of all names. */
export function requestTypes(hasParams: boolean): ReadonlyMap<string, Type> {
  return hasParams ? TYPES_WITH_PARAMS : TYPES;
}

/** Makes the variables of a request. */
export function namesOf({ object, oldObject, request, namespaceObject, params, rights }: RequestValues): Names {
  return {
    types: requestTypes(params !== undefined),
    values: {
      object: toValue(object),
      oldObject: toValue(oldObject),
      request: toValue(request),
      namespaceObject: toValue(namespaceObject),
      authorizer: new Rights("Authorizer", rights.ask),
      "authorizer.requestResource": rights,
      ...(params === undefined ? {} : { params: toValue(params.object) }),
    },
  };
}

/** Returns the right to the resource of a request, and with it the way to ask for other rights. */
export function rightsOf(authorizer: Authorizer, user: UserInfo, { served, subresource, namespace, name }: Wanted): Rights {
  const ask: AskRights = ({ account, path, ...attributes }) => {
    const who = account === undefined ? user : userInfoOf({ user: accountName(account.namespace, account.name) });
    return authorizer.authorize(who, path === undefined ? { ...attributes, version: "*" } : { path, verb: attributes.verb });
  };
  const { group } = served.version;
  return new Rights("ResourceCheck", ask, { group, resource: served.type.plural, subresource, namespace, name });
}

/** Returns the namespace of a request as expressions see it: only the fields that are equal on every server. */
export function namespaceOf(store: Store, { served, namespace }: Wanted): JsonObject | undefined {
  if (served.type.id === "namespaces") return undefined;
  const found = store.collection("namespaces").get(namespace)?.object;
  if (found === undefined) return undefined;
  const { managedFields: _, ...metadata } = found.metadata;
  return { metadata, spec: found["spec"], status: found["status"] };
}

function toValue(json: unknown): Value {
  if (json === undefined || json === null) return null;
  if (typeof json === "string" || typeof json === "boolean") return json;
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new List(json.map(toValue));
  return new Dict(new Map(Object.entries(json as JsonObject).map(([key, value]) => [key, toValue(value)])));
}
