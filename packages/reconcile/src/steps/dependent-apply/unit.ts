/** The unit of one `dependentApply()` in one pass: the context of the core, made from the req and the pass of its step. */
import { groupKindOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { underPresentName } from "../../internal/dependent-entries.ts";
import { entryHandlerOf } from "../../internal/names.ts";
import type { Pass } from "../../internal/pass-state.ts";
import { claims } from "../../internal/predecessors.ts";
import { KindNotInstalled, servedVersionOf } from "../../internal/served.ts";
import { passOf } from "../../internal/step-req.ts";
import type { DependentRuntime, StepRuntime } from "../../internal/step-runtime.ts";
import { inNamespaceOf, type OneRead } from "../../reads.ts";
import type { CleanupReq, DoReq } from "../../req.ts";
import type { Context, ObjectCache, UnitInfo } from "./core/context.ts";
import { dependentsOf, entriesOfStep, type NewEntry } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import { DependentsMemory } from "./core/memory.ts";
import type { Removal } from "./core/remove.ts";
import { type Dependent, targetOrNone } from "./dependent.ts";

/** Under this name the object itself is among the reads of its step. */
export const LIVE = "dependent:live";

export type AnyDoReq = DoReq<KubernetesObject, object>;
export type AnyCleanupReq = CleanupReq<KubernetesObject>;

/** A dependent with what never changes of its step. */
export interface Definition {
  readonly dependent: Dependent;
  /** The read that returns the object itself. */
  readonly read: OneRead;
  /** The dependents in `dependsOn`; read when a pass needs it, because authors may add to their list. */
  readonly needed: () => readonly StepRuntime[];
}

/** A dependent in one pass. */
export interface Unit<R extends AnyDoReq | AnyCleanupReq = AnyDoReq | AnyCleanupReq> {
  readonly dependent: Dependent;
  readonly req: R;
  readonly pass: Pass;
  readonly context: Context;
}

export function unitOf<R extends AnyDoReq | AnyCleanupReq>(definition: Definition, req: R): Unit<R> {
  const { dependent } = definition;
  const pass = passOf(req);
  return { dependent, req, pass, context: contextOf(definition, req, pass) };
}

function contextOf({ dependent, read }: Definition, req: AnyDoReq | AnyCleanupReq, pass: Pass): Context {
  const { env, pipeline } = pass;
  return {
    unit: dependent.name,
    unitNoun: "step",
    get units() {
      return unitsOf(pass);
    },
    owner: pass.object,
    ownerKind: pipeline.kind,
    handlerName: pipeline.name,
    handlerNames: pipeline.before.names,
    replacedManagers: pipeline.before.fieldManagers,
    get client() {
      return req.client;
    },
    cache: cacheOf(pass, dependent.policy.kind, read.cacheKind),
    memory: memoryOf(pass),
    clock: env.clock,
    log: req.log,
    claims: (what) => claims(pass, what, { isNeededByOld: true }),
    isSelected: (kind, object) => env.isSelected?.(kind, object) ?? true,
    requireKindGone: async (kind) => {
      const servedAs = await servedVersionOf(env.client, kind, req.signal);
      if (servedAs !== undefined) throw new KindNotInstalled(dependent, kind, servedAs);
    },
  };
}

/** All dependents of the handler, in list order. */
function unitsOf({ pipeline }: Pass): readonly UnitInfo[] {
  return pipeline.leaves.flatMap(({ name, dependent }) =>
    dependent === undefined ? [] : [{ unit: name, keeps: (owner, kind, ref) => keeps(dependent, owner, { kind, ref }) }],
  );
}

/** A step that keeps objects of another kind, or whose name cannot be told, is not known to have left. */
function keeps(
  dependent: DependentRuntime,
  owner: KubernetesObject,
  { kind, ref }: { readonly kind: Kind; readonly ref: Ref },
): boolean | undefined {
  if (groupKindOf(dependent.kind) !== groupKindOf(kind)) return undefined;
  try {
    return keyOf(dependent.target(owner)) === keyOf(ref);
  } catch {
    return undefined;
  }
}

/** Of the kind of the dependent the cache may hold metadata only. */
function cacheOf({ env }: Pass, own: Kind, cacheKind: Kind): ObjectCache {
  const cached = <K extends Kind>(kind: K): K => (kind === own ? cacheKind : kind) as K; // A kind and its metadata have one type here.
  return {
    get: (kind, ref) => env.cache.get(cached(kind), ref),
    list: (kind, select) => env.cache.list(cached(kind), select),
    covers: (kind, namespace) => {
      try {
        // No namespace is called "-": only a cache of all namespaces answers for it.
        env.cache.list(cached(kind), { namespace: namespace === "*" ? "-" : namespace });
        return true;
      } catch {
        return false;
      }
    },
  };
}

const MEMORY = "objects";

function memoryOf({ memory }: Pass): DependentsMemory {
  memory.dependents ??= new Map([[MEMORY, new DependentsMemory()]]);
  return memory.dependents.get(MEMORY) as DependentsMemory; // Only this file puts something there.
}

/** What the author's functions get besides the owner. */
export function inputsOf({ needed }: Definition, { req, pass }: Unit): Inputs {
  const { [LIVE]: _live, ...reads } = req.reads as Readonly<Record<string, unknown>>;
  const dependents: Record<string, KubernetesObject | undefined> = {};
  for (const { name, dependent } of needed()) {
    const { live } = pass.dependents;
    dependents[name] = live.has(name) ? live.get(name) : dependent?.cached(pass.object, pass.env.cache);
  }
  return Object.freeze({ vars: pass.vars, reads: Object.freeze(reads), dependents: Object.freeze(dependents) });
}

/** Says what `status.dependents` is to hold of this step. */
export function report({ dependent, pass, req }: Unit, entries: readonly NewEntry[]): void {
  if (!req.signal.aborted) reportAtOnce({ dependent, pass }, entries);
}

/** As {@link report}, for a phase that has not given way: its deadline cannot have passed. */
export function reportAtOnce({ dependent, pass }: Pick<Unit, "dependent" | "pass">, entries: readonly NewEntry[]): void {
  pass.dependents.entries.set(dependent.name, entries);
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
  const { object, pipeline } = pass;
  const entries = underPresentName(pipeline, dependentsOf(object));
  return entriesOfStep(entries, { handler: entryHandlerOf(pipeline), step: dependent.name }).map(({ name, namespace }) =>
    namespace === undefined ? { name } : { name, namespace },
  );
}
