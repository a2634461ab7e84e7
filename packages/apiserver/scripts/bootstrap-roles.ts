/**
 * Writes `src/authorization/bootstrap-data.ts`: the roles and bindings that a kube-apiserver makes for itself.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/scripts/bootstrap-roles.ts
 *
 * `tools/controlplane/main.ts up --controllers none` gives such a server; without controllers aggregated roles are as they are made.
 */
import { writeFileSync } from "node:fs";
import { realServer } from "../test/conformance/real-server.ts";

interface Found {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined || kubeconfig === "") throw new Error("set KUBECONFIG to the file of a real API server");
const server = realServer(kubeconfig);
const lines: string[] = [];
for (const [plural, kind] of [
  ["clusterroles", "ClusterRole"],
  ["clusterrolebindings", "ClusterRoleBinding"],
  ["roles", "Role"],
  ["rolebindings", "RoleBinding"],
] as const) {
  const path = `/apis/rbac.authorization.k8s.io/v1/${plural}?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`;
  const { body = "" } = await server.request({ method: "GET", path, headers: { accept: "application/json" } });
  const { items } = JSON.parse(body) as { readonly items: readonly Found[] };
  for (const { metadata, ...rest } of items) {
    const { name, namespace } = metadata;
    const { "kubernetes.io/bootstrapping": _, ...labels } = metadata.labels ?? {};
    const marks = Object.keys(labels).length === 0 ? {} : { labels };
    lines.push(JSON.stringify({ kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...marks }, ...rest }));
  }
}
await server.close();
const text = `/**
 * The roles and bindings that a kube-apiserver 1.36.3 makes for itself, one object a line; all have the label
 * kubernetes.io/bootstrapping and the annotation for automatic updates beside. Written by scripts/bootstrap-roles.ts.
 */
export const BOOTSTRAP: string = String.raw\`
${lines.join("\n")}
\`;
`;
writeFileSync(new URL("../src/authorization/bootstrap-data.ts", import.meta.url), text);
console.log(`${lines.length} objects, ${text.length} characters`);
