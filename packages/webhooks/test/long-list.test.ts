/**
 * A list without a limit of a kind with many objects. The server in memory sends one review with all of them. The real server of
 * TREADLE_TEST_KUBECONFIG (1.36.3) sends one review for each object, one after the other, so there it has fewer.
 */
import { crdOf, defineResource, kind } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { z } from "zod";
import { webhooks } from "../src/index.ts";
import { newNames, startOperator, useCluster } from "./cluster.ts";

const { group: GROUP, namespace: NAMESPACE } = newNames();
const cluster = useCluster({ group: GROUP, namespace: NAMESPACE });

const Page = defineResource({
  group: GROUP,
  kind: "Page",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ lines: z.array(z.string()), host: z.string().optional() }) },
    v1alpha1: { spec: z.object({ texts: z.array(z.string()) }) },
  },
});
const Old = kind({ group: GROUP, version: "v1alpha1", kind: "Page", scope: "Namespaced" });
const page = webhooks(Page, {
  convert: {
    v1alpha1: { up: ({ spec }) => ({ spec: { lines: spec.texts } }), down: ({ spec }) => ({ spec: { texts: spec.lines } }) },
  },
});

const COUNT = (process.env["TREADLE_TEST_KUBECONFIG"] ?? "") === "" ? 10_000 : 1_000;
const LINES = Array.from({ length: 50 }, (_, at) => `${at} ${"x".repeat(95)}`);

test("a long list of objects of 5 KB is converted to the other version", { timeout: 600_000, tags: ["long"] }, async () => {
  const { admin } = cluster;
  await admin.create(CustomResourceDefinition, crdOf(Page));
  const create = async (at: number): Promise<unknown> =>
    await admin.create(Page, { metadata: { name: `page-${at}`, namespace: NAMESPACE }, spec: { lines: LINES, host: "a.example.com" } });
  await expect.poll(async () => await create(0).then(() => "created", String)).toBe("created");
  for (let from = 1; from < COUNT; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, COUNT - from) }, (_, at) => create(from + at)));
  await using operator = await startOperator(cluster, [page], { name: "long-list-test" });
  // The server notices the new conversion of the CRD after a moment.
  const list = async (): Promise<number | string> =>
    await admin
      .list(Old, { namespace: NAMESPACE })
      .then(
        ({ items }) => items.filter(({ spec }) => (spec as { readonly texts?: readonly string[] }).texts?.length === LINES.length).length,
        String,
      );
  await expect.poll(list, { timeout: 120_000 }).toBe(COUNT);
  expect(operator.lines.filter(({ level }) => level === "error")).toEqual([]);
});
