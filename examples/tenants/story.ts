/** Two clusters: that of the operator, and that of a tenant, over HTTPS on loopback. Both are in memory or real. */
import { setTimeout as delay } from "node:timers/promises";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { targets, type Targets } from "treadle/targets";
import { Tenant } from "./tenants.ts";

/** The account in the cluster of the tenant, and its rights. */
const ACCOUNT = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "system:serviceaccount:default:deployer" };
export const RULES = [
  { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch", "create", "patch", "delete"] },
  { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch", "create"] },
];
const RIGHTS = [
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "deployer" },
    rules: RULES,
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "deployer" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "deployer" },
    subjects: [ACCOUNT],
  },
];

/** The clusters of a test. */
export interface Clusters extends AsyncDisposable {
  readonly own: TestCluster;
  readonly remote: TestCluster;
  readonly shared: Targets;
}

export async function clustersOf(): Promise<Clusters> {
  const remote = await startTestCluster({ time: "real", nth: 2, https: true, objects: RIGHTS });
  const credentials = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "credentials" },
    stringData: { kubeconfig: remote.kubeconfig },
  };
  const own = await startTestCluster({ time: "real", kinds: [Tenant], objects: [credentials], checkStatus: false });
  return {
    own,
    remote,
    shared: targets({ servers: ["127.0.0.1"] }),
    async [Symbol.asyncDispose]() {
      await own.stop();
      await remote.stop();
    },
  };
}

/** Waits until `holds` returns true. @throws Error that names `claim` after 45 s */
export async function until(claim: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 45_000; !(await holds()); await delay(20))
    if (Date.now() > end) throw new Error(`it is not so that ${claim}`);
}

/** Returns the condition of a tenant as a text. */
export async function conditionOf(own: TestCluster, key: string = "north"): Promise<string> {
  const found = (await own.get(Tenant, key))?.status?.conditions?.find(({ type }) => type === "TenantReady");
  return found === undefined ? "" : `${found.status} ${found.reason}: ${found.message}`;
}
