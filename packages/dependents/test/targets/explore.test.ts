/**
 * Injects each kind of fault at each write of the life of a set with a target: those to its own cluster, and those to the target. All
 * runs must reach the same end in both clusters.
 */
import { type FakeClock, keyOf, type Kind, type KubernetesObject, seededRandom } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { conditions, handler, type Handler } from "@treadle/reconcile";
import { explore, type ExploredCluster } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { dependentSet } from "../../src/index.ts";
import { type FakeCluster, fakeTarget } from "./fake-target.ts";
import { config, credentials, Tenant } from "./tenants.ts";

interface Clusters {
  readonly clusters: ReadonlyMap<string, FakeCluster>;
  readonly servers: ReadonlyMap<string, ApiServer>;
  readonly clock: FakeClock;
}

type Through = (transport: ReturnType<ApiServer["transport"]>) => ReturnType<ApiServer["transport"]>;

function clustersOf(clock: FakeClock, through: Through): Clusters {
  const names = ["east", "west"];
  const servers = new Map(names.map((name) => [name, createApiServer({ clock, random: seededRandom(7) })]));
  const clusters = new Map(
    names.map((name): readonly [string, FakeCluster] => {
      const server = servers.get(name) as ApiServer; // Made above.
      const client = createClient({ transport: through(server.transport()) });
      return [name, { client, id: `uid-${name}`, isAway: false, tokens: new Set(["t1"]), calls: 0 }];
    }),
  );
  return { clusters, servers, clock };
}

function operatorOf({ clusters, clock }: Clusters): Handler<Tenant> {
  const stack = dependentSet(Tenant, {
    name: "stack",
    condition: "StackReady",
    kinds: [ConfigMap, Secret],
    objects: ({ spec }) => spec.names.map((name, wave) => config(name, wave)),
    target: fakeTarget<Tenant>(clusters, { secretOf: ({ spec }) => spec.secret, clock }),
  });
  return handler(Tenant).step(conditions()).step(stack).build();
}

/** What a cluster has, without versions and times. */
async function stateOf(server: ApiServer): Promise<readonly string[]> {
  const client = createClient({ transport: server.transport() });
  const found: string[] = [];
  for (const kind of [ConfigMap, Secret, Namespace] satisfies Kind[]) {
    const { items } = (await client.list(kind, {})) as { readonly items: readonly KubernetesObject[] };
    found.push(...items.map(({ metadata }) => `${kind.kind} ${keyOf(metadata)}`));
  }
  return found.filter((name) => !name.includes("kube-root-ca.crt")).toSorted();
}

const change = async (cluster: ExploredCluster<Clusters>, spec: object): Promise<void> => {
  await cluster.update(Tenant, "a", (owner) => void Object.assign(owner.spec, spec));
};

test("a set that is installed in a target, moved to another one and deleted has the same end after every single fault", {
  tags: ["memory", "part"],
  timeout: 3_600_000,
}, async ({ part }) => {
  const { summary, points } = await explore<Clusters>(
    operatorOf,
    {
      objects: [credentials("east", "t1"), credentials("west", "t1", "west")],
      kinds: [Secret],
      external: ({ clock, through }) => clustersOf(clock, through),
      run: async (cluster) => {
        await cluster.create(Tenant, { metadata: { name: "a" }, spec: { secret: "credentials", names: ["one", "two"] } });
        await cluster.settled();
        await change(cluster, { secret: "west" });
        await cluster.settled();
        await change(cluster, { names: ["two", "three"] });
      },
      check: async ({ external }) => {
        expect(await stateOf(external.servers.get("east") as ApiServer)).not.toContain("ConfigMap default/one");
        const west = await stateOf(external.servers.get("west") as ApiServer);
        expect(west.filter((name) => name.startsWith("ConfigMap"))).toEqual(["ConfigMap default/three", "ConfigMap default/two"]);
      },
    },
    { points: ({ id }) => part.has(id, 24), ignore: [["status", "steps", "stack", "revision"]] },
  );
  console.info(`set with a target: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 60 : 1);
});
