/** One `dependentApply()` in one pass: makes the context of the core from the req and the pass of the step. */
import { groupKindOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import {
  entryHandlerOf,
  KindNotInstalled,
  servedVersionOf,
  type StepRuntime,
  inNamespaceOf,
  type OneRead,
  type SeveralRead,
} from "@treadle/reconcile/unstable/engine";
import type { CleanupReq, DoReq, Logger } from "@treadle/reconcile";
import type { Context, ObjectCache, UnitInfo } from "./core/context.ts";
import { entriesOfStep, type NewEntry, shownEntries, storedEntries } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import type { DependentsMemory } from "./core/memory.ts";
import type { Kept, Removal } from "./core/remove.ts";
import { Timing } from "./core/timing.ts";
import { type Dependent, LIVE, refsOrNone } from "./dependent.ts";
import { dependents } from "./extension.ts";
import type { DependentData, DependentPass } from "./extension/data.ts";
import { underPresentName } from "./extension/entries.ts";
import { type LiveObjects, METADATA_ONLY } from "./objects.ts";
import { PassInputs } from "./pass-inputs.ts";

export type AnyDoReq = DoReq<KubernetesObject, object>;
export type AnyCleanupReq = CleanupReq<KubernetesObject>;

/** A dependent with the constant parts of its step. */
export interface Definition {
  readonly dependent: Dependent;
  /** The read that returns the objects themselves. */
  readonly read: OneRead | SeveralRead;
  /** The steps in `dependsOn`; read when a pass needs it, because authors may add to their list. */
  readonly dependsOn: () => readonly (StepRuntime | undefined)[];
}

/** A dependent in one pass. */
export interface Unit<R extends AnyDoReq | AnyCleanupReq = AnyDoReq | AnyCleanupReq> {
  readonly dependent: Dependent;
  readonly req: R;
  readonly pass: DependentPass;
  readonly context: StepContext;
}

export function unitOf<R extends AnyDoReq | AnyCleanupReq>(definition: Definition, req: R): Unit<R> {
  const { dependent } = definition;
  const pass = dependents.of(req);
  return { dependent, req, pass, context: new StepContext(definition, req, pass) };
}

/** A class, because one is made for each step of each pass: getters of a prototype cost nothing until they are used. */
export class StepContext implements Context {
  readonly unitNoun = "step";
  readonly unit: string;
  readonly owner: KubernetesObject;
  readonly handlerName: string;
  readonly handlerNames: readonly string[];
  readonly memory: DependentsMemory;
  readonly #definition: Definition;
  readonly #req: AnyDoReq | AnyCleanupReq;
  readonly #pass: DependentPass;
  #cache: ObjectCache | undefined;
  #timing: Timing | undefined;

  constructor(definition: Definition, req: AnyDoReq | AnyCleanupReq, pass: DependentPass) {
    this.unit = definition.dependent.name;
    this.owner = pass.object;
    this.handlerName = pass.handler.name;
    this.handlerNames = pass.handler.names;
    this.memory = pass.memory;
    this.#definition = definition;
    this.#req = req;
    this.#pass = pass;
  }

  get units(): readonly UnitInfo[] {
    return unitsOf(this.#pass);
  }

  get ownerKind(): Kind {
    return this.#pass.handler.kind;
  }

  get replacedManagers(): readonly string[] {
    return this.#pass.handler.replacedManagers;
  }

  get client(): Context["client"] {
    return this.#req.client;
  }

  get cache(): ObjectCache {
    const { dependent, read } = this.#definition;
    this.#cache ??= cacheOf(this.#pass, dependent.policy.kind, read.cacheKind);
    return this.#cache;
  }

  get clock(): Context["clock"] {
    return this.#pass.clock;
  }

  /** Whether a function of the author may have used the time. */
  get isTimed(): boolean {
    return this.#timing !== undefined;
  }

  get timing(): Timing {
    this.#timing ??= new Timing(this.#pass.clock, `step "${this.unit}"`);
    return this.#timing;
  }

  get log(): Logger {
    return this.#req.log;
  }

  claims(what: string): boolean {
    return this.#pass.claim(what, { isNeededByOld: true });
  }

  isSelected(kind: Kind, object: KubernetesObject): boolean {
    return this.#pass.isSelected(kind, object);
  }

  async requireKindGone(kind: Kind): Promise<void> {
    const servedAs = await servedVersionOf(this.#pass.client, kind, this.#req.signal);
    if (servedAs !== undefined) throw new KindNotInstalled(this.#definition.dependent, kind, servedAs);
  }
}

/** All dependents of the handler, in list order. */
function unitsOf({ handler }: DependentPass): readonly UnitInfo[] {
  return handler.steps.map(({ name, data }) => ({
    unit: name,
    keeps: (owner, kind, ref) => keeps(data, owner, { kind, ref }),
  }));
}

/** Returns `undefined`, for unknown, for another kind, and for a name that cannot be computed. */
function keeps(
  data: DependentData,
  owner: KubernetesObject,
  { kind, ref }: { readonly kind: Kind; readonly ref: Ref },
): boolean | undefined {
  if (groupKindOf(data.kind) !== groupKindOf(kind)) return undefined;
  try {
    return data.keeps(owner, ref);
  } catch {
    return undefined;
  }
}

/** Returns the cache of the handler. For the kind of the dependent it may hold metadata only. */
function cacheOf({ cache }: DependentPass, own: Kind, cacheKind: Kind): ObjectCache {
  const cached = <K extends Kind>(kind: K): K => (kind === own ? cacheKind : kind) as K; // A kind and its metadata have one type here.
  return {
    get: (kind, ref) => cache.get(cached(kind), ref),
    list: (kind, select) => cache.list(cached(kind), select),
    covers: (kind, namespace) => {
      try {
        // No namespace has the name "-": only a cache of all namespaces accepts it.
        cache.list(cached(kind), { namespace: namespace === "*" ? "-" : namespace });
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Returns what the author's functions get besides the owner. */
export function inputsOf(definition: Definition, { req, pass, context }: Unit): PassInputs {
  const { reads: declared, dependsOn } = definition.dependent.options;
  const needed = dependsOn === undefined ? NONE_NEEDED : neededBy(definition, pass);
  const values = {
    vars: varsOf(req),
    reads: declared === undefined ? NOTHING : readsOf(req),
    dependents: needed.objects,
  };
  return new PassInputs(values, context, needed.unknown);
}

/** A cleanup has no vars. */
function varsOf(req: AnyDoReq | AnyCleanupReq): Inputs["vars"] {
  return "vars" in req ? (req.vars as Inputs["vars"]) : NOTHING; // Vars are a record.
}

const NOTHING: Readonly<Record<string, undefined>> = Object.freeze({});

function readsOf(req: AnyDoReq | AnyCleanupReq): Inputs["reads"] {
  const { [LIVE]: _live, ...reads } = req.reads as Readonly<Record<string, unknown>>;
  return Object.freeze(reads);
}

/** The live objects of the steps in `dependsOn`. */
interface Needed {
  readonly objects: Inputs["dependents"];
  /** The steps whose objects this pass knows by their metadata only. */
  readonly unknown: readonly string[];
}

const NONE_NEEDED: Needed = Object.freeze({ objects: NOTHING, unknown: [] });

function neededBy({ dependsOn }: Definition, pass: DependentPass): Needed {
  const { live } = pass.found;
  const objects: Record<string, LiveObjects> = {};
  const unknown: string[] = [];
  for (const step of dependsOn()) {
    const data = dependents.dataOf(step);
    if (step === undefined || data === undefined) continue;
    const found = live.has(step.name) ? live.get(step.name) : data.cached(pass.object, pass.cache);
    if (found === METADATA_ONLY) unknown.push(step.name);
    else objects[step.name] = found;
  }
  return { objects: Object.freeze(objects), unknown };
}

/** Sets the entries of this step in `status.dependents`. */
export function report({ dependent, pass, req }: Unit, entries: readonly NewEntry[]): void {
  if (!req.signal.aborted) reportAtOnce({ dependent, pass }, entries);
}

/** Reports as {@link report}, for a synchronous phase: its deadline cannot have passed. */
export function reportAtOnce({ dependent, pass }: Pick<Unit, "dependent" | "pass">, entries: readonly NewEntry[]): void {
  pass.found.entries.set(dependent.name, shownEntries(entries));
}

/** The removal of all objects of the step but those of `keep`. */
export function removalOf(unit: Unit, keep: Kept, isLive: boolean): Removal {
  const { dependent, pass } = unit;
  const { policy, options } = dependent;
  const owner = pass.object;
  return {
    policy,
    keep,
    isLive,
    known: () => [...refsOrNone(dependent, owner), ...entryRefs(unit)],
    namespaces: () => (options.namespace === undefined ? [inNamespaceOf(owner, policy.kind, { name: "" }).namespace] : []),
  };
}

/** The objects of the step that the status of the owner names. */
function entryRefs({ dependent, pass }: Unit): readonly Ref[] {
  const { object, handler } = pass;
  const entries = underPresentName(handler, storedEntries(object));
  return entriesOfStep(entries, { handler: entryHandlerOf(handler), step: dependent.name }).map(({ name, namespace }) =>
    namespace === undefined ? { name } : { name, namespace },
  );
}
