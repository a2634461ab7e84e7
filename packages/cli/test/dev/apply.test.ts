/** CRDs that the server accepts, and never serves. */
import { crdOf, defineResource } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { applyCrds } from "../../src/dev/apply.ts";

const widget = (plural: string): ReturnType<typeof defineResource> =>
  defineResource({
    group: "example.dev",
    version: "v1",
    kind: "Widget",
    plural,
    scope: "Namespaced",
    spec: z.object({}),
    status: z.object({}),
  });

test("a CRD whose kind another CRD has is refused, and the wait for it ends", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster();
  await cluster.create(CustomResourceDefinition, crdOf(widget("widgets")));
  await cluster.settled();
  const { signal } = new AbortController();
  const applied = applyCrds([crdOf(widget("gadgets"))], { client: cluster.client, signal, onEvent: () => undefined });
  await expect(applied).rejects.toThrow(/cannot apply the CRD gadgets\.example\.dev: .*Widget/);
});
