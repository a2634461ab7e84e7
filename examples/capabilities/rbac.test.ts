/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster, type TestCluster } from "@treadle/testing";
import { isNotFound, type Kind } from "treadle";
import { Deployment, Secret, Service, StatefulSet } from "treadle/kinds";
import { CapabilityInfo, pluginHost } from "treadle/plugins";
import { expect, test } from "vitest";
import { Capability } from "./capability.ts";
import { Component } from "./component.ts";
import { capabilitiesOf, components } from "./controller.ts";
import { TestPlugin } from "./story.ts";

const KINDS: readonly Kind[] = [Component, Capability, CapabilityInfo];

test("the capabilities operator needs each of its rights and no others", { timeout: 600_000 }, async () => {
  const plugin = new TestPlugin();
  const host = pluginHost({ from: [plugin], kinds: { "kube-postgres": [Secret, Service, StatefulSet] } });
  await using cluster = await startTestCluster({ time: "real", kinds: KINDS, workloads: true, checkStatus: false });
  const runs = await checkRights(cluster, [capabilitiesOf(host), components], {
    // CapabilityInfos are objects of the cluster, and all runs have the same ones.
    isClusterWide: true,
    runnables: () => [host],
    async run({ namespaces: [namespace], until }) {
      await forget(cluster);
      const [provider, user] = [`${namespace}/shop`, `${namespace}/user`];
      const what = { category: "database", type: "postgresql" };
      await cluster.create(Component, {
        metadata: { name: "shop", namespace },
        spec: { image: "nginx:1.29", provides: [{ name: "db", ...what }] },
      });
      await cluster.create(Component, {
        metadata: { name: "user", namespace },
        spec: { image: "nginx:1.29", requires: [{ name: "db", ...what }] },
      });
      const deployment = async () => (await cluster.get(Deployment, user))?.spec?.template.spec?.containers[0];
      await until("the server has its Secret", async () => (await deployment())?.envFrom?.length === 1);
      await until("the plugin is shown", async () => (await infos(cluster)) === 1);
      // The second revert repeats an event, which needs a right of its own.
      const store = `${namespace}/shop-db-server`;
      const imageOf = async () => (await cluster.get(StatefulSet, store))?.spec?.template.spec?.containers[0]?.image;
      for (const image of ["nginx:1", "nginx:2"]) {
        await cluster.update(StatefulSet, store, (each) => void Object.assign(each.spec?.template.spec?.containers[0] ?? {}, { image }));
        await until("the store is reverted", async () => (await imageOf()) === "postgres:17");
      }
      const without = ["credentials", "server", "address"];
      await cluster.update(Component, provider, ({ spec }) => void (spec.provides = [{ name: "db", ...what, parameters: { without } }]));
      for (const kind of [Secret, StatefulSet, Service])
        await until("its objects are removed", async () =>
          (await cluster.list(kind, namespace)).every(({ metadata }) => !/db/.test(metadata.name)),
        );
      await cluster.update(Component, provider, ({ spec }) => void (spec.provides = []));
      await until("the Capability is gone", async () => (await cluster.list(Capability, namespace)).length === 0);
      plugin.withdraw();
      await until("the plugin is not shown", async () => (await infos(cluster)) === 0);
      for (const key of [provider, user]) await cluster.delete(Component, key);
      await until("the Components are gone", async () => (await cluster.list(Component, namespace)).length === 0);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(41);
});

async function infos(cluster: TestCluster): Promise<number> {
  return (await cluster.list(CapabilityInfo)).filter(({ status }) => status?.state === "Ready").length;
}

const NO_FINALIZERS = { type: "merge", body: { metadata: { finalizers: null } } } as const;

/** Removes what an earlier run left that lacked a right. */
async function forget(cluster: TestCluster): Promise<void> {
  for (const kind of KINDS)
    for (const { metadata } of await cluster.list(kind)) {
      const { name, namespace } = metadata;
      const ref = namespace === undefined ? { name } : { name, namespace };
      await cluster.client.patch(kind, ref, NO_FINALIZERS).catch(ignoreGone);
      await cluster.delete(kind, namespace === undefined ? name : `${namespace}/${name}`).catch(ignoreGone);
    }
}

/** The server may have deleted it meanwhile. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
