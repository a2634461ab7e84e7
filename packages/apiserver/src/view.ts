/**
 * How one version of an object looks to readers: in each served version, whole or as metadata only, as a list item or as a watch event.
 * Each text is made once, whoever asks and how often.
 */
import type { StoredObject } from "./storage.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One representation of one version of an object, with its texts. */
export class View {
  readonly object: StoredObject;
  readonly #events: Partial<Record<EventType, string>> = {};
  #json: string | undefined;
  #item: string | undefined;
  #metadataOnly: View | undefined;
  #departed: View | undefined;
  /** Set by the reader of stored objects; see `present.ts`. */
  readonly served: Map<object, View> = new Map();

  constructor(object: StoredObject) {
    this.object = object;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.object);
    return this.#json;
  }

  /** The text without `apiVersion` and `kind`, which built-in kinds do not have inside lists. */
  get itemJson(): string {
    if (this.#item === undefined) {
      const { apiVersion: _, kind: __, ...rest } = this.object;
      this.#item = JSON.stringify(rest);
    }
    return this.#item;
  }

  /** The object as PartialObjectMetadata. */
  get metadataOnly(): View {
    this.#metadataOnly ??= new View({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: this.object.metadata });
    return this.#metadataOnly;
  }

  /** One line of a watch. */
  event(type: EventType): string {
    return (this.#events[type] ??= `{"type":"${type}","object":${this.json}}\n`);
  }

  /** This state under a later revision: what a watcher sees of an object that left its selection. */
  departedAt(resourceVersion: string): View {
    if (this.#departed?.object.metadata.resourceVersion !== resourceVersion) {
      this.#departed = new View({ ...this.object, metadata: { ...this.object.metadata, resourceVersion } });
    }
    return this.#departed;
  }
}
