/** A review whose reads have no values yet: the API server gets an answer in its own time, and its failure policy decides. */
import { type AddressInfo, createServer } from "node:net";
import type { Transport } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Namespace, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { one } from "@treadle/reconcile";
import { expect, onTestFinished, test } from "vitest";
import { webhookManifests, webhooks, webhookServer } from "../src/index.ts";
import { Website } from "./reviews.ts";

const NAME = "reads";

/** The configurations must lead to the server, so its port is known before it listens. */
async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo; // It listens on TCP.
  await new Promise<void>((resolve) => void listener.close(() => resolve()));
  return port;
}

/** An operator whose caches do not sync while the lists of ConfigMaps are held. */
async function starting(failurePolicy: "Fail" | "Ignore") {
  const gate = Promise.withResolvers<void>();
  const api = createApiServer();
  const direct = api.transport();
  const transport: Transport = {
    async request(sent) {
      if (sent.path.includes("/configmaps")) await gate.promise;
      return await direct.request(sent);
    },
    close: () => direct.close(),
  };
  const user = createClient({ transport: api.transport(), retry: false, onWarning: () => {} });
  await user.create(Namespace, { metadata: { name: "ops" } });
  const reading = webhooks(Website, {
    failurePolicy,
    timeoutSeconds: 20,
    reads: { settings: one(ConfigMap, () => "settings") },
    problems: (_, { reads }) => (reads.settings === undefined ? ["there are no settings"] : []),
  });
  const port = await freePort();
  const placement = { name: NAME, namespace: "default", url: `https://127.0.0.1:${port}` };
  const server = webhookServer([reading], { ...placement, host: "127.0.0.1", port, graceMs: 0, createSecret: true });
  const manager = createManager({
    client: (wish) => createClient({ ...wish, transport }),
    probes: false,
    metrics: false,
    signals: false,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  onTestFinished(async () => {
    gate.resolve();
    await manager.stop();
    await api.close();
  });
  manager
    .add(server)
    .start()
    .catch(() => undefined); // The test may stop it before its caches sync.
  await expect.poll(() => server.address).toBeDefined();
  const [crd, configuration] = webhookManifests([reading], placement).filter(
    ({ kind }) => kind === CustomResourceDefinition.kind || kind === ValidatingWebhookConfiguration.kind,
  );
  await user.apply(CustomResourceDefinition, crd as object, { fieldManager: "deployer" });
  await user.apply(ValidatingWebhookConfiguration, configuration as object, { fieldManager: "deployer" });
  const caBundle = async (): Promise<unknown> =>
    (await user.get(ValidatingWebhookConfiguration, { name: NAME }))?.webhooks?.[0]?.clientConfig.caBundle;
  await expect.poll(caBundle).toBeDefined();
  return { user, gate };
}

test.for([
  { failurePolicy: "Fail", reason: "no rule may be skipped" },
  { failurePolicy: "Ignore", reason: "a rule may be skipped" },
] as const)(
  "with failurePolicy $failurePolicy, an object waits for the caches no longer than the call",
  async ({ failurePolicy, reason }) => {
    const { user, gate } = await starting(failurePolicy);
    const create = async (name: string): Promise<string> =>
      await user.create(Website, { metadata: { name, namespace: "ops" }, spec: {} }).then(() => "created", String);
    // A deployer may set another time than the program has. The API server names it in each call.
    const body = [{ op: "replace", path: "/webhooks/0/timeoutSeconds", value: 1 }] as const;
    await user.patch(ValidatingWebhookConfiguration, { name: NAME }, { type: "json", body });
    const outcome = await create("a");
    if (failurePolicy === "Ignore") expect(outcome, reason).toBe("created");
    // An answer of the webhook, and not the end of the API server's patience.
    else expect(outcome, reason).toContain("its reads have no values after 900 ms");
    gate.resolve();
    await expect.poll(() => create("b")).toContain("there are no settings");
  },
);
