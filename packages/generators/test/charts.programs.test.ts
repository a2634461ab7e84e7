/**
 * Charts that an operator renders leave the objects that `helm install` and `helm upgrade` leave on a second server. Marks, managers, versions,
 * times and status are not compared.
 */
import { expect, test } from "vitest";
import { foreignCharts, ownCharts } from "./charts/catalogue.ts";
import { bothSides } from "./charts/both-sides.ts";
import { packaged } from "./charts/helm-side.ts";

const MEMORY = { tags: ["memory"], timeout: 180_000 };

test.for([...foreignCharts, ...ownCharts])("the chart $name leaves the objects that Helm leaves", MEMORY, async ({ chart, releases }) => {
  await using sides = await bothSides(chart());
  for (const [index, values] of releases.entries()) {
    await sides.release(values);
    const { ours, helms } = await sides.live();
    expect(ours, `revision ${index + 1}`).toEqual(helms);
    expect(sides.ours.jobs(), `the Jobs until revision ${index + 1}`).toEqual(sides.helms.jobs());
  }
});

test("a chart in an archive leaves the objects that Helm leaves", MEMORY, async () => {
  const { chart, releases } = ownCharts.find(({ name }) => name === "parts") ?? {};
  await using archive = await packaged(chart?.() ?? "");
  await using sides = await bothSides(archive.file);
  for (const values of releases ?? []) await sides.release(values);
  const { ours, helms } = await sides.live();
  expect(ours).toEqual(helms);
});
