/**
 * Describes a built handler as plain data, for tools that show or compare pipelines. Pure and deterministic: no function of an author is
 * called, and equal handlers give equal data.
 *
 * Caveat: the names of vars exist in types only. Only those are known that a step declares in `gives`.
 */
import { apiVersionOf, type Kind } from "@treadle/apimachinery";
import type { DeclaredCondition } from "./build/declared.ts";
import { leavesOf, type StepRuntime } from "./build/step-runtime.ts";
import type { AnyExtension } from "./extension.ts";
import { type AnyHandler, pipelineOf } from "./handler.ts";
import type { AnyRead, IfNotServed, ReadForm, WatchForm } from "./reads.ts";

/** A named kind is a kind by its name, as in a manifest. */
export interface NamedKind {
  /** Group and version. */
  readonly apiVersion: string;
  /** The name of the kind. */
  readonly kind: string;
}

/** A handler description is a handler as data that JSON can hold. */
export interface HandlerDescription {
  /** The name of the handler. */
  readonly name: string;
  /** The kind that the handler reconciles. */
  readonly kind: NamedKind;
  /** The finalizer, if a step has a cleanup. */
  readonly finalizer?: string;
  /** Whether the handler keeps conditions, and the engine computes Ready from them. */
  readonly computesReady: boolean;
  /** The steps in the order of the list; the parts of a composite are inside it. */
  readonly steps: readonly StepDescription[];
  /** The watches of the builder. */
  readonly watches: readonly WatchDescription[];
}

/** A step description is a step as data. */
export interface StepDescription {
  /** The name of the step, unique in its handler. */
  readonly name: string;
  /** The phases that the step has, in the order in which they run. */
  readonly phases: readonly ("gate" | "do" | "cleanup" | "release" | "post")[];
  /** The conditions that the step owns. */
  readonly conditions: readonly DeclaredCondition[];
  /** The steps whose vars the step uses. */
  readonly needs: readonly NeedDescription[];
  /** The names of the vars that the step hands over late or not at all. */
  readonly gives: readonly string[];
  /** The names of the steps that an extension puts before the step. */
  readonly after: readonly string[];
  /** The reads, in the order of their declaration. */
  readonly reads: readonly ReadDescription[];
  /** The kinds of the objects that the step creates. */
  readonly owns: readonly { readonly kind: NamedKind; readonly ifNotServed: IfNotServed }[];
  /** What the extensions of the step say of it. */
  readonly facts: readonly FactDescription[];
  /** The parts of the object that the step writes besides the status. */
  readonly writes: readonly ("labels" | "annotations" | "spec")[];
  /** The reasons of the events that the step records. */
  readonly events: readonly string[];
  /** Whether the step stores state between passes. */
  readonly hasState: boolean;
  /** When the step adds the finalizer; absent without a cleanup. */
  readonly finalizer?: "before-do" | "on-demand";
  /** The parts of a composite; absent for other steps. */
  readonly parts?: PartsDescription;
}

/** A need description is a step whose vars another step uses. */
export interface NeedDescription {
  /** The name of the step that provides the vars; a composite provides those of its parts. */
  readonly step: string;
  /** Whether the vars may be missing. */
  readonly isOptional: boolean;
  /** The names of the vars that are known. An empty list: the names exist in types only. */
  readonly vars: readonly string[];
}

/** A read description is a declared read of a step. */
export interface ReadDescription extends Pick<ReadForm, "source" | "isMetadata" | "ifNotServed"> {
  /** The name in `req.reads`. */
  readonly name: string;
  /** The kind of the objects. */
  readonly kind: NamedKind;
  /** How many objects the read gives. `owned`: those that the primary owns. */
  readonly type: AnyRead["type"] | "owned";
  /** The form of the watch; absent: a change of the objects triggers no pass. */
  readonly watches?: WatchForm;
  /** The read of the same step whose object names the object; absent: the primary names it. */
  readonly through?: string;
}

/** A watch description is a watch of the builder. */
export interface WatchDescription {
  /** The watched kind. */
  readonly kind: NamedKind;
  /** Whether whole objects or their metadata are watched. */
  readonly form: WatchForm;
  /** The way from a change to the primaries. */
  readonly by: "map" | "refs" | "label" | "owner" | "owned";
  /** The name of the label, for `by: "label"`. */
  readonly label?: string;
}

