/**
 * An extension adds capabilities to the engine, so that the steps of a package can do more than their phases.
 *
 * Guarantees
 * - The engine knows no extension by name. Everything that an extension does goes through this interface.
 * - Memory lives as long as the object's uid in this process. A new value of `treadle.dev/reconcile-requested-at`, the
 *   deletion of the object and a dry run drop it.
 * - A shared value lives as long as the operator, in this process. All handlers and objects have the same.
 * - A part of the status belongs to one extension. Authors cannot write it, and the engine stores it with the conditions.
 * - Hooks run in the pass of one object. An object has at most one pass at a time.
 *
 * Assumptions
 * - Two copies of the package of an extension agree on its data and its metrics: an extension is found by its name.
 *
 * Errors: an exception of `afterChain`, `blocked`, `compute` or `condition` is a bug of the extension; it fails the pass. An
 * exception of `debug` is shown in place of its tree.
 */
import type { Clock, Kind, KubernetesObject } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { CounterDefinition, GaugeDefinition, HistogramDefinition, MetricLabels, ObjectGaugeDefinition } from "./metric.ts";
import type { PassType, Progress, Setting } from "./record/progress.ts";
import type { StepRuntime, Use } from "./build/step-runtime.ts";
import type { Cache, Logger, Outcome } from "./req.ts";

/** An extended step is a step that uses an extension, with its data. */
export interface ExtendedStep<Data> {
  /** The name of the step. */
  readonly name: string;
  /** The data that the step gave to the extension. */
  readonly data: Data;
  /** The step as the engine runs it, for hooks that take steps. */
  readonly step: StepRuntime;
}

/** An extended handler is the handler as an extension sees it. */
export interface ExtendedHandler<Data> {
  /** The name of the handler. */
  readonly name: string;
  /** The present name, then the former names. */
  readonly names: readonly string[];
  /** The kind that the handler reconciles. */
  readonly kind: Kind;
  /** The field managers of the operators that the handler replaces. */
  readonly replacedManagers: readonly string[];
  /** The finalizer of the handler, then those of its former names and of the operators that it replaces. */
  readonly finalizers: readonly string[];
  /** The steps that use the extension, in list order. */
  readonly steps: readonly ExtendedStep<Data>[];
  /** The steps of the handler in list order; a composite is one entry. */
  readonly list: readonly StepRuntime[];
  /** Returns the composite that reports for the step of this name; `undefined` if the step reports for itself. */
  reporterOf(step: string): StepRuntime | undefined;
  /** Returns whether `step` comes after `other`, so that it is cleaned up first: in the list, or by the order of their group. */
  isAfter(step: StepRuntime, other: StepRuntime): boolean;
}

