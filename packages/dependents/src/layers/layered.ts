/**
 * layered: a desired state in parts. A baseline is the newest shape of the object. Layers change it: a feature, the flags of an old
 * version, an override. Each layer has a name and may have a gate.
 *
 * Guarantees
 * - The result is a pure function of its arguments, if baseline, gates and merges are pure. Neither baseline nor partials are modified.
 * - A partial that is merged twice gives what it gives once.
 * - An error names the layer, and the step where it is known.
 */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import type { AnyStep } from "@treadle/reconcile";
import { misuse, isPromiseLike } from "@treadle/reconcile/unstable/engine";
import { plainJson } from "../core/json.ts";
import { called, nameOfAnswer } from "../core/ask.ts";
import { type Gates, holds, requireGates } from "../gates.ts";
import type { AnyDependentStep, DependentInputs, Desired } from "../types.ts";
import { withFacts } from "./draft.ts";
import { type Draft, isObject, mergeInto } from "./merge.ts";
import { fieldsOf } from "./merge-keys.ts";
import { containersBefore } from "./pods.ts";
import type { Layer, LayeredDesired, LayeredOptions, LayerPhase } from "./types.ts";

/**
 * Makes a `desired` for `dependentApply()` from a baseline and layers. The layers apply in the order of their phases, then in list
 * order. If the baseline is `undefined`, the object is not desired, and no layer applies.
 *
 * @throws TypeError when a layer is invalid, or two layers have one name
 */
export function layered<
  T extends KubernetesObject,
  L extends readonly AnyStep[] = readonly [],
  R = {},
  D extends readonly AnyDependentStep[] = readonly [],
  Item = unknown,
  B extends object = object,
  K extends Kind = never,
  X = [K] extends [never] ? B : Desired<K>,
>(
  baseline: (B & NoInfer<X>) | ((object: T, inputs: DependentInputs<L, R, D>, item: Item) => (B & NoInfer<X>) | undefined),
  layers: readonly Layer<NoInfer<X>, [object: T, inputs: DependentInputs<L, R, D>, item: Item]>[],
  options: LayeredOptions<K> = {},
): LayeredDesired<T, L, R, D, Item, X> {
  const parts = partsOf(baseline, layers);
  // The parts are untyped; the signature is what is known of them.
  return desiredOf(parts, { kind: options.kind, where: "" }) as LayeredDesired<T, L, R, D, Item, X>;
}

/**
 * Returns the options of a step with its layers bound to it: lists are merged by the keys of the step's kind, and errors name the step.
 * Options without layers are returned as they are.
 *
 * @throws TypeError for layers of another kind, and for a partial that no object of the kind can have
 */
export function withStep<Options extends { readonly name: string; readonly kind: Kind; readonly desired?: unknown }>(
  options: Options,
): Options {
  const bind = (options.desired as { readonly [BIND]?: Bind } | undefined)?.[BIND];
  return bind === undefined ? options : { ...options, desired: bind(options.name, options.kind) };
}

/**
 * Returns a copy of `desired` with the fields of `partial`, merged as those of a layer. `where` names the author's function in errors.
 *
 * @throws TypeError for a desired state that is not JSON, and for a partial that no object of the kind can have
 */
export function withPartial(kind: Kind, desired: object, { partial, where }: { readonly partial: object; readonly where: string }): object {
  const draft = plainJson(where, desired) as Draft; // plainJson() keeps the shape of an object.
  mergeInto(draft, partial, fieldsOf(kind), { where, path: "" });
  return draft;
}

type Bind = (step: string, kind: Kind) => unknown;
const BIND: unique symbol = Symbol("treadle.layered");

/** The order of the phases. */
const PHASES: readonly LayerPhase[] = ["defaults", "feature", "compat", "overrides", "final"];

interface Parts {
  readonly baseline: unknown;
  readonly layers: readonly OneLayer[];
}

interface OneLayer {
  readonly name: string;
  readonly layer: LayerPhase;
  readonly when: Gates<readonly unknown[]> | undefined;
  readonly merges: readonly unknown[];
}

interface Context {
  readonly kind: Kind | undefined;
  /** `step "web": `, or empty. */
  readonly where: string;
}

function partsOf(baseline: unknown, layers: unknown): Parts {
  if (typeof baseline !== "function" && !isObject(baseline))
    throw new TypeError("layered: the baseline must be an object, or a function that returns one");
  if (!Array.isArray(layers)) throw new TypeError("layered: the second argument must be a list of layers");
  const names = new Set<string>();
  const checked = layers.map((layer: unknown) => layerOf(layer));
  for (const { name } of checked) {
    if (names.has(name)) throw new TypeError(`layered: two layers have the name "${name}": give each layer a different name`);
    names.add(name);
  }
  // The sort is stable: list order within a phase.
  return { baseline, layers: checked.toSorted((a, b) => PHASES.indexOf(a.layer) - PHASES.indexOf(b.layer)) };
}

