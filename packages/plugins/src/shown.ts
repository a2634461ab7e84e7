/** Texts of plugins, as logs and conditions show them. */
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";

/** Returns a text as one line: {@link shown}, with a space in place of a line break. */
export function printable(text: string): string {
  return shown(text.replace(/\s+/g, " "));
}

/** Returns a text without secrets, and with control characters as escapes: a terminal must not obey a plugin. */
export function shown(text: string): string {
  return withoutSecrets(text).replace(CONTROL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const CONTROL = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
