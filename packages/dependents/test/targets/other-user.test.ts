/** A set in the cluster of the operator whose objects are written as another user. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentSet } from "../../src/index.ts";
import { serviceAccount, targets } from "../../src/targets/index.ts";
import { config, namesIn, Tenant, tenant } from "./tenants.ts";

const GROUP = "rbac.authorization.k8s.io";
const rightsOf = (user: string): readonly object[] => [
  {
    apiVersion: `${GROUP}/v1`,
    kind: "ClusterRole",
    metadata: { name: "deployer" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create", "patch", "delete"] }],
  },
  {
    apiVersion: `${GROUP}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "deployer" },
    roleRef: { apiGroup: GROUP, kind: "ClusterRole", name: "deployer" },
    subjects: [{ kind: "User", apiGroup: GROUP, name: user }],
  },
];

test("a set with a user keeps its objects with the rights of that user, and the operator has none for them", async () => {
  const objects = [tenant("a", { user: "deployer" }), tenant("b", { user: "guest", names: ["three"] })];
  await using own = await startTestCluster({
    kinds: [Tenant],
    objects: [...objects, ...rightsOf("system:serviceaccount:default:deployer")],
    checkStatus: false,
  });
  const clusters = targets();
  const remote = dependentSet(Tenant, {
    name: "stack",
    condition: "StackReady",
    kinds: [ConfigMap],
    objects: ({ spec }) => spec.names.map((name) => config(name)),
    target: clusters.target({ as: ({ spec }) => serviceAccount(spec.user ?? "default") }),
  });
  const operator = await own.start(handler(Tenant).step(conditions()).step(remote).build(), { runnables: [clusters] });
  await operator.settled();
  await expect.poll(() => namesIn(own)).toEqual(["one", "two"]);
  const conditionOf = async (name: string) => (await own.get(Tenant, name))?.status?.conditions?.find(({ type }) => type === "StackReady");
  await expect.poll(() => conditionOf("a")).toMatchObject({ status: "True" });
  expect((await conditionOf("b"))?.status).not.toBe("True");
  await own.delete(Tenant, "a");
  await operator.settled();
  await expect.poll(() => own.get(Tenant, "a")).toBeUndefined();
  expect(await namesIn(own)).toEqual([]);
});
