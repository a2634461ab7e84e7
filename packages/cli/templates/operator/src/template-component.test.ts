import "@treadle/testing/matchers";
import { startTestCluster } from "@treadle/testing";
import { conditions, handler } from "treadle";
import { Service } from "treadle/kinds";
import { expect, test } from "vitest";
import { templateComponent } from "./template-component.ts";
import { TemplateKind } from "./template-kind.ts";

test("the component template-component is ready with its objects", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(handler(TemplateKind).step(conditions()).step(templateComponent).build());
  await cluster.create(TemplateKind, { metadata: { name: "a" }, spec: {} });
  await cluster.settled();
  expect(await cluster.get(TemplateKind, "a")).toHaveCondition("TemplateComponentReady", "True");
  expect((await cluster.get(Service, "a-template-component"))?.spec?.ports).toHaveLength(1);
});
