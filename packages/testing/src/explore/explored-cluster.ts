/** The user of a run: acts in any state of the operator, and writes each action to the journal. */
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

/** The parts of a run that its user needs. */
export interface ClusterOfRun {
  readonly backend: Backend;
  readonly operator: RestartingOperator;
  readonly injector: FaultInjector;
  readonly uids: StableUids;
  readonly clock: FakeClock;
  readonly effects: ExternalEffects;
  readonly away: AwayFault;
}

/** Attempts of an action that conflicts with writes of the operator. */
const MAX_TRIES = 10;

/** Creates the cluster that a scenario gets. */
export function exploredCluster<External>(run: ClusterOfRun, external: External): ExploredCluster<External> {
  const { backend, operator, injector, uids, clock, effects, away } = run;
  const user = new User(backend, "cluster");
  const note = (text: string): void => void injector.journal.push({ type: "user", text });
  /** Waits for an operator that is away: a read, and a write of another controller, need its result. */
  const caughtUp = async (): Promise<void> => {
    if (away.end()) await operator.settled(false);
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
        // The action needs a result of the operator, which does not know yet of an earlier action.
        if (!injector.release() && !away.end()) throw error;
        await operator.settled(true);
      }
    }
  };
  /** A status that another controller writes before the operator has acted would be missing at the end. */
  const beforeOthersWrite = async (): Promise<void> => {
    await caughtUp();
    if (injector.release()) await operator.settled(true);
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
      await beforeOthersWrite();
      return await change("updateStatus")(kind, key, edit);
    },
    makeReady: async (kind, key) => {
      await beforeOthersWrite();
      return await act(`make ${kind.kind} ${key} ready`, () => user.makeReady(kind, key));
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
      if (away.skipsWait()) return;
      away.end();
      await operator.settled(false);
      away.begins();
    },
    advance: async (ms) => {
      away.acted();
      note(`advance ${ms} ms`);
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
