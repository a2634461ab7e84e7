/** A request of the server itself: what one from outside is handled with, without a text that was read. */
import { ADMINISTRATOR, userInfoOf } from "../authorization/identity.ts";
import type { Call, Parts } from "./context.ts";
import { idOf } from "../storage/registry.ts";

/** A write of the status or another part of an object without a namespace. No webhook and no policy is asked. */
export function localCall(
  parts: Parts,
  { group, version, plural }: { readonly group: string; readonly version: string; readonly plural: string },
  { name, subresource }: { readonly name: string; readonly subresource: string },
): Call {
  const served = parts.registry.find(group, version, plural);
  if (served === undefined) throw new Error(`${idOf(group, plural)} is not served`);
  return {
    parts,
    request: { method: "POST", path: "", headers: {} },
    user: userInfoOf(ADMINISTRATOR),
    route: { type: "resource", group, version, resource: plural, namespace: "", name, subresource },
    query: new URLSearchParams(),
    served,
    collection: parts.store.collection(served.type.id),
    accepted: { encoding: "json" },
    warnings: [],
  };
}
