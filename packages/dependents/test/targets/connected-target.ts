/** The target of `targets()` over transports to test clusters, which a test can switch off. */
import type { KubernetesObject, Transport } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { ConnectionError } from "@treadle/client";
import type { Runnable } from "@treadle/controller";
import { one } from "@treadle/reconcile";
import { targetsWith } from "../../src/targets/targets.ts";
import type { Target } from "../../src/targets/types.ts";
import { clusterAndToken, type FakeCluster } from "./fake-target.ts";

/** Makes the target, and the runnable of its operator. `held` gets a key for each owner that holds a connection. */
export function connectedTarget<T extends KubernetesObject>(
  clusters: ReadonlyMap<string, FakeCluster>,
  given: {
    readonly transports: ReadonlyMap<string, () => Transport>;
    readonly secretOf: (owner: T) => string | undefined;
    readonly held: Set<string>;
  },
): { readonly target: Target<T>; readonly runnables: readonly Runnable[] } {
  const shared = targetsWith(
    { servers: ["*.clusters.example.com"] },
    {
      transport: (config) => {
        const { cluster, token } = clusterAndToken(config);
        const fake = clusters.get(cluster) as FakeCluster; // The tests name no other one.
        const inner = given.transports.get(cluster) as () => Transport;
        return toFake(fake, token, inner());
      },
    },
  );
  const { definition } = shared.target<T>({ kubeconfig: one(Secret, given.secretOf as never) as never });
  const counted: Target<T> = {
    definition: {
      ...definition,
      connect: (identity, services) => {
        const connection = definition.connect(identity, services);
        return counting(connection, given.held, identity.digest);
      },
    },
  };
  return { target: counted, runnables: [shared] };
}

type Connection = ReturnType<Target<KubernetesObject>["definition"]["connect"]>;

const COUNTING = new WeakMap<Connection, Connection>();

function counting(connection: Connection, held: Set<string>, digest: string): Connection {
  let made = COUNTING.get(connection);
  if (made !== undefined) return made;
  made = {
    ...connection,
    hold: (key) => {
      held.add(`${key} ${digest}`);
      connection.hold(key);
    },
    release: (key) => {
      held.delete(`${key} ${digest}`);
      connection.release(key);
    },
  };
  COUNTING.set(connection, made);
  return made;
}

function toFake(fake: FakeCluster, token: string, inner: Transport): Transport {
  return {
    request: async (request) => {
      fake.calls += 1;
      if (fake.isAway) throw new ConnectionError({ code: "ERR_UNREACHABLE", message: "connection refused" });
      if (!fake.tokens.has(token)) return { status: 401, headers: {}, body: "" };
      return await inner.request(request);
    },
    close: () => inner.close(),
  };
}
