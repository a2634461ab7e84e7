/**
 * A target that answers reads and hangs on writes, in an operator.
 *
 * @module-tag memory
 */
import { fakeClock } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentSet } from "../../src/index.ts";
import { targetsWith } from "../../src/targets/targets.ts";
import { clusterAndToken } from "./fake-target.ts";
import { config, ConfigMap, credentials, namesIn, tenant, Tenant } from "./tenants.ts";

test("a target that hangs on writes delays no owner of another target, and gets one write a minute", async () => {
  const clock = fakeClock();
  const slow = Array.from({ length: 10 }, (_, i) => tenant(`slow${i}`, { names: [`slow${i}`] }));
  const quick = Array.from({ length: 10 }, (_, i) => tenant(`quick${i}`, { names: [`quick${i}`], secret: "west" }));
  const objects = [credentials("east", "t1"), credentials("west", "t1", "west"), ...slow, ...quick];
  await using own = await startTestCluster({ clock, kinds: [Tenant], objects, checkStatus: false });
  await using east = await startTestCluster({ clock, nth: 2 });
  await using west = await startTestCluster({ clock, nth: 3 });
  let hung = 0;
  const clusters = targetsWith(
    { servers: ["*.clusters.example.com"] },
    {
      transport: (text) => {
        const isSlow = clusterAndToken(text).cluster === "east";
        const inner = (isSlow ? east : west).server.transport();
        return {
          request: (request) => {
            if (!isSlow || request.method === "GET") return inner.request(request);
            hung += 1;
            const { signal } = request;
            return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
          },
          close: () => inner.close(),
        };
      },
    },
  );
  const stack = dependentSet(Tenant, {
    name: "stack",
    condition: "StackReady",
    kinds: [ConfigMap],
    objects: ({ spec }) => spec.names.map((name) => config(name)),
    target: clusters.target<Tenant>({ kubeconfig: one(Secret, ({ spec }: Tenant) => spec.secret) as never }),
  });
  await own.start(handler(Tenant).step(conditions()).step(stack).build(), { runnables: [clusters], controller: { concurrency: 3 } });
  await clock.advance(5_000);
  expect(await namesIn(west)).toHaveLength(10);
  expect(hung).toBe(2);
  await clock.advance(600_000);
  expect(hung).toBeLessThan(18);
});
