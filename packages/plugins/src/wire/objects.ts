/** Objects as JSON in messages. What another program sends is limited: a pass walks through all values of an object several times. */
import { type core, z } from "zod";
import { quoted } from "./texts.ts";

/** Maximum depth of an object. JSON.parse() has no limit; what walks through a deeper object overflows the stack. */
const MAX_LEVELS = 200;
/** Maximum number of values in an object of a plugin, lists and objects included. */
const MAX_VALUES = 50_000;
/** Maximum number of values in all objects of an answer. */
const MAX_VALUES_TOGETHER = 100_000;
/** Maximum size of an object of a plugin, in bytes: etcd stores no larger one. */
const MAX_BYTES = 1.5 * 1024 * 1024;

const TOO_MANY_VALUES = `has more than ${MAX_VALUES} values; give a smaller one`;

type JsonObject = Record<string, unknown>;

/** A JSON object in UTF-8, without a limit of its size. */
export const OBJECT: z.ZodType<JsonObject, unknown> = objectWith({ maxBytes: Infinity, maxValues: Infinity });

/** A JSON object of a plugin. */
const LIMITED_OBJECT = objectWith({ maxBytes: MAX_BYTES, maxValues: MAX_VALUES });

/** A JSON object; `undefined` without bytes. */
export const OPTIONAL_OBJECT: z.ZodType<JsonObject | undefined, unknown> = optional(OBJECT);
/** A JSON object of a plugin; `undefined` without bytes. */
export const OPTIONAL_LIMITED_OBJECT: z.ZodType<JsonObject | undefined, unknown> = optional(LIMITED_OBJECT);

/** A version, or a group and a version. */
const GROUP_VERSION = /^[^/\s]+(\/[^/\s]+)?$/;

/** An object of a plan. */
export const RESOURCE: z.ZodType<JsonObject, unknown> = LIMITED_OBJECT.superRefine((object, context) => {
  const { apiVersion, kind, metadata } = object;
  for (const [field, value] of Object.entries({ apiVersion, kind }))
    if (typeof value !== "string" || value === "") context.addIssue(`has no ${field}; set it`);
  if (typeof apiVersion === "string" && apiVersion !== "" && !GROUP_VERSION.test(apiVersion))
    context.addIssue(`has the apiVersion ${quoted(apiVersion)}; set one such as "apps/v1"`);
  if (typeof metadata !== "object" || metadata === null) return;
  for (const field of ["labels", "annotations"])
    if (!isTexts((metadata as JsonObject)[field])) context.addIssue(`has metadata.${field} that are no texts; give an object of texts`);
});

/** Refuses an answer whose objects have too many values together. */
export function limitValues(dependents: readonly { readonly object: JsonObject }[], context: core.$RefinementCtx): void {
  const { problem } = counted(
    dependents.map(({ object }) => object),
    MAX_LEVELS + 1,
    MAX_VALUES_TOGETHER,
  );
  if (problem !== undefined) context.addIssue(`has objects that together have more than ${MAX_VALUES_TOGETHER} values; give fewer`);
}

function objectWith({ maxBytes, maxValues }: { readonly maxBytes: number; readonly maxValues: number }): z.ZodType<JsonObject, unknown> {
  return z.instanceof(Uint8Array).transform((bytes, context): JsonObject => {
    const value = bytes.length > maxBytes ? undefined : parsed(bytes);
    const { problem } = counted(value, MAX_LEVELS, maxValues);
    // A JSON object has texts as keys.
    if (problem === undefined && typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
    if (bytes.length > maxBytes) context.addIssue(`has ${bytes.length} bytes; give an object of 1.5 MiB at most`);
    else context.addIssue(problem ?? `is ${bytes.length === 0 ? "empty" : "not a JSON object in UTF-8"}; give a JSON object`);
    return z.NEVER;
  });
}

function optional(object: z.ZodType<JsonObject, unknown>): z.ZodType<JsonObject | undefined, unknown> {
  const given = (bytes: unknown): unknown => (bytes instanceof Uint8Array && bytes.length === 0 ? undefined : bytes);
  return z.preprocess(given, object.optional()).transform((value) => value); // It makes the field one that is always there, with or without a value.
}

/** The text of a parse error has parts of the value, so it is left out. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

interface Counted {
  readonly count: number;
  /** Why the value is refused. */
  readonly problem?: string;
}

/** Counts the values in a value, until there are too many. */
function counted(value: unknown, levels: number, max: number): Counted {
  if (typeof value === "number" && !Number.isFinite(value))
    return { count: 1, problem: "has a number that is too large; give a smaller one" };
  if (typeof value !== "object" || value === null) return { count: 1 };
  if (levels === 0) return { count: 1, problem: `has more than ${MAX_LEVELS} levels; give a flatter one` };
  let count = 1;
  for (const each of Object.values(value)) {
    const inner = counted(each, levels - 1, max - count);
    if (inner.problem !== undefined) return inner;
    count += inner.count;
    if (count > max) return { count, problem: TOO_MANY_VALUES };
  }
  return { count };
}

/** Labels and annotations are texts by name. */
function isTexts(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && !Array.isArray(value) && Object.values(value).every((each) => typeof each === "string");
}
