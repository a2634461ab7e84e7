/**
 * Writes the table columns of the built-in kinds, with the names of a real API server.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/scripts/columns.ts > packages/apiserver/src/table/columns.ts
 */
import { createApiServer } from "../src/index.ts";
import { realServer } from "../test/conformance/real-server.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

interface Resource {
  readonly name: string;
  readonly verbs: readonly string[];
}

const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("set KUBECONFIG to the file of a real API server");
const real = realServer(kubeconfig);
const memory = createApiServer();

async function get(path: string, accept = "application/json", server = real): Promise<{ readonly [field: string]: unknown }> {
  const { status, body } = await server.request({ method: "GET", path, headers: { accept } });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${body}`);
  return JSON.parse(body ?? "") as { readonly [field: string]: unknown };
}

const { gitVersion } = await get("/version");
const groups = (await get("/apis", undefined, { ...memory.transport(), url: "" }))["groups"] as readonly {
  readonly name: string;
  readonly preferredVersion: { readonly groupVersion: string };
}[];
const texts: string[] = [];
for (const { name, path } of [
  { name: "", path: "/api/v1" },
  ...groups.map((group) => ({ name: group.name, path: `/apis/${group.preferredVersion.groupVersion}` })),
]) {
  if (name === "events.k8s.io") continue; // the same objects as those of v1
  const resources = (await get(path, undefined, { ...memory.transport(), url: "" }))["resources"] as readonly Resource[];
  for (const resource of resources.filter((one) => !one.name.includes("/") && one.verbs.includes("list"))) {
    const table = await get(`${path}/${resource.name}?limit=1`, "application/json;as=Table;v=v1;g=meta.k8s.io");
    const columns = table["columnDefinitions"] as readonly Column[];
    texts.push(`# ${resource.name}${name === "" ? "" : `.${name}`}`, ...columns.map(textOf));
  }
}
await memory.close();
await real.close();

function textOf({ name, type, format, priority, description }: Column): string {
  const known = description.startsWith("Name must be unique")
    ? "@name"
    : description.startsWith("CreationTimestamp is")
      ? "@created"
      : description;
  return [name, type, format, priority, known.replaceAll("\n", "\\n")].join("|");
}

const text = texts.join("\n").replaceAll(/[`$\\]/g, "\\$&");
process.stdout.write(`/**
 * The columns of the tables of built-in kinds, from Kubernetes ${String(gitVersion)}; written by scripts/columns.ts. By the id of
 * the kind, one a line: name, type, format, priority, description. Texts that many share stand in \`table.ts\`.
 */
export const COLUMNS: string = \`${text}\`;
`);
