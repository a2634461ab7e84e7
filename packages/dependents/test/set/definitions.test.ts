/** Sets that bring a CRD and instances of it, with users who have instances too. */
import { crdOf } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { object } from "../../src/index.ts";
import { Platform, platforms, Widget } from "./platforms.ts";

const WIDGETS = "widgets.widgets.dev";

/** A set that has the CRD and a Widget as long as the spec names them. */
const withWidgets = platforms({
  objects: ({ spec }) =>
    spec.names.includes("widgets")
      ? [object(CustomResourceDefinition, crdOf(Widget)), object(Widget, { metadata: { name: "ours" }, spec: { size: 1 } })]
      : [],
});

async function begun(): Promise<TestCluster> {
  const cluster = await startTestCluster();
  await cluster.start(withWidgets, { missing: [Widget] });
  await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: ["widgets"] } });
  await cluster.settled();
  return cluster;
}

async function conditionOf(cluster: TestCluster): Promise<string> {
  const found = (await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

test("a CRD that a user deletes is created again, and its instances after it", { tags: ["memory"] }, async () => {
  await using cluster = await begun();
  const before = await cluster.get(CustomResourceDefinition, WIDGETS);
  await cluster.delete(CustomResourceDefinition, WIDGETS);
  await cluster.settled();
  expect(await conditionOf(cluster)).toBe("True Ready: 2 objects are ready");
  expect((await cluster.get(CustomResourceDefinition, WIDGETS))?.metadata.uid).not.toBe(before?.metadata.uid);
  expect((await cluster.get(Widget, "ours"))?.spec).toEqual({ size: 1 });
});

test("a dropped CRD is deleted soon after the last instance of a user", { tags: ["memory"] }, async () => {
  await using cluster = await begun();
  await cluster.create(Widget, { metadata: { name: "theirs" }, spec: {} });
  await cluster.update(Platform, "a", ({ spec }) => void (spec.names = []));
  await cluster.settled();
  expect(await conditionOf(cluster)).toMatch(/^Unknown DeletionBlocked: .* Widget default\/theirs is not of this Platform/);
  await cluster.delete(Widget, "theirs");
  await cluster.settled({ horizonMs: 10_000 });
  expect(await cluster.get(CustomResourceDefinition, WIDGETS)).toBeUndefined();
  expect(await conditionOf(cluster)).toBe("True Ready: 0 objects are ready");
});
