/** Why zod schemas are refused that compute or that a structural schema cannot say, and what to write instead. */
import type { SchemaDef } from "./zod-tree.ts";

/** The key that keeps fields without a schema. */
export const PRESERVE = "x-kubernetes-preserve-unknown-fields";
export const PRESERVE_ADVICE: string = `z.unknown().meta({ "${PRESERVE}": true })`;

/** Reason and fix for the wrappers that compute. */
export const COMPUTING: Readonly<Record<string, readonly [reason: string, fix: string]>> = {
  pipe: [
    "transform(), pipe(), preprocess(), codecs and stringbool() compute a value, and the API server computes nothing",
    "Declare the value as it is stored, and convert where it is used",
  ],
  catch: ["catch() replaces what does not fit, and the API server refuses it instead", "Use .default() for a value that may be absent"],
  success: ["success() computes a value, and the API server computes nothing", "Declare the value as it is stored"],
  promise: ["a promise is no JSON value", "Declare the value itself"],
  lazy: ["the schema is recursive", `Cut it here with ${PRESERVE_ADVICE}`],
};

/** Why a type has no structural schema, and what to write instead. */
export const UNSAYABLE: Readonly<Partial<Record<SchemaDef["type"], readonly [reason: string, fix: string]>>> = {
  bigint: ["a bigint is no JSON value", "Use z.int(), or a string with a pattern for larger numbers"],
  symbol: ["a symbol is no JSON value", "Use an enum of strings"],
  undefined: ["undefined is no JSON value", "Make the field .optional()"],
  void: ["undefined is no JSON value", "Make the field .optional()"],
  never: ["a field that can never be set says nothing", "Leave the field out"],
  nan: ["NaN is no JSON value", "Use z.number()"],
  null: ["a field that is always null says nothing", "Make another type .nullable()"],
  date: ["a Date is no JSON value", "Use z.iso.datetime({ offset: true })"],
  map: ["a Map is no JSON value", "Use z.record(z.string(), ...)"],
  set: ["a Set is no JSON value", 'Use z.array(...).meta({ "x-kubernetes-list-type": "set" })'],
  tuple: ["a tuple has a schema for each position, and a structural schema has one for all items", "Use an object with named fields"],
  intersection: ["an intersection has no structural schema", "Use z.object({ ...a.shape, ...b.shape }) or a.extend(b.shape)"],
  function: ["a function is no JSON value", "Leave the field out"],
  file: ["a file is no JSON value", "Use z.base64()"],
  transform: [
    "transform() computes a value, and the API server computes nothing",
    "Declare the value as it is stored, and convert where it is used",
  ],
  custom: ["custom() and instanceof() are functions, which no schema can carry", "Use a schema of the type with a CEL rule beside it"],
};
