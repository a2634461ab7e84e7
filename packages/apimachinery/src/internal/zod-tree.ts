/**
 * Reading zod's schema tree. Only types are imported: a schema brings its own zod, so this package loads none.
 */
import type { z } from "zod";

export type AnySchema = z.core.$ZodType;

/** The definition of a schema as a union to switch on. */
export type SchemaDef = z.core.$ZodTypes["_zod"]["def"];

/** A check, reduced to what is read of it. */
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

export type Meta = Readonly<Record<string, unknown>>;

/** A schema with its wrappers peeled off: what it is at the core, and what the wrappers say. */
export interface Peeled {
  readonly core: AnySchema;
  readonly isNullable: boolean;
  /** The outermost default; `prefault` values are parsed, `default` values are not. */
  readonly defaults: { readonly value: unknown; readonly isParsed: boolean; readonly wrapper: AnySchema } | undefined;
  /** Of all layers, the outer ones winning. */
  readonly meta: Meta;
  readonly checks: readonly CheckDef[];
  /** A wrapper that computes or reads on: its type. */
  readonly refused: string | undefined;
}

export function defOf(schema: AnySchema): SchemaDef {
  // zod's base type does not know which definition it has; the union lists all that zod makes.
  return schema._zod.def as SchemaDef;
}

/** Whether a client must send it. */
export function isRequired(schema: AnySchema): boolean {
  return schema._zod.optin === undefined;
}

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Reads `value` as zod does; what the author's functions throw is an issue too. */
export function parse(schema: AnySchema, value: unknown): { readonly value: unknown } | { readonly issues: readonly Issue[] } {
  try {
    // Both flavours of zod have the method; their common base type does not tell. `~standard` would go on asynchronously
    // after an exception.
    const result = (schema as z.ZodType).safeParse(value);
    return result.success ? { value: result.data } : { issues: result.error.issues };
  } catch (error) {
    return { issues: [{ path: [], message: `the schema failed: ${error instanceof Error ? error.message : String(error)}` }] };
  }
}

/** Peels optional, nullable, default, prefault, nonoptional, readonly and lazy. */
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
        // nonoptional() around a default refuses what is absent, so the default is never used.
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

export const RULES = "x-kubernetes-validations";

export function rulesOf(meta: Meta): readonly unknown[] {
  const rules = meta[RULES];
  return rules === undefined ? [] : Array.isArray(rules) ? rules : [rules];
}
