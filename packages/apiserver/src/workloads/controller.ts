/**
 * The simulated controllers of workloads: what kube-controller-manager, kube-scheduler and kubelets do beside a real API
 * server. This is the frame that each of them fits; `simulation.ts` runs them.
 *
 * - A {@link Controller} brings the objects of one kind, named by their keys, to what their specs say. It is level-triggered:
 *   `sync` looks at what is there now, does what is missing, and writes nothing when nothing is. It keeps nothing in
 *   memory that it could read, so that whatever the order of changes, the end is what the last spec says.
 * - It is a function of a {@link Context}, listed in `controllers.ts` in the order in which they act.
 * - It reads with `context.objects`: the store as it is now, no cache that lags. Objects are frozen.
 * - It writes with `context.as(NAME)`: requests as the service account of that controller, with the field manager that the
 *   real one has. What the server refuses is thrown as a {@link RefusedError}; `sync` need not catch it: after a conflict
 *   the key is tried again at once, what is gone is left to the change that tells of it, anything else is tried again
 *   after 1 s, 2 s, 4 s ... of the server's clock.
 * - Time is the server's clock. What `sync` returns is when it wants to be called again, in milliseconds, though nothing
 *   changes; each call replaces what the last one wanted. There are no timers beside that.
 * - `server.settled()` resolves when no key is due now; `workloads.nextDue()` tells when time alone makes one due.
 */
import type { Clock, Kind, ObjectOf } from "@treadle/apimachinery";
import type { Store } from "../storage/store.ts";
import type { Behaviours } from "./behaviours.ts";
import type { Objects } from "./objects.ts";
import type { Settings } from "./options.ts";
import type { Writer } from "./writer.ts";

export interface Controller {
  /** Names it in errors. */
  readonly name: string;
  /** What it brings to its spec: each change of such an object is a reason to look at it, its deletion included. */
  readonly kind: Kind;
  /** Other objects whose changes are a reason to look. */
  readonly watches?: readonly Watch[];
  /** Makes what is there from the start; called once, before anything else. */
  readonly start?: () => Promise<void>;
  /** @param key `namespace/name`, or `name` of what has no namespace. The object may be gone. */
  sync(key: string): Promise<number | undefined>;
}

/** Made by {@link watch}. */
export interface Watch {
  readonly kind: Kind;
  readonly keysOf: (object: never, previous: never) => Iterable<string>;
}

/**
 * The objects of which keys are due when an object of `kind` changes. `previous` is its state before, absent for a new one;
 * of a deletion both are the last state.
 */
export function watch<K extends Kind>(
  kind: K,
  keysOf: (object: ObjectOf<K>, previous: ObjectOf<K> | undefined) => Iterable<string>,
): Watch {
  return { kind, keysOf };
}

/** What a controller works with. */
export interface Context {
  readonly clock: Clock;
  /** For what no request can do: a pod is bound to its node by its scheduler in a way that nobody else has. */
  readonly store: Store;
  readonly settings: Settings;
  readonly objects: Objects;
  /** What tests want to go wrong. */
  readonly behaviours: Behaviours;
  /** Writes as a part of the control plane: the name of a controller, `kubelet` or `kube-scheduler`. */
  as(name: string): Writer;
}
