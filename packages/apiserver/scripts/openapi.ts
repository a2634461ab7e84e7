/**
 * Writes `src/openapi/published-data.ts`: the schemas of the built-in kinds as a real API server publishes them, descriptions
 * included. Run it after a step to another Kubernetes:
 *
 *     node --conditions=@treadle/source packages/apiserver/scripts/openapi.ts KUBECONFIG
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { systemClock } from "@treadle/apimachinery";
import { builtInResources } from "../src/builtin/resources.ts";
import { definitionsResource } from "../src/crd/resource.ts";
import { realServer } from "../test/conformance/real-server.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

const [kubeconfig] = process.argv.slice(2);
if (kubeconfig === undefined) throw new Error("give the kubeconfig of a real API server");
const server = realServer(kubeconfig);
const DEFINITIONS = definitionsResource(systemClock);

async function main(): Promise<void> {
  const names: Record<string, string> = {};
  const definitions = new Map<string, string>();
  const documents = new Map<string, Readonly<Record<string, Schema>>>();
  for (const type of [...builtInResources(), DEFINITIONS]) {
    for (const { apiVersion, group, version } of type.versions) {
      const path = group === "" ? `api/${version}` : `apis/${apiVersion}`;
      const schemas = documents.get(path) ?? (await schemasOf(path));
      documents.set(path, schemas);
      for (const kind of type.isReview !== true ? [type.kind, type.listKind] : [type.kind]) {
        const found = Object.keys(schemas).find((name) => isKind(schemas[name], { group, version, kind }));
        if (found === undefined) throw new Error(`the server has no schema of ${apiVersion} ${kind}`);
        names[`${apiVersion} ${kind}`] = found;
        collect(found, schemas, definitions);
      }
    }
  }
  const lines = [...definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, json]) => `${name} ${json}`);
  const file = join(import.meta.dirname, "../src/openapi/published-data.ts");
  const text = fileText(compressed([`kinds ${JSON.stringify(names)}`, ...lines].join("\n")));
  writeFileSync(file, text);
  console.log(`${file}: ${Object.keys(names).length} kinds and lists, ${definitions.size} definitions, ${text.length} bytes`);
}

async function schemasOf(document: string): Promise<Readonly<Record<string, Schema>>> {
  const path = `/openapi/v3/${document}`;
  const { status, body } = await server.request({ method: "GET", path, headers: { accept: "application/json" } });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${body}`);
  const { components } = JSON.parse(body ?? "") as { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };
  return components.schemas;
}

function isKind(schema: Schema | undefined, wanted: Readonly<Record<string, string>>): boolean {
  const kinds = schema?.["x-kubernetes-group-version-kind"];
  return Array.isArray(kinds) && kinds.some((one: Schema) => Object.entries(wanted).every(([field, value]) => one[field] === value));
}

/** Takes in a definition and all that it refers to. */
function collect(name: string, schemas: Readonly<Record<string, Schema>>, into: Map<string, string>): void {
  if (into.has(name)) return;
  const json = JSON.stringify(schemas[name]);
  into.set(name, json);
  for (const [, other = ""] of json.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) collect(other, schemas, into);
}

function compressed(text: string): string {
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return brotliCompressSync(text, { params }).toString("base64");
}

function fileText(data: string): string {
  return `/* oxlint-disable max-lines -- generated */
/**
 * The schemas of the built-in kinds as Kubernetes publishes them; their texts are those of Kubernetes (Apache-2.0). Written by
 * \`scripts/openapi.ts\`; not to be edited by hand.
 */

/** A name and its schema on each line, as Brotli in base64. First the name of each kind and each list, by \`apiVersion kind\`. */
export const PUBLISHED: string = \`
${data.replaceAll(/.{1,136}/g, "$&\n")}\`;
`;
}

try {
  await main();
} finally {
  await server.close();
}
