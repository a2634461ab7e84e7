/** The format in which libraries declare functions: a name, a signature as text, and the implementation. */
import type { Signature } from "./environment.ts";
import { DYN, plain, type Type } from "./types.ts";
import { Dict, kindOf, List, Optional, Struct, type Value } from "./values.ts";

export interface Overload extends Signature {
  readonly run: (...args: Value[]) => Value;
}

/**
 * Functions by name, then by signature: `"string, int -> string"`. A signature that starts with `.` is called on its first
 * argument. Capitals are type parameters.
 */
// The values that a function gets are of the types of its signature: the dispatcher sees to that.
// oxlint-disable-next-line typescript/no-explicit-any
export type Library = Readonly<Record<string, Readonly<Record<string, (...args: any[]) => Value>>>>;

/** Returns the overloads of some libraries, by the name of the function. */
export function overloadsOf(libraries: readonly Library[]): ReadonlyMap<string, readonly Overload[]> {
  const all = new Map<string, Overload[]>();
  for (const library of libraries) {
    for (const [name, overloads] of Object.entries(library)) {
      let list = all.get(name);
      if (list === undefined) all.set(name, (list = []));
      for (const [signature, run] of Object.entries(overloads)) list.push({ ...readSignature(signature), run });
    }
  }
  return all;
}

/** Reports whether an overload accepts a value. */
export function accepts(type: Type, value: Value): boolean {
  switch (type.type) {
    case "plain":
      return kindOf(value) === type.name;
    case "list":
      return value instanceof List;
    case "map":
      return value instanceof Dict || value instanceof Struct;
    case "optional":
      return value instanceof Optional;
    case "type":
      return kindOf(value) === "type";
    default:
      return true;
  }
}

function readSignature(text: string): Signature {
  const isMember = text.startsWith(".");
  const [args = "", result = ""] = text.slice(isMember ? 1 : 0).split("->");
  return { isMember, args: split(args).map(readType), result: readType(result) };
}

function readType(text: string): Type {
  const [, name = "", inner] = /^\s*([\w.]+)(?:\((.*)\))?\s*$/.exec(text) ?? [];
  const parts = inner === undefined ? [] : split(inner).map(readType);
  switch (name) {
    case "dyn":
      return DYN;
    case "list":
    case "optional":
      return { type: name, item: parts[0] ?? DYN };
    case "type":
      return { type: name, item: parts[0] ?? DYN };
    case "map":
      return { type: name, key: parts[0] ?? DYN, value: parts[1] ?? DYN };
    default:
      if (/^[A-Z]$/.test(name)) return { type: "param", name };
      return plain(/^[A-Z]/.test(name) ? `kubernetes.${name}` : name);
  }
}

/** Splits at commas outside of brackets. */
function split(text: string): string[] {
  if (text.trim() === "") return [];
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += char;
  }
  return [...parts, part];
}
