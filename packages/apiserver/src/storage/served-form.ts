/** Stored objects as readers of a served version see them: pruned, defaulted and converted. */
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import { cloneJson, freezeJson, type JsonObject } from "../internal/json.ts";
import type { ServedVersion } from "./registry.ts";
import type { Entry } from "./store.ts";
import type { StoredObject } from "./stored-object.ts";
import { Representation } from "./representation.ts";

/** Thrown where a stored object was not read yet in a version that needs its webhook. */
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

/** The object of an entry in a served version. Made once per version and definition of the kind. */
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

/** Notes how an object looks in a version to those who wrote it so, where it would have to be converted back. */
export function noteRepresentation(entry: Entry, version: ServedVersion, written: JsonObject): void {
  if (version.conversion === undefined || entry.object.apiVersion === version.apiVersion) return;
  const object = { ...written, metadata: entry.object.metadata } as unknown as StoredObject; // a complete draft of it
  entry.representation.noteAs(version, new Representation(freezeJson(cloneJson(object))));
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
