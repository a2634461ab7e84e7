/** The pass as an extension sees it: before, during and after the chain. */
import { keyOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import type { AnyExtension, ChainPass, EndedPass, ExtendedHandler, ExtensionPass, Probe, StepsRun } from "../extension.ts";
import type { Outcome } from "../req.ts";
import { checkMeasurement, type DeclaredMetric, type MetricLabels } from "../metric.ts";
import { isServedNow } from "../pass/served.ts";
import { claims } from "./claims.ts";
import { notReached } from "./step-settings.ts";
import { noteObjectGauge } from "../record/object-gauges.ts";
import { handlerOf } from "../build/extensions.ts";
import { extensionSlotOf } from "../record/memory.ts";
import type { Pass } from "../record/pass-state.ts";
import type { PassType, Progress } from "../record/progress.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** What an extension may do while the chain runs. */
export interface ChainRunner {
  run(pass: Pass, work: StepsRun): Promise<Outcome>;
  probe(pass: Pass, step: StepRuntime, probe: Probe): Promise<Readonly<Record<string, unknown>> | undefined>;
}

type AnyPass = ExtensionPass<unknown, object, object>;
type AnyChainPass = ChainPass<unknown, object, object>;
type AnyEndedPass = EndedPass<unknown, object, object>;

/** The pass as an extension sees it; one for all steps of the pass. */
export function scopeOf(pass: Pass, extension: AnyExtension): AnyPass {
  return knownScope(pass, extension);
}

/** The pass as an extension sees it while the chain runs. */
export function chainScopeOf(pass: Pass, extension: AnyExtension, runner: ChainRunner): AnyChainPass {
  return new ExtensionScope(pass, extension, runner);
}

/** The pass as an extension sees it after the chain. */
export function endedScopeOf(pass: Pass, extension: AnyExtension): AnyEndedPass {
  return knownScope(pass, extension);
}

function knownScope(pass: Pass, extension: AnyExtension): ExtensionScope {
  const all = (pass.scopes ??= new Map());
  let scope = all.get(extension.name) as ExtensionScope | undefined; // Only this function adds entries.
  if (scope === undefined) all.set(extension.name, (scope = new ExtensionScope(pass, extension)));
  return scope;
}

/** A runner outside of the chain. */
const NO_RUNNER: ChainRunner = {
  run: async () => {
    throw new Error("no step runs before or after the chain");
  },
  probe: async () => undefined,
};

/**
 * One class serves all hooks. Their types show only what a hook may use. Getters of a prototype cost nothing until they are used,
 * and each pass makes a scope.
 */
class ExtensionScope implements AnyChainPass, AnyEndedPass {
  readonly handler: ExtendedHandler<unknown>;
  readonly object: KubernetesObject;
  readonly #pass: Pass;
  readonly #extension: AnyExtension;
  readonly #runner: ChainRunner;

  constructor(pass: Pass, extension: AnyExtension, runner: ChainRunner = NO_RUNNER) {
    this.handler = pass.pipeline.extended.get(extension.name) ?? handlerOf(pass.pipeline, extension.name);
    this.object = pass.object;
    this.#pass = pass;
    this.#extension = extension;
    this.#runner = runner;
  }

  get memory(): object {
    const { name, memory = empty } = this.#extension;
    return extensionSlotOf(this.#pass.memory, name, memory);
  }

  get found(): object {
    const { name, found: make = empty } = this.#extension;
    const all = (this.#pass.found ??= new Map());
    let found = all.get(name);
    if (found === undefined) all.set(name, (found = make()));
    return found;
  }

  get vars(): AnyPass["vars"] {
    return this.#pass.vars;
  }

  get isDeleting(): boolean {
    return this.#pass.isDeleting;
  }

  get isDryRun(): boolean {
    return this.#pass.env.isDryRun === true;
  }

  get cache(): AnyPass["cache"] {
    return this.#pass.env.cache;
  }

  get client(): AnyPass["client"] {
    return this.#pass.env.client;
  }

  get clock(): AnyPass["clock"] {
    return this.#pass.env.clock;
  }

  waker(): (cause: string) => void {
    const { env } = this.#pass;
    const key = keyOf(this.#pass.object.metadata);
    return (cause) => env.wake?.(key, cause);
  }

  get log(): AnyPass["log"] {
    return this.#pass.log;
  }

  get type(): PassType {
    return this.#pass.reports;
  }

  get isHiding(): boolean {
    return this.#pass.hidden !== undefined;
  }

  get notReached(): string {
    const { type } = this;
    const { trouble, progress, pipeline } = this.#pass;
    return notReached({ type, trouble, progress, leaves: pipeline.leaves });
  }

  isSelected(kind: Kind, object: KubernetesObject): boolean {
    return this.#pass.env.isSelected?.(kind, object) ?? true;
  }

  isServed(kind: Kind): boolean {
    return isServedNow(this.#pass, kind);
  }

  refusalOf(kind: Kind): string | undefined {
    return this.#pass.env.refusalOf?.(kind);
  }

  hide(text: string): string {
    return this.#pass.hide(text);
  }

  hideIn<V>(value: V): V {
    return this.#pass.hideIn(value);
  }

  conceal(texts: readonly string[]): void {
    this.#pass.noteSecretTexts(texts);
  }

  shared<V extends object>(key: object, make: () => V): V {
    return this.#pass.shared.get(key, make);
  }

  claim(what: string, given: { readonly isNeededByOld: boolean }): boolean {
    return claims(this.#pass, what, given);
  }

  count(name: string, labels: MetricLabels, by: number = 1): void {
    this.#measure("counter", name, { labels, value: by });
  }

  gauge(name: string, labels: MetricLabels, value: number): void {
    this.#measure("gauge", name, { labels, value });
  }

  observe(name: string, labels: MetricLabels, seconds: number): void {
    this.#measure("histogram", name, { labels, value: Math.max(0, seconds) });
  }

  objectGauge(name: string, labels: MetricLabels, value: number): void {
    checkMeasurement(this.#extension, { type: "objectGauge", name, labels, value });
    const { env, memory } = this.#pass;
    if (!this.isDryRun) noteObjectGauge(memory, { name, labels, value }, env);
  }

  #measure(type: DeclaredMetric["type"], name: string, { labels, value }: { readonly labels: MetricLabels; readonly value: number }): void {
    checkMeasurement(this.#extension, { type, name, labels, value });
    if (!this.isDryRun) this.#pass.env.measure?.(name, labels, value);
  }

  progressOf(step: StepRuntime): Progress | undefined {
    return this.#pass.progress.get(step);
  }

  run(work: StepsRun): Promise<Outcome> {
    return this.#runner.run(this.#pass, work);
  }

  probe(step: StepRuntime, probe: Probe): Promise<Readonly<Record<string, unknown>> | undefined> {
    return this.#runner.probe(this.#pass, step, probe);
  }

  note(step: StepRuntime, progress: "done" | "unreached"): void {
    this.#pass.progress.set(step, { type: progress });
  }
}

function empty(): object {
  return {};
}
