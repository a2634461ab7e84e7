import "@treadle/testing/matchers";
import { startTestCluster } from "@treadle/testing";
import { conditions, handler } from "treadle";
import { ConfigMap, Service } from "treadle/kinds";
import { expect, test } from "vitest";
import { templateDependents } from "./template-dependents.ts";
import { TemplateKind } from "./template-kind.ts";

test("the dependents template-dependents are created, and a change by others is reverted", async () => {
  await using cluster = await startTestCluster();
  await cluster.start(handler(TemplateKind).step(conditions()).step(templateDependents).build());
  await cluster.create(TemplateKind, { metadata: { name: "a" }, spec: {} });
  await cluster.settled();
  expect(await cluster.get(TemplateKind, "a")).toBeReady();
  expect(await cluster.get(Service, "a-template-dependents")).toBeDefined();

  await cluster.update(ConfigMap, "a-template-dependents", (live) => void (live.data = { owner: "another" }));
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "a-template-dependents"))?.data).toEqual({ owner: "a" });
});