/** A fact description is what an extension says of a step. */
export interface FactDescription {
  /** The name of the extension. */
  readonly extension: string;
  /** What it is, in one or two words, such as `component`. */
  readonly type: string;
  /** Its name, if it is known before a pass. */
  readonly name?: string;
  /** The kinds of its objects. */
  readonly kinds: readonly NamedKind[];
}

/** A parts description has the steps of a composite. */
export interface PartsDescription {
  /** The function that made the composite. */
  readonly maker: string;
  /** The number of parts that run at once. */
  readonly concurrency: number;
  /** The parts in list order. */
  readonly steps: readonly StepDescription[];
}

/**
 * Returns the description of a handler.
 * @throws TypeError if `handler` was not built by `handler(Kind).step(...).build()`
 */
export function describeHandler(handler: AnyHandler): HandlerDescription {
  const { name, kind, steps, leaves, watches, finalizer, conditions } = pipelineOf(handler);
  const hasCleanup = leaves.some(({ cleanup }) => cleanup !== undefined);
  return {
    name,
    kind: named(kind),
    ...(finalizer !== undefined && hasCleanup ? { finalizer } : {}),
    computesReady: conditions?.computesReady ?? false,
    steps: steps.map(stepOf),
    watches: watches.map(({ kind: watched, form, by }) => ({
      kind: named(watched),
      form,
      by: by.type,
      ...(by.type === "label" ? { label: by.label } : {}),
    })),
  };
}

function stepOf(step: StepRuntime): StepDescription {
  const { name, conditions, needs, optionalNeeds, gives, reads, owns, optionalOwns, writes, events, state, finalizer, parts } = step;
  const phases = PHASES.filter((phase) => step[phase] !== undefined);
  return {
    name,
    phases,
    conditions: conditions.map(({ type, counts }) => ({ type, counts })),
    needs: needs.map((needed) => ({
      step: needed.name,
      isOptional: optionalNeeds.has(needed),
      vars: leavesOf([needed]).flatMap((leaf) => leaf.gives?.names ?? []),
    })),
    gives: gives?.names ?? [],
    after: orderedAfter(step),
    reads: Object.entries(reads).map(([key, read]) => readOf(key, read, reads)),
    owns: owns.map((kind) => ({ kind: named(kind), ifNotServed: optionalOwns.includes(kind) ? "skip" : "wait" })),
    facts: factsOfUses(step),
    writes,
    events,
    hasState: state !== undefined,
    ...(phases.includes("cleanup") ? { finalizer } : {}),
    ...(parts === undefined ? {} : { parts: { maker: parts.maker, concurrency: parts.concurrency, steps: parts.steps.map(stepOf) } }),
  };
}

const PHASES = ["gate", "do", "cleanup", "release", "post"] as const satisfies readonly (keyof StepRuntime)[];

function readOf(name: string, read: AnyRead, all: Readonly<Record<string, AnyRead>>): ReadDescription {
  const { kind, source, isMetadata, ifNotServed, watches } = read;
  const through = read.type === "one" && read.through !== undefined ? read.through : undefined;
  const via = through === undefined ? undefined : Object.entries(all).find(([, other]) => other === through)?.[0];
  return {
    name,
    kind: named(kind),
    type: read.type === "many" && read.isOwned ? "owned" : read.type,
    source,
    isMetadata,
    ifNotServed,
    ...(watches === undefined ? {} : { watches }),
    ...(via === undefined ? {} : { through: via }),
  };
}

/** The steps that extensions put before the step, but for those that `needs` puts there too. */
function orderedAfter(step: StepRuntime): readonly string[] {
  const found = new Set<string>();
  for (const { extension, data } of step.uses.values())
    for (const before of extensionOf(extension).order?.before({ name: step.name, data, step }) ?? [])
      if (before !== undefined && !step.needs.includes(before)) found.add(before.name);
  return [...found];
}

function factsOfUses(step: StepRuntime): readonly FactDescription[] {
  return [...step.uses.values()].flatMap(({ name: extension, extension: given, data }) =>
    (extensionOf(given).describe?.({ name: step.name, data, step }) ?? []).map(({ type, name, kinds = [] }) => ({
      extension,
      type,
      ...(name === undefined ? {} : { name }),
      kinds: kinds.map(named),
    })),
  );
}

/** Only defineExtension() makes a use. */
function extensionOf(given: object): AnyExtension {
  return given as AnyExtension;
}

function named(kind: Kind): NamedKind {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
