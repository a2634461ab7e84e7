/** The unit of one `dependentApply()` in one pass: the context of the core, made from the req and the pass of its step. */
import { groupKindOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import {
  entryHandlerOf,
  KindNotInstalled,
  servedVersionOf,
  type StepRuntime,
  inNamespaceOf,
  type OneRead,
} from "@treadle/reconcile/unstable/engine";
import type { CleanupReq, DoReq } from "@treadle/reconcile";
import type { Context, ObjectCache, UnitInfo } from "./core/context.ts";
import { dependentsOf, entriesOfStep, type NewEntry } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import type { Removal } from "./core/remove.ts";
import { type Dependent, LIVE, targetOrNone } from "./dependent.ts";
import { type DependentData, type DependentPass, dependents, underPresentName } from "./extension.ts";

export type AnyDoReq = DoReq<KubernetesObject, object>;
export type AnyCleanupReq = CleanupReq<KubernetesObject>;

/** A dependent with what never changes of its step. */
export interface Definition {
  readonly dependent: Dependent;
  /** The read that returns the object itself. */
  readonly read: OneRead;
  /** The steps in `dependsOn`; read when a pass needs it, because authors may add to their list. */
  readonly dependsOn: () => readonly (StepRuntime | undefined)[];
}

/** A dependent in one pass. */
export interface Unit<R extends AnyDoReq | AnyCleanupReq = AnyDoReq | AnyCleanupReq> {
  readonly dependent: Dependent;
  readonly req: R;
  readonly pass: DependentPass;
  readonly context: Context;
}

export function unitOf<R extends AnyDoReq | AnyCleanupReq>(definition: Definition, req: R): Unit<R> {
  const { dependent } = definition;
  const pass = dependents.of(req);
  return { dependent, req, pass, context: contextOf(definition, req, pass) };
}

function contextOf({ dependent, read }: Definition, req: AnyDoReq | AnyCleanupReq, pass: DependentPass): Context {
  const { handler } = pass;
  return {
    unit: dependent.name,
    unitNoun: "step",
    get units() {
      return unitsOf(pass);
    },
    owner: pass.object,
    ownerKind: handler.kind,
    handlerName: handler.name,
    handlerNames: handler.names,
    replacedManagers: handler.replacedManagers,
    get client() {
      return req.client;
    },
    cache: cacheOf(pass, dependent.policy.kind, read.cacheKind),
    memory: pass.memory,
    clock: pass.clock,
    get log() {
      return req.log;
    },
    claims: (what) => pass.claim(what, { isNeededByOld: true }),
    isSelected: pass.isSelected,
    requireKindGone: async (kind) => {
      const servedAs = await servedVersionOf(pass.client, kind, req.signal);
      if (servedAs !== undefined) throw new KindNotInstalled(dependent, kind, servedAs);
    },
  };
}

/** All dependents of the handler, in list order. */
function unitsOf({ handler }: DependentPass): readonly UnitInfo[] {
  return handler.steps.map(({ name, data }) => ({
    unit: name,
    keeps: (owner, kind, ref) => keeps(data, owner, { kind, ref }),
  }));
}

/** A step that keeps objects of another kind, or whose name cannot be told, is not known to have left. */
function keeps(
  data: DependentData,
  owner: KubernetesObject,
  { kind, ref }: { readonly kind: Kind; readonly ref: Ref },
): boolean | undefined {
  if (groupKindOf(data.kind) !== groupKindOf(kind)) return undefined;
  try {
    return keyOf(data.target(owner)) === keyOf(ref);
  } catch {
    return undefined;
  }
}

/** Of the kind of the dependent the cache may hold metadata only. */
function cacheOf({ cache }: DependentPass, own: Kind, cacheKind: Kind): ObjectCache {
  const cached = <K extends Kind>(kind: K): K => (kind === own ? cacheKind : kind) as K; // A kind and its metadata have one type here.
  return {
    get: (kind, ref) => cache.get(cached(kind), ref),
    list: (kind, select) => cache.list(cached(kind), select),
    covers: (kind, namespace) => {
      try {
        // No namespace is called "-": only a cache of all namespaces answers for it.
        cache.list(cached(kind), { namespace: namespace === "*" ? "-" : namespace });
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** What the author's functions get besides the owner. */
export function inputsOf({ dependsOn }: Definition, { req, pass }: Unit): Inputs {
  const { [LIVE]: _live, ...reads } = req.reads as Readonly<Record<string, unknown>>;
  const { live } = pass.found;
  const needed: Record<string, KubernetesObject | undefined> = {};
  for (const step of dependsOn()) {
    const data = dependents.dataOf(step);
    if (step === undefined || data === undefined) continue;
    needed[step.name] = live.has(step.name) ? live.get(step.name) : data.cached(pass.object, pass.cache);
  }
  return Object.freeze({ vars: pass.vars, reads: Object.freeze(reads), dependents: Object.freeze(needed) });
}

/** Says what `status.dependents` is to hold of this step. */
export function report({ dependent, pass, req }: Unit, entries: readonly NewEntry[]): void {
  if (!req.signal.aborted) reportAtOnce({ dependent, pass }, entries);
}

/** As {@link report}, for a phase that has not given way: its deadline cannot have passed. */
export function reportAtOnce({ dependent, pass }: Pick<Unit, "dependent" | "pass">, entries: readonly NewEntry[]): void {
  pass.found.entries.set(dependent.name, entries);
}

/** The removal of all objects of the step but `keep`. */
export function removalOf(unit: Unit, keep: Ref | undefined, isLive: boolean): Removal {
  const { dependent, pass } = unit;
  const { policy, options } = dependent;
  const owner = pass.object;
  const target = (): Ref | undefined => targetOrNone(dependent, owner);
  return {
    policy,
    keep,
    isLive,
    known: () => [target(), ...entryRefs(unit)].filter((ref) => ref !== undefined),
    namespaces: () => (options.namespace === undefined ? [inNamespaceOf(owner, policy.kind, { name: "" }).namespace] : []),
  };
}

/** The objects of the step that the status of the owner names. */
function entryRefs({ dependent, pass }: Unit): readonly Ref[] {
  const { object, handler } = pass;
  const entries = underPresentName(handler, dependentsOf(object));
  return entriesOfStep(entries, { handler: entryHandlerOf(handler), step: dependent.name }).map(({ name, namespace }) =>
    namespace === undefined ? { name } : { name, namespace },
  );
}
