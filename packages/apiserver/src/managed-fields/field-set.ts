/**
 * Sets of field paths in managedFields (structured-merge-diff `fieldpath`). A path element is its text in FieldsV1: `f:name`
 * is a field, `k:{...}` an item of a list-map, `v:...` an item of a set, `i:0` an index. Sets are immutable: operations
 * return new ones and share parts.
 */
import { goJson, isObject } from "../internal/json.ts";

/** A node of a set. `isMember`: its path is in the set. `children` lead to longer paths. */
export interface FieldSet {
  readonly isMember: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** Stored form: `{"f:spec":{"f:replicas":{}}}`. */
export type FieldsV1 = { readonly [element: string]: FieldsV1 };

const NO_CHILDREN: ReadonlyMap<string, FieldSet> = new Map();

export const EMPTY_SET: FieldSet = { isMember: false, children: NO_CHILDREN };
const LEAF: FieldSet = { isMember: true, children: NO_CHILDREN };

export function isEmptySet(set: FieldSet): boolean {
  return !set.isMember && set.children.size === 0;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children.get(element);
  return at?.isMember === true;
}

/** Returns the paths in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const children = new Map(a.children);
  for (const [element, sub] of b.children) {
    const own = children.get(element);
    children.set(element, own === undefined ? sub : union(own, sub));
  }
  return { isMember: a.isMember || b.isMember, children };
}

/** Returns the paths of `a` that are not in `b`. A longer path stays when only its beginning is in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b) || isEmptySet(a)) return a;
  let children: Map<string, FieldSet> | undefined;
  for (const [element, sub] of b.children) {
    const own = (children ?? a.children).get(element);
    if (own === undefined) continue;
    const rest = difference(own, sub);
    if (rest === own) continue;
    children ??= new Map(a.children);
    if (isEmptySet(rest)) children.delete(element);
    else children.set(element, rest);
  }
  const isMember = a.isMember && !b.isMember;
  return children === undefined && isMember === a.isMember ? a : { isMember, children: children ?? a.children };
}

/** Returns the paths of `a` that are not in `b` and do not begin with a path of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b) || isEmptySet(a)) return a;
  const children = new Map<string, FieldSet>();
  for (const [element, sub] of a.children) {
    const other = b.children.get(element);
    if (other?.isMember) continue;
    const rest = other === undefined ? sub : recursiveDifference(sub, other);
    if (!isEmptySet(rest)) children.set(element, rest);
  }
  return { isMember: a.isMember && !b.isMember, children };
}

/** Returns the paths in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, sub] of a.children) {
    const other = b.children.get(element);
    if (other === undefined) continue;
    const both = intersection(sub, other);
    if (!isEmptySet(both)) children.set(element, both);
  }
  return { isMember: a.isMember && b.isMember, children };
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.isMember !== b.isMember || a.children.size !== b.children.size) return false;
  for (const [element, sub] of a.children) {
    const other = b.children.get(element);
    if (other === undefined || !equalSets(sub, other)) return false;
  }
  return true;
}

/** Returns the stored form, with elements in the order of their text and `.` first. */
export function toFieldsV1(set: FieldSet): FieldsV1 {
  const fields: Record<string, FieldsV1> = {};
  if (set.isMember && set.children.size > 0) fields["."] = {};
  for (const element of [...set.children.keys()].sort()) {
    const sub = set.children.get(element);
    if (sub !== undefined) fields[element] = sub === LEAF ? {} : toFieldsV1(sub);
  }
  return fields;
}

/** Reads the stored form, or returns `undefined` for an invalid one. */
export function fromFieldsV1(fields: unknown): FieldSet | undefined {
  if (!isObject(fields)) return undefined;
  return readNode(fields, false);
}

/** Collects paths into a set. Shared beginnings are stored once. */
export class FieldSetBuilder {
  readonly #root: Building = { isMember: false, children: undefined };

  add(path: PathNode | undefined): void {
    this.#reach(path).isMember = true;
  }

  build(): FieldSet {
    return finish(this.#root);
  }

  #reach(path: PathNode | undefined): Building {
    if (path === undefined) return this.#root;
    const parent = this.#reach(path.parent);
    parent.children ??= new Map();
    let node = parent.children.get(path.element);
    if (node === undefined) {
      node = { isMember: false, children: undefined };
      parent.children.set(path.element, node);
    }
    return node;
  }
}

/** A path as a chain from its end to the root, so that a walk shares beginnings. */
export interface PathNode {
  readonly parent: PathNode | undefined;
  readonly element: string;
}

export function fieldElement(name: string): string {
  return `f:${name}`;
}

export function keyElement(keys: Readonly<Record<string, unknown>>): string {
  return `k:${goJson(keys)}`;
}

export function valueElement(value: unknown): string {
  return `v:${goJson(value)}`;
}

interface Building {
  isMember: boolean;
  children: Map<string, Building> | undefined;
}

function finish(node: Building): FieldSet {
  if (node.children === undefined) return node.isMember ? LEAF : EMPTY_SET;
  const children = new Map<string, FieldSet>();
  for (const [element, sub] of node.children) children.set(element, finish(sub));
  return { isMember: node.isMember, children };
}

function readNode(fields: Readonly<Record<string, unknown>>, isNested: boolean): FieldSet | undefined {
  let isMember = false;
  const children = new Map<string, FieldSet>();
  for (const element in fields) {
    if (element === ".") {
      isMember = true;
      continue;
    }
    // Elements of unknown types are dropped: a later version may have them.
    if (/^[^fkvi]:/.test(element)) continue;
    const sub = fields[element];
    if (!isElement(element) || !isObject(sub)) return undefined;
    const read = readNode(sub, true);
    if (read === undefined) return undefined;
    children.set(element, read);
  }
  if (children.size === 0 && isNested) return LEAF;
  return { isMember, children };
}

/** Reports whether a text is an element of a path: a field, an index, a value in JSON, or keys in JSON. */
function isElement(element: string): boolean {
  const text = element.slice(2);
  switch (element.slice(0, 2)) {
    case "f:":
      return true;
    case "i:":
      return /^[-+]?\d+$/.test(text);
    case "v:":
      return jsonOf(text) !== undefined;
    case "k:":
      return isObject(jsonOf(text));
    default:
      return false;
  }
}

/** Returns the value of a JSON text, or `undefined` for another text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
