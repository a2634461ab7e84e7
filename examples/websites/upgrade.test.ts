/** The upgrade from v1alpha1 stored to v1 stored: operator, CRD, migration, removal of the old version. With a server that listens. */
import { createServer } from "node:net";
import { createLogger, migrateStoredVersions } from "@treadle/controller";
import { startTestCluster } from "@treadle/testing";
import { createManager, defineResource, modify } from "treadle";
import { CustomResourceDefinition, Deployment } from "treadle/kinds";
import { webhookServer } from "treadle/webhooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { websites } from "./controller.ts";
import { website } from "./webhooks.ts";
import { Website } from "./website.ts";

/** The kind as the last release of the operator defined it. */
const OldWebsite = defineResource({
  group: "web.example.com",
  version: "v1alpha1",
  kind: "Website",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }),
});
const NAME = "websites.web.example.com";

test("websites that were stored in v1alpha1 are read and stored in v1, and v1alpha1 can be removed", { timeout: 120_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [OldWebsite], checkStatus: false });
  await cluster.create(OldWebsite, { metadata: { name: "shop" }, spec: { domain: "shop.org", size: 2 } });

  // The new operator starts, and its CRD with the conversion replaces the old one: no older replica answers.
  const port = await freePort();
  const server = webhookServer([website], {
    name: "website-operator",
    url: `https://127.0.0.1:${port}`,
    host: "127.0.0.1",
    port,
    install: true,
    createSecret: true,
    graceMs: 0,
  });
  await using manager = createManager({ client: cluster.client, probes: false, metrics: false, log: createLogger({ level: "error" }) });
  manager.add(websites);
  manager.add(server);
  await manager.start();
  await expect.poll(() => cluster.get(Deployment, "shop"), { timeout: 30_000 }).toMatchObject({ spec: { replicas: 2 } });
  expect((await cluster.get(Website, "shop"))?.spec).toEqual({ host: "shop.org", replicas: 2 });

  expect(await migrateStoredVersions(cluster.client, NAME)).toMatchObject({ storageVersion: "v1", removed: ["v1alpha1"] });
  await modify(cluster.client, CustomResourceDefinition, { name: NAME }, (crd) => {
    crd.spec.conversion = { strategy: "None" };
    crd.spec.versions = crd.spec.versions.filter(({ name }) => name === "v1");
  });
  expect((await cluster.get(Website, "shop"))?.spec).toEqual({ host: "shop.org", replicas: 2 });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number }; // a server that listens on a port has such an address
  await new Promise((resolve) => server.close(resolve));
  return port;
}
