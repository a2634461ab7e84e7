/** The rights of the operator, and those of the account in the other cluster, are sufficient, and each of them is needed. */
import { checkRights } from "@treadle/testing";
import { ConfigMap as CONFIG, Secret } from "treadle/kinds";
import { targets } from "treadle/targets";
import { expect, test } from "vitest";
import { tenantsOf } from "./controller.ts";
import { clustersOf, RULES } from "./story.ts";
import { Tenant } from "./tenants.ts";

/** The rights of the account of a run in the other cluster. */
const rightsOf = (namespace: string): readonly object[] => [
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: `deployer-${namespace}` }, rules: RULES },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `deployer-${namespace}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `deployer-${namespace}` },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: `system:serviceaccount:${namespace}:deployer` }],
  },
];

test("the tenants operator needs each of its rights and no others", { tags: ["memory"], timeout: 300_000 }, async () => {
  await using clusters = await clustersOf();
  const { own, remote } = clusters;
  const shared = targets({ servers: ["127.0.0.1"] });
  const runs = await checkRights(own, tenantsOf(shared), {
    runnables: () => [shared],
    target: { cluster: remote, manifests: ([namespace]) => rightsOf(namespace) },
    async run({ namespaces: [namespace], until }) {
      const name = `t-${namespace}`;
      const isReady = async (): Promise<boolean> => {
        const conditions = (await own.get(Tenant, `${namespace}/${name}`))?.status?.conditions ?? [];
        return conditions.some(({ type, status }) => type === "TenantReady" && status === "True");
      };
      await own.create(Tenant, { metadata: { name, namespace }, spec: { kubeconfig: "credentials", account: "deployer" } });
      await own.create(Secret, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "credentials", namespace },
        stringData: { kubeconfig: remote.kubeconfig },
      });
      await until("the tenant is ready", isReady);
      for (const text of ["a", "b"]) {
        await remote.update(CONFIG, `tenant-${name}/welcome`, (welcome) => void (welcome.data = { greeting: text }));
        const isReverted = async (): Promise<boolean> =>
          (await remote.get(CONFIG, `tenant-${name}/welcome`))?.data?.["greeting"] === "hello";
        await until("the change is reverted", isReverted);
      }
      await own.delete(Tenant, `${namespace}/${name}`);
      await until("the tenant is deleted", async () => (await own.get(Tenant, `${namespace}/${name}`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs.length).toBeGreaterThan(17);
});
