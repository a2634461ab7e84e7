/**
 * Drafts of what a pass may change: the status, step state, and the metadata or spec that a step said it writes.
 * Copy-on-write over the shared, frozen object: a part that nobody touches is never copied, and no draft of it is made.
 */
import { applyMergePatch, createMergePatch } from "@treadle/apimachinery";
import { current, Immer, isDraft, type Draft as ImmerDraft } from "immer";
import { type Misuse, misuse } from "../internal/misuse.ts";

const immer = new Immer({ autoFreeze: false });

/** What a draft asked for at one moment; it may change on while that is being stored. */
export interface Taken {
  /** The changes since what was stored last, as a merge patch; undefined when there are none. */
  readonly changes: unknown;
  /** These changes have been stored: later ones count from there. */
  readonly stored: () => void;
}

const UNTOUCHED: Taken = { changes: undefined, stored: () => undefined };

/** One value under change. */
export class Draft<T extends object = Record<string, unknown>> {
  readonly #load: () => T;
  /** What the changes count from: as loaded, later as last stored. */
  #loaded: T | undefined;
  #draft: T | undefined;
  /** The last value that was known to be JSON. */
  #good: T | undefined;
  #isTouched = false;

  /** @param load gives the value as loaded; asked when the draft is first used. */
  constructor(load: () => T) {
    this.#load = load;
  }

  get #origin(): T {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** The draft to work on; made when first asked for. */
  get draft(): T {
    this.#draft ??= immer.createDraft(this.#origin) as T;
    this.#isTouched = true;
    return this.#draft;
  }

  /** The present value as plain JSON. @throws TypeError when what was put into the draft is not JSON. */
  value(): T {
    if (this.#draft === undefined) return this.#origin;
    const value: T = current(this.#draft as ImmerDraft<T>);
    // The round trip makes what is compared what will be sent: no Dates, no undefined, no shared references.
    return value === this.#origin ? value : (JSON.parse(JSON.stringify(value, onlyJson)) as T);
  }

  /** Checks what was put into the draft since the last call; where it is not JSON, the draft is made as it was before. */
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

  /** Takes these members out, if somebody put them in; says which was the first. */
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

  /** What the draft asks for now. @throws TypeError when it is not JSON. */
  take(): Taken {
    if (this.#draft === undefined) return UNTOUCHED;
    const value = this.value();
    const stored = (): void => {
      this.#loaded = value;
      this.#good = value;
    };
    return { changes: createMergePatch(this.#origin, value), stored };
  }

  /** Makes the draft what was stored last; references that a step holds go on working. */
  reset(): void {
    this.#become(this.#origin);
  }

  /**
   * Takes out what was in the draft when it was last checked, and leaves what came since. Returns the way back, or undefined
   * when there was nothing to take out.
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
    // Copies: what is put into a draft is changed in place.
    Object.assign(draft, structuredClone(value));
  }

  /** Ends the present draft: references that a step still holds are dead, and the changes so far stay. */
  renew(): void {
    if (this.#draft === undefined) return;
    this.check();
    const value = this.value();
    immer.finishDraft(this.#draft);
    this.#draft = immer.createDraft(value) as T;
  }

  /** Forgets what was changed since {@link stored}. */
  discard(): void {
    this.close();
    this.#good = undefined;
  }

  /** Ends the draft for good. */
  close(): void {
    if (this.#draft !== undefined) immer.finishDraft(this.#draft);
    this.#draft = undefined;
  }
}

/** The members, with what they are now in place of drafts: these end with the phase, or before. */
export function withoutDrafts(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [name, isDraft(value) ? current(value as object) : value]),
  );
}

/** @throws TypeError for what JSON.stringify would turn into null or an empty object, or leave out without a word. */
function onlyJson(key: string, value: unknown): unknown {
  const what = notJson(value);
  if (what !== undefined) throw new TypeError(`${key} is ${what}`);
  return value;
}

function notJson(value: unknown): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return undefined;
  // A merge patch cannot carry it, and nobody means it.
  if (Object.hasOwn(value, "__proto__")) return "an object with a member named __proto__";
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return WITHOUT_JSON.test(tag) ? `of type ${tag}: put a plain object or list in its place` : undefined;
}

/** What is an empty object to JSON, or one with a member for each byte. */
const WITHOUT_JSON = /^(?:(?:Weak)?(?:Map|Set)|WeakRef|Promise|RegExp|Error|(?:Shared)?ArrayBuffer|DataView|\w+Array)$/;