/** An extension pass is one pass of one object, as an extension sees it. */
export interface ExtensionPass<Data, Memory, Found> {
  /** The handler of the pass. */
  readonly handler: ExtendedHandler<Data>;
  /** The object as loaded; frozen. */
  readonly object: KubernetesObject;
  /** The memory of the extension for the object. */
  readonly memory: Memory;
  /** The findings of the extension in this pass. */
  readonly found: Found;
  /** The vars of the steps that ran. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Whether the pass runs cleanups. */
  readonly isDeleting: boolean;
  /** Whether the pass is a dry run, which writes nothing. */
  readonly isDryRun: boolean;
  /** The cache of the operator, without the limits of `req.cache`. */
  readonly cache: Cache;
  /** Returns the progress of a step so far; `undefined` if the pass has not reached it. */
  progressOf(step: StepRuntime): Progress | undefined;
  /** Returns whether the cache shows `object`; `false` if a selector of the watch leaves it out. */
  isSelected(kind: Kind, object: KubernetesObject): boolean;
  /** Returns whether the server serves a kind that the handler reads, owns or watches; `true` if that is not known. */
  isServed(kind: Kind): boolean;
  /** Returns why the server refuses the watch of a kind, and the fix; `undefined`: it does not, as far as is known. */
  refusalOf(kind: Kind): string | undefined;
  /** The client of the operator, without defaults, field manager and signal. Steps write by `req.client`. */
  readonly client: Client;
  /**
   * Returns what the operator keeps under `key` for all its handlers and objects, such as the connections of an API. `make` makes it
   * at its first use. A value with `[Symbol.asyncDispose]` is disposed of when the operator ends, after its last pass. A dry run keeps
   * values as well.
   * @param key found by identity, so that two extensions never meet by chance; such as an object that all steps of an API have
   * @throws Error after the end of the operator; what `make` throws
   */
  shared<V extends object>(key: object, make: () => V): V;
  /** The clock of the pass. */
  readonly clock: Clock;
  /**
   * Returns a function that triggers a pass of this object, for something that is not in the cluster, such as a free slot or a watch of
   * another cluster. It may be called at any time and any number of times; after the end of the operator it does nothing. In an
   * environment without a queue it does nothing.
   */
  waker(): (cause: string) => void;
  /** The log of the pass. */
  readonly log: Logger;
  /** Returns `text` without the values of Secrets that the pass has read. Call it for every text from an author's function. */
  hide(text: string): string;
  /** The same for every text in a value, also in errors, as a copy; the value itself where there is nothing to hide. */
  hideIn<V>(value: V): V;
  /** Hides these texts too: they come from Secrets, in a form that the Secrets do not contain. */
  conceal(texts: readonly string[]): void;
  /**
   * Returns whether to remove `what` in this pass: something under a former name of the handler, next to the same under the present
   * name. If it is too early, the engine starts a pass when it is time.
   */
  claim(what: string, given: { readonly isNeededByOld: boolean }): boolean;
  /**
   * Adds `by` to a counter of the extension. A dry run and a test without metrics count nothing. Not for hooks that may run several
   * times in a pass: `compute` and `condition`.
   * @param labels the values of all labels that the counter defines
   * @defaultValue by 1
   * @throws TypeError for a counter or labels that the extension does not define, RangeError for a negative number
   */
  count(name: string, labels: MetricLabels, by?: number): void;
  /**
   * Sets a gauge of the extension. The rules of {@link ExtensionPass.count} apply.
   * @throws TypeError for a gauge or labels that the extension does not define, RangeError for a number that is not finite
   */
  gauge(name: string, labels: MetricLabels, value: number): void;
  /**
   * Sets the part of this object in an object gauge of the extension, which is the sum over all objects. The part is kept until a later
   * pass sets another one, and removed when the object is deleted or forgotten. The rules of {@link ExtensionPass.count} apply.
   * @throws TypeError for a gauge or labels that the extension does not define, RangeError for a number that is not finite
   */
  objectGauge(name: string, labels: MetricLabels, value: number): void;
  /**
   * Adds a duration to a histogram of the extension. The rules of {@link ExtensionPass.count} apply.
   * @param seconds the duration; a negative one, which a clock that is set back gives, counts as 0
   * @throws TypeError for a histogram or labels that the extension does not define, RangeError for a value that is not a number
   */
  observe(name: string, labels: MetricLabels, seconds: number): void;
}

/** An ended pass is a pass whose steps have run. */
export interface EndedPass<Data, Memory, Found> extends ExtensionPass<Data, Memory, Found> {
  /** The type of the pass. `full`: the `do` of the steps ran. `deletion`: their cleanups ran. `gated`: no step could report. */
  readonly type: PassType;
  /** Whether a transient failure is hidden: Ready, and the conditions of steps that the pass did not reach, stay as they were. */
  readonly isHiding: boolean;
  /** The reason why the pass did not reach some steps, as a text for users. */
  readonly notReached: string;
}

/** A chain pass is a pass whose chain has run, and in which the extension may run more steps. */
export interface ChainPass<Data, Memory, Found> extends ExtensionPass<Data, Memory, Found> {
  /** Runs a phase of steps by their order, and joins their outcomes. Never rejects. */
  run(work: StepsRun): Promise<Outcome>;
  /**
   * Runs a probe in place of the `do` of `step`, with other reads. Resolves to its vars, or to `undefined` if it did not
   * continue.
   */
  probe(step: StepRuntime, probe: Probe): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Records the progress of a step that did not run. */
  note(step: StepRuntime, progress: "done" | "unreached"): void;
}

/** A probe asks a step something, without its reads and its effects. */
export type Probe = Pick<StepRuntime, "reads" | "do"> & Partial<Pick<StepRuntime, "beforeReads">>;

/** A steps run describes steps that run by their order. */
export interface StepsRun {
  /** The steps, in list order. */
  readonly steps: readonly StepRuntime[];
  /** The phase that runs. */
  readonly phase: "do" | "cleanup";
  /** The name of the group, for an error that joins several. */
  readonly name: string;
  /** The maximum number of steps that run at once. */
  readonly concurrency: number;
  /** Returns the steps that must be done before `step` begins. */
  before(step: StepRuntime): readonly StepRuntime[];
  /** Called in place of a step that cannot run because the steps `by` are not done. */
  blocked(step: StepRuntime, by: readonly StepRuntime[]): void | Promise<void>;
}

/** A step order adds to the order between the parts of composites, next to their `needs`. */
export interface StepOrder<Data, Memory, Found> {
  /** Returns the steps that must be done before `step`; `undefined` in the list means a value that is not a step. */
  before(step: ExtendedStep<Data>): readonly (StepRuntime | undefined)[];
  /** Called in place of the phase of a part that cannot run because the parts `by` are not done. */
  blocked(
    chain: ChainPass<Data, Memory, Found>,
    part: ExtendedStep<Data>,
    given: { readonly by: readonly StepRuntime[]; readonly phase: "do" | "cleanup" },
  ): void | Promise<void>;
}

