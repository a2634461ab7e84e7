/** What the reflector and the view of an informer have between them. */

/** Where the reflector puts what it learns. */
export interface Sink<T> {
  /** The state of everything as of `version`. Resolves when it is stored and told. */
  replace(objects: ReadonlyMap<string, T>, version: string, signal: AbortSignal): Promise<void>;
  /** One change, as it came. */
  apply(event: { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }): void;
  /** The watch has told everything up to `version`. */
  passed(version: string): void;
  /** The server's history is another one (restored, or begun anew): what was said before the next `replace` is no reason to doubt it. */
  wentBack(): void;
  /** The object as it is to be stored: transformed, frozen, or the very one that is stored already. */
  take(object: T): T;
}
