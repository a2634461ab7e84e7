/** Stored objects as readers of a served version see them: pruned, defaulted and converted. */
import { applyDefaults, pruneObject } from "./crd/coerce.ts";
import { cloneJson, freezeJson } from "./internal/json.ts";
import type { ServedVersion } from "./registry.ts";
import type { Entry, StoredObject } from "./storage.ts";
import { View } from "./view.ts";

/** The object of an entry in a served version. Made once per version and definition of the kind. */
export function viewOf(entry: Entry, version: ServedVersion, storage: ServedVersion): View {
  const stored = entry.view;
  const known = stored.served.get(version);
  if (known !== undefined) return known;
  const object = readAs(stored.object, version, storage);
  const view = object === stored.object ? stored : new View(object);
  stored.served.set(version, view);
  return view;
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
