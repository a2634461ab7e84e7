/**
 * Extensions: what a package adds to the engine so that its steps can do more than their phases.
 *
 * Guarantees
 * - The engine asks nowhere which extension it has. Everything that an extension does goes through this interface.
 * - Memory lives as long as the object's uid in this process. A new value of `treadle.dev/reconcile-requested-at`, the
 *   deletion of the object and a dry run drop it.
 * - A part of the status belongs to one extension. Authors cannot write it, and the engine stores it with the conditions.
 * - Hooks run in the pass of one object; no two passes of one object run at once.
 *
 * Assumptions
 * - Two copies of the package of an extension agree on its data: an extension is found by its name.
 *
 * Errors: an exception of `afterChain`, `blocked` or `compute` is a bug of the extension; it fails the pass.
 */
import type { Clock, Kind, KubernetesObject } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { PassType, Progress } from "./record/progress.ts";
import type { StepRuntime, Use } from "./build/step-runtime.ts";
import type { Cache, Logger, Outcome } from "./req.ts";

/** A step that uses an extension, with the data that it gave. */
export interface ExtendedStep<Data> {
  /** The name of the step. */
  readonly name: string;
  /** The data that the step gave. */
  readonly data: Data;
  /** The step as the engine runs it: for the hooks that name steps. */
  readonly step: StepRuntime;
}

/** The handler as an extension sees it. */
export interface ExtendedHandler<Data> {
  /** The name of the handler. */
  readonly name: string;
  /** The present name first, then the former ones. */
  readonly names: readonly string[];
  /** The kind that the handler reconciles. */
  readonly kind: Kind;
  /** Field managers of the operators that the handler replaces. */
  readonly replacedManagers: readonly string[];
  /** The steps that use the extension, in list order. */
  readonly steps: readonly ExtendedStep<Data>[];
  /** The list of the handler; the parts of a composite are in it. */
  readonly list: readonly StepRuntime[];
}

/** One pass over one object, as an extension sees it. */
export interface ExtensionPass<Data, Memory, Found> {
  /** The handler of the pass. */
  readonly handler: ExtendedHandler<Data>;
  /** The object as loaded; frozen. */
  readonly object: KubernetesObject;
  /** What the extension remembers of the object. */
  readonly memory: Memory;
  /** What the extension has found in this pass. */
  readonly found: Found;
  /** What earlier steps handed over. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** The pass runs cleanups. */
  readonly isDeleting: boolean;
  /** Whether the pass is a dry run, which writes nothing. */
  readonly isDryRun: boolean;
  /** The cache of the operator, without the limits of `req.cache`. */
  readonly cache: Cache;
  /** Whether the cache would show `object`; `false` where a selector of the watch leaves it out. */
  isSelected(kind: Kind, object: KubernetesObject): boolean;
  /** The client of the operator: without defaults, field manager and signal. Steps write by `req.client`. */
  readonly client: Client;
  /** The clock of the pass. */
  readonly clock: Clock;
  /** The log of the pass. */
  readonly log: Logger;
  /** `text` without the values of Secrets that the pass has read: for every text that an author's function gives. */
  hide(text: string): string;
  /**
   * Whether `what`, found under a former name of the handler beside the present one, is to be removed in this pass. When it
   * is not yet, the engine starts a pass in time.
   */
  claim(what: string, given: { readonly isNeededByOld: boolean }): boolean;
}

/** A pass whose steps have run. */
export interface EndedPass<Data, Memory, Found> extends ExtensionPass<Data, Memory, Found> {
  /** `full`: the steps' `do` ran. `deletion`: their cleanups. `gated`: no step could report. */
  readonly type: PassType;
  /** How far a step came; `undefined` where the pass did not reach it. */
  progressOf(step: StepRuntime): Progress | undefined;
  /** What kept the pass from the steps that it did not reach, as a text for people. */
  readonly notReached: string;
}

