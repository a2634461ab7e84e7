/** Checks that an object has the type of its kind, as far as field ownership needs it (structured-merge-diff `typed` validation). */
import { goDynamicType, goValue, isObject } from "../internal/json.ts";
import { elementText, itemElement } from "./elements.ts";
import { fieldElement } from "./field-set.ts";
import { type ListKind, type MapKind, narrow, type Scalar, type TypeDef, visit } from "./field-types.ts";

/** An error. `path` has the form of messages. */
export interface TypeProblem {
  readonly path: string;
  readonly text: string;
}

/** An object or a configuration that does not have the type of its kind. */
export class TypeMismatchError extends Error {
  override readonly name = "TypeMismatchError";
}

/** The null of an expression. Unlike that of JSON it has no type of a field. */
export const CEL_NULL: unique symbol = Symbol("null");

/** Returns the errors of a value. Duplicate items of sets and list-maps are errors, unless `allowsRepeats`. */
export function typeProblems(value: unknown, type: TypeDef, allowsRepeats: boolean): readonly TypeProblem[] {
  return check(value, type, { parent: undefined, element: "", allowsRepeats });
}

/** Joins several errors with the text of the real server. */
export function problemsText(problems: readonly TypeProblem[]): string {
  const texts = problems.map(({ path, text }) => (path === "" ? text : `${path}: ${text}`));
  return texts.length === 1 ? (texts[0] ?? "") : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

/** The place of a value. Its path is only computed for an error. */
interface Place {
  readonly parent: Place | undefined;
  /** Path element, or the index of an item without one. */
  readonly element: string;
  readonly allowsRepeats: boolean;
}

const NONE: readonly TypeProblem[] = [];

function check(value: unknown, type: TypeDef, place: Place): readonly TypeProblem[] {
  return visit(narrow(type, value), {
    map: (kind) => (value === null ? NONE : isObject(value) ? checkMap(value, kind, place) : [wrong(place, "map", value)]),
    list: (kind) => (value === null ? NONE : Array.isArray(value) ? checkList(value, kind, place) : [wrong(place, "list", value)]),
    scalar: (kind) => checkScalar(value, kind, place),
  });
}

function checkMap(map: Readonly<Record<string, unknown>>, kind: MapKind, place: Place): TypeProblem[] {
  const problems: TypeProblem[] = [];
  for (const field in map) {
    const at: Place = { parent: place, element: fieldElement(field), allowsRepeats: place.allowsRepeats };
    const type = kind.fieldType(field);
    if (type === undefined) {
      // The real server stops here, too.
      problems.push({ path: pathOf(at), text: "field not declared in schema" });
      break;
    }
    problems.push(...check(map[field], type, at));
  }
  return problems;
}

function checkList(list: readonly unknown[], kind: ListKind, place: Place): TypeProblem[] {
  const problems: TypeProblem[] = [];
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    let element = `i:${i}`;
    if (kind.relation !== "atomic") {
      const named = itemElement(kind, item);
      if ("problem" in named) return [...problems, { path: pathOf(place), text: `element ${i}: ${named.problem}` }];
      element = named.element;
      if (seen.has(element) && !place.allowsRepeats)
        problems.push({ path: pathOf(place), text: `duplicate entries for key ${elementText(element)}` });
      seen.add(element);
    }
    problems.push(...check(item, kind.items, { parent: place, element, allowsRepeats: place.allowsRepeats }));
  }
  return problems;
}

function checkScalar(value: unknown, kind: Scalar, place: Place): readonly TypeProblem[] {
  if (value === null || fits(value, kind)) return NONE;
  const text = {
    numeric: `expected numeric (int or float), got ${value === CEL_NULL ? "structpb.NullValue" : goDynamicType(value)}`,
    string: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
    boolean: `expected boolean, got &{${shownValue(value)}}`,
    untyped: `expected any scalar, got &{${shownValue(value)}}`,
  };
  return [{ path: pathOf(place), text: text[kind] }];
}

/** Reports whether a value other than null is a scalar of this kind. */
export function fits(value: unknown, kind: Scalar): boolean {
  const type = typeof value;
  if (kind === "untyped") return type === "number" || type === "string" || type === "boolean";
  return type === (kind === "numeric" ? "number" : kind);
}

function wrong(place: Place, wanted: string, value: unknown): TypeProblem {
  return { path: pathOf(place), text: `expected ${wanted}, got &{${shownValue(value)}}` };
}

function pathOf({ parent, element }: Place): string {
  return parent === undefined ? "" : pathOf(parent) + elementText(element);
}

function shownValue(value: unknown): string {
  return value === CEL_NULL ? "NULL_VALUE" : goValue(value);
}

/** Returns a value as Go's `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === CEL_NULL) return "0";
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return typeof value === "string" ? JSON.stringify(value) : String(value);
  const members = Object.keys(value).toSorted();
  return `map[string]interface {}{${members.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`).join(", ")}}`;
}
