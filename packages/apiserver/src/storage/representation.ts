/**
 * The representations of one version of an object: in each served version, complete or only metadata, as a list item or a
 * watch event. Each text is made once for all readers, until the representation is released.
 */
import type { StoredObject } from "./stored-object.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One representation of one version of an object, with its texts. */
export class Representation {
  readonly object: StoredObject;
  #isReleased = false;
  #json: string | undefined;
  #item: string | undefined;
  #events: Partial<Record<EventType, string>> | undefined;
  #metadataOnly: Representation | undefined;
  #departed: Representation | undefined;
  // Most objects are read in one version. A map for each would take more memory than everything else here.
  #version: object | undefined;
  #asVersion: Representation | undefined;
  #others: Map<object, Representation> | undefined;

  constructor(object: StoredObject) {
    this.object = object;
  }

  /** Returns the object in a served version if it was noted, see `served-form.ts`. */
  as(version: object): Representation | undefined {
    return this.#version === version ? this.#asVersion : this.#others?.get(version);
  }

  noteAs(version: object, representation: Representation): void {
    if (this.#version === undefined || this.#version === version) {
      this.#version = version;
      this.#asVersion = representation;
    } else (this.#others ??= new Map()).set(version, representation);
  }

  /** Forgets the texts. From now on they are made for each reader. */
  release(): void {
    this.#isReleased = true;
    this.#json = this.#item = this.#events = this.#metadataOnly = this.#departed = undefined;
    if (this.#asVersion !== this) this.#asVersion?.release();
    for (const representation of this.#others?.values() ?? []) representation.release();
  }

  get json(): string {
    if (this.#json !== undefined) return this.#json;
    const json = JSON.stringify(this.object);
    if (!this.#isReleased) this.#json = json;
    return json;
  }

  /** JSON without `apiVersion` and `kind`, which items of lists of built-in kinds do not have. */
  get itemJson(): string {
    if (this.#item !== undefined) return this.#item;
    const { apiVersion: _, kind: __, ...rest } = this.object;
    const item = JSON.stringify(rest);
    if (!this.#isReleased) this.#item = item;
    return item;
  }

  /** The object as PartialObjectMetadata. */
  get metadataOnly(): Representation {
    if (this.#metadataOnly !== undefined) return this.#metadataOnly;
    const representation = new Representation({
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
      metadata: this.object.metadata,
    });
    if (!this.#isReleased) this.#metadataOnly = representation;
    return representation;
  }

  /** Returns the line of a watch event. */
  event(type: EventType): string {
    const known = this.#events?.[type];
    if (known !== undefined) return known;
    const line = `{"type":"${type}","object":${this.json}}\n`;
    if (!this.#isReleased) (this.#events ??= {})[type] = line;
    return line;
  }

  /** Returns this state with a later revision, which a watcher gets when the object leaves its selection. */
  departedAt(resourceVersion: string): Representation {
    if (this.#departed?.object.metadata.resourceVersion === resourceVersion) return this.#departed;
    const representation = new Representation({ ...this.object, metadata: { ...this.object.metadata, resourceVersion } });
    if (!this.#isReleased) this.#departed = representation;
    return representation;
  }
}
