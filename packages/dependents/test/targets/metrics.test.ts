import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemRandom } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import type { RunnableEnv } from "@treadle/controller";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { targetsWith } from "../../src/targets/targets.ts";
import { connected, kubeconfig, kubeconfigOf, secretWith, servicesOf } from "./fixture.ts";

async function operator(registry: Registry | undefined) {
  const server = createApiServer();
  const services = servicesOf();
  const env = { shared: services.shared, random: systemRandom, metrics: async () => registry } as Partial<RunnableEnv> as RunnableEnv;
  const clusters = targetsWith({}, { transport: () => server.transport() });
  await clusters.start(AbortSignal.timeout(5_000), env);
  return {
    services,
    env,
    connect: (name: string, token = "t") => {
      const secret = secretWith(kubeconfigOf({ server: "https://a.test" }, { token }));
      return connected(clusters.target({ kubeconfig }), { ...services, name }, { secret }).connection.client;
    },
  };
}

const ref = { name: "a", namespace: "default" };

test("requests are counted by the declared name, and open connections are counted", async () => {
  const registry = new Registry();
  const { connect, services } = await operator(registry);
  await connect("one").get(ConfigMap, ref);
  await connect("two").get(ConfigMap, ref);
  await connect("two", "other-token").get(ConfigMap, ref);
  const text = await registry.metrics();
  expect(text).toContain('treadle_requests_total{target="one"} 1\n');
  expect(text).toContain('treadle_requests_total{target="two"} 2\n');
  expect(text).toContain("treadle_targets 2\n");
  expect(text).not.toContain("a.test");
  await services[Symbol.asyncDispose]();
  expect(await registry.metrics()).toContain("treadle_targets 0\n");
});

test("two targets() of an operator count in the same families", async () => {
  const registry = new Registry();
  for (const { connect } of [await operator(registry), await operator(registry)]) await connect("one").get(ConfigMap, ref);
  const text = await registry.metrics();
  expect(text).toContain('treadle_requests_total{target="one"} 2\n');
  expect(text).toContain("treadle_targets 2\n");
});

test("an operator without metrics has connections", async () => {
  const { connect } = await operator(undefined);
  expect(await connect("one").get(ConfigMap, ref)).toBeUndefined();
});

test("docs/metrics.md lists every metric of targets with its type and labels", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../../docs/metrics.md"), "utf8");
  const section = page.split(/^## /m).find((part) => part.startsWith("Targets\n")) ?? "";
  const listed = [...section.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(([, name, type, labels = ""]) =>
    [name, type, ...[...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label)].join(" "),
  );
  const registry = new Registry();
  await operator(registry);
  const made = registry.getMetricsAsArray().map((metric) => {
    const { name, type, labelNames } = metric as unknown as { readonly name: string; readonly type: string; readonly labelNames: string[] };
    return [name, type, ...labelNames].join(" ");
  });
  expect(listed.toSorted()).toEqual(made.toSorted());
});
