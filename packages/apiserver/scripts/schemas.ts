/**
 * Writes `src/builtin/schema-data.ts`: the schemas of the built-in kinds, from the OpenAPI of a real API server and the Go
 * sources of the same version. Run it after a step to another Kubernetes:
 *
 *     node --conditions=@treadle/source packages/apiserver/scripts/schemas.ts KUBECONFIG
 *
 * Needs Go, whose module cache must hold the sources (`tools/controlplane` puts them there). Descriptions are left out.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInResources, TOKEN_REQUEST } from "../src/builtin/resources.ts";
import { deducedGoType } from "../src/builtin/go-type.ts";
import type { RawSchema } from "../src/builtin/schemas.ts";
import { realServer } from "../test/conformance/real-server.ts";
import { type GoField, type GoPackage, readPackage } from "./go-structs.ts";

interface OpenApi {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, OpenApi>>;
  readonly items?: OpenApi;
  readonly additionalProperties?: OpenApi;
  readonly allOf?: readonly OpenApi[];
  readonly $ref?: string;
}

const KEYWORDS = [
  "type",
  "format",
  "enum",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
] as const;

/** Where the Go sources of a definition are: the beginning of its OpenAPI name, the short one, module and folder. */
const SOURCES = [
  ["io.k8s.api.", "", "api", ""],
  ["io.k8s.apimachinery.pkg.apis.", "", "apimachinery", "pkg/apis"],
  ["io.k8s.apimachinery.pkg.api.", "", "apimachinery", "pkg/api"],
  ["io.k8s.apimachinery.pkg.util.", "", "apimachinery", "pkg/util"],
  ["io.k8s.apimachinery.pkg.", "", "apimachinery", "pkg"],
  ["io.k8s.apiextensions-apiserver.pkg.apis.", "", "apiextensions-apiserver", "pkg/apis"],
  ["io.k8s.kube-aggregator.pkg.apis.", "", "kube-aggregator", "pkg/apis"],
] as const;

const [kubeconfig] = process.argv.slice(2);
if (kubeconfig === undefined) throw new Error("give the kubeconfig of a real API server");
const server = realServer(kubeconfig);

