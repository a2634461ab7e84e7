import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { webhookMetrics } from "./webhook-metrics.ts";

const PATH = "/validate/web.example.com/websites";

test("docs/metrics.md lists every metric of webhooks with its type and labels", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../../docs/metrics.md"), "utf8");
  const section = page.split(/^## /m).find((part) => part.startsWith("Webhooks\n")) ?? "";
  const listed = [...section.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(([, name, type, labels = ""]) =>
    [name, type, ...[...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label).toSorted()].join(" "),
  );
  const registry = new Registry();
  await webhookMetrics(registry, [PATH], ["Website"]);
  const made = registry.getMetricsAsArray().map((metric) => {
    const { name, type, labelNames } = metric as unknown as {
      readonly name: string;
      readonly type: string;
      readonly labelNames: readonly string[];
    };
    return [name, type, ...labelNames.toSorted()].join(" ");
  });
  expect(listed.toSorted()).toEqual(made.toSorted());
});

test("a call is in flight until it ends, and is counted with its status and its duration", async () => {
  const registry = new Registry();
  const metrics = await webhookMetrics(registry, [PATH], []);
  const ended = metrics.began(PATH);
  expect(await registry.metrics()).toContain(`requests_in_flight{webhook="${PATH}"} 1\n`);
  ended(500);
  const text = await registry.metrics();
  expect(text).toContain(`requests_in_flight{webhook="${PATH}"} 0\n`);
  expect(text).toContain(`requests_total{webhook="${PATH}",code="500"} 1\n`);
  expect(text).toContain(`latency_seconds_count{webhook="${PATH}"} 1\n`);
});
