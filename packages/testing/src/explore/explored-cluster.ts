/** The user of a run: acts whatever state the operator is in, and is written down. */
import { type FakeClock, isConflict, type Kind, type ObjectOf, refOf } from "@treadle/apimachinery";
import type { Backend } from "../internal/backend.ts";
import { fullKey } from "../internal/handler-kinds.ts";
import { DEFAULT_NAMESPACE } from "../internal/manifests.ts";
import { type NewObject, User, type UserActions } from "../internal/user.ts";
import type { ExternalEffects } from "./external-effects.ts";
import type { RestartingOperator } from "./restarting-operator.ts";
import type { AwayFault } from "./away-fault.ts";
import type { ExploredCluster } from "./scenario.ts";
import type { StableUids } from "./stable-uids.ts";
import type { FaultInjector } from "./fault-injector.ts";

export interface ClusterOfRun {
  readonly backend: Backend;
  readonly operator: RestartingOperator;
  readonly injector: FaultInjector;
  readonly uids: StableUids;
  readonly clock: FakeClock;
  readonly effects: ExternalEffects;
  readonly away: AwayFault;
}

/** An operator that works beside the user may be faster that often. */
const MAX_TRIES = 10;

export function exploredCluster<External>(run: ClusterOfRun, external: External): ExploredCluster<External> {
  const { backend, operator, injector, uids, clock, effects, away } = run;
  const user = new User(backend, "cluster");
  const note = (text: string): void => void injector.journal.push({ type: "user", text });
  /** Whoever builds on what the operator does, waits for it: one who looks, and one who plays another controller. */
  const caughtUp = async (): Promise<void> => {
    if (away.isCalled()) await operator.settled(false);
  };
  const act = async <T>(text: string, action: () => Promise<T>): Promise<T> => {
    note(text);
    for (let tries = 1; ; tries++) {
      try {
        const done = await action();
        away.acted();
        return done;
      } catch (error) {
        if (isConflict(error) && tries < MAX_TRIES) continue;
        // The operator does not know yet what this builds on.
        if (!injector.release() && !away.isCalled()) throw error;
        await operator.settled(true);
      }
    }
  };
  const change =
    (verb: "update" | "updateStatus"): UserActions["update"] =>
    (kind, key, edit) =>
      act(`${verb} ${kind.kind} ${key}`, () => user[verb](kind, key, edit));
  return {
    create: <K extends Kind>(kind: K, object: NewObject<K>): Promise<ObjectOf<K>> => {
      const { name = kind.kind.toLowerCase(), namespace, uid } = object.metadata ?? {};
      const key = fullKey(kind, namespace === undefined ? name : `${namespace}/${name}`, DEFAULT_NAMESPACE);
      const metadata = { ...object.metadata, uid: uid ?? uids.next(kind.kind, key) };
      return act(`create ${kind.kind} ${key}`, () => user.create(kind, { ...object, metadata }));
    },
    apply: (manifest) => act(`apply ${nameOf(manifest)}`, () => user.apply(manifest)),
    update: change("update"),
    updateStatus: async (kind, key, edit) => {
      await caughtUp();
      // A status that is written once, for what the operator has not done yet, would be missing for ever.
      if (injector.release()) await operator.settled(true);
      return await change("updateStatus")(kind, key, edit);
    },
    delete: (kind, key) => act(`delete ${kind.kind} ${key}`, () => user.delete(kind, key)),
    get: async (kind, key) => {
      await caughtUp();
      return await backend.user.get(kind, refOf(fullKey(kind, key, DEFAULT_NAMESPACE)));
    },
    list: async (kind, namespace) => {
      await caughtUp();
      return (await backend.user.list(kind, namespace === undefined ? {} : { namespace })).items;
    },
    settled: async () => {
      if (away.isInVain()) return;
      away.isCalled();
      await operator.settled(false);
      away.begins();
    },
    advance: async (ms) => {
      away.acted();
      note(`${ms} ms pass`);
      await clock.advance(ms);
    },
    clock,
    get workloads() {
      return backend.server.workloads;
    },
    external,
    effects,
  };
}

function nameOf(manifest: object): string {
  const { kind, metadata } = manifest as { readonly kind?: string; readonly metadata?: { readonly name?: string } };
  return `${kind ?? "?"} ${metadata?.name ?? ""}`.trimEnd();
}
