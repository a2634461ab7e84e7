/**
 * The plugin is away at each point of a user's story: it ends before and after each of its plans, and with each process of the operator. The
 * end is always the same, and no object is removed that each plan has.
 */
import { explore } from "@treadle/testing/explore";
import { Secret, Service, StatefulSet } from "treadle/kinds";
import { CapabilityInfo, pluginHost } from "treadle/plugins";
import { expect, test } from "vitest";
import { Capability } from "./capability.ts";
import { Component } from "./component.ts";
import { capabilitiesOf, components } from "./controller.ts";
import { TestPlugin } from "./story.ts";

/** One of so many points is tried in `npm test`. */
const SHARE = 8;

/** They count the changes that the operator has seen. */
const COUNTERS = [
  ["status", "steps", "plugin", "revision"],
  ["status", "currentRevision"],
  ["status", "updateRevision"],
];

function operatorOf(plugin: TestPlugin) {
  const host = pluginHost({ from: [plugin], kinds: { "kube-postgres": [Secret, Service, StatefulSet] } });
  return { handlers: [capabilitiesOf(host), components], runnables: [host], sources: [host.source] };
}

test("a capability whose plugin is away at any point reaches the same end, and loses no object", {
  tags: ["memory", "part"],
  timeout: 900_000,
}, async ({ part }) => {
  const { summary, points } = await explore<TestPlugin>(
    operatorOf,
    {
      kinds: [CapabilityInfo],
      workloads: true,
      external: ({ clock, through }) => {
        const transport = through({ request: async () => ({ status: 201, headers: {}, body: "{}" }), close: async () => undefined });
        return new TestPlugin({ clock, transport });
      },
      async run(cluster) {
        const change = async (spec: object): Promise<void> => {
          await cluster.update(Capability, "orders", (each) => void Object.assign(each.spec, spec));
          await cluster.settled();
        };
        const spec = { category: "database", type: "postgresql", version: "16" };
        await cluster.create(Capability, { metadata: { name: "orders" }, spec });
        const requires = [{ name: "db", category: "database", type: "postgresql" }];
        await cluster.create(Component, { metadata: { name: "shop" }, spec: { image: "nginx:1.29", requires } });
        await cluster.settled();
        await change({ version: "17" });
        await change({ parameters: { without: ["address"] } });
        await change({ parameters: {} });
      },
      async check({ external, ...cluster }) {
        const ready = (await cluster.get(Capability, "orders"))?.status?.conditions?.find(({ type }) => type === "Ready");
        if (ready?.status !== "True") throw new Error(`Capability orders is not ready: ${ready?.message}`);
        if (external.problems.length > 0) throw new Error(external.problems.join("; "));
      },
    },
    { points: ({ id }) => part.isWhole || part.has(id, SHARE), ignore: COUNTERS },
  );
  console.info(`plugin away: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 100 : 0);
});
