/** What may be said of a handler and of its watches. */
import type { Kind, ObjectOf, Ref } from "@treadle/apimachinery";
import type { Cache } from "./req.ts";

export interface HandlerOptions {
  /** At most 63 characters: the limit of a finalizer's name part. @defaultValue `<plural>.<group>`, shortened with a hash where longer */
  readonly name?: string;
  readonly deadlines?: Deadlines;
}

/** Milliseconds; all reach the step through `req.signal`. */
export interface Deadlines {
  /** Each phase of a step without `timeoutMs` of its own. @defaultValue 30_000 */
  readonly stepMs?: number;
  /** Everything before the posts. @defaultValue 120_000 */
  readonly passMs?: number;
  /** Posts and save together: an expired pass still gets its status stored. @defaultValue 10_000 */
  readonly saveMs?: number;
}

export interface WatchOptions<K extends Kind> {
  /** The primaries that a change of `object` concerns; asked with the state before and after it. Must be pure. */
  map(object: ObjectOf<K>, cache: Cache): Iterable<Ref>;
}
