/**
 * The schemas of the built-in kinds, from the OpenAPI of a real server. Each definition is parsed and compiled when it is
 * first needed, so a server with three Secrets never compiles the schema of pods. Definitions can refer to themselves.
 */
import { type CompiledSchema, compileSchema } from "../schema/schema.ts";
import type { ResourceType, ServedVersion } from "../storage/registry.ts";
import { DEFINITIONS, KINDS } from "./schema-data.ts";

/** A schema of the data: OpenAPI without descriptions. */
export interface RawSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, RawSchema>>;
  readonly items?: RawSchema;
  readonly additionalProperties?: RawSchema;
  /** Short name of a definition, such as `apps.v1.DeploymentSpec`. */
  readonly $ref?: string;
  readonly default?: unknown;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** Strategy of strategic merge patches: `merge`, `replace`, `retainKeys`, or two of them joined by a comma. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** Go type of a field, when `deducedGoType` does not find it. */
  readonly go?: string;
  /** Value that the real server writes for an absent field. Absent: the field is omitted, also when it is empty. */
  readonly zero?: unknown;
}

/** Returns the name of the definition of a built-in kind in a version. */
export function definitionOf({ kind }: Pick<ResourceType, "kind">, { apiVersion }: Pick<ServedVersion, "apiVersion">): string | undefined {
  return KINDS[`${apiVersion} ${kind}`];
}

/** Returns the schema of a built-in kind with its patch merge keys, or `undefined`. Resolve `$ref` with {@link definition}. */
export function schemaOf(type: Pick<ResourceType, "kind">, version: Pick<ServedVersion, "apiVersion">): RawSchema | undefined {
  const name = definitionOf(type, version);
  return name === undefined ? undefined : definition(name);
}

/** Returns a definition by its short name. @throws Error when there is none */
export function definition(name: string): RawSchema {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const start = DEFINITIONS.indexOf(`\n${name} {`);
  if (start < 0) throw new Error(`there is no schema named ${name}`);
  const json = DEFINITIONS.slice(start + name.length + 2, DEFINITIONS.indexOf("\n", start + 1));
  const schema = JSON.parse(json) as RawSchema; // written by scripts/schemas.ts
  parsed.set(name, schema);
  return schema;
}

/** Returns a schema together with the definition that it refers to. */
export function resolved(schema: RawSchema): RawSchema {
  return schema.$ref === undefined ? schema : { ...definition(schema.$ref), ...schema };
}

/** Returns the schema of a built-in kind in the form of custom ones, for field ownership. */
export function compiledSchemaOf(type: Pick<ResourceType, "kind">, version: Pick<ServedVersion, "apiVersion">): CompiledSchema | undefined {
  const name = definitionOf(type, version);
  return name === undefined ? undefined : compiledDefinition(name);
}

// Caches: their values depend only on the data.
const parsed = new Map<string, RawSchema>();
const compiled = new Map<string, CompiledSchema>();

function compiledDefinition(name: string): CompiledSchema {
  let schema = compiled.get(name);
  if (schema === undefined) {
    schema = compile(definition(name));
    compiled.set(name, schema);
  }
  return schema;
}

/** Compiles one level now, and the levels below it at their first use. */
function compile(raw: RawSchema): CompiledSchema {
  if (raw.$ref !== undefined) {
    const target = compiledDefinition(raw.$ref);
    return raw.default === undefined && raw["x-kubernetes-map-type"] === undefined ? target : lazily(raw, target);
  }
  return lazily(raw, undefined);
}

/** Compiles a schema. `target` is the definition that it refers to, which has all that the schema does not have. */
function lazily(raw: RawSchema, target: CompiledSchema | undefined): CompiledSchema {
  const { properties, items, additionalProperties, $ref, ...own } = raw;
  const { properties: _, items: __, additionalProperties: ___, ...theirs } = $ref === undefined ? {} : definition($ref);
  // A value without known fields has one owner.
  const hasFields = target !== undefined || properties !== undefined || additionalProperties !== undefined;
  const isOpaque = !hasFields && (own.type ?? "object") === "object" && own["x-kubernetes-int-or-string"] !== true;
  const schema: CompiledSchema = compileSchema({ ...theirs, ...own, ...(isOpaque ? { "x-kubernetes-map-type": "atomic" } : {}) });
  const define = <K extends keyof CompiledSchema>(key: K, make: () => CompiledSchema[K]): void => {
    let value: { readonly made: CompiledSchema[K] } | undefined;
    Object.defineProperty(schema, key, { enumerable: true, configurable: true, get: () => (value ??= { made: make() }).made });
  };
  define("properties", () => target?.properties ?? new Map(Object.entries(properties ?? {}).map(([name, sub]) => [name, compile(sub)])));
  define("items", () => target?.items ?? (items === undefined ? undefined : compile(items)));
  define("additional", () => target?.additional ?? (additionalProperties === undefined ? undefined : compile(additionalProperties)));
  return schema;
}
