/** Owners with a dependent in a target, on two servers in memory. */
import { fakeClock } from "@treadle/apimachinery";
import { type AnyStep, conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import type { Target } from "../../src/targets/types.ts";
import { connectedTarget } from "./connected-target.ts";
import { type FakeCluster, fakeTarget } from "./fake-target.ts";
import { Tenant, type TargetType } from "./tenants.ts";

/** The cluster of the operator and two others, which share its clock. */
export interface ApplyScene extends AsyncDisposable {
  readonly own: TestCluster;
  readonly east: TestCluster;
  readonly west: TestCluster;
  readonly clusters: ReadonlyMap<string, FakeCluster>;
  /** The keys of the connections that are held. */
  readonly held: ReadonlySet<string>;
  start(): Promise<TestOperator>;
  /** The entries of `status.dependents` of the owner `a`, by step. */
  entries(): Promise<Readonly<Record<string, string>>>;
}

/** Starts the clusters. `steps` makes the steps for the target. */
export async function applySceneOf(given: {
  readonly objects: readonly object[];
  readonly type: TargetType;
  steps(target: Target<Tenant>): readonly AnyStep[];
}): Promise<ApplyScene> {
  const clock = fakeClock();
  const own = await startTestCluster({ clock, kinds: [Tenant], objects: given.objects, checkStatus: false });
  const east = await startTestCluster({ clock, nth: 2 });
  const west = await startTestCluster({ clock, nth: 3 });
  const fake = (id: string, { client }: TestCluster): FakeCluster => ({ client, id, isAway: false, tokens: new Set(["t1"]), calls: 0 });
  const clusters = new Map([
    ["east", fake("uid-east", east)],
    ["west", fake("uid-west", west)],
  ]);
  const transports = new Map([
    ["east", () => east.server.transport()],
    ["west", () => west.server.transport()],
  ]);
  const secretOf = ({ spec }: Tenant): string | undefined => spec.secret;
  const held = new Set<string>();
  const { target, runnables } =
    given.type === "connection"
      ? connectedTarget<Tenant>(clusters, { transports, held, secretOf })
      : { target: fakeTarget<Tenant>(clusters, { secretOf, clock, held }), runnables: [] };
  const build = () => {
    let made = handler(Tenant).step(conditions());
    for (const step of given.steps(target as Target<Tenant>)) made = made.step(step as never) as never;
    return made.build();
  };
  return {
    own,
    east,
    west,
    clusters,
    held,
    start: () => own.start(build(), { runnables }),
    entries: async () => {
      const { dependents = [] } = ((await own.get(Tenant, "a"))?.status ?? {}) as {
        readonly dependents?: readonly { readonly step: string; readonly reason: string; readonly type: string }[];
      };
      return Object.fromEntries(dependents.map(({ step, type, reason }) => [step, `${type} ${reason}`]));
    },
    async [Symbol.asyncDispose]() {
      for (const cluster of [own, east, west]) await cluster.stop();
    },
  };
}