/** A pass whose chain has run, and in which more steps may be run. */
export interface ChainPass<Data, Memory, Found> extends ExtensionPass<Data, Memory, Found> {
  /** Runs a phase of `steps` by their order, and joins what they came to. Never rejects. */
  run(work: StepsRun): Promise<Outcome>;
  /**
   * Runs `probe.do` in the place of the `do` of `step`, with other reads.
   * Resolves to the vars that it hands over, or to `undefined` where it did not go on.
   */
  probe(step: StepRuntime, probe: Pick<StepRuntime, "reads" | "do">): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Records of a step that did not run how far it came. */
  note(step: StepRuntime, progress: "done" | "unreached"): void;
}

/** Steps to run by their order. */
export interface StepsRun {
  /** The steps, in list order. */
  readonly steps: readonly StepRuntime[];
  /** The phase that runs. */
  readonly phase: "do" | "cleanup";
  /** The name of the whole in an error that joins several. */
  readonly name: string;
  /** How many steps run at once. */
  readonly concurrency: number;
  /** The steps that must be done before `step` begins. */
  before(step: StepRuntime): readonly StepRuntime[];
  /** Called in the place of a step that cannot run because `by` are not done. */
  blocked(step: StepRuntime, by: readonly StepRuntime[]): void | Promise<void>;
}

/** The order between the parts of a composite step. */
export interface StepOrder<Data, Memory, Found> {
  /** The steps that must be done before `step`; `undefined` stands for what is not a step. */
  before(step: ExtendedStep<Data>): readonly (StepRuntime | undefined)[];
  /** Called in the place of the phase of a part that cannot run because `by` are not done. */
  blocked(
    chain: ChainPass<Data, Memory, Found>,
    part: ExtendedStep<Data>,
    given: { readonly by: readonly StepRuntime[]; readonly phase: "do" | "cleanup" },
  ): void | Promise<void>;
}

/** A field of the status that an extension owns. */
export interface StatusPart<Data, Memory, Found> {
  /** The name of the field. It is active for kinds whose `resource.statusParts` name it. */
  readonly field: string;
  /** Who writes it, for the error of an author who writes it, e.g. `apply() writes it`. */
  readonly writtenBy: string;
  /** The value after the pass; the very same `stored` where nothing changes. Pure but for `claim`; may be called several times. */
  compute(pass: EndedPass<Data, Memory, Found>, stored: unknown): unknown;
}

/** What an extension adds to the engine. */
export interface ExtensionDefinition<Data, Memory extends object, Found extends object> {
  /** Unique among extensions; two of one name are taken for one. */
  readonly name: string;
  /** Makes the memory of an object. @defaultValue none */
  readonly memory?: () => Memory;
  /** Makes what is found in one pass. @defaultValue nothing */
  readonly found?: () => Found;
  /** The part of the status that the extension owns. @defaultValue none */
  readonly status?: StatusPart<Data, Memory, Found>;
  /** The order of the steps of a composite. @defaultValue that of the list */
  readonly order?: StepOrder<Data, Memory, Found>;
  /** Work after the last `do`, however the chain ended; not in a pass that is over, nor in one that runs cleanups. */
  afterChain?(chain: ChainPass<Data, Memory, Found>): Promise<Outcome>;
  /** What is wrong with a handler; each text says how to fix it. Called by `build()` for handlers that use the extension. */
  problems?(handler: ExtendedHandler<Data>): readonly string[];
}

/** An extension as the engine holds it: without types, since it gets back only what it gave. */
export type AnyExtension = ExtensionDefinition<unknown, object, object>;

/** An extension of the engine; made by `defineExtension()`. */
export interface Extension<Data, Memory extends object, Found extends object> {
  /** The name of the extension. */
  readonly name: string;
  /** For the `uses` of a step: the step uses the extension, with this data. */
  use(data: Data): Use;
  /** The data that a step gave; `undefined` for a step that does not use the extension, and for what is not a step. */
  dataOf(step: unknown): Data | undefined;
  /** The pass of a step of the handler. @throws TypeError for what is not a `req` of the engine */
  of(req: unknown): ExtensionPass<Data, Memory, Found>;
}