/** A status part is a field of the status that an extension owns. */
export interface StatusPart<Data, Memory, Found> {
  /** The name of the field. The part is active for kinds whose `resource.statusParts` have the name. */
  readonly field: string;
  /** The writer of the field, for the error of an author who writes it, such as `apply() writes it`. */
  readonly writtenBy: string;
  /** Computes the value after the pass; it must return `stored` itself if nothing changes. Pure except for `claim`; may be called several times. */
  compute(pass: EndedPass<Data, Memory, Found>, stored: unknown): unknown;
}

/** A debug node is a part of what an extension shows of an object on the debug server. */
export interface DebugNode {
  /** The name of the part. */
  readonly name: string;
  /** The state of the part in one word, such as `Ready`. */
  readonly state: string;
  /** The time since which the part has this state, as in conditions. @defaultValue not known */
  readonly since?: string;
  /** A text for users, such as what the part waits for. @defaultValue none */
  readonly note?: string;
  /** The parts of the part. @defaultValue none */
  readonly children?: readonly DebugNode[];
}

/** A step fact is what an extension says of a step to tools that show handlers, such as the object that the step keeps. */
export interface StepFact {
  /** What it is, in one or two words, such as `component`. */
  readonly type: string;
  /** Its name. @defaultValue not known before a pass */
  readonly name?: string | undefined;
  /** The kinds of its objects. @defaultValue none */
  readonly kinds?: readonly Kind[];
}

/** An extension definition has the hooks and the data of an extension. */
export interface ExtensionDefinition<Data, Memory extends object, Found extends object> {
  /** The name of the extension. The engine takes two extensions with one name for the same extension. */
  readonly name: string;
  /** Makes the memory of an object. One with `[Symbol.dispose]` is disposed of when it is dropped; it must not throw. @defaultValue none */
  readonly memory?: () => Memory;
  /** Makes the findings of one pass. @defaultValue none */
  readonly found?: () => Found;
  /** The part of the status that the extension owns. @defaultValue none */
  readonly status?: StatusPart<Data, Memory, Found>;
  /** The order of the steps in composites. @defaultValue their `needs`, then list order */
  readonly order?: StepOrder<Data, Memory, Found>;
  /** Runs after the last `do`, for every outcome of the chain; not in a pass that is over or runs cleanups. */
  afterChain?(chain: ChainPass<Data, Memory, Found>): Promise<Outcome>;
  /**
   * Returns the setting of the conditions that `step` declares and did not set in this pass. `undefined`: the engine computes them,
   * as for every step. Called at the end of a pass, after `status.compute`; pure, and may be called several times. The reason must
   * be one that Kubernetes accepts.
   */
  condition?(pass: EndedPass<Data, Memory, Found>, step: ExtendedStep<Data>): Setting | undefined;
  /** Returns the problems of a handler, each with its fix. Called by `build()` for handlers that use the extension. */
  problems?(handler: ExtendedHandler<Data>): readonly string[];
  /** The counters of the extension: metrics that `pass.count()` adds to. @defaultValue none */
  readonly counters?: readonly CounterDefinition[];
  /** The gauges of the extension: metrics that `pass.gauge()` sets. @defaultValue none */
  readonly gauges?: readonly GaugeDefinition[];
  /** The object gauges of the extension: metrics of which `pass.objectGauge()` sets the part of an object. @defaultValue none */
  readonly objectGauges?: readonly ObjectGaugeDefinition[];
  /** The histograms of the extension: metrics that `pass.observe()` adds durations to. @defaultValue none */
  readonly histograms?: readonly HistogramDefinition[];
  /**
   * Returns what the debug server shows of an object, as a tree; `undefined`: nothing. Called outside of a pass, at any time. Pure:
   * it computes the tree from the stored object alone, which is frozen.
   */
  debug?(handler: ExtendedHandler<Data>, object: KubernetesObject): DebugNode | undefined;
  /** Returns what tools show of a step, such as `treadle graph`. Called for a built handler, without an object; pure. */
  describe?(step: ExtendedStep<Data>): readonly StepFact[];
}

/** This is an extension as the engine holds it: without types, because the extension gets back only its own data. */
export type AnyExtension = ExtensionDefinition<unknown, object, object>;

/** An extension is what `defineExtension()` makes; the steps of a package use it. */
export interface Extension<Data, Memory extends object, Found extends object> {
  /** The name of the extension. */
  readonly name: string;
  /** Returns an entry for the `uses` of a step, with the data of the step. */
  use(data: Data): Use;
  /** Returns the data of a step; `undefined` if the step does not use the extension, or is not a step. */
  dataOf(step: unknown): Data | undefined;
  /** Returns the pass of a `req`. @throws TypeError for a value that is not a `req` of the engine */
  of(req: unknown): ExtensionPass<Data, Memory, Found>;
}
