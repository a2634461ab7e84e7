/** The rights of the operator with its webhook server are sufficient, and each of them is needed. The API server calls it by sockets. */
import { createServer } from "node:net";
import { checkRights, type RightsAccount, startTestCluster, type TestCluster } from "@treadle/testing";
import { crdOf, isApiError, type Kind } from "treadle";
import {
  CustomResourceDefinition,
  Deployment,
  MutatingWebhookConfiguration,
  Namespace,
  Secret,
  ValidatingWebhookConfiguration,
} from "treadle/kinds";
import { webhookManifests, type WebhookManifestsOptions, webhookServer } from "treadle/webhooks";
import { expect, test } from "vitest";
import { websites } from "./controller.ts";
import { pods, website } from "./webhooks.ts";
import { Website } from "./website.ts";

const WEBHOOKS = [website, pods];
const CONFIGURATIONS = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] as const;
const { v1alpha1: Alpha } = Website.versions;

// On a busy real server the objects of its 29 runs were not gone after two minutes, so it is left out there. Alone it passes.
test("the websites operator needs each of its rights and no others", { tags: ["memory"], timeout: 600_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [Website], checkStatus: false });
  // Before the end of the cluster, which removes the objects that are left.
  await using _ = { [Symbol.asyncDispose]: () => removeWebhooks(cluster) };
  const port = await freePort();
  const placement = ({ name, namespace }: RightsAccount): WebhookManifestsOptions => ({
    name,
    namespace,
    url: `https://127.0.0.1:${port}`,
  });
  const runs = await checkRights(cluster, websites, {
    isClusterWide: true,
    runnables: (_, account) => [webhookServer(WEBHOOKS, { ...placement(account), host: "127.0.0.1", port, graceMs: 0 })],
    manifests: (account) => webhookManifests(WEBHOOKS, placement(account)),
    async run({ account, namespaces: [namespace], operator, until }) {
      await cluster.create(Namespace, { metadata: { name: namespace } });
      await removeWebhooks(cluster);
      await deploy(cluster, placement(account));
      await operator;
      const shop = `${namespace}/shop`;
      const site = { metadata: { name: "shop", namespace }, spec: { size: 2 } };
      const filled = async (): Promise<boolean> =>
        (await cluster.client.create(Alpha, site, { dryRun: true })).spec.domain === "shop.example.com";
      await until("the webhooks answer", () => filled().catch(ignoreUnready));
      await cluster.create(Alpha, site);
      expect((await cluster.get(Website, shop))?.spec).toEqual({ host: "shop.example.com", replicas: 2 });
      // The second change repeats an event, which needs a right of its own.
      for (const replicas of [7, 8]) {
        await until("it has its Deployment", async () => (await cluster.get(Deployment, shop))?.spec?.replicas === 2);
        await cluster.update(Deployment, shop, ({ spec }) => void Object.assign(spec ?? {}, { replicas }));
      }
      await until("the Deployment is reverted", async () => (await cluster.get(Deployment, shop))?.spec?.replicas === 2);
      await cluster.delete(Alpha, shop);
      await until("the Website is gone", async () => (await cluster.get(Website, shop)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(29);
});

/** Applies what the deployer applies besides the rights. */
async function deploy(cluster: TestCluster, placement: WebhookManifestsOptions): Promise<void> {
  const kinds: readonly Kind[] = [Secret, CustomResourceDefinition, ...CONFIGURATIONS];
  for (const manifest of webhookManifests(WEBHOOKS, placement)) {
    const kind = kinds.find((each) => each.kind === manifest.kind);
    if (kind !== undefined) await cluster.client.apply(kind, manifest, { fieldManager: "deployer", force: true });
  }
}

/** Removes what leads to the server of an earlier run, which no longer answers: a new Secret beside an old CA would delay the start. */
async function removeWebhooks(cluster: TestCluster): Promise<void> {
  const body = { spec: { conversion: { strategy: "None", webhook: null } } };
  await cluster.client.patch(CustomResourceDefinition, { name: crdOf(Website).metadata.name }, { type: "merge", body });
  for (const kind of CONFIGURATIONS)
    for (const { metadata } of (await cluster.client.list<Kind>(kind)).items) await cluster.client.delete(kind, metadata);
}

/** Until the operator is ready, and the API server has seen its CA, a call of a webhook fails. */
function ignoreUnready(error: unknown): false {
  if (isApiError(error) && error.status === 500) return false;
  throw error;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number }; // A server that listens on a port has such an address.
  await new Promise((resolve) => server.close(resolve));
  return port;
}
