/**
 * The interface of the simulated controllers, which do the work of kube-controller-manager, kube-scheduler and the kubelets.
 * `simulation.ts` runs them.
 *
 * - A {@link Controller} makes the objects of one kind match their specs. It is level-triggered: `sync` reads the current
 *   state, does what is missing, and writes nothing when nothing is missing. It keeps nothing in memory that it can read, so
 *   the result depends only on the last spec, not on the order of changes.
 * - A controller is a function of a {@link Context}. `controllers.ts` lists those of the workloads in the order in which they
 *   act, and `cluster/namespace-contents.ts` those of each local cluster.
 * - It reads with `context.objects`, which is the current store without a delay. Objects are frozen.
 * - It writes with `context.as(NAME)`: requests of that controller's service account, with the field manager of the real one.
 *   A refusal is thrown as a {@link RefusedError}, which `sync` need not catch. After a conflict the key is retried at once.
 *   After a 404 the deletion event triggers the next sync. Any other refusal is retried after 1 s, 2 s, 4 s and so on of the
 *   server's clock.
 * - Time is the server's clock. `sync` returns the delay until its next call without a change, in milliseconds. Each call
 *   replaces the delay of the last one. There are no other timers.
 * - `server.settled()` resolves when no key is due now. `workloads.nextDue()` returns the time of the next key that is due
 *   without a change.
 */
import type { Clock, Kind, ObjectOf } from "@treadle/apimachinery";
import type { Registry } from "../storage/registry.ts";
import type { Change, Store } from "../storage/store.ts";
import type { Behaviours } from "./behaviours.ts";
import type { Events } from "./events.ts";
import type { Objects } from "./objects.ts";
import type { Settings } from "./options.ts";
import type { Writer } from "./writer.ts";

export interface Controller {
  /** Name in errors. */
  readonly name: string;
  /** Kind of its objects. Each change of such an object triggers a sync, also its deletion, unless `isFor` says otherwise. */
  readonly kind: Kind;
  /** Reports whether a change of its object triggers a sync. `previous` is absent for a new object. @defaultValue each change */
  readonly isFor?: (object: never, previous: never) => boolean;
  /** Other objects whose changes trigger a sync. */
  readonly watches?: readonly Watch[];
  /** Returns the keys that any change of the store triggers. `id` is that of the changed kind. Called often, so it must be fast. */
  readonly follows?: (id: string, change: Change) => Iterable<string>;
  /** Creates the objects that exist from the start. Called once, before anything else. */
  readonly start?: () => Promise<void>;
  /** @param key `namespace/name`, or `name` for a cluster-scoped kind. The object may no longer exist. */
  sync(key: string): Promise<number | undefined>;
}

/** Makes a controller. */
export type MakeController = (context: Context) => Controller;

/** A watch, made by {@link watch}. */
export interface Watch {
  readonly kind: Kind;
  readonly keysOf: (object: never, previous: never) => Iterable<string>;
}

/**
 * Returns a watch. When an object of `kind` changes, the keys of `keysOf` are due. `previous` is the state before, absent for
 * a new object. After a deletion both arguments are the last state.
 */
export function watch<K extends Kind>(
  kind: K,
  keysOf: (object: ObjectOf<K>, previous: ObjectOf<K> | undefined) => Iterable<string>,
): Watch {
  return { kind, keysOf };
}

/** Services of a controller. */
export interface Context {
  readonly clock: Clock;
  /** For writes that no request can make: the scheduler binds a pod to its node in a special way. */
  readonly store: Store;
  /** All served kinds, those of CRDs included. */
  readonly registry: Registry;
  readonly settings: Settings;
  readonly objects: Objects;
  /** Writes events. */
  readonly events: Events;
  /** Injected faults. */
  readonly behaviours: Behaviours;
  /** Returns a writer for a part of the control plane: the name of a controller, `kubelet` or `kube-scheduler`. */
  as(name: string): Writer;
}
