/** What a set does in another way than `helm install` and `helm upgrade`. The list of docs/generators.md names each of them. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, CustomResourceDefinition, Job } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { bothSides, type BothSides } from "./charts/both-sides.ts";

const FIXTURES = join(import.meta.dirname, "charts/fixtures");
const CHART = join(FIXTURES, "different");
const MEMORY = { tags: ["memory"], timeout: 180_000 };

async function onBoth<T>(
  { ours, helms }: BothSides,
  read: (cluster: BothSides["ours"]["cluster"]) => Promise<T>,
): Promise<{ ours: T; helms: T }> {
  return { ours: await read(ours.cluster), helms: await read(helms.cluster) };
}

test("a template sees the revision 1, and lookup finds nothing", MEMORY, async () => {
  await using sides = await bothSides(CHART);
  await sides.release({});
  await sides.release({ text: "bye" });
  const data = await onBoth(sides, async (cluster) => (await cluster.get(ConfigMap, "apps/web-release"))?.data);
  expect(data).toEqual({
    ours: { revision: "1", lookup: "nothing", text: "bye" },
    helms: { revision: "2", lookup: "found", text: "bye" },
  });
});

test("a hook that is a Job without labels does not get those of its pods, because marks are labels", MEMORY, async () => {
  await using sides = await bothSides(CHART);
  await sides.release({});
  const names = await onBoth(sides, async (cluster) => {
    const { labels = {} } = (await cluster.get(Job, "apps/web-unlabelled"))?.metadata ?? {};
    return labels["batch.kubernetes.io/job-name"] ?? labels["job-name"];
  });
  expect(names).toEqual({ ours: undefined, helms: "web-unlabelled" });
});

test("a CRD in crds/ is upgraded", MEMORY, async () => {
  await using next = await changedChart(join("crds", "parts.yaml"), ["the first version", "the second version"]);
  await using sides = await bothSides(CHART);
  await sides.release({});
  await sides.replaceChart(next.folder);
  await sides.release({ text: "bye" });
  const texts = await onBoth(sides, async (cluster) => {
    const [version] = (await cluster.get(CustomResourceDefinition, "parts.charts.example.dev"))?.spec.versions ?? [];
    return version?.schema?.openAPIV3Schema?.description;
  });
  expect(texts).toEqual({ ours: "the second version", helms: "the first version" });
});

test("CRDs of crds/ and objects of hooks are deleted with their owner, and kept objects stay without marks", MEMORY, async () => {
  const names = async (chart: string): Promise<{ ours: readonly string[]; helms: readonly string[] }> => {
    await using sides = await bothSides(chart);
    await sides.release({});
    await sides.remove();
    const { ours, helms } = await sides.live();
    return { ours: Object.keys(ours), helms: Object.keys(helms) };
  };
  expect(await names(CHART)).toEqual({
    ours: [],
    helms: ["CustomResourceDefinition.apiextensions.k8s.io /parts.charts.example.dev", "Job.batch apps/web-unlabelled"],
  });
  expect(await names(join(FIXTURES, "hooks"))).toEqual({
    ours: ["ConfigMap. apps/web-kept"],
    helms: [
      "ConfigMap. apps/web-around",
      "ConfigMap. apps/web-before-install",
      "ConfigMap. apps/web-kept",
      "Job.batch apps/web-announce",
      "Job.batch apps/web-migrate",
    ],
  });
});

test("the object of a hook that is no longer rendered is deleted", MEMORY, async () => {
  await using sides = await bothSides(CHART);
  await sides.release({ extra: true });
  await sides.release({ extra: false });
  const texts = await onBoth(sides, async (cluster) => (await cluster.get(ConfigMap, "apps/web-extra"))?.data?.["text"]);
  expect(texts).toEqual({ ours: undefined, helms: "hello" });
});

test("a value that a user changed is reverted", MEMORY, async () => {
  await using sides = await bothSides(CHART);
  await sides.release({});
  for (const { cluster } of [sides.ours, sides.helms])
    await cluster.update(ConfigMap, "apps/web-release", (object) => void (object.data = { text: "changed" }));
  const text = async (cluster: BothSides["ours"]["cluster"]) => (await cluster.get(ConfigMap, "apps/web-release"))?.data?.["text"];
  await expect.poll(() => text(sides.ours.cluster)).toBe("hello");
  expect(await text(sides.helms.cluster)).toBe("changed");
});

/** Returns a copy of the chart with another text in one file. */
async function changedChart(
  file: string,
  [before, after]: readonly [string, string],
): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "treadle-chart-"));
  await cp(CHART, folder, { recursive: true });
  await writeFile(join(folder, file), (await readFile(join(folder, file), "utf8")).replace(before, after));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
