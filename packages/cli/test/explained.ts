/** Explains an object of a test cluster without a terminal. */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import type { TestCluster } from "@treadle/testing";
import { findObject } from "../src/cluster/find-object.ts";
import { objectArgument } from "../src/cluster/object-argument.ts";
import { clusterReader } from "../src/cluster/reader.ts";
import { servedKinds } from "../src/cluster/session.ts";
import { type Explanation, explanationOf } from "../src/explain/explanation.ts";
import { collect } from "../src/inspect/collect.ts";
import type { Situation } from "../src/inspect/situation.ts";

export interface Asked {
  readonly namespace?: string;
  readonly nowMs?: number;
}

async function situationIn(cluster: TestCluster, words: string, { namespace = "default", nowMs }: Asked = {}): Promise<Situation> {
  const { client } = cluster;
  const { signal } = new AbortController();
  const kinds = await servedKinds(client, signal);
  const found = await findObject(objectArgument([words]), { client, kinds, namespace, signal });
  return collect(clusterReader({ client, kinds, signal, nowMs: () => nowMs ?? cluster.clock.now() }), found);
}

export async function explained(cluster: TestCluster, words: string, asked?: Asked): Promise<Explanation> {
  return explanationOf(await situationIn(cluster, words, asked));
}

/** Writes conditions as the operator of a kind would. */
export async function setConditions(
  cluster: TestCluster,
  kind: Kind,
  {
    name,
    conditions,
    ...status
  }: {
    readonly name: string;
    readonly conditions: readonly (readonly [type: string, status: string, reason: string, message: string])[];
    readonly [field: string]: unknown;
  },
): Promise<void> {
  const lastTransitionTime = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z/, "Z");
  await cluster.updateStatus(kind, name, (object) => {
    const written = conditions.map(([type, value, reason, message]) => ({ type, status: value, reason, message, lastTransitionTime }));
    (object as KubernetesObject & { status?: object }).status = { ...status, conditions: written };
  });
}

/** Writes the lease of the operator of shops, as its leader election does now. An empty holder has released it. */
export async function shopLease(cluster: TestCluster, holderIdentity: string): Promise<void> {
  const renewTime = new Date(cluster.clock.now()).toISOString().replace("Z", "000Z");
  await cluster.create(Lease, {
    metadata: { name: "shop-operator", annotations: { "treadle.dev/operator": "shops.example.dev" } },
    spec: { holderIdentity, leaseDurationSeconds: 15, acquireTime: renewTime, renewTime, leaseTransitions: 0 },
  });
}