function layerOf(given: unknown): OneLayer {
  const { name, layer = "feature", when, merge } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name === "") throw new TypeError("layered: each layer needs a name");
  const where = `layered: layer "${name}"`;
  const phase = PHASES.find((each) => each === layer);
  if (phase === undefined) throw new TypeError(`${where}: layer must be one of ${PHASES.join(", ")}, not ${JSON.stringify(layer)}`);
  requireGates(when, `${where}: when`);
  const merges: readonly unknown[] = Array.isArray(merge) ? merge : [merge];
  const parts = merges.map((each) => {
    if (typeof each !== "function" && !isObject(each))
      throw new TypeError(`${where}: merge must be a part of the object, a function that edits a draft, or a list of them`);
    return typeof each === "function" ? each : plainJson(where, each);
  });
  return { name, layer: phase, when: when as OneLayer["when"], merges: parts }; // requireGates() has checked it
}

function desiredOf(parts: Parts, context: Context): unknown {
  const { where, kind } = context;
  const layerWhere = ({ name }: OneLayer): string => `${where === "" ? "layered: " : where}layer "${name}"`;
  const firing = (args: readonly unknown[]): readonly OneLayer[] =>
    parts.layers.filter((layer) => holds(layer.when, args, `${layerWhere(layer)}: when`));
  const desired = (...args: readonly unknown[]): Draft | undefined => {
    let draft = baselineOf(parts.baseline, args, where === "" ? "layered: " : where);
    if (draft === undefined) return undefined;
    for (const layer of firing(args)) draft = applied(layer, draft, { args, kind, where: layerWhere(layer) });
    return draft;
  };
  const bind: Bind = (step, of) => {
    if (kind !== undefined && kind !== of) requireSameKind(step, kind, of);
    const bound = { kind: of, where: `step "${step}": ` };
    tryPartials(parts, of, (layer) => `dependentApply "${step}": layer "${layer.name}"`);
    return desiredOf(parts, bound);
  };
  return Object.assign(desired, {
    layers: Object.freeze(parts.layers.map(({ name, layer }) => Object.freeze({ name, layer }))),
    firing: (object: unknown, inputs?: object, item?: unknown) =>
      firing([object, { vars: {}, reads: {}, dependents: {}, ...inputs }, item]).map(({ name }) => name),
    [BIND]: bind,
  });
}

/** Returns a copy of the baseline; `undefined`: the object is not desired. */
function baselineOf(baseline: unknown, args: readonly unknown[], where: string): Draft | undefined {
  const given: unknown = typeof baseline === "function" ? called(`${where}the baseline`, () => baseline(...args)) : baseline;
  if (given === undefined || given === null) return undefined;
  if (!isObject(given) || isPromiseLike(given))
    throw misuse(
      "ERR_INVALID_STEP",
      `${where}the baseline returned ${nameOfAnswer(given)}, but must return an object or undefined, and no promise: declare what it needs in reads, or pass it as vars`,
    );
  return plainJson(`${where}the baseline`, given) as Draft; // plainJson() keeps the shape of an object
}

interface Application {
  readonly args: readonly unknown[];
  readonly kind: Kind | undefined;
  readonly where: string;
}

/** Applies one layer. The draft is edited in place; what functions leave in it is checked and copied. */
function applied({ merges }: OneLayer, draft: Draft, { args, kind, where }: Application): Draft {
  const fields = fieldsOf(kind);
  const facts = { kind, where, before: containersBefore(draft, { kind, where, before: new Map() }) };
  for (const merge of merges) {
    if (typeof merge !== "function") mergeInto(draft, merge as object, fields, { where, path: "" });
    else {
      const result = withFacts(draft, facts, () => called(where, () => (merge as (...all: readonly unknown[]) => unknown)(draft, ...args)));
      if (isPromiseLike(result))
        throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(result)}: edit the draft at once, without await`);
    }
  }
  return merges.some((merge) => typeof merge === "function") ? (plainJson(where, draft) as Draft) : draft;
}

/** Finds partials that fit no object of the kind when the program starts. @throws TypeError naming the layer */
function tryPartials({ layers }: Parts, kind: Kind, where: (layer: OneLayer) => string): void {
  const fields = fieldsOf(kind);
  for (const layer of layers)
    for (const merge of layer.merges)
      if (typeof merge !== "function") mergeInto({}, merge as object, fields, { where: where(layer), path: "" });
}

function requireSameKind(step: string, given: Kind, kind: Kind): void {
  if (given.group === kind.group && given.kind === kind.kind && given.version === kind.version) return;
  throw new TypeError(
    `dependentApply "${step}": desired is layered for ${given.kind}, but the kind of the step is ${kind.kind}: use one kind`,
  );
}
