/** Numbers: the bounds, formats and divisors of zod's checks as keywords of a structural schema. */
import type { JsonSchema, ValidationRule } from "../crd-types.ts";
import { own, refuseCheck } from "./scalar-schemas.ts";
import { type Place, refuse, type Shape, type Walk } from "./walk.ts";
import { type CheckDef, RULES } from "./zod-tree.ts";

/** Returns the schema of a number with these checks. */
export function numberSchema(checks: readonly CheckDef[], walk: Walk, place: Place): Shape {
  const low: Bound = { value: Number.NEGATIVE_INFINITY, isExclusive: false };
  const high: Bound = { value: Number.POSITIVE_INFINITY, isExclusive: false };
  const divisors = new Set<number>();
  let shape: JsonSchema = { type: "number" };
  for (const check of checks) {
    if (check.check === "number_format") {
      const format = own(NUMBER_FORMATS, check.format ?? "");
      if (format === undefined) {
        refuse(walk, place, `the number format ${check.format} is unknown`, "Use z.number(), z.int() or z.int32()");
        continue;
      }
      shape = shape.type === "integer" && format.schema.type === "number" ? shape : format.schema;
      raise(low, format.min, false);
      lower(high, format.max, false);
    } else if (check.check === "greater_than" || check.check === "less_than") {
      const bound = Number(check.value);
      if (!Number.isFinite(bound)) refuse(walk, place, `the bound ${bound} is not a JSON number`, "Leave the bound out");
      else if (check.check === "greater_than") raise(low, bound, check.inclusive !== true);
      else lower(high, bound, check.inclusive !== true);
    } else if (check.check === "multiple_of") {
      const divisor = Math.abs(Number(check.value));
      if (!Number.isFinite(divisor) || divisor === 0)
        refuse(walk, place, `multipleOf(${String(check.value)}) has no JSON form`, "Use a positive number");
      else if (!Number.isSafeInteger(divisor))
        refuse(
          walk,
          place,
          `the API server divides whole numbers by whole ones only, so it would check multipleOf(${divisor}) differently`,
          "Count in a smaller unit with z.int(), e.g. cents or milliseconds",
        );
      else divisors.add(divisor);
    } else refuseCheck(check, walk, place);
  }
  const rules = shape.type === "integer" ? [] : [...celBound(low, "greater"), ...celBound(high, "less")];
  return {
    ...shape,
    ...boundsOf(shape, low, high),
    ...divisorsOf([...divisors]),
    ...(rules.length === 0 ? {} : { [RULES]: rules }),
  };
}

interface Bound {
  value: number;
  isExclusive: boolean;
}

function raise(bound: Bound, value: number, isExclusive: boolean): void {
  if (value > bound.value || (value === bound.value && isExclusive)) Object.assign(bound, { value, isExclusive });
}

function lower(bound: Bound, value: number, isExclusive: boolean): void {
  if (value < bound.value || (value === bound.value && isExclusive)) Object.assign(bound, { value, isExclusive });
}

/** The bounds as keywords, without those that the format implies on the server. */
function boundsOf(shape: JsonSchema, low: Bound, high: Bound): JsonSchema {
  if (shape.type === "integer") {
    whole(low, Math.ceil);
    whole(high, Math.floor);
  }
  const isLowWritten = isWritten(low, shape) && !(shape.format === "int32" && low.value === INT32_MIN && !low.isExclusive);
  const isHighWritten = isWritten(high, shape) && !(shape.format === "int32" && high.value === INT32_MAX && !high.isExclusive);
  return {
    ...(isLowWritten ? { minimum: low.value } : {}),
    ...(isLowWritten && low.isExclusive ? { exclusiveMinimum: true } : {}),
    ...(isHighWritten ? { maximum: high.value } : {}),
    ...(isHighWritten && high.isExclusive ? { exclusiveMaximum: true } : {}),
  };
}

/** An integer beyond a fraction is an integer at or beyond the next whole number. */
function whole(bound: Bound, round: (value: number) => number): void {
  if (Number.isInteger(bound.value) || !Number.isFinite(bound.value)) return;
  Object.assign(bound, { value: round(bound.value) + 0, isExclusive: false }); // + 0 makes a zero of -0
}

/**
 * Whether a keyword can express the bound. The server reads `1` in a field of type number as an int64 and casts the bound
 * to int64 too (kube-openapi validation/validate). So a fraction or a bound beyond int64 would become another bound.
 */
function isWritten(bound: Bound, shape: JsonSchema): boolean {
  return Number.isFinite(bound.value) && (shape.type === "integer" || isInt64(bound.value));
}

function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** The CEL rule for a bound that no keyword can express. In CEL every value of the field is a double. */
function celBound(bound: Bound, direction: "greater" | "less"): readonly ValidationRule[] {
  if (!Number.isFinite(bound.value) || isInt64(bound.value)) return [];
  const text = Number.isInteger(bound.value) ? bound.value.toExponential() : String(bound.value);
  const operator = `${direction === "greater" ? ">" : "<"}${bound.isExclusive ? "" : "="}`;
  return [{ rule: `self ${operator} ${text}`, message: `should be ${direction} than ${bound.isExclusive ? "" : "or equal to "}${text}` }];
}

function divisorsOf(divisors: readonly number[]): JsonSchema {
  const [first] = divisors;
  if (first === undefined) return {};
  return divisors.length === 1 ? { multipleOf: first } : { allOf: divisors.map((multipleOf) => ({ multipleOf })) };
}

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const FLOAT32_MAX = 3.4028234663852886e38;

/**
 * zod's number formats. Where the server's format is wider than zod's (an int64 that JavaScript cannot hold), the bounds are
 * written out. Otherwise the server would store numbers that the operator must refuse.
 */
const NUMBER_FORMATS: Readonly<Record<string, { readonly schema: JsonSchema; readonly min: number; readonly max: number }>> = {
  safeint: { schema: { type: "integer", format: "int64" }, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
  int32: { schema: { type: "integer", format: "int32" }, min: INT32_MIN, max: INT32_MAX },
  uint32: { schema: { type: "integer", format: "int64" }, min: 0, max: 2 ** 32 - 1 },
  float32: { schema: { type: "number", format: "float" }, min: -FLOAT32_MAX, max: FLOAT32_MAX },
  float64: { schema: { type: "number", format: "double" }, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY },
};
