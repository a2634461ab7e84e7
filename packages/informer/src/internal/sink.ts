/** The interface between the reflectors and the view of an informer. */

/** Receives the observations of a reflector. */
export interface Sink<T> {
  /** Takes a complete list of version `version`. Resolves when it is stored and reported. */
  replace(objects: ReadonlyMap<string, T>, version: string, signal: AbortSignal): Promise<void>;
  /** Takes one change. */
  apply(event: { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }): void;
  /** Records that the watch has reported all changes up to `version`. */
  passed(version: string): void;
  /** Records that the server has another history (it was restored or replaced). The next `replace` decides, whatever was known before. */
  wentBack(): void;
  /** Prepares an object for the store: reduces and freezes it, or returns the stored object if it is the same. */
  take(object: T): T;
}
