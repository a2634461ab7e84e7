/**
 * Builds the pipeline that the engine runs from what a builder has collected. Everything that is known before the first pass is
 * computed and checked here. All problems are reported together.
 */
import { groupKindOf, type Kind, kindIdOf } from "@treadle/apimachinery";
import { BuildError } from "../errors.ts";
import type { Deadlines } from "../handler-options.ts";
import { type WatchForm, watchFormOf } from "../reads.ts";
import type { Collected, DeclaredWatch } from "./collected.ts";
import { findProblems } from "./build-problems.ts";
import { extensionsOf, handlerOf, measuredBy } from "./extensions.ts";
import { defaultName, finalizerOf, PAUSED_ANNOTATION } from "./names.ts";
import type { DeclaredMetric } from "../metric.ts";
import type { AnyExtension, ExtendedHandler } from "../extension.ts";
import type { PauseRules } from "../record/pause.ts";
import type { Rank } from "../save/ready-rank.ts";
import { type PartOrder, partOrderOf } from "./order.ts";
import { managersOf, type Predecessors, predecessorsOf } from "./predecessors.ts";
import { type HandlerSettings, leavesOf, reportersOf, type StepRuntime } from "./step-runtime.ts";

/** A pipeline is a handler as the engine runs it. It is immutable. */
export interface Pipeline {
  /** The name of the handler. */
  readonly name: string;
  /** The kind that the handler reconciles. */
  readonly kind: Kind;
  /** The steps as listed; a composite is one entry. */
  readonly steps: readonly StepRuntime[];
  /** The steps with phases or declarations: the parts of each composite in its place, then the composite if it has phases. */
  readonly leaves: readonly StepRuntime[];
  /** The order of the parts of composites. */
  readonly order: PartOrder;
  /** The composite that reports for a part, by the part. */
  readonly reporters: ReadonlyMap<StepRuntime, StepRuntime>;
  /** The leaves that have a gate. */
  readonly gated: readonly StepRuntime[];
  /** Whether some step reads whole objects of a kind that is {@link Kind.cachedAs} metadata, which are fetched. */
  readonly fetches: boolean;
  /** Whether every pass reports the condition `Paused`. */
  readonly reportsPause: boolean;
  /** The leaves that have a post. */
  readonly posting: readonly StepRuntime[];
  /** The leaves that run when the finalizer is removed without the cleanups, in the order of cleanups. */
  readonly releasing: readonly StepRuntime[];
  /** The declared watches. */
  readonly watches: readonly DeclaredWatch[];
  /** The group-kinds that `req.cache` has: the primary, and all kinds that are read, owned or watched. */
  readonly watchedKinds: ReadonlySet<string>;
  /** The watched group-kinds of which the cache holds whole objects. */
  readonly wholeKinds: ReadonlySet<string>;
  /** The ids of the kinds for which `req.isServed` answers: the primary, and all kinds that are read, owned or watched. */
  readonly servableKinds: ReadonlySet<string>;
  /** The group-kinds that are declared without a watch: by live reads, and by `permissions`. */
  readonly otherKinds: ReadonlySet<string>;
  /** The finalizer `<group>/<name>`. It is set also without a cleanup, because an earlier version of the handler may have had one. */
  readonly finalizer: string | undefined;
  /** The former handler names and replaced operators whose marks are ours. */
  readonly before: Predecessors;
  /** The field managers of the handler and of its predecessors. */
  readonly managers: ReadonlySet<string>;
  /** Whether the finalizer is added before the first `do`. */
  readonly finalizerBeforeDo: boolean;
  /** The conditions in list order; undefined if the handler keeps no conditions. */
  readonly conditions: PipelineConditions | undefined;
  /** Maximum times of a phase, of a pass before its posts, and of posts and save, in milliseconds. */
  readonly deadlines: { readonly stepMs: number; readonly passMs: number; readonly saveMs: number };
  /** What pauses an object, and whether it also pauses cleanups. */
  readonly pause: PauseRules;
  /** The extensions that the steps use, in the order of their first use. */
  readonly extensions: readonly AnyExtension[];
  /** The handler as each extension sees it, by the name of the extension. */
  readonly extended: ReadonlyMap<string, ExtendedHandler<unknown>>;
  /** The metrics of the extensions that the steps use. */
  readonly metrics: readonly DeclaredMetric[];
  /** Whether the pipeline is one step without its handler, so that nothing is known about other steps. @defaultValue false */
  readonly isAlone?: boolean;
  /** The place where step state is stored. */
  readonly stateIn: "status" | "annotation";
}

/** These are the conditions that a pipeline keeps. */
export interface PipelineConditions {
  /** Whether the engine computes Ready. */
  readonly computesReady: boolean;
  /** Whether this handler keeps status.observedGeneration; one handler of the kind does. */
  readonly keepsObservedGeneration: boolean;
  /** Decides which condition Ready reports; `undefined`: False before Unknown, then list order. */
  readonly rank?: Rank | undefined;
  /** Whether the engine keeps Reconciling and Stalled. */
  readonly kstatus?: boolean | undefined;
  /** The declared conditions by type, each with its step. */
  readonly declared: ReadonlyMap<string, { readonly step: StepRuntime; readonly counts: boolean }>;
}

