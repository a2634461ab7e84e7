/**
 * Turns definitions of a server's OpenAPI into `packages/apimachinery/src/schemas/definitions.ts`. What a CRD cannot say is left out.
 * The rules are those of controller-gen, except that enums stay and that the metadata of templates has its fields.
 */
import { ROOTS } from "./roots.ts";

/** A definition, or the schema of a field. */
export interface OpenApiSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
}

/** Returns the text of `definitions.ts`. `read` returns the definitions of a document of `/openapi/v3`, by their full names. */
export async function definitionsModule(read: (document: string) => Promise<Readonly<Record<string, OpenApiSchema>>>): Promise<string> {
  const found = new Map<string, { readonly name: string; readonly schema: OpenApiSchema; readonly refs: ReadonlySet<string> }>();
  for (const [document, roots] of Object.entries(ROOTS)) {
    const schemas = await read(document);
    const collect = (name: string): void => {
      const short = shortName(name);
      const known = found.get(short);
      if (known !== undefined && known.name !== name) throw new Error(`${known.name} and ${name} would both be named ${short}`);
      if (known !== undefined) return;
      const given = schemas[name];
      if (given === undefined) throw new Error(`/openapi/v3/${document} has no ${name}: correct tools/schemas/roots.ts`);
      const refs = new Set<string>();
      found.set(short, {
        name,
        schema: compact(name.endsWith(".ObjectMeta") ? templateMetadata(given) : withoutZeroValues(short, given), refs),
        refs,
      });
      for (const ref of refs) collect(ref);
    };
    for (const root of roots) collect(root);
  }
  const texts = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([short, { schema, refs }]) => definitionText(short, schema, refs));
  return `${HEAD}${texts.join("")}`;
}

/** The fields of the metadata of a template. The server ignores all others there; controller-gen has the same list. */
const TEMPLATE_METADATA = ["annotations", "finalizers", "labels", "name", "namespace"];

function templateMetadata({ properties = {}, ...rest }: OpenApiSchema): OpenApiSchema {
  return { ...rest, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => TEMPLATE_METADATA.includes(name))) };
}

const REF = "#/components/schemas/";

/** Definitions that are scalars, and the types that stand for them in the data. */
const SCALARS: Readonly<Record<string, OpenApiSchema>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "quantity" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "intOrString" },
};

const KEPT = new Set([
  "type",
  "format",
  "enum",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
]);

/** Returns `schema` without what a CRD cannot say, with short names in its references. Their full names go to `refs`. */
function compact(schema: OpenApiSchema, refs: Set<string>): OpenApiSchema {
  const [base] = schema.allOf ?? [schema];
  const target = typeof base?.["$ref"] === "string" ? base["$ref"].slice(REF.length) : undefined;
  const out: Record<string, unknown> = target === undefined ? {} : (SCALARS[target] ?? reference(target, refs));
  const problem = unsupported(schema, target);
  if (problem !== undefined) throw new Error(`packages/apimachinery/src/schemas/to-zod.ts has no case for ${problem}`);
  const description = withoutEnum(schema);
  const made: Record<string, unknown> = { ...(description === undefined ? {} : { description }), ...out };
  for (const [keyword, value] of Object.entries(schema)) if (KEPT.has(keyword)) made[keyword] = value;
  if (schema.items !== undefined) made["items"] = element(schema.items, refs);
  if (schema.additionalProperties !== undefined) made["additionalProperties"] = element(schema.additionalProperties, refs);
  if (schema.properties !== undefined) made["properties"] = fields(schema, refs);
  return made;
}

/** What `to-zod.ts` cannot read, so that a new version of Kubernetes cannot bring it in unseen. */
function unsupported(schema: OpenApiSchema, target: string | undefined): string | undefined {
  if (target !== undefined) return undefined;
  const { type, format } = schema;
  if (type === "object" && schema.properties === undefined && schema.additionalProperties === undefined) return "an object without fields";
  if (!["object", "array", "string", "integer", "boolean"].includes(type ?? "")) return `the type ${type}`;
  return format === undefined || format === "int32" || format === "int64" ? undefined : `the format ${JSON.stringify(format)}`;
}

/** A required field, an element and a structure have the zero value of Go as their default. A CRD must not fill it in. */
function element(schema: OpenApiSchema, refs: Set<string>): OpenApiSchema {
  const { default: _zero, ...rest } = schema;
  return compact(rest, refs);
}

/** Fields that are optional in name only: Go writes their zero value, and OpenAPI calls it a default. */
const ZERO_VALUES = new Set(["PodFailurePolicyOnPodConditionsPattern.status", "RoleRef.apiGroup"]);

function withoutZeroValues(type: string, schema: OpenApiSchema): OpenApiSchema {
  const entries = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const { default: _zero, ...rest } = field;
    return [name, ZERO_VALUES.has(`${type}.${name}`) ? rest : field] as const;
  });
  return { ...schema, ...(schema.properties === undefined ? {} : { properties: Object.fromEntries(entries) }) };
}

function fields({ properties = {}, required = [] }: OpenApiSchema, refs: Set<string>): Readonly<Record<string, OpenApiSchema>> {
  const entries = Object.entries(properties).map(([name, field]) => {
    const made = compact(field, refs);
    const isReal = field.default !== undefined && typeof field.default !== "object" && !required.includes(name);
    return [name, isReal ? { ...made, default: field.default } : made] as const;
  });
  return Object.fromEntries(entries);
}

function reference(name: string, refs: Set<string>): Record<string, unknown> {
  refs.add(name);
  return { $ref: shortName(name) };
}

/** The enum beside it names the values, and `kubectl explain` prints it. */
function withoutEnum({ description }: OpenApiSchema): string | undefined {
  return description?.split("\n\nPossible enum values:")[0];
}

function isRoot(short: string): boolean {
  return Object.values(ROOTS)
    .flat()
    .some((name) => shortName(name) === short);
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function definitionText(name: string, { properties, ...rest }: OpenApiSchema, refs: ReadonlySet<string>): string {
  const lines = Object.entries(properties ?? {}).map(([field, schema]) => `${JSON.stringify(field)}:${JSON.stringify(schema)}`);
  const json = `${JSON.stringify(rest).slice(0, -1)},"properties":{\n${lines.join(",\n")}\n}}`;
  const names = [...refs].map(shortName).toSorted();
  return `
/** The definition of ${name}. */
${isRoot(name) ? "export " : ""}const ${name}: Definition = {
  json: \`${json.replaceAll(/[\\`]|\$\{/g, "\\$&")}\`,
  refs: () => (${names.length === 0 ? "{}" : `{ ${names.join(", ")} }`}),
};
`;
}

const HEAD = `/* oxlint-disable max-lines -- generated */
// biome-ignore-all format: generated
/**
 * Schemas of built-in types as Kubernetes publishes them; their texts are those of Kubernetes (Apache-2.0). Written by
 * \`tools/schemas/main.ts\`; not to be edited by hand. Each constant stands alone, so that a bundler keeps only those that are used.
 */
import type { Definition } from "./definition.ts";
`;
