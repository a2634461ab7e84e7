/** Reason and fix for each zod schema that computes or that has no structural schema. */
import type { SchemaDef } from "./zod-tree.ts";

/** The key that makes the API server keep fields without a schema. */
export const PRESERVE = "x-kubernetes-preserve-unknown-fields";
/** The zod schema of a value whose fields are all kept. */
export const PRESERVE_ADVICE: string = `z.unknown().meta({ "${PRESERVE}": true })`;

/** Reason and fix for each wrapper that computes. */
export const COMPUTING: Readonly<Record<string, readonly [reason: string, fix: string]>> = {
  pipe: [
    "transform(), pipe(), preprocess(), codecs and stringbool() compute a value, and the API server computes nothing",
    "Declare the value as it is stored, and convert where it is used",
  ],
  catch: ["catch() replaces what does not fit, and the API server refuses it instead", "Use .default() for a value that may be absent"],
  success: ["success() computes a value, and the API server computes nothing", "Declare the value as it is stored"],
  promise: ["a promise is not a JSON value", "Declare the value itself"],
  lazy: ["the schema is recursive", `Cut it here with ${PRESERVE_ADVICE}`],
};

/** Reason and fix for each type that has no structural schema. */
export const UNSAYABLE: Readonly<Partial<Record<SchemaDef["type"], readonly [reason: string, fix: string]>>> = {
  bigint: ["a bigint is not a JSON value", "Use z.int(), or a string with a pattern for larger numbers"],
  symbol: ["a symbol is not a JSON value", "Use an enum of strings"],
  undefined: ["undefined is not a JSON value", "Make the field .optional()"],
  void: ["undefined is not a JSON value", "Make the field .optional()"],
  never: ["a field that can never be set has no use", "Leave the field out"],
  nan: ["NaN is not a JSON value", "Use z.number()"],
  null: ["a field that is always null has no use", "Make another type .nullable()"],
  date: ["a Date is not a JSON value", "Use z.iso.datetime({ offset: true })"],
  map: ["a Map is not a JSON value", "Use z.record(z.string(), ...)"],
  set: ["a Set is not a JSON value", 'Use z.array(...).meta({ "x-kubernetes-list-type": "set" })'],
  tuple: ["a tuple has a schema for each position, and a structural schema has one for all items", "Use an object with named fields"],
  intersection: ["an intersection has no structural schema", "Use z.object({ ...a.shape, ...b.shape }) or a.extend(b.shape)"],
  function: ["a function is not a JSON value", "Leave the field out"],
  file: ["a file is not a JSON value", "Use z.base64()"],
  transform: [
    "transform() computes a value, and the API server computes nothing",
    "Declare the value as it is stored, and convert where it is used",
  ],
  custom: ["custom() and instanceof() are functions, which no schema can carry", "Use a schema of the type with a CEL rule beside it"],
};
