/**
 * Writes `packages/dependents/src/layers/merge-keys-data.ts`, the keys of lists that layers merge by. Run it after a step to another
 * Kubernetes:
 *
 *     node --conditions=@treadle/source tools/merge-keys/main.ts
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { startControlPlane } from "../controlplane/src/control-plane.ts";
import { binaryPath } from "../controlplane/src/programs.ts";
import { FILE, type Schema, type Table, tableOf } from "./table.ts";

await using plane = await startControlPlane({ log: console.error });
const { paths } = get("/openapi/v3") as { readonly paths: Readonly<Record<string, unknown>> };
const stable = Object.keys(paths).filter((path) => /^(api|apis\/[^/]+)\/v\d+$/.test(path));
const documents = stable.map(
  (path) => (get(`/openapi/v3/${path}`) as { components: { schemas: Record<string, Schema> } }).components.schemas,
);
const { gitVersion } = get("/version") as { readonly gitVersion: string };
const table = tableOf(documents);
writeFileSync(FILE, fileText(gitVersion, table));
execFileSync("biome", ["format", "--write", FILE], { stdio: "ignore" });
console.log(`${FILE}: Kubernetes ${gitVersion}, ${Object.keys(table.kinds).length} kinds, ${Object.keys(table.types).length} types`);

/** A document of the server. Its shape is that of the OpenAPI specification. */
function get(path: string): unknown {
  const args = ["--kubeconfig", plane.kubeconfigPath, "get", "--raw", path];
  return JSON.parse(execFileSync(binaryPath(plane.assetsDir, "kubectl"), args, { encoding: "utf8", maxBuffer: 2 ** 26 }));
}

function fileText(version: string, { kinds, types }: Table): string {
  return `/** The keys of lists, from the OpenAPI of Kubernetes ${version}. Written by \`tools/merge-keys/main.ts\`; not to be edited by hand. */

/** The type of the objects of each kind, by \`apiVersion/kind\`. Kinds without a list that has keys are left out. */
export const KINDS: Readonly<Record<string, string>> = ${JSON.stringify(kinds, undefined, 2)};

/**
 * The fields of each type that have keys, or have lists with keys below them:
 * - \`Type\`: an object of that type,
 * - \`[key,other=default]Type\`: a list of them. The entries are told apart by these fields, which may be paths,
 * - \`[name|key]Type\`: by name if both entries have one, else by the key.
 */
export const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(types, undefined, 2)};
`;
}
