import { expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";

test("settled() rejects with a fix when there are more replicas than the simulation supports", async () => {
  const server = createApiServer({ workloads: true });
  const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 2_000_000_000, selector: { matchLabels: { app: "a" } }, template };
  try {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const body = JSON.stringify({ metadata: { name: "a" }, spec });
    const answer = await server.transport().request({ method: "POST", path, headers: { "content-type": "application/json" }, body });
    expect(answer.status).toBe(201);
    const failure: unknown = await server.settled().catch((error: unknown) => error);
    const errors = failure instanceof AggregateError ? failure.errors : [];
    expect(errors.map(({ message, cause }) => `${message}: ${cause?.message}`).join()).toMatch(/ReplicaSet default\/a-.*scale it down/);
  } finally {
    await server.close();
  }
});
