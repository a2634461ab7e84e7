/**
 * The schemas of the built-in kinds, from the OpenAPI of a real server. Each definition is parsed and compiled when it is
 * first needed, so a server that stores three Secrets never looks at pods. Definitions may refer to themselves.
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
  /** The short name of a definition, as `apps.v1.DeploymentSpec`. */
  readonly $ref?: string;
  readonly default?: unknown;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** For strategic merge patches: `merge`, `replace`, `retainKeys`, or two of them joined by a comma. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** The Go type of a field, where `deducedGoType` does not find it. */
  readonly go?: string;
  /** What the real server writes when the field is absent; without it the field is left out, as it is when it is empty. */
  readonly zero?: unknown;
}

/** The name of the definition of a built-in kind in a version. */
export function definitionOf({ kind }: Pick<ResourceType, "kind">, { apiVersion }: Pick<ServedVersion, "apiVersion">): string | undefined {
  return KINDS[`${apiVersion} ${kind}`];
}

/** The schema of a built-in kind with its patch merge keys; `undefined` for a kind of which there is none. Follow `$ref` by {@link definition}. */
export function schemaOf(type: Pick<ResourceType, "kind">, version: Pick<ServedVersion, "apiVersion">): RawSchema | undefined {
  const name = definitionOf(type, version);
  return name === undefined ? undefined : definition(name);
}

/** A definition by its short name. @throws Error when there is none. */
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

/** A schema with what the definition that it refers to says. */
export function resolved(schema: RawSchema): RawSchema {
  return schema.$ref === undefined ? schema : { ...definition(schema.$ref), ...schema };
}

/** The schema of a built-in kind in the form in which custom ones are used: for ownership of fields. */
export function compiledSchemaOf(type: Pick<ResourceType, "kind">, version: Pick<ServedVersion, "apiVersion">): CompiledSchema | undefined {
  const name = definitionOf(type, version);
  return name === undefined ? undefined : compiledDefinition(name);
}

// Caches of constants: what they hold follows from the data alone.
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

/** Compiles one level now, what is below it on its first use. */
function compile(raw: RawSchema): CompiledSchema {
  if (raw.$ref !== undefined) {
    const target = compiledDefinition(raw.$ref);
    return raw.default === undefined && raw["x-kubernetes-map-type"] === undefined ? target : lazily(raw, target);
  }
  return lazily(raw, undefined);
}

/** `target` is what the schema refers to: it says all that the schema does not. */
function lazily(raw: RawSchema, target: CompiledSchema | undefined): CompiledSchema {
  const { properties, items, additionalProperties, $ref, ...own } = raw;
  const { properties: _, items: __, additionalProperties: ___, ...theirs } = $ref === undefined ? {} : definition($ref);
  // What has no fields that are known has one owner.
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
