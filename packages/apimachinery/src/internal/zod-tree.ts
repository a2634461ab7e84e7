/** Reads zod's schema tree. It imports only types: a schema brings its own zod, so this package does not load zod. */
import type { z } from "zod";

/** Any zod schema. */
export type AnySchema = z.core.$ZodType;

/** The definition of a schema, as a union for `switch`. */
export type SchemaDef = z.core.$ZodTypes["_zod"]["def"];

/** The fields of a check that this package reads. */
export interface CheckDef {
  readonly check: string;
  readonly value?: unknown;
  readonly inclusive?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly length?: number;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly local?: boolean;
  readonly precision?: number | null;
  readonly normalize?: boolean;
  readonly hostname?: RegExp;
  readonly protocol?: RegExp;
}

/** The metadata that `.meta({...})` and `.describe()` attach. */
export type Meta = Readonly<Record<string, unknown>>;

/** A schema without its wrappers, and the information from the wrappers. */
export interface Peeled {
  readonly core: AnySchema;
  readonly isNullable: boolean;
  /** The outermost default; `prefault` values are parsed, `default` values are not. */
  readonly defaults: { readonly value: unknown; readonly isParsed: boolean; readonly wrapper: AnySchema } | undefined;
  /** The metadata of all layers; an outer layer overrides an inner one. */
  readonly meta: Meta;
  readonly checks: readonly CheckDef[];
  /** The type of the first wrapper that computes. */
  readonly refused: string | undefined;
}

/** Returns the definition of a schema. */
export function defOf(schema: AnySchema): SchemaDef {
  // zod's base type does not know which definition it has; the union lists all that zod makes.
  return schema._zod.def as SchemaDef;
}

/** Whether a client must send a value for the schema. */
export function isRequired(schema: AnySchema): boolean {
  return schema._zod.optin === undefined;
}

/** One failure of a schema on a value. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Parses `value` with zod. An error that a function of the author throws becomes an issue. */
export function parse(schema: AnySchema, value: unknown): { readonly value: unknown } | { readonly issues: readonly Issue[] } {
  try {
    // Both flavours of zod have the method, but their common base type does not. `~standard` would continue asynchronously
    // after an exception.
    const result = (schema as z.ZodType).safeParse(value);
    return result.success ? { value: result.data } : { issues: result.error.issues };
  } catch (error) {
    return { issues: [{ path: [], message: `the schema failed: ${error instanceof Error ? error.message : String(error)}` }] };
  }
}

/** Removes the wrappers optional, nullable, default, prefault, nonoptional, readonly and lazy. */
export function peel(schema: AnySchema): Peeled {
  let core = schema;
  let isNullable = false;
  let defaults: Peeled["defaults"];
  let meta: Meta = {};
  const checks: CheckDef[] = [];
  let isDemanded = false;
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const def = defOf(core);
    meta = mergeMeta(metaOf(core), meta);
    checks.push(...checksOf(core));
    switch (def.type) {
      case "nullable":
        isNullable = true;
        core = def.innerType;
        continue;
      case "default":
      case "prefault":
        // nonoptional() around a default refuses an absent value, so the default is never used.
        if (!isDemanded) defaults ??= { value: def.defaultValue, isParsed: def.type === "prefault", wrapper: core };
        core = def.innerType;
        continue;
      case "nonoptional":
        isDemanded ||= defaults === undefined;
        core = def.innerType;
        continue;
      case "optional":
      case "readonly":
        core = def.innerType;
        continue;
      case "lazy":
        core = def.getter();
        continue;
      case "catch":
      case "pipe":
      case "success":
      case "promise":
        return { core, isNullable, defaults, meta, checks, refused: def.type };
      default:
        return { core, isNullable, defaults, meta, checks, refused: undefined };
    }
  }
  return { core, isNullable, defaults, meta, checks, refused: "lazy" };
}

/** A lazy schema that returns itself would never end. */
const MAX_WRAPPERS = 100;

/** The checks of one layer; a format schema such as `z.email()` is its own first check. */
function checksOf(schema: AnySchema): readonly CheckDef[] {
  const def = defOf(schema) as Partial<CheckDef> & { readonly checks?: readonly z.core.$ZodCheck[] };
  const own = def.check === undefined ? [] : [def as CheckDef];
  return [...own, ...(def.checks ?? []).map((check) => check._zod.def as CheckDef)];
}

function metaOf(schema: AnySchema): Meta {
  const meta = "meta" in schema && typeof schema.meta === "function" ? schema.meta() : undefined;
  return typeof meta === "object" && meta !== null ? (meta as Meta) : {};
}

function mergeMeta(inner: Meta, outer: Meta): Meta {
  const rules = [...rulesOf(inner), ...rulesOf(outer)];
  return { ...inner, ...outer, ...(rules.length === 0 ? {} : { [RULES]: rules }) };
}

/** The key of CEL rules. */
export const RULES = "x-kubernetes-validations";

/** Returns the CEL rules in `meta`, unchecked. */
export function rulesOf(meta: Meta): readonly unknown[] {
  const rules = meta[RULES];
  return rules === undefined ? [] : Array.isArray(rules) ? rules : [rules];
}
