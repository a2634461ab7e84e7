/**
 * Drafts of the parts that a pass may change: the status, step state, and the metadata or spec that a step declares in `writes`.
 * They are copy-on-write over the shared, frozen object: a part that no step uses is never copied.
 */
import { applyMergePatch, createMergePatch } from "@treadle/apimachinery";
import { current, Immer, isDraft, type Draft as ImmerDraft } from "immer";
import { type Misuse, misuse } from "../internal/misuse.ts";

const immer = new Immer({ autoFreeze: false });

/** The changes of a draft at one moment; the draft may change while they are stored. */
export interface Taken {
  /** The changes since the last stored value, as a merge patch; undefined if there are none. */
  readonly changes: unknown;
  /** Notes that these changes were stored; later changes count from them. */
  readonly stored: () => void;
}

const UNTOUCHED: Taken = { changes: undefined, stored: () => undefined };

/** One value under change. */
export class Draft<T extends object = Record<string, unknown>> {
  readonly #load: () => T;
  /** The base of the changes: as loaded, later as last stored. */
  #loaded: T | undefined;
  #draft: T | undefined;
  /** The last value that was known to be JSON. */
  #good: T | undefined;
  #isTouched = false;

  /** @param load returns the loaded value; called at the first use of the draft. */
  constructor(load: () => T) {
    this.#load = load;
  }

  get #origin(): T {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** The draft to work on, made at its first use. */
  get draft(): T {
    this.#draft ??= immer.createDraft(this.#origin) as T;
    this.#isTouched = true;
    return this.#draft;
  }

  /** Returns the present value as plain JSON. @throws TypeError if a change is not JSON. */
  value(): T {
    if (this.#draft === undefined) return this.#origin;
    const value: T = current(this.#draft as ImmerDraft<T>);
    // The round trip makes the compared value the sent one: no Dates, no undefined, no shared references.
    return value === this.#origin ? value : (JSON.parse(JSON.stringify(value, onlyJson)) as T);
  }

  /** Checks the changes since the last call. If they are not JSON, they are undone, and the mistake is returned. */
  check(): Misuse | undefined {
    if (!this.#isTouched) return undefined;
    this.#isTouched = false;
    try {
      this.#good = this.value();
      return undefined;
    } catch (cause) {
      this.#draft = immer.createDraft(this.#good ?? this.#origin) as T;
      const why = cause instanceof RangeError ? "it contains itself" : (cause as Error).message;
      return misuse("ERR_INVALID_STEP", `what was written is not JSON: ${why}`, cause);
    }
  }

  /** Removes these members from the draft. Returns the first one that was there. */
  takeOut(names: readonly string[]): string | undefined {
    const draft = this.#draft as Record<string, unknown> | undefined;
    const found = draft === undefined ? [] : names.filter((name) => Object.hasOwn(draft, name));
    for (const name of found) delete draft?.[name];
    return found[0];
  }

  /** The changes since {@link stored} as a merge patch, or undefined when there are none. */
  changes(): unknown {
    return this.take().changes;
  }

  /** Returns the changes of the draft now. @throws TypeError if they are not JSON. */
  take(): Taken {
    if (this.#draft === undefined) return UNTOUCHED;
    const value = this.value();
    const stored = (): void => {
      this.#loaded = value;
      this.#good = value;
    };
    return { changes: createMergePatch(this.#origin, value), stored };
  }

  /** Resets the draft to the last stored value. References that a step holds continue to work. */
  reset(): void {
    this.#become(this.#origin);
  }

  /**
   * Removes the changes before the last check, and keeps the later ones. Returns a function that restores them, or undefined if
   * there were none.
   */
  withoutEarlier(): (() => void) | undefined {
    const earlier = this.#good;
    if (earlier === undefined || createMergePatch(this.#origin, earlier) === undefined) return undefined;
    const all = this.value();
    this.#become(applyMergePatch(this.#origin, createMergePatch(earlier, all) ?? {}) as T);
    return () => this.#become(all);
  }

  #become(value: T): void {
    const draft = this.#draft as Record<string, unknown> | undefined;
    if (draft === undefined) return;
    for (const key of Object.keys(draft)) if (!Object.hasOwn(value, key)) delete draft[key];
    // Copies, because a draft changes its values in place.
    Object.assign(draft, structuredClone(value));
  }

  /** Revokes the present draft: references that a step still holds throw, and the changes so far stay. */
  renew(): void {
    if (this.#draft === undefined) return;
    this.check();
    const value = this.value();
    immer.finishDraft(this.#draft);
    this.#draft = immer.createDraft(value) as T;
  }

  /** Discards the changes since the last stored value. */
  discard(): void {
    this.close();
    this.#good = undefined;
  }

  /** Revokes the draft finally. */
  close(): void {
    if (this.#draft !== undefined) immer.finishDraft(this.#draft);
    this.#draft = undefined;
  }
}

/** Returns the members with plain values in place of drafts, which are revoked at the end of the phase. */
export function withoutDrafts(members: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [name, isDraft(value) ? current(value as object) : value]),
  );
}

/** @throws TypeError for a value that JSON.stringify would turn into null or an empty object, or omit. */
function onlyJson(key: string, value: unknown): unknown {
  const what = notJson(value);
  if (what !== undefined) throw new TypeError(`${key} is ${what}`);
  return value;
}

function notJson(value: unknown): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return undefined;
  // A merge patch cannot contain it, and no author means it.
  if (Object.hasOwn(value, "__proto__")) return "an object with a member named __proto__";
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return WITHOUT_JSON.test(tag) ? `of type ${tag}: put a plain object or list in its place` : undefined;
}

/** Types that JSON turns into an empty object, or into an object with a member for each byte. */
const WITHOUT_JSON = /^(?:(?:Weak)?(?:Map|Set)|WeakRef|Promise|RegExp|Error|(?:Shared)?ArrayBuffer|DataView|\w+Array)$/;
