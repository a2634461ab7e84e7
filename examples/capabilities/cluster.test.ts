/** The user's story, with real files and processes: in memory, and on a real control plane. */
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { Deployment, Secret, Service, StatefulSet } from "treadle/kinds";
import { CapabilityInfo, folder, pluginHost } from "treadle/plugins";
import { expect, test } from "vitest";
import { Capability } from "./capability.ts";
import { Component } from "./component.ts";
import { capabilitiesOf, components } from "./controller.ts";

/** Waits until `holds` returns true. @throws Error that names `claim` after 45 s */
async function until(claim: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 45_000; !(await holds()); await delay(50))
    if (Date.now() > end) throw new Error(`it is not so that ${claim}`);
}

async function conditionOf(cluster: TestCluster, kind: typeof Capability | typeof Component, name: string, type: string): Promise<string> {
  const conditions = (await cluster.get(kind, name))?.status?.conditions ?? [];
  const found = conditions.find((each) => each.type === type);
  return found === undefined ? "" : `${found.status}/${found.reason}: ${found.message}`;
}

test("a plugin that is put into the folder makes a capability ready without a restart, and a component gets its Secret", async () => {
  // In the example, because the plugin imports its packages.
  const path = await mkdtemp(join(import.meta.dirname, ".plugins-"));
  try {
    const host = pluginHost({ from: [folder(path)], kinds: { "kube-postgres": [Secret, Service, StatefulSet] } });
    const kinds = [Capability, Component, CapabilityInfo];
    await using cluster = await startTestCluster({ time: "real", kinds, workloads: true, checkStatus: false });
    await cluster.start([capabilitiesOf(host), components], { runnables: [host] });
    const requirement = { name: "db", category: "database", type: "postgresql" };
    await cluster.create(Component, { metadata: { name: "shop" }, spec: { image: "nginx:1.29", requires: [requirement] } });
    await until("the component has no capability", async () =>
      (await conditionOf(cluster, Component, "shop", "Bound")).startsWith("False/NoCapability"),
    );
    await cluster.create(Capability, {
      metadata: { name: "orders" },
      spec: { category: "database", type: "PostgreSQL", parameters: { storageGb: 5 } },
    });
    await until("no plugin is reported", async () =>
      /^False\/NoPlugin: .*database.*postgresql/i.test(await conditionOf(cluster, Capability, "orders", "PluginReady")),
    );
    expect(await cluster.get(Deployment, "shop")).toBeUndefined();

    await copyFile(join(import.meta.dirname, "typescript/kube-postgres.ts"), join(path, ".kube-postgres.ts"));
    await rename(join(path, ".kube-postgres.ts"), join(path, "kube-postgres.ts"));
    await until("the capability is ready", async () => (await conditionOf(cluster, Capability, "orders", "Ready")).startsWith("True"));
    await until("the component is ready", async () => (await conditionOf(cluster, Component, "shop", "Ready")).startsWith("True"));
    expect((await cluster.get(Component, "shop"))?.status?.bindings).toEqual([{ name: "db", capability: "orders" }]);
    const server = await cluster.get(Deployment, "shop");
    expect(server?.spec?.template.spec?.containers[0]?.envFrom).toEqual([{ secretRef: { name: "orders-credentials" } }]);
    const store = await cluster.get(StatefulSet, "orders-server");
    expect(store?.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests).toEqual({ storage: "5Gi" });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
});
