/** Values of authors as JSON stores them. */
import { misuse } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer } from "./ask.ts";

/** Returns the value as JSON stores it; `what` names it in errors. @throws TypeError for what JSON would lose silently, and for circles */
export function plainJson(what: string, value: unknown): unknown {
  return asJson(what, value, { path: "", above: [] });
}

/** Whether `value` is a list, or an object of no class. Other realms and libraries have a `{}` of their own: it counts, too. */
export function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

interface Place {
  readonly path: string;
  readonly above: readonly object[];
}

function asJson(subject: string, value: unknown, { path, above }: Place): unknown {
  const refuse = (what: string): Error => {
    nameOfAnswer(value); // A promise may reject later.
    return misuse("ERR_INVALID_STEP", `${subject} ${path === "" ? "is" : `holds at ${path}`} ${what}, which is not JSON`);
  };
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") throw refuse(`a ${typeof value}`);
  if (typeof value === "number" && !Number.isFinite(value)) throw refuse(`the number ${value}`);
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) throw refuse("itself, a circle");
  const below = (key: string | number): Place => ({
    path: typeof key === "number" ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`,
    above: [...above, value],
  });
  if (Array.isArray(value)) return value.map((each, i) => asJson(subject, each, below(i)));
  if (value instanceof Date) {
    const text: string | null = value.toJSON();
    if (text === null) throw refuse("an invalid date");
    return text;
  }
  if (!isPlain(value)) throw refuse(`a ${value.constructor?.name || "thing"}, not a plain object`);
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw refuse("an object with a custom toJSON");
  const kept = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, asJson(subject, member, below(key))]));
}
