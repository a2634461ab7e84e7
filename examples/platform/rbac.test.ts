/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster, type TestCluster } from "@treadle/testing";
import { isNotFound, type Kind } from "treadle";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Job,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
} from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { WIDGETS } from "./story.ts";
import { Widget } from "./widget.ts";

const TENANT: readonly Kind[] = [ConfigMap, ServiceAccount, Role, RoleBinding, Deployment, Service];

test("the platform operator needs each of its rights and no others", { timeout: 600_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [Platform], workloads: true, checkStatus: false });
  const runs = await checkRights(cluster, platform, {
    isClusterWide: true,
    async run({ namespaces: [namespace], until }) {
      await forget(cluster);
      await cluster.create(Secret, { metadata: { name: "license", namespace }, data: { edition: btoa("enterprise") } });
      await cluster.create(Platform, { metadata: { name: "a", namespace }, spec: { tenants: ["anna"] } });
      const system = `${namespace}-a`;
      const get = async (kind: Kind, name: string) => await cluster.get(kind, `${system}/${name}`);
      await until("the kind is there", async () => (await cluster.get(CustomResourceDefinition, WIDGETS)) !== undefined);
      await until("the namespace is there", async () => (await cluster.get(Namespace, system)) !== undefined);
      for (const kind of TENANT) await until(`its ${kind.kind} is there`, async () => (await get(kind, "anna")) !== undefined);
      await until("its Widget is there", async () => (await get(Widget, "welcome")) !== undefined);
      await until("it is announced", async () => (await cluster.get(Platform, `${namespace}/a`))?.status?.address !== undefined);
      expect(await get(Job, "anna")).toBeUndefined();
      // The second change repeats an event, which needs a right of its own.
      for (const version of ["1.30.0", "1.31.0"]) {
        await cluster.update(Platform, `${namespace}/a`, (each) => void (each.spec.version = version));
        await until("the server has the version", async () => JSON.stringify(await get(Deployment, "anna")).includes(version));
      }
      await cluster.delete(Platform, `${namespace}/a`);
      await until("the Platform is gone", async () => (await cluster.get(Platform, `${namespace}/a`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(61);
});

/** Removes what an earlier run left that lacked a right. */
async function forget(cluster: TestCluster): Promise<void> {
  for (const { metadata } of await cluster.list(Platform)) {
    const ref = { name: metadata.name, namespace: metadata.namespace ?? "" };
    await cluster.client.patch(Platform, ref, NO_FINALIZERS).catch(ignoreGone);
    await cluster.delete(Platform, `${metadata.namespace}/${metadata.name}`);
  }
  if ((await cluster.get(CustomResourceDefinition, WIDGETS)) === undefined) return;
  await cluster.client.patch(CustomResourceDefinition, { name: WIDGETS }, NO_FINALIZERS).catch(ignoreGone);
  await cluster.delete(CustomResourceDefinition, WIDGETS);
}

const NO_FINALIZERS = { type: "merge", body: { metadata: { finalizers: null } } } as const;

/** The server may have deleted it meanwhile. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
