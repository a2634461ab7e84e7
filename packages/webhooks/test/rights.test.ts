/** The rights of webhooks: what `reads` and `permissions` declare comes from `rbacManifests`, the rest from `webhookManifests`. */
import { createServer } from "node:net";
import type { Kind } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Secret, ServiceAccount, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import { one } from "@treadle/reconcile";
import { checkRights, type RightsAccount, startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { type WebhookPlacement, webhookManifests, webhooks, webhookServer } from "../src/index.ts";

const quota = webhooks(ConfigMap, {
  objectSelector: { matchLabels: { app: "quota" } },
  reads: { account: one(ServiceAccount, () => "owner") },
  permissions: [{ kind: Namespace, verbs: ["get"] }],
  async problems({ metadata }, { reads, client }) {
    const namespace = await client.get(Namespace, { name: metadata.namespace ?? "" });
    return [`${reads.account?.metadata.name} may not write in ${namespace?.metadata.name}`];
  },
});

test("an operator of webhooks alone needs each of its rights and no others", { timeout: 300_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [ServiceAccount] });
  // Before the end of the cluster, which removes the objects that are left.
  await using _ = { [Symbol.asyncDispose]: () => removeWebhooks(cluster) };
  const port = await freePort();
  const placement = ({ name, namespace }: RightsAccount): WebhookPlacement => ({
    name,
    namespace,
    url: `https://127.0.0.1:${port}`,
    createSecret: true,
  });
  const runs = await checkRights(cluster, [], {
    isClusterWide: true,
    runnables: (_, account) => [webhookServer([quota], { ...placement(account), host: "127.0.0.1", port, graceMs: 0 })],
    manifests: (account) => webhookManifests([quota], placement(account)),
    async run({ account, namespaces: [namespace], operator, until }) {
      await removeWebhooks(cluster);
      await deploy(cluster, placement(account));
      await cluster.create(ServiceAccount, { metadata: { name: "owner", namespace } });
      await operator;
      const object = { metadata: { name: "a", namespace, labels: { app: "quota" } } };
      const outcome = async (): Promise<string> => await cluster.client.create(ConfigMap, object, { dryRun: true }).then(() => "", String);
      await until("the webhook refuses", async () => (await outcome()).includes(`owner may not write in ${namespace}`));
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs.map(({ without }) => without)).toEqual([
    undefined,
    "list serviceaccounts",
    "watch serviceaccounts",
    "get namespaces",
    "get secrets",
    "list secrets",
    "watch secrets",
    "update secrets",
    "create secrets",
    "create events.events.k8s.io",
    "get validatingwebhookconfigurations.admissionregistration.k8s.io",
    "list validatingwebhookconfigurations.admissionregistration.k8s.io",
    "watch validatingwebhookconfigurations.admissionregistration.k8s.io",
    "patch validatingwebhookconfigurations.admissionregistration.k8s.io",
  ]);
});

/** Removes the configuration of an earlier run, whose server no longer answers. */
async function removeWebhooks(cluster: TestCluster): Promise<void> {
  const { items } = await cluster.client.list(ValidatingWebhookConfiguration);
  for (const { metadata } of items) await cluster.client.delete(ValidatingWebhookConfiguration, metadata);
}

async function deploy(cluster: TestCluster, placement: WebhookPlacement): Promise<void> {
  const kinds: readonly Kind[] = [Secret, ValidatingWebhookConfiguration];
  for (const manifest of webhookManifests([quota], placement)) {
    const kind = kinds.find((each) => each.kind === manifest.kind);
    if (kind !== undefined) await cluster.client.apply(kind, manifest, { fieldManager: "deployer", force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number }; // A server that listens on a port has such an address.
  await new Promise((resolve) => server.close(resolve));
  return port;
}
