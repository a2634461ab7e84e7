/**
 * Sets of an earlier version of the operator that had no target, and have one now.
 *
 * @module-tag memory
 */
import { fakeClock } from "@treadle/apimachinery";
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentSet, object } from "../../src/index.ts";
import { connectedTarget } from "./connected-target.ts";
import { credentials, namesIn, tenant, Tenant } from "./tenants.ts";

const apps = { apiVersion: "v1", kind: "Namespace", metadata: { name: "apps" } };

test.for(["default", "apps"])(
  "a set that gets a target removes its objects from namespace %s of the own cluster first",
  async (namespace) => {
    const clock = fakeClock();
    await using own = await startTestCluster({
      clock,
      kinds: [Tenant],
      objects: [apps, credentials("east", "t1"), tenant("a")],
      checkStatus: false,
    });
    await using east = await startTestCluster({ clock, nth: 2, objects: [apps] });
    const base = {
      name: "stack",
      condition: "StackReady",
      kinds: [ConfigMap, Namespace],
      objects: () => ["one", "two"].map((name) => object(ConfigMap, { metadata: { name, namespace }, data: { text: "hello" } })),
    } as const;
    const before = await own.start(handler(Tenant).step(conditions()).step(dependentSet(Tenant, base)).build());
    await before.settled();
    expect(await namesIn(own, namespace)).toEqual(["one", "two"]);
    await before.stop();
    // The list of entries has a limit: objects beyond it are known by their kind only.
    await own.updateStatus(Tenant, "a", ({ status }) => void Object.assign(status ?? {}, { dependents: [] }));
    const clusters = new Map([["east", { client: east.client, id: "e", isAway: false, tokens: new Set(["t1"]), calls: 0 }]]);
    const { target, runnables } = connectedTarget<Tenant>(clusters, {
      transports: new Map([["east", () => east.server.transport()]]),
      held: new Set(),
      secretOf: ({ spec }) => spec.secret,
    });
    const permissions = [
      { kind: ConfigMap, verbs: ["get", "list", "patch", "delete"], because: "the former version has written them" },
    ] as const;
    const after = await own.start(
      handler(Tenant)
        .step(conditions())
        .step(dependentSet(Tenant, { ...base, target, permissions }))
        .build(),
      {
        runnables,
      },
    );
    await after.settled({ horizonMs: 300_000 });
    expect(await namesIn(own, namespace)).toEqual([]);
    expect(await namesIn(east, namespace)).toEqual(["one", "two"]);
  },
);
