/** Whether an object has the type of its kind, as far as ownership needs to know (structured-merge-diff `typed` validation). */
import { isObject } from "../internal/json.ts";
import { elementText, itemElement } from "./elements.ts";
import { fieldElement } from "./field-set.ts";
import { type ListKind, type MapKind, narrow, type Scalar, type TypeDef, visit } from "./types.ts";

/** One thing that is wrong; `path` reads as in messages. */
export interface TypeProblem {
  readonly path: string;
  readonly text: string;
}

/** Everything that is wrong with a value. Lists that are sets or maps may not repeat items, unless `allowsRepeats`. */
export function typeProblems(value: unknown, type: TypeDef, allowsRepeats: boolean): readonly TypeProblem[] {
  return check(value, type, { path: "", allowsRepeats });
}

/** Several problems as one text, in the words of the real server. */
export function problemsText(problems: readonly TypeProblem[]): string {
  const texts = problems.map(({ path, text }) => (path === "" ? text : `${path}: ${text}`));
  return texts.length === 1 ? (texts[0] ?? "") : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

interface Place {
  readonly path: string;
  readonly allowsRepeats: boolean;
}

function check(value: unknown, type: TypeDef, place: Place): TypeProblem[] {
  return visit(narrow(type, value), {
    map: (kind) => (value === null ? [] : isObject(value) ? checkMap(value, kind, place) : [wrong(place, "map", value)]),
    list: (kind) => (value === null ? [] : Array.isArray(value) ? checkList(value, kind, place) : [wrong(place, "list", value)]),
    scalar: (kind) => checkScalar(value, kind, place),
  });
}

function checkMap(map: Readonly<Record<string, unknown>>, kind: MapKind, place: Place): TypeProblem[] {
  const problems: TypeProblem[] = [];
  for (const field in map) {
    const path = place.path + elementText(fieldElement(field));
    const type = kind.fieldType(field);
    if (type === undefined) {
      // The real server stops here, too.
      problems.push({ path, text: "field not declared in schema" });
      break;
    }
    problems.push(...check(map[field], type, { ...place, path }));
  }
  return problems;
}

function checkList(list: readonly unknown[], kind: ListKind, place: Place): TypeProblem[] {
  const problems: TypeProblem[] = [];
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    let at = `[${i}]`;
    if (kind.relation !== "atomic") {
      const named = itemElement(kind, item);
      if ("problem" in named) return [...problems, { path: place.path, text: `element ${i}: ${named.problem}` }];
      at = elementText(named.element);
      if (seen.has(named.element) && !place.allowsRepeats) problems.push({ path: place.path, text: `duplicate entries for key ${at}` });
      seen.add(named.element);
    }
    problems.push(...check(item, kind.items, { ...place, path: place.path + at }));
  }
  return problems;
}

function checkScalar(value: unknown, kind: Scalar, { path }: Place): TypeProblem[] {
  if (value === null || fits(value, kind)) return [];
  const text = {
    numeric: `expected numeric (int or float), got ${goTypeName(value)}`,
    string: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
    boolean: `expected boolean, got &{${goPlain(value)}}`,
    untyped: `expected any scalar, got &{${goPlain(value)}}`,
  };
  return [{ path, text: text[kind] }];
}

/** Whether a value that is not null is such a scalar. */
export function fits(value: unknown, kind: Scalar): boolean {
  const type = typeof value;
  if (kind === "untyped") return type === "number" || type === "string" || type === "boolean";
  return type === (kind === "numeric" ? "number" : kind);
}

function wrong({ path }: Place, wanted: string, value: unknown): TypeProblem {
  return { path, text: `expected ${wanted}, got &{${goPlain(value)}}` };
}

function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** A value as Go's `%v` prints it. */
function goPlain(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goPlain).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value).toSorted();
  return `map[${members.map((key) => `${key}:${goPlain(value[key])}`).join(" ")}]`;
}

/** A value as Go's `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return typeof value === "string" ? JSON.stringify(value) : String(value);
  const members = Object.keys(value).toSorted();
  return `map[string]interface {}{${members.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`).join(", ")}}`;
}