/** Builds a pipeline. @throws BuildError with every problem */
export function buildPipeline(collected: Collected): Pipeline {
  const { kind, options, steps, watches } = collected;
  const name = options.name ?? defaultName(kind);
  const leaves = leavesOf(steps);
  const problems = findProblems(collected, leaves, name);
  if (problems.length > 0) throw new BuildError(name, problems);

  const before = predecessorsOf(kind, name, options);
  return assemble({ kind, name, steps, watches, before, conditions: pipelineConditions(leaves), deadlines: options.deadlines ?? {} });
}

/** Makes a pipeline of parts that were checked. */
export function assemble(
  given: Pick<Pipeline, "kind" | "name" | "steps" | "watches" | "conditions"> & {
    readonly deadlines: Deadlines;
    readonly before?: Predecessors;
  },
): Pipeline {
  const { kind, name, steps, watches, conditions, deadlines, before = predecessorsOf(kind, name, {}) } = given;
  const leaves = leavesOf(steps);
  const order = partOrderOf(steps);
  const reporters = reportersOf(steps);
  const declared = watchedForms({ kind, leaves, watches });
  const extensions = extensionsOf(leaves);
  const withCleanup = leaves.filter((step) => step.cleanup !== undefined);
  return Object.freeze({
    name,
    kind,
    steps,
    leaves,
    order,
    reporters,
    gated: leaves.filter(({ gate }) => gate !== undefined),
    fetches: leaves.some(({ reads }) => Object.values(reads).some((read) => read.source === "fetch")),
    reportsPause: leaves.some(({ configures }) => configures.pause !== undefined),
    posting: leaves.filter(({ post }) => post !== undefined),
    releasing: leaves.filter(({ release }) => release !== undefined).toReversed(),
    watches,
    watchedKinds: new Set(declared.map(({ kind: watched }) => groupKindOf(watched))),
    wholeKinds: new Set(declared.filter(({ form }) => form === "whole").map(({ kind: watched }) => groupKindOf(watched))),
    servableKinds: new Set(
      [...declared, ...leaves.flatMap(({ reads }) => Object.values(reads))].map(({ kind: servable }) => kindIdOf(servable)),
    ),
    otherKinds: new Set(
      leaves
        .flatMap(({ reads, permissions }) => [...Object.values(reads), ...permissions])
        .map((declaration) => groupKindOf(declaration.kind)),
    ),
    finalizer: finalizerOf(kind, name),
    before,
    managers: managersOf(before),
    finalizerBeforeDo: withCleanup.some((step) => step.finalizer === "before-do"),
    conditions,
    deadlines: { stepMs: deadlines.stepMs ?? 30_000, passMs: deadlines.passMs ?? 120_000, saveMs: deadlines.saveMs ?? 10_000 },
    pause: pauseRules(leaves),
    extensions,
    extended: new Map(
      extensions.map((extension) => [extension.name, handlerOf({ name, before, kind, leaves, steps, order, reporters }, extension.name)]),
    ),
    metrics: measuredBy(leaves),
    stateIn: kind.resource === undefined ? "annotation" : "status",
  });
}

/** What must be watched for a handler, its primary first; a kind may be in the list more than once. */
function watchedForms({ kind, leaves, watches }: Pick<Pipeline, "kind" | "leaves" | "watches">): readonly WatchedForm[] {
  return [
    { kind, form: "whole" as const },
    ...leaves.flatMap(({ reads, owns }) => [
      ...Object.values(reads).flatMap((read) => (read.watches === undefined ? [] : [{ kind: read.kind, form: read.watches }])),
      // Whole objects: a step reads its objects by `req.cache`.
      ...owns.map((owned) => ({ kind: owned, form: watchFormOf(owned) })),
    ]),
    ...watches,
  ];
}

export interface WatchedForm {
  readonly kind: Kind;
  readonly form: WatchForm;
}

/** Returns the declared conditions, each with its step, in list order. */
export function declaredConditions(leaves: readonly StepRuntime[]): Map<string, { readonly step: StepRuntime; readonly counts: boolean }> {
  return new Map(
    leaves.flatMap((step) => step.conditions.map(({ type, counts }) => [type, { step, counts: counts && type !== "Ready" }] as const)),
  );
}

function pipelineConditions(leaves: readonly StepRuntime[]): PipelineConditions | undefined {
  const options = settingIn(leaves, "conditions");
  if (options === undefined) return undefined;
  const declared = declaredConditions(leaves);
  const { ready, rank, kstatus } = options;
  return { computesReady: ready && !declared.has("Ready"), keepsObservedGeneration: ready, rank, kstatus, declared };
}

/** The setting of the first step that makes it. */
function settingIn<Key extends keyof HandlerSettings>(leaves: readonly StepRuntime[], key: Key): HandlerSettings[Key] | undefined {
  return leaves.find(({ configures }) => configures[key] !== undefined)?.configures[key];
}

/** The rules of the handler, joined with the functions of its steps. */
function pauseRules(leaves: readonly StepRuntime[]): PauseRules {
  const rules = settingIn(leaves, "pause") ?? DEFAULT_PAUSE;
  const steps = leaves.flatMap(({ name, configures: { pausesWhen } }) =>
    pausesWhen === undefined ? [] : [{ step: name, when: pausesWhen }],
  );
  return steps.length === 0 ? rules : { ...rules, steps };
}

const DEFAULT_PAUSE: Pipeline["pause"] = { annotation: PAUSED_ANNOTATION, deletions: false };
