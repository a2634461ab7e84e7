/** Converts stored objects to a served version: pruned, with defaults and converted. */
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import { cloneJson, freezeJson, type JsonObject } from "../internal/json.ts";
import type { ServedVersion } from "./registry.ts";
import type { Entry } from "./store.ts";
import type { StoredObject } from "./stored-object.ts";
import { Representation } from "./representation.ts";

/** Thrown when the webhook of a version has not converted the stored object yet. */
export class UnreadError extends Error {
  override readonly name = "UnreadError";
  readonly entry: Entry;
  readonly version: ServedVersion;
  readonly storage: ServedVersion;

  constructor(entry: Entry, version: ServedVersion, storage: ServedVersion) {
    super("the object waits for its conversion");
    this.entry = entry;
    this.version = version;
    this.storage = storage;
  }
}

/** Returns the object of an entry in a served version. It is made once for each version and definition of the kind. */
export function representationOf(entry: Entry, version: ServedVersion, storage: ServedVersion): Representation {
  const stored = entry.representation;
  const known = stored.as(version);
  if (known !== undefined) return known;
  if (version.conversion !== undefined && stored.object.apiVersion !== version.apiVersion) throw new UnreadError(entry, version, storage);
  const object = readAs(stored.object, version, storage);
  const representation = object === stored.object ? stored : new Representation(object);
  stored.noteAs(version, representation);
  return representation;
}

/** Notes the written object as its representation in the written version, so that it is not converted back. */
export function noteRepresentation(entry: Entry, version: ServedVersion, written: JsonObject): void {
  if (version.conversion === undefined || entry.object.apiVersion === version.apiVersion) return;
  const object = { ...written, metadata: entry.object.metadata } as unknown as StoredObject; // a complete draft of it
  entry.representation.noteAs(version, new Representation(freezeJson(cloneJson(object))));
}

/** Returns the stored object with the defaults of the current schema and without unknown fields. It is most often the same object. */
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
