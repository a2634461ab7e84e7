/** Path elements of list items, their order, and their form in messages (structured-merge-diff `fieldpath`). */
import { goQuote, isObject } from "../internal/json.ts";
import { type FieldSet, keyElement, valueElement } from "./field-set.ts";
import type { ListKind } from "./field-types.ts";

/** Returns the element of a list item, or an error. */
export function itemElement(kind: ListKind, item: unknown): { readonly element: string } | { readonly problem: string } {
  return kind.relation === "map" && kind.keys.length > 0 ? keyedElement(kind, item) : memberElement(item);
}

/** Returns the elements of a valid list in its order. Items without an element are skipped. */
export function elementsOf(kind: ListKind, list: readonly unknown[]): readonly { readonly element: string; readonly item: unknown }[] {
  return list.flatMap((item) => {
    const named = itemElement(kind, item);
    return "element" in named ? [{ element: named.element, item }] : [];
  });
}

/** Formats a path for messages: `.spec.ports[name="http"].port`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}

export function elementText(element: string): string {
  const text = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${text}`;
    case "k":
      return `[${keyFields(text)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${valueText(parsed(text))}]`;
    default:
      return `[${text}]`;
  }
}

/** Returns the members of a set in the order of the real server, each before longer paths below it. */
export function pathsOf(set: FieldSet): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  const walk = (at: FieldSet, prefix: readonly string[]): void => {
    const sorted = [...at.children].toSorted(([a], [b]) => compareElements(a, b));
    for (const [element, sub] of sorted) if (sub.isMember) paths.push([...prefix, element]);
    for (const [element, sub] of sorted) if (sub.children.size > 0) walk(sub, [...prefix, element]);
  };
  walk(set, []);
  return paths;
}

function keyedElement(kind: ListKind, item: unknown): { readonly element: string } | { readonly problem: string } {
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isObject(item)) return { problem: "associative list with keys may not have non-map elements" };
  const keys: Record<string, unknown> = {};
  let isKnown = false;
  for (const key of kind.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : kind.keyDefault(key);
    if (value === undefined) continue;
    keys[key] = value;
    isKnown = true;
  }
  if (isKnown) return { element: keyElement(keys) };
  const names = `[${kind.keys.map(goQuote).join(" ")}]`;
  return {
    problem: `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
  };
}

function memberElement(item: unknown): { readonly element: string } | { readonly problem: string } {
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { problem: "not supported: associative list with lists as elements" };
  if (isObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  return { element: valueElement(item) };
}

function compareElements(a: string, b: string): number {
  if (a[0] !== b[0]) return KINDS.indexOf(a[0] ?? "") - KINDS.indexOf(b[0] ?? "");
  const [left, right] = [a.slice(2), b.slice(2)];
  switch (a[0]) {
    case "f":
      return compareTexts(left, right);
    case "k":
      return compareKeys(keyFields(left), keyFields(right));
    case "v":
      return compareValues(parsed(left), parsed(right));
    default:
      return Number(left) - Number(right);
  }
}

const KINDS = "fkvi";

function compareKeys(a: readonly (readonly [string, unknown])[], b: readonly (readonly [string, unknown])[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [[nameA, valueA] = ["", undefined], [nameB, valueB] = ["", undefined]] = [a[i], b[i]];
    const order = compareTexts(nameA, nameB) || compareValues(valueA, valueB);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares numbers, strings, booleans and then other values. */
function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === "number") return a - (b as number); // of one rank, so of one type
  return compareTexts(String(a), String(b));
}

function rankOf(value: unknown): number {
  const rank = ["number", "string", "boolean"].indexOf(typeof value);
  return rank < 0 ? 3 : rank;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function keyFields(text: string): readonly (readonly [string, unknown])[] {
  const keys = parsed(text);
  return isObject(keys) ? Object.entries(keys).toSorted(([a], [b]) => compareTexts(a, b)) : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // an entry that a client wrote
  }
}

function valueText(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : JSON.stringify(value);
}
