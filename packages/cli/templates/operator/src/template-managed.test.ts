/** The operator, and a service in memory. */
import "@treadle/testing/matchers";
import { secret, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { templateManagedHandlers } from "./template-managed-handler.ts";
import { TemplateManaged, TemplateManagedConfig } from "./template-managed.ts";

/** A service that keeps resources in memory. */
function memoryService() {
  const resources = new Map<string, object>();
  const answer: typeof fetch = async (url, init) => {
    const name = String(url).split("/").at(-1) ?? "";
    if (init?.method === "DELETE") resources.delete(name);
    if (init?.method === "PUT")
      resources.set(name, { ...resources.get(name), ...JSON.parse(String(init.body)), endpoint: `https://${name}` });
    const found = resources.get(name);
    return found === undefined ? new Response("", { status: 404 }) : Response.json(found);
  };
  return { resources, answer };
}

test("a TemplateManaged creates, changes and deletes its external resource", async () => {
  const { resources, answer } = memoryService();
  const { templateManageds, templateManagedConfigs } = templateManagedHandlers(answer);
  await using cluster = await startTestCluster({ objects: [secret("login", { token: "secret" })] });
  await cluster.start([templateManageds, templateManagedConfigs]);
  await cluster.create(TemplateManagedConfig, { metadata: { name: "default" }, spec: { url: "https://api.example.com", secret: "login" } });
  await cluster.create(TemplateManaged, { metadata: { name: "a" }, spec: { region: "north" } });
  await cluster.settled();
  expect(await cluster.get(TemplateManaged, "a")).toBeReady();
  expect((await cluster.get(TemplateManaged, "a"))?.status?.endpoint).toBe("https://default-a");
  expect(resources.get("default-a")).toMatchObject({ region: "north", sizeGb: 1 });

  await cluster.update(TemplateManaged, "a", ({ spec }) => void (spec.sizeGb = 5));
  await cluster.settled();
  expect(resources.get("default-a")).toMatchObject({ sizeGb: 5 });

  await cluster.delete(TemplateManaged, "a");
  // Soon after a create, an answer that nothing exists is not trusted.
  await cluster.settled({ horizonMs: 60_000 });
  expect(resources.size).toBe(0);
  expect(await cluster.get(TemplateManaged, "a")).toBeUndefined();
});
