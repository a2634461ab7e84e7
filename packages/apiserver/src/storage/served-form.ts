/** Stored objects as readers of a served version see them: pruned, defaulted and converted. */
import { UnreadError } from "../request/deliberation.ts";
import type { Call } from "../request/context.ts";
import { applyDefaults, pruneObject } from "../crd/coerce.ts";
import { cloneJson, freezeJson, type JsonObject } from "../internal/json.ts";
import type { ServedVersion } from "./registry.ts";
import type { Draft, Entry, StoredObject } from "./store.ts";
import { View } from "./representation.ts";

/** The object of an entry in a served version. Made once per version and definition of the kind. */
export function viewOf(entry: Entry, version: ServedVersion, storage: ServedVersion): View {
  const stored = entry.view;
  const known = stored.as(version);
  if (known !== undefined) return known;
  if (version.conversion !== undefined && stored.object.apiVersion !== version.apiVersion) throw new UnreadError(entry, version, storage);
  const object = readAs(stored.object, version, storage);
  const view = object === stored.object ? stored : new View(object);
  stored.noteAs(version, view);
  return view;
}

/** Notes how an object looks in a version to those who wrote it so, where it would have to be converted back. */
export function noteView(entry: Entry, version: ServedVersion, written: JsonObject): void {
  if (version.conversion === undefined || entry.object.apiVersion === version.apiVersion) return;
  const object = { ...written, metadata: entry.object.metadata } as unknown as StoredObject; // a complete draft of it
  entry.view.noteAs(version, new View(freezeJson(cloneJson(object))));
}

/** The stored object with the defaults and without the unknown fields of the present schema; most often itself. */
export function currentForm(stored: StoredObject, storage: ServedVersion): StoredObject {
  if (storage.schema === undefined) return stored;
  return freezeJson(applyDefaults(pruneObject(stored, storage.schema), storage.schema));
}

function readAs(stored: StoredObject, version: ServedVersion, storage: ServedVersion): StoredObject {
  let object = currentForm(stored, storage);
  if (version.fromStored !== undefined) object = version.fromStored(cloneJson(object)) as unknown as StoredObject; // keeps metadata
  if (object.apiVersion !== version.apiVersion) {
    object = { ...object, apiVersion: version.apiVersion };
    if (version.schema !== undefined) object = pruneObject(object, version.schema);
  }
  return freezeJson(object);
}

/** The draft in the form in which the kind is stored. */
export function toStored(call: Pick<Call, "served" | "parts" | "deliberation">, draft: Draft): Draft {
  const { type, version } = call.served;
  const storage = type.storage;
  if (version.conversion !== undefined && storage.apiVersion !== version.apiVersion) {
    const converted = call.parts.conversions.toStored(call as Call, draft);
    return storage.schema === undefined ? converted : (applyDefaults(pruneObject(converted, storage.schema), storage.schema) as Draft); // as above
  }
  let stored: JsonObject = version.toStored === undefined ? draft : version.toStored(draft);
  if (storage.apiVersion !== version.apiVersion) {
    stored = { ...stored, apiVersion: storage.apiVersion };
    if (storage.schema !== undefined) stored = applyDefaults(pruneObject(stored, storage.schema), storage.schema);
  }
  return stored as Draft; // kind and metadata are those of the draft
}
