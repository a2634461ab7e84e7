/**
 * From what a builder collected to what the engine runs: everything that can be known before the first pass is computed,
 * and checked, here. All problems are reported together.
 */
import { groupKindOf, type Kind } from "@treadle/apimachinery";
import { BuildError } from "../errors.ts";
import type { Deadlines } from "../handler-options.ts";
import { type WatchForm, watchFormOf } from "../reads.ts";
import type { Collected, DeclaredWatch } from "./collected.ts";
import { findProblems } from "./build-problems.ts";
import { extensionsOf, handlerOf } from "./extensions.ts";
import { defaultName, finalizerOf, PAUSED_ANNOTATION } from "./names.ts";
import type { AnyExtension, ExtendedHandler } from "../extension.ts";
import { managersOf, type Predecessors, predecessorsOf } from "./predecessors.ts";
import { type HandlerSettings, leavesOf, type StepRuntime } from "./step-runtime.ts";

/** A handler as the engine runs it. Immutable. */
export interface Pipeline {
  /** The name of the handler. */
  readonly name: string;
  /** The kind that the handler reconciles. */
  readonly kind: Kind;
  /** As listed; an `all()` is one entry. */
  readonly steps: readonly StepRuntime[];
  /** Every step that has phases or declarations: the parts of each composite in its place, then the composite if it has its own. */
  readonly leaves: readonly StepRuntime[];
  /** Those of them that have a gate. */
  readonly gated: readonly StepRuntime[];
  /** Some step reads objects that are fetched: {@link Kind.cachedAs} metadata, read whole. */
  readonly fetches: boolean;
  /** A step declares `Paused`: it is reported in every pass. */
  readonly reportsPause: boolean;
  /** Those of them that have a post. */
  readonly posting: readonly StepRuntime[];
  /** The declared watches. */
  readonly watches: readonly DeclaredWatch[];
  /** Group-kinds of the primary and of all that is read, owned or watched: what `req.cache` may be asked for. */
  readonly watchedKinds: ReadonlySet<string>;
  /** Those of them of which the cache holds whole objects. */
  readonly wholeKinds: ReadonlySet<string>;
  /** Group-kinds that are declared without a watch: by live reads, and by `permissions`. */
  readonly otherKinds: ReadonlySet<string>;
  /** `<group>/<name>`; also without a cleanup, for an earlier version of the handler may have had one. Undefined: never ours. */
  readonly finalizer: string | undefined;
  /** What of others counts as ours. */
  readonly before: Predecessors;
  /** The field managers under which the handler, or one that it replaces, wrote. */
  readonly managers: ReadonlySet<string>;
  /** Some step takes the finalizer before the first `do`. */
  readonly finalizerBeforeDo: boolean;
  /** In list order, without a `Ready` that a step owns; undefined when the handler keeps no conditions. */
  readonly conditions: PipelineConditions | undefined;
  /** The deadlines of a step, a pass and a save, in milliseconds. */
  readonly deadlines: { readonly stepMs: number; readonly passMs: number; readonly saveMs: number };
  /** Which annotation pauses an object, and whether it pauses cleanups, too. */
  readonly pause: NonNullable<HandlerSettings["pause"]>;
  /** The extensions that the steps use, in the order of their first use. */
  readonly extensions: readonly AnyExtension[];
  /** The handler as each extension sees it, by the name of the extension. */
  readonly extended: ReadonlyMap<string, ExtendedHandler<unknown>>;
  /** Where step state is kept. */
  readonly stateIn: "status" | "annotation";
}

/** The conditions of a pipeline. */
export interface PipelineConditions {
  /** The engine computes Ready (and status.observedGeneration). */
  readonly computesReady: boolean;
  /** This handler, of all on the kind, keeps status.observedGeneration. */
  readonly keepsObservedGeneration: boolean;
  /** The declared conditions by type, each with its step. */
  readonly declared: ReadonlyMap<string, { readonly step: StepRuntime; readonly counts: boolean }>;
}

