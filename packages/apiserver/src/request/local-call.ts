/** Requests of the server itself, which have no text to parse. */
import { ADMINISTRATOR, userInfoOf } from "../authorization/identity.ts";
import type { Call, Parts } from "./context.ts";
import { idOf } from "../storage/registry.ts";

/** Makes a write of an object or its subresource. No webhook and no policy sees it. */
export function localCall(
  parts: Parts,
  { group, version, plural }: { readonly group: string; readonly version: string; readonly plural: string },
  { name, namespace = "", subresource }: { readonly name: string; readonly namespace?: string; readonly subresource: string },
): Call {
  const served = parts.registry.find(group, version, plural);
  if (served === undefined) throw new Error(`${idOf(group, plural)} is not served`);
  return {
    parts,
    request: { method: "POST", path: "", headers: {} },
    user: userInfoOf(ADMINISTRATOR),
    route: { type: "resource", group, version, resource: plural, namespace, name, subresource },
    query: new URLSearchParams(),
    served,
    collection: parts.store.collection(served.type.id),
    accepted: { encoding: "json" },
    warnings: [],
  };
}
