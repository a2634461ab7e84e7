/** The server under load, in its own process. The argument contains its options as JSON. On request it reports its processor time. */
import { createApiServer, serveHttp, serveHttps } from "../../src/index.ts";
import { type ServerOptions, USER_TOKEN } from "./server-process.ts";
import { WIDGETS } from "./workload.ts";

const { isFull, isSecure } = JSON.parse(process.argv[2] ?? "{}") as ServerOptions;
const server = createApiServer({
  resources: [WIDGETS],
  // As in a test cluster: each request needs a right, and the collector follows each object.
  ...(isFull === true ? { authorization: "RBAC", garbageCollection: true, tokens: { [USER_TOKEN]: { user: "bench" } } } : {}),
});
if (isFull === true) {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "bench" };
  const rules = [{ apiGroups: ["", "bench.treadle.dev"], resources: ["*"], verbs: ["*"] }];
  await post("clusterroles", { kind: "ClusterRole", metadata: { name: "bench" }, rules });
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "bench" }];
  await post("clusterrolebindings", { kind: "ClusterRoleBinding", metadata: { name: "bench" }, roleRef, subjects });
}
const secure = isSecure === true ? await serveHttps(server) : undefined;
const front = secure ?? (await serveHttp(server));
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
process.on("disconnect", () => process.exit(0));
process.send?.({ url: front.url, caPem: secure?.caPem });

async function post(plural: string, object: object): Promise<void> {
  const { status, body } = await server.handle({
    method: "POST",
    path: `/apis/rbac.authorization.k8s.io/v1/${plural}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "rbac.authorization.k8s.io/v1", ...object }),
  });
  if (status !== 201) throw new Error(`cannot create ${plural}: ${body}`);
}
