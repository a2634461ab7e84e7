/**
 * The plugin ends at each point of a user's story: before and after each of its plans, and at each write of the operator. It is away for
 * some time. The end is always the same, no object is removed without a plan that lacks it, and the owner is not Ready meanwhile.
 */
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { Deployment, Secret, Service, StatefulSet } from "treadle/kinds";
import { CapabilityInfo, pluginHost } from "treadle/plugins";
import { expect, test } from "vitest";
import { Capability } from "./capability.ts";
import { Component } from "./component.ts";
import { capabilitiesOf, components } from "./controller.ts";
import { AWAY_MS, TestPlugin } from "./story.ts";

/** One of so many points is tried in `npm test`. */
const SHARE = 2;
const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "apply", "delete"]);

interface Outcome {
  readonly points: number;
  /** What was wrong on the way. */
  readonly problems: readonly string[];
  readonly end: readonly string[];
}

/** What a user sees: the objects with their images, and the conditions. */
async function stateOf(cluster: TestCluster): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of [Secret, Service, StatefulSet, Deployment])
    for (const each of await cluster.list(kind)) {
      const images = /"image":"[^"]*"/.exec(JSON.stringify(each))?.[0] ?? "";
      found.push(`${kind.kind} ${each.metadata.name} ${images}`);
    }
  for (const kind of [Capability, Component])
    for (const { metadata, status } of await cluster.list(kind))
      for (const each of status?.conditions ?? []) found.push(`${kind.kind} ${metadata.name} ${each.type} ${each.status} ${each.reason}`);
  return found.filter((text) => !/kubernetes/.test(text)).toSorted();
}

async function readyOf(cluster: TestCluster): Promise<string | undefined> {
  return (await cluster.get(Capability, "orders"))?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

/** Runs the story. The plugin ends at point `awayAt`, counted from 0. */
async function run(awayAt?: number): Promise<Outcome> {
  const plugin = new TestPlugin();
  const host = pluginHost({ from: [plugin], kinds: { "kube-postgres": [Secret, Service, StatefulSet] } });
  await using cluster = await startTestCluster({ kinds: [CapabilityInfo], workloads: true });
  const problems: string[] = [];
  let points = 0;
  const point = (): void => {
    if (points++ === awayAt) plugin.kill(cluster.clock);
  };
  plugin.onPlan = point;
  cluster.onRequest(({ verb, group, resource, name = "" }) => {
    if (!WRITES.has(verb) || group === CapabilityInfo.group) return;
    if (verb === "delete" && plugin.planned.has(name)) problems.push(`${resource} ${name} is deleted, although the last plan has it`);
    point();
  });
  await cluster.start([capabilitiesOf(host), components], { runnables: [host], controller: { sources: [host.source] } });
  /** Lets the operator work until the plugin has been away and is back. */
  const settled = async (): Promise<void> => {
    await cluster.settled({ horizonMs: 0 });
    for (let ms = 0; plugin.isAway && ms <= AWAY_MS; ms += 1_000) {
      if ((await readyOf(cluster)) === "True") problems.push(`the owner is Ready ${ms} ms after its plugin has ended`);
      await cluster.advance(1_000);
      await cluster.settled({ horizonMs: 0 });
    }
    await cluster.advance(60_000);
    await cluster.settled();
  };
  const change = async (spec: object): Promise<void> => {
    await cluster.update(Capability, "orders", (each) => void Object.assign(each.spec, spec));
    await settled();
  };
  await cluster.create(Capability, { metadata: { name: "orders" }, spec: { category: "database", type: "postgresql", version: "16" } });
  const requires = [{ name: "db", category: "database", type: "postgresql" }];
  await cluster.create(Component, { metadata: { name: "shop" }, spec: { image: "nginx:1.29", requires } });
  await settled();
  await change({ version: "17" });
  await change({ parameters: { without: ["address"] } });
  await change({ parameters: {} });
  return { points, problems, end: await stateOf(cluster) };
}

test("a capability whose plugin is away at any point reaches the same end, and loses no object", {
  tags: ["memory", "part"],
  timeout: 900_000,
}, async ({ part }) => {
  const reference = await run();
  expect(reference.problems).toEqual([]);
  expect(reference.end).toContain("Capability orders Ready True Ready");
  expect(reference.end).toContain('StatefulSet orders-server "image":"postgres:17"');
  let tried = 0;
  for (let at = 0; at < reference.points; at++) {
    if (at !== 0 && !part.has(`away@${at}`, SHARE)) continue;
    const { problems, end } = await run(at);
    expect({ at, problems, end }).toEqual({ at, problems: [], end: reference.end });
    tried++;
  }
  console.info(`plugin away: ${tried} of ${reference.points} points`);
  expect(reference.points).toBeGreaterThan(20);
  expect(tried).toBeGreaterThan(part.isWhole ? 20 : 0);
});