/** @throws BuildError with every problem. */
export function buildPipeline(collected: Collected): Pipeline {
  const { kind, options, steps, watches } = collected;
  const name = options.name ?? defaultName(kind);
  const leaves = leavesOf(steps);
  const problems = findProblems(collected, leaves, name);
  if (problems.length > 0) throw new BuildError(name, problems);

  const before = predecessorsOf(kind, name, options);
  return assemble({ kind, name, steps, watches, before, conditions: pipelineConditions(leaves), deadlines: options.deadlines ?? {} });
}

/** A pipeline of parts that were checked. */
export function assemble(
  given: Pick<Pipeline, "kind" | "name" | "steps" | "watches" | "conditions"> & {
    readonly deadlines: Deadlines;
    readonly before?: Predecessors;
  },
): Pipeline {
  const { kind, name, steps, watches, conditions, deadlines, before = predecessorsOf(kind, name, {}) } = given;
  const leaves = leavesOf(steps);
  const declared = watchedForms({ kind, leaves, watches });
  const extensions = extensionsOf(leaves);
  const withCleanup = leaves.filter((step) => step.cleanup !== undefined);
  return Object.freeze({
    name,
    kind,
    steps,
    leaves,
    gated: leaves.filter(({ gate }) => gate !== undefined),
    fetches: leaves.some(({ reads }) => Object.values(reads).some((read) => read.type === "one" && read.source === "fetch")),
    reportsPause: leaves.some(({ configures }) => configures.pause !== undefined),
    posting: leaves.filter(({ post }) => post !== undefined),
    watches,
    watchedKinds: new Set(declared.map(({ kind: watched }) => groupKindOf(watched))),
    wholeKinds: new Set(declared.filter(({ form }) => form === "whole").map(({ kind: watched }) => groupKindOf(watched))),
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
    pause: settingIn(leaves, "pause") ?? DEFAULT_PAUSE,
    extensions,
    extended: new Map(extensions.map((extension) => [extension.name, handlerOf({ name, before, kind, leaves, steps }, extension.name)])),
    stateIn: kind.resource === undefined ? "annotation" : "status",
  });
}

/** What must be watched for a handler, its primary first; a kind may stand there more than once. */
function watchedForms({ kind, leaves, watches }: Pick<Pipeline, "kind" | "leaves" | "watches">): readonly WatchedForm[] {
  return [
    { kind, form: "whole" as const },
    ...leaves.flatMap(({ reads, owns }) => [
      ...Object.values(reads).flatMap((read) => (read.watches === undefined ? [] : [{ kind: read.kind, form: read.watches }])),
      // Whole: `req.cache` is asked for what a step owns.
      ...owns.map((owned) => ({ kind: owned, form: watchFormOf(owned) })),
    ]),
    ...watches,
  ];
}

export interface WatchedForm {
  readonly kind: Kind;
  readonly form: WatchForm;
}

/** Which step declares which condition, in list order. */
export function declaredConditions(leaves: readonly StepRuntime[]): Map<string, { readonly step: StepRuntime; readonly counts: boolean }> {
  return new Map(
    leaves.flatMap((step) => step.conditions.map(({ type, counts }) => [type, { step, counts: counts && type !== "Ready" }] as const)),
  );
}

function pipelineConditions(leaves: readonly StepRuntime[]): PipelineConditions | undefined {
  const options = settingIn(leaves, "conditions");
  if (options === undefined) return undefined;
  const declared = declaredConditions(leaves);
  return { computesReady: options.ready && !declared.has("Ready"), keepsObservedGeneration: options.ready, declared };
}

/** What the first step of the list that sets it says. */
function settingIn<Key extends keyof HandlerSettings>(leaves: readonly StepRuntime[], key: Key): HandlerSettings[Key] | undefined {
  return leaves.find(({ configures }) => configures[key] !== undefined)?.configures[key];
}

const DEFAULT_PAUSE: Pipeline["pause"] = { annotation: PAUSED_ANNOTATION, deletions: false };
