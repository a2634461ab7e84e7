import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { pluginMetrics } from "./metrics.ts";

test("docs/metrics.md lists every metric of plugins with its type and labels", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../../docs/metrics.md"), "utf8");
  const section = page.split(/^## /m).find((part) => part.startsWith("Plugins\n")) ?? "";
  const listed = [...section.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(([, name, type, labels = ""]) =>
    [name, type, ...[...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label).toSorted()].join(" "),
  );
  const registry = new Registry();
  await pluginMetrics(registry);
  const made = registry.getMetricsAsArray().map((metric) => {
    const { name, type, labelNames } = metric as unknown as {
      readonly name: string;
      readonly type: string;
      readonly labelNames: readonly string[];
    };
    return [name, type, ...labelNames.toSorted()].join(" ");
  });
  expect(made).toHaveLength(4);
  expect(listed.toSorted()).toEqual(made.toSorted());
});

test("a plugin has one state, none after it was withdrawn, and two hosts share the metrics", async () => {
  const registry = new Registry();
  const metrics = await pluginMetrics(registry);
  await pluginMetrics(registry);
  metrics.state("pg", "Away");
  metrics.state("pg", "Ready");
  const text = await registry.metrics();
  expect(text).toContain('treadle_plugin_state{plugin="pg",state="Ready"} 1\n');
  expect(text).toContain('treadle_plugin_state{plugin="pg",state="Away"} 0\n');
  metrics.state("pg", undefined);
  expect(await registry.metrics()).not.toContain('plugin="pg"');
});
