/** `clusters.client`: the target of a set, for the steps before and after it. */
import { isFakeClock } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentSet } from "../../src/index.ts";
import { targetsWith } from "../../src/targets/targets.ts";
import { config, credentials, namesIn, Tenant, tenant, transportTo } from "./tenants.ts";

test("a step before a set writes to the target of the set, and not to the cluster of the operator", async () => {
  await using own = await startTestCluster({
    kinds: [Tenant],
    objects: [credentials("east", "t1"), tenant("a")],
    checkStatus: false,
  });
  await using east = await startTestCluster({ nth: 2, ...(isFakeClock(own.clock) ? { clock: own.clock } : {}) });
  const clusters = targetsWith({ servers: ["*.clusters.example.com"] }, { transport: () => transportTo(east) });
  const remote = dependentSet(Tenant, {
    name: "stack",
    condition: "StackReady",
    kinds: [ConfigMap],
    objects: ({ spec }) => spec.names.map((name) => config(name)),
    target: clusters.target({ kubeconfig: one(Secret, (owner) => owner.spec.secret) }),
  });
  const before = step(Tenant, {
    name: "before",
    async do(req) {
      const client = await clusters.client(req, remote);
      if ((await client.get(ConfigMap, "base")) !== undefined) return;
      await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "base" } });
    },
  });
  const operator = await own.start(handler(Tenant).step(conditions()).step(before).step(remote).build(), { runnables: [clusters] });
  await operator.settled();
  expect(await namesIn(east)).toEqual(["base", "one", "two"]);
  expect(await namesIn(own)).toEqual([]);
  expect(operator.undeclared).toEqual([]);
});
