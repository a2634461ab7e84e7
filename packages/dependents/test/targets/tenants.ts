/** Owners of sets with a target, on test clusters. */
import { defineResource, isFakeClock, type ObjectOf, type Transport } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { httpTransport } from "@treadle/client";
import { kubeconfigText } from "@treadle/client/unstable/kubeconfig";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import { expect } from "vitest";
import { z } from "zod";
import { dependentSet, type DependentSetOptions, type Manifest, object } from "../../src/index.ts";
import type { Target } from "../../src/targets/types.ts";
import { connectedTarget } from "./connected-target.ts";
import { type FakeCluster, fakeTarget, kubeconfigOf } from "./fake-target.ts";

export const Tenant = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Tenant",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    names: z.array(z.string()).default(["one", "two"]),
    secret: z.string().optional(),
    user: z.string().optional(),
  }),
});
export type Tenant = ObjectOf<typeof Tenant>;

export const tenant = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "example.dev/v1",
  kind: "Tenant",
  metadata: { name, ...metadata },
  spec: { secret: "credentials", ...spec },
});

export const credentials = (cluster: string, token: string, name: string = "credentials"): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  ...kubeconfigOf(cluster, token),
});

/** Changes the contents of the Secret of a scene. */
export async function rotate(own: TestCluster, cluster: string, token: string): Promise<void> {
  await own.update(Secret, "credentials", (secret) => {
    secret.data = { kubeconfig: Buffer.from(kubeconfigOf(cluster, token).stringData.kubeconfig).toString("base64") };
  });
}

export const config = (name: string, wave: number = 0): Manifest =>
  object(ConfigMap, { metadata: { name }, data: { text: "hello" } }, { apply: wave });

/** Two clusters besides that of the operator, which share its clock. On real servers there is one. */
export interface Scene extends AsyncDisposable {
  readonly own: TestCluster;
  readonly east: TestCluster;
  /** @throws Error on a real server: a test that uses it has the tag `memory` */
  readonly west: TestCluster;
  readonly clusters: ReadonlyMap<string, FakeCluster>;
  /** The keys of the connections that are held. */
  readonly held: ReadonlySet<string>;
  start(): Promise<TestOperator>;
  condition(name?: string): Promise<{ readonly status: string; readonly reason: string; readonly message: string } | undefined>;
}

/** `fake`: a target without watches. `connection`: that of `targets()`, over transports in memory. */
export type TargetType = "fake" | "connection";

export interface SceneOptions {
  readonly objects: readonly object[];
  readonly type?: TargetType;
  readonly slots?: number;
  /** Options of the set. */
  readonly set?: Partial<Pick<DependentSetOptions<Tenant, string, readonly [], {}>, "live" | "objects" | "kinds">>;
}

export async function sceneOf(options: SceneOptions): Promise<Scene> {
  const own = await startTestCluster({ kinds: [Tenant], objects: options.objects, checkStatus: false });
  const { clock } = own;
  const shared = isFakeClock(clock) ? { clock } : {};
  const east = await startTestCluster({ ...shared, nth: 2 });
  const west = isFakeClock(clock) ? await startTestCluster({ clock, nth: 3 }) : undefined;
  const fake = (id: string, { client }: TestCluster): FakeCluster => ({ client, id, isAway: false, tokens: new Set(["t1"]), calls: 0 });
  const remotes = [["east", east] as const, ...(west === undefined ? [] : [["west", west] as const])];
  const clusters = new Map(remotes.map(([name, cluster]) => [name, fake(`uid-${name}`, cluster)]));
  const transports = new Map(remotes.map(([name, cluster]) => [name, () => transportTo(cluster)]));
  const fakes = { secretOf: ({ spec }: Tenant) => spec.secret, clock, ...(options.slots === undefined ? {} : { slots: options.slots }) };
  const held = new Set<string>();
  const { target, runnables } =
    options.type === "connection"
      ? connectedTarget(clusters, { transports, held, secretOf: fakes.secretOf })
      : { target: fakeTarget<Tenant>(clusters, { ...fakes, held }), runnables: [] };
  const stack = dependentSet(Tenant, {
    name: "stack",
    condition: "StackReady",
    kinds: [ConfigMap],
    objects: ({ spec }) => spec.names.map((name, wave) => config(name, wave)),
    target: target as Target<Tenant>,
    ...options.set,
  });
  return {
    own,
    east,
    get west(): TestCluster {
      if (west === undefined) throw new Error("a real server has no cluster west: give the test the tag memory");
      return west;
    },
    clusters,
    held,
    start: () => own.start(handler(Tenant).step(conditions()).step(stack).build(), { runnables }),
    condition: async (name = "a") => {
      const found = (await own.get(Tenant, name))?.status?.conditions?.find(({ type }) => type === "StackReady");
      return found === undefined ? undefined : { status: found.status, reason: found.reason, message: found.message ?? "" };
    },
    async [Symbol.asyncDispose]() {
      for (const cluster of [own, east, west]) await cluster?.stop();
    },
  };
}

/** Waits until the set of an owner is ready. On a real server its watches need time that `settled` does not know of. */
export async function isReady(scene: Scene, name: string = "a"): Promise<void> {
  await expect.poll(() => scene.condition(name)).toMatchObject({ status: "True" });
}

/** Connects as the administrator, without a socket where the server is in memory. */
export function transportTo(cluster: TestCluster): Transport {
  if (isFakeClock(cluster.clock)) return cluster.server.transport();
  const { server, inline } = kubeconfigText(cluster.kubeconfig, "the kubeconfig of the test cluster");
  return httpTransport({ server, credentials: inline });
}

/** The names of the ConfigMaps in a cluster. */
export async function namesIn(cluster: TestCluster, namespace: string = "default"): Promise<readonly string[]> {
  const found = await cluster.list(ConfigMap, namespace);
  return found
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== "kube-root-ca.crt")
    .toSorted();
}

export { ConfigMap, Secret };
