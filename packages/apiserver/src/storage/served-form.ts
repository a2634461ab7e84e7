/** Converts stored objects to a served version: pruned, with defaults and converted. */
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import { StatusError } from "../errors/status-errors.ts";
import { cloneJson, freezeJson, isObject, type JsonObject } from "../internal/json.ts";
import type { ResourceType, ServedVersion } from "./registry.ts";
import type { Entry } from "./store.ts";
import type { StoredObject } from "./stored-object.ts";
import { Representation } from "./representation.ts";

/** Thrown when the webhook of a version has not converted the stored object yet. */
export class UnreadError extends Error {
  override readonly name = "UnreadError";
  readonly entry: Entry;
  readonly version: ServedVersion;
  readonly type: ResourceType;

  constructor(entry: Entry, version: ServedVersion, type: ResourceType) {
    super("the object waits for its conversion");
    this.entry = entry;
    this.version = version;
    this.type = type;
  }
}

/** Returns the object of an entry in a served version. It is made once for each version and definition of the kind. */
export function representationOf(entry: Entry, version: ServedVersion, type: ResourceType): Representation {
  const stored = entry.representation;
  const known = stored.as(version);
  if (known !== undefined) return known;
  if (version.conversion !== undefined && stored.object.apiVersion !== version.apiVersion) throw new UnreadError(entry, version, type);
  const object = readAs(stored.object, version, type);
  const representation = object === stored.object ? stored : new Representation(object);
  stored.noteAs(version, representation);
  return representation;
}

/** Notes an object as the representation of an entry in a version, so that it is not converted again. @throws StatusError if it is a failure */
export function noteRepresentation(entry: Entry, version: ServedVersion, shown: JsonObject | StatusError): void {
  if (shown instanceof StatusError) throw shown;
  if (version.conversion === undefined || entry.object.apiVersion === version.apiVersion) return;
  const metadata = shownMeta(entry.object.metadata, shown);
  entry.representation.noteAs(version, new Representation(freezeJson(cloneJson({ ...shown, metadata } as unknown as StoredObject)))); // a complete draft of it
}

/** A conversion may change labels and annotations. All other metadata is that of the stored object. */
function shownMeta(stored: StoredObject["metadata"], { metadata }: JsonObject): JsonObject {
  const { labels: _, annotations: __, ...rest } = stored;
  const { labels, annotations } = isObject(metadata) ? metadata : {};
  return { ...rest, ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
}

/**
 * Returns the stored object with the defaults of the current schema and without unknown fields. It is most often the same
 * object. The schema is that of the version in which the object is stored, which an earlier definition can have chosen.
 */
export function currentForm(stored: StoredObject, { versions, storage }: ResourceType): StoredObject {
  const { schema } = versions.find(({ apiVersion }) => apiVersion === stored.apiVersion) ?? storage;
  return schema === undefined ? stored : freezeJson(applyDefaults(pruneObject(stored, schema), schema));
}

function readAs(stored: StoredObject, version: ServedVersion, type: ResourceType): StoredObject {
  let object = currentForm(stored, type);
  if (version.fromStored !== undefined) object = version.fromStored(cloneJson(object)) as unknown as StoredObject; // keeps metadata
  if (object.apiVersion !== version.apiVersion) {
    object = { ...object, apiVersion: version.apiVersion };
    if (version.schema !== undefined) object = pruneObject(object, version.schema);
  }
  return freezeJson(object);
}
