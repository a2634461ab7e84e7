import { ConfigMap } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { webhookServer } from "../server/webhook-server.ts";
import { webhooks } from "../webhooks.ts";
import { webhookDeploymentOf } from "./deployment.ts";
import { webhookManifests } from "./manifests.ts";

const review = webhooks(ConfigMap, { problems: () => [] });
const service = { name: "hooks", namespace: "ops" } as const;

test("a server tells its Service, its port and its manifests", () => {
  const deployment = webhookDeploymentOf(webhookServer([review], { service, port: 9000 }));
  expect(deployment).toMatchObject({ kinds: [ConfigMap], service: { ...service, port: 443 }, port: 9000, tls: undefined });
  expect(deployment?.manifests({ serviceAccount: "operator" })).toEqual(
    webhookManifests([review], { service, targetPort: 9000, serviceAccount: "operator" }),
  );
});

test("a server outside of the cluster has no Service, and other runnables have no deployment", () => {
  expect(webhookDeploymentOf(webhookServer([review], { url: "https://127.0.0.1:9443", name: "hooks" }))?.service).toBeUndefined();
  expect(webhookDeploymentOf({ start() {} })).toBeUndefined();
});