async function main(): Promise<void> {
  const version = String((await get("/version"))["gitVersion"]);
  const modules = join(execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim(), "k8s.io");
  const reader = new DefinitionReader((name) => goFields(modules, version, name));
  const kinds: Record<string, string> = {};
  const types = [...builtInResources(), TOKEN_REQUEST];
  const served = [...types.flatMap(({ kind, versions }) => versions.map((each) => [each.apiVersion, kind] as const)), CRD];
  for (const [apiVersion, kind] of served) {
    const [group = "", name = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    // TokenRequest is in the document of ServiceAccounts.
    const path = kind === TOKEN_REQUEST.kind ? "api/v1" : `${group === "" ? "api" : `apis/${group}`}/${name}`;
    const document = await get(`/openapi/v3/${path}`);
    const schemas = (document["components"] as { readonly schemas: Readonly<Record<string, OpenApi>> }).schemas;
    const found = Object.entries(schemas).find(([, schema]) => isKind(schema, { group, version: name, kind }));
    if (found === undefined) throw new Error(`the server has no schema of ${apiVersion} ${kind}`);
    kinds[`${apiVersion} ${kind}`] = reader.read(found[0], schemas);
  }
  const file = join(import.meta.dirname, "../src/builtin/schema-data.ts");
  writeFileSync(file, fileText(version, kinds, reader.definitions));
  console.log(`${file}: Kubernetes ${version}, ${Object.keys(kinds).length} kinds, ${reader.definitions.size} definitions`);
}

const CRD = ["apiextensions.k8s.io/v1", "CustomResourceDefinition"] as const;

async function get(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await server.request({ method: "GET", path, headers: { accept: "application/json" } });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${body}`);
  return JSON.parse(body ?? "") as Readonly<Record<string, unknown>>; // the server's own document
}

function isKind(schema: OpenApi, wanted: { readonly group: string; readonly version: string; readonly kind: string }): boolean {
  const kinds = schema["x-kubernetes-group-version-kind"];
  if (!Array.isArray(kinds) || schema.properties === undefined) return false;
  return kinds.some(({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind);
}

/** Collects the definitions that the kinds reach. */
class DefinitionReader {
  readonly definitions = new Map<string, RawSchema>();
  readonly #fieldsOf: (name: string) => ReadonlyMap<string, GoField>;

  constructor(fieldsOf: (name: string) => ReadonlyMap<string, GoField>) {
    this.#fieldsOf = fieldsOf;
  }

  /** Takes in a definition and all that it refers to; returns its short name. */
  read(name: string, schemas: Readonly<Record<string, OpenApi>>): string {
    const short = shortName(name);
    if (this.definitions.has(short)) return short;
    this.definitions.set(short, {}); // it may refer to itself
    const raw = schemas[name];
    if (raw === undefined) throw new Error(`${name} is not defined`);
    this.definitions.set(
      short,
      SPECIAL[short] ?? this.#reduced(raw, schemas, raw.properties === undefined ? undefined : this.#fieldsOf(name)),
    );
    return short;
  }

  #reduced(raw: OpenApi, schemas: Readonly<Record<string, OpenApi>>, fields?: ReadonlyMap<string, GoField>): RawSchema {
    const ref = raw.$ref ?? raw.allOf?.[0]?.$ref;
    const reduced: Record<string, unknown> = ref === undefined ? {} : { $ref: this.read(ref.split("/").at(-1) ?? "", schemas) };
    for (const keyword of KEYWORDS) if (raw[keyword] !== undefined) reduced[keyword] = raw[keyword];
    // OpenAPI has an empty object as the default of each struct. It is not a real default.
    if (typeof raw["default"] !== "object" && raw["default"] !== undefined) reduced["default"] = raw["default"];
    if (raw.items !== undefined) reduced["items"] = withoutDefault(this.#reduced(raw.items, schemas));
    if (raw.additionalProperties !== undefined)
      reduced["additionalProperties"] = withoutDefault(this.#reduced(raw.additionalProperties, schemas));
    if (raw.properties !== undefined) {
      const entries = Object.entries(raw.properties).map(([name, property]) => {
        const field = fields?.get(name) ?? (HEADER.get(name) as GoField | undefined);
        if (field === undefined)
          throw new Error(`the Go sources have no field ${name} beside ${Object.keys(raw.properties ?? {}).join(", ")}`);
        return [name, withGo(this.#reduced(property, schemas), field)];
      });
      reduced["properties"] = Object.fromEntries(entries);
    }
    return reduced;
  }
}

const TEXT: GoField = { type: "string", omitsEmpty: true, omitsZero: false };
const HEADER: ReadonlyMap<string, GoField> = new Map([
  ["apiVersion", TEXT],
  ["kind", TEXT],
  ["metadata", { type: "v1.ObjectMeta", omitsEmpty: true, omitsZero: false }],
]);

/** Types that write and read themselves; OpenAPI describes them in several ways. */
const SPECIAL: Readonly<Record<string, RawSchema>> = {
  "resource.Quantity": { type: "string", format: "quantity" },
  "intstr.IntOrString": { "x-kubernetes-int-or-string": true },
  "meta.v1.MicroTime": { type: "string", format: "micro-time" },
  "runtime.RawExtension": { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  "meta.v1.FieldsV1": { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

function withoutDefault(schema: RawSchema): RawSchema {
  const { default: _, ...rest } = schema;
  return rest;
}

/** Adds what only Go knows: the type where it cannot be deduced, and what is written for an absent field. */
function withGo(schema: RawSchema, field: GoField): RawSchema {
  const zero = zeroOf(schema, field);
  return {
    ...schema,
    ...(field.type === deducedGoType(schema) ? {} : { go: field.type }),
    ...(zero === undefined ? {} : { zero }),
  };
}

function zeroOf({ $ref, type, format }: RawSchema, field: GoField): unknown {
  if (field.omitsZero) return undefined;
  const isReference = field.type.startsWith("*") || type === "array" || (type === "object" && $ref === undefined) || format === "byte";
  if (isReference) return field.omitsEmpty ? undefined : null;
  if ($ref !== undefined) return $ref in ZEROS ? ZEROS[$ref] : {};
  if (field.omitsEmpty) return undefined;
  return type === "string" ? "" : type === "boolean" ? false : 0;
}

const ZEROS: Readonly<Record<string, unknown>> = {
  "meta.v1.Time": null,
  "meta.v1.MicroTime": null,
  "resource.Quantity": "0",
  "intstr.IntOrString": 0,
  "runtime.RawExtension": null,
  "meta.v1.ObjectMeta": {},
};

const packages = new Map<string, GoPackage>();

function goFields(modules: string, version: string, name: string): ReadonlyMap<string, GoField> {
  const [prefix, , module, folder] = sourceOf(name);
  const parts = name.slice(prefix.length).split(".");
  const type = parts.pop() ?? "";
  const path = join(modules, `${module}@${version.replace("v1.", "v0.")}`, folder, ...parts);
  let known = packages.get(path);
  if (known === undefined) {
    const files = readdirSync(path).filter((file) => file.endsWith(".go") && !file.endsWith("_test.go") && !file.startsWith("zz_"));
    known = readPackage(
      files.map((file) => readFileSync(join(path, file), "utf8")),
      parts.at(-1) ?? "",
    );
    packages.set(path, known);
  }
  const fields = known.get(type);
  if (fields === undefined) throw new Error(`${path} has no struct ${type}`);
  return fields;
}

function sourceOf(name: string): (typeof SOURCES)[number] {
  const source = SOURCES.find(([prefix]) => name.startsWith(prefix));
  if (source === undefined) throw new Error(`the sources of ${name} are not known`);
  return source;
}

function shortName(name: string): string {
  const [prefix, short] = sourceOf(name);
  return `${short}${name.slice(prefix.length)}`;
}

function fileText(version: string, kinds: Readonly<Record<string, string>>, definitions: ReadonlyMap<string, RawSchema>): string {
  const lines = [...definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => `${name} ${JSON.stringify(schema)}`);
  const text = lines.join("\n");
  if (/[`\\]|\$\{/.test(text)) throw new Error("a definition holds characters that a template must not");
  return `/* oxlint-disable max-lines -- generated: one line for each definition */
/** The schemas of the built-in kinds. Written by \`scripts/schemas.ts\`; not to be edited by hand. */

/** The Kubernetes of which the schemas are. */
export const KUBERNETES_VERSION: string = ${JSON.stringify(version)};

/** The definition of each kind, by \`apiVersion kind\`. */
export const KINDS: Readonly<Record<string, string>> = {
${Object.entries(kinds)
  .map(([kind, name]) => `  ${JSON.stringify(kind)}: ${JSON.stringify(name)},`)
  .join("\n")}
};

/** A name and its schema on each line; a text, so that only what is used is ever parsed. */
export const DEFINITIONS: string = \`
${text}
\`;
`;
}

try {
  await main();
} finally {
  await server.close();
}
