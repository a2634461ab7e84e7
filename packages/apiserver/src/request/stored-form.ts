/** Converts drafts to the form in which the store keeps the objects of their kind. `storage/served-form.ts` converts back. */
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import type { JsonObject } from "../internal/json.ts";
import type { Stored } from "./deliberation.ts";
import type { ServedVersion } from "../storage/registry.ts";
import type { Draft } from "../storage/stored-object.ts";
import type { Call } from "./context.ts";

/** Returns the draft in the storage version, and as readers of its version see it then. @throws Suspension, StatusError */
export function toStored(call: Pick<Call, "served" | "parts" | "deliberation">, draft: Draft): Stored {
  const { type, version } = call.served;
  const storage = type.storage;
  if (version.conversion !== undefined && storage.apiVersion !== version.apiVersion) return call.parts.conversions.toStored(call, draft);
  if (storage.apiVersion === version.apiVersion) {
    const isAmended = call.deliberation?.isAmended === true && version.schema !== undefined;
    const stored = isAmended ? (pruneObject(draft, version.schema) as Draft) : draft; // pruned below kind and metadata
    return { stored, shown: stored };
  }
  let stored: JsonObject = { ...(version.toStored === undefined ? draft : version.toStored(draft)), apiVersion: storage.apiVersion };
  if (storage.schema === undefined) return { stored: stored as Draft, shown: shownIn(version, stored, draft) };
  // Defaults of the stored version are filled in when the object is read.
  stored = pruneObject(stored, storage.schema);
  return { stored: stored as Draft, shown: shownIn(version, applyDefaults(stored, storage.schema), draft) }; // kind and metadata are those of the draft
}

/** Returns the stored object in the version of the draft. A custom kind loses the fields that the stored version does not have. */
function shownIn({ apiVersion, schema }: ServedVersion, stored: JsonObject, draft: Draft): Draft {
  return schema === undefined ? draft : (pruneObject({ ...stored, apiVersion }, schema) as Draft); // as above
}
