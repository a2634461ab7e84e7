/** Enums, and the few unions that have a structural schema: choices of one type, a nullable type, and int-or-string. */
import type { JsonSchema } from "../crd-types.ts";
import { child, type Place, refuse, type Shape, type Walk } from "./walk.ts";
import { type AnySchema, defOf, peel, type SchemaDef } from "./zod-tree.ts";

/** Returns the schema of a closed set of values. The value null makes the schema nullable. */
export function enumSchema(values: ReadonlySet<unknown> | undefined, walk: Walk, place: Place): Shape {
  const all = [...(values ?? [])];
  const choices = all.filter((value) => value !== null);
  const bad = choices.find(
    (value) => value === undefined || typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)),
  );
  if (choices.includes(undefined) || bad !== undefined)
    return refuse(
      walk,
      place,
      `the value ${String(bad)} is not a JSON value`,
      "Use strings, numbers or booleans; make the field .optional() for undefined",
    );
  if (choices.length === 0) return refuse(walk, place, "no value is allowed here", "Give at least one value beside null");
  const types = new Set(choices.map((value) => typeof value));
  if (types.size > 1) return refuse(walk, place, `the values are of several types (${[...types].join(", ")})`, "Use values of one type");
  const type =
    typeof choices[0] === "number"
      ? choices.every(Number.isInteger)
        ? "integer"
        : "number"
      : typeof choices[0] === "boolean"
        ? "boolean"
        : "string";
  return { type, enum: choices, ...(choices.length < all.length ? { nullable: true } : {}) };
}

/** Returns the schema of a union. `walkOption` returns the schema of one option. */
export function unionSchema(
  def: Extract<SchemaDef, { readonly type: "union" }>,
  walk: Walk,
  place: Place,
  walkOption: (schema: AnySchema, walk: Walk, place: Place) => Shape,
): Shape {
  const options = flatten(def.options);
  const hasNull = options.some((option) => defOf(peel(option).core).type === "null");
  const rest = options.filter((option) => defOf(peel(option).core).type !== "null");
  const nullable = hasNull ? { nullable: true } : {};
  const [only] = rest;
  if (rest.length === 1 && only !== undefined) {
    const shape = walkOption(only, walk, child(place, ""));
    return shape === undefined ? undefined : { ...shape, ...nullable };
  }
  if (rest.length > 0 && rest.every(isChoice)) {
    const shape = enumSchema(new Set(rest.flatMap((option) => [...(peel(option).core._zod.values ?? [])])), walk, place);
    return shape === undefined
      ? undefined
      : { ...shape, ...(rest.some((option) => peel(option).isNullable) ? { nullable: true } : {}), ...nullable };
  }
  const shapes = rest.map((option) => ({ type: defOf(peel(option).core).type, option }));
  if (shapes.length === 2 && shapes.some(({ type }) => type === "string") && shapes.some(({ type }) => type === "number")) {
    const shape = intOrString(
      rest.map((option) => walkOption(option, walk, place)),
      walk,
      place,
    );
    return shape === undefined ? undefined : { ...shape, ...nullable };
  }
  const isTagged = "discriminator" in def && def.discriminator !== undefined;
  return refuse(
    walk,
    place,
    isTagged
      ? "a discriminated union has no structural schema: every field must have its type at one place"
      : "a union of different types has no structural schema",
    isTagged
      ? "Use one object with an optional field per case, and a CEL rule that ties them to the tag"
      : "Use values of one type, z.union([z.int(), z.string()]), or one object with an optional field per case and a CEL rule",
  );
}

/** Keywords of numbers apply to numbers only, and keywords of strings to strings only, so the schema has both. */
function intOrString(shapes: readonly Shape[], walk: Walk, place: Place): Shape {
  const merged: { -readonly [K in keyof JsonSchema]: JsonSchema[K] } = {};
  for (const shape of shapes) {
    if (shape === undefined) return undefined;
    if (shape.type === "number")
      return refuse(
        walk,
        place,
        "a number or a string has no structural schema, only an integer or a string has",
        "Use z.union([z.int(), z.string()])",
      );
    const { type: _type, format, allOf, ...keywords } = shape;
    // Without its type the format is not checked, so the bounds that it implies are written out.
    Object.assign(merged, format === "int32" ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } : {}, keywords);
    if (allOf !== undefined) merged.allOf = [...(merged.allOf ?? []), ...allOf];
  }
  return { "x-kubernetes-int-or-string": true, ...merged };
}

function isChoice(option: AnySchema): boolean {
  const { core, refused, checks } = peel(option);
  const type = defOf(core).type;
  return refused === undefined && checks.length === 0 && (type === "literal" || type === "enum");
}

/** The options, with the options of nested unions. */
function flatten(options: readonly AnySchema[]): readonly AnySchema[] {
  return options.flatMap((option) => {
    const { core, isNullable, checks } = peel(option);
    const def = defOf(core);
    return def.type === "union" && !isNullable && checks.length === 0 && !("discriminator" in def && def.discriminator !== undefined)
      ? flatten(def.options)
      : [option];
  });
}
