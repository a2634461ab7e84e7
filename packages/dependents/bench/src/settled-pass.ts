/** Passes that find nothing to do, over a store like that of an informer. No other controller runs. */
import { type Kind, type KubernetesObject, keyOf, systemClock } from "@treadle/apimachinery";
import { Event, Namespace } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import type { AnyHandler, Logger } from "@treadle/reconcile";
import { createReconciler } from "@treadle/reconcile/unstable/engine";

/** A handler and an object that it has settled. */
export interface SettledPass {
  /**
   * Returns what one pass costs, in microseconds of the processor, so that other programs on the machine do not count.
   * @throws Error when a pass sends a request
   */
  microseconds(rounds: number): Promise<number>;
}

/** A server with the namespace `ns`, and what the cache holds of it. */
export interface SettledWorld {
  readonly client: Client;
  /** The objects in the cache. */
  cached(): Iterable<KubernetesObject>;
  /** Runs passes over a stored owner until the handler has nothing to do any more. */
  settle(object: KubernetesObject, built: AnyHandler): Promise<SettledPass>;
}

export interface SettledWorldOptions {
  /** The kind of the owners. */
  readonly owner: Kind;
  /** Completes an object that enters the cache, in place of the controllers that do not run. @defaultValue as it is */
  readonly complete?: (object: KubernetesObject) => KubernetesObject;
}

const MAX_PASSES = 50;
const log: Logger = { debug() {}, info() {}, warn: console.warn, error: console.error };

export async function settledWorld({ owner, complete = (object) => object }: SettledWorldOptions): Promise<SettledWorld> {
  const server = createApiServer({ clock: systemClock, resources: [owner] });
  let requests = 0;
  const transport = server.transport();
  const client = createClient({ transport, clock: systemClock, fieldManager: "bench", onExchange: () => void requests++ });
  await client.create(Namespace, { metadata: { name: "ns" } });
  const objects = new Map<string, KubernetesObject>();
  let byOwner = new Map<string, KubernetesObject[]>();
  const put = (object: KubernetesObject): void => {
    objects.set(`${object.kind} ${keyOf(object.metadata)}`, freeze(complete(object)));
    byOwner = new Map();
  };

  /** An informer has an index of the owner's label. */
  function ownedBy(kind: Kind, id: string | undefined): readonly KubernetesObject[] {
    if (byOwner.size === 0)
      for (const object of objects.values())
        for (const [key, value] of Object.entries(object.metadata.labels ?? {})) {
          if (!key.endsWith(OWNER)) continue;
          const found = byOwner.get(`${object.kind} ${value}`);
          if (found === undefined) byOwner.set(`${object.kind} ${value}`, [object]);
          else found.push(object);
        }
    return byOwner.get(`${kind.kind} ${id}`) ?? [];
  }

  return {
    client,
    cached: () => objects.values(),
    async settle(object, built) {
      const { name, namespace } = object.metadata;
      const ref = namespace === undefined ? { name } : { namespace, name };
      put(object);
      const reconciler = createReconciler(built, {
        client,
        clock: systemClock,
        log,
        cache: {
          get: (kind, at) => objects.get(`${kind.kind} ${keyOf(at)}`) as never,
          list: (kind: Kind, select = {}) => {
            const wanted = Object.entries(select.matchLabels ?? {});
            const id = wanted.find(([key]) => key.endsWith(OWNER))?.[1];
            const rest = wanted.filter(([key]) => !key.endsWith(OWNER));
            return ownedBy(kind, id).filter(({ metadata }) => rest.every(([key, value]) => metadata.labels?.[key] === value)) as never;
          },
        },
        observeWrite: put,
        observeOther: (kind, object) => {
          if (kind.kind !== Event.kind) put(object);
        },
      });
      for (let passes = 0, before = -1; before !== requests; passes++) {
        if (passes === MAX_PASSES) throw new Error(`${name} still sends requests after ${MAX_PASSES} passes`);
        before = requests;
        await reconciler.pass(ref);
      }
      return {
        async microseconds(rounds) {
          const before = requests;
          const started = process.cpuUsage();
          for (let i = 0; i < rounds; i++) await reconciler.pass(ref);
          const { user, system } = process.cpuUsage(started);
          if (requests !== before) throw new Error(`${requests - before} requests in ${rounds} settled passes of ${name}`);
          return (user + system) / rounds;
        },
      };
    },
  };
}

const OWNER = "/owner-id";

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}
