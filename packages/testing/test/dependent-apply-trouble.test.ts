/** dependentApply where the world around it went wrong: kinds that are gone, entries of others, objects of others. */
import "../src/matchers.ts";
import { defineResource } from "@treadle/apimachinery";
import { conditions, dependentApply, handler } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startTestCluster } from "../src/index.ts";
import { Site } from "./sites.ts";

describe("the CRD of a dependent is removed", () => {
  const Late = defineResource({
    group: "late.example.dev",
    version: "v1",
    kind: "Late",
    scope: "Namespaced",
    spec: z.object({ text: z.string() }),
  });

  test.for([true, false])("its owner can be deleted all the same; watched: %s", async (watched) => {
    const late = dependentApply(Site, { name: "late", kind: Late, watched, desired: ({ spec }) => ({ spec: { text: spec.text } }) });
    await using cluster = await startTestCluster({ kinds: [Site, Late] });
    const op = await cluster.start(handler(Site).step(conditions()).step(late).build());
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeReady();
    await cluster.uninstall(Late);
    await op.settled();
    await cluster.delete(Site, "a");
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeUndefined();
  });
});
