/** Converts drafts to the form in which the store keeps the objects of their kind. `storage/served-form.ts` converts back. */
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import type { JsonObject } from "../internal/json.ts";
import type { Draft } from "../storage/stored-object.ts";
import type { Call } from "./context.ts";

/** Returns the draft in the storage version. */
export function toStored(call: Pick<Call, "served" | "parts" | "deliberation">, draft: Draft): Draft {
  const { type, version } = call.served;
  const storage = type.storage;
  if (version.conversion !== undefined && storage.apiVersion !== version.apiVersion) {
    const converted = call.parts.conversions.toStored(call, draft);
    return storage.schema === undefined ? converted : (applyDefaults(pruneObject(converted, storage.schema), storage.schema) as Draft); // as above
  }
  let stored: JsonObject = version.toStored === undefined ? draft : version.toStored(draft);
  if (storage.apiVersion !== version.apiVersion) {
    stored = { ...stored, apiVersion: storage.apiVersion };
    if (storage.schema !== undefined) stored = applyDefaults(pruneObject(stored, storage.schema), storage.schema);
  }
  return stored as Draft; // kind and metadata are those of the draft
}
