/** Errors of edits: the name of the edit, what is wrong, and what to do. */
import { type Misuse, misuse } from "@treadle/reconcile/unstable/engine";

/** Makes the errors of one edit: `refuse("spec.x", "...")` is `patch: spec.x ...`. */
export type Refuse = (problem: string) => Misuse;

/** Returns what makes the errors of an edit. */
export function refusalsOf(edit: string): Refuse {
  return (problem) => misuse("ERR_INVALID_STEP", `${edit}: ${problem}`);
}

/** Returns what a value is, for an error that refuses it. Values are not shown: they may be secret. */
export function whatIs(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  if (value === "") return "an empty text";
  if (typeof value === "string") return "a text";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `a ${typeof value}`;
}

/** Refuses a map with unknown keys. `hints` has the key to use instead. */
export function requireKeys(value: object, known: readonly string[], refuse: Refuse, hints: Readonly<Record<string, string>> = {}): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const hint = Object.hasOwn(hints, key) ? `write ${hints[key]}` : `use ${known.join(", ")}`;
    throw refuse(`${JSON.stringify(key)} is not known: ${hint}`);
  }
}
