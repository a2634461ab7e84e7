/** The drafts of one pass: the parts of the object that its steps may change, and the check of their changes. */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { Draft, type Taken } from "./drafts.ts";
import { type Misuse, misuse } from "../internal/misuse.ts";
import type { Pipeline } from "../build/pipeline.ts";
import { parseState, storedState } from "./state.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** The changes of all drafts at one moment. */
export interface Intents {
  readonly status: Taken;
  readonly labels: Taken;
  readonly annotations: Taken;
  readonly spec: Taken;
  readonly states: ReadonlyMap<StepRuntime, Taken>;
}

/** The state of one step: its draft, and the stored value. */
export interface StepState {
  readonly draft: Draft;
  /** The stored value, to notice that another writer changed it. */
  stored: unknown;
}

type AnyDraft = Draft | Draft<Record<string, string>>;

export class PassDrafts {
  readonly status: Draft;
  readonly labels: Draft<Record<string, string>>;
  readonly annotations: Draft<Record<string, string>>;
  readonly spec: Draft;
  readonly #states = new Map<StepRuntime, StepState>();
  readonly #pipeline: Pipeline;
  readonly #object: KubernetesObject;
  /** Whether a step used a draft since the last check. */
  #areTouched = false;

  constructor(pipeline: Pipeline, object: KubernetesObject) {
    this.#pipeline = pipeline;
    this.#object = object;
    // Status and spec are objects if they exist: their CRD guarantees it.
    const { status, spec } = object as { readonly status?: Record<string, unknown>; readonly spec?: Record<string, unknown> };
    this.status = new Draft(() => authorsPart(status, pipeline.kind));
    this.spec = new Draft(() => spec ?? {});
    this.labels = new Draft(() => ({ ...object.metadata.labels }));
    this.annotations = new Draft(() => ({ ...object.metadata.annotations }));
  }

  /** Returns the draft of a part, for a step. */
  forStep(part: "status" | "labels" | "annotations" | "spec"): object {
    this.#areTouched = true;
    return this[part].draft;
  }

  /** Returns the draft of the state of a step, for that step. @throws ReconcileError if the stored state is invalid */
  stateForStep(step: StepRuntime): object {
    this.#areTouched = true;
    return this.stateOf(step).draft.draft;
  }

  /** Returns the state of `step`, parsed at its first use. @throws ReconcileError if the stored state is invalid */
  stateOf(step: StepRuntime): StepState {
    let state = this.#states.get(step);
    if (state === undefined) {
      const stored = storedState(this.#pipeline, this.#object)[step.name];
      const parsed = parseState(step, stored);
      state = { draft: new Draft(() => parsed), stored };
      this.#states.set(step, state);
    }
    return state;
  }

  /** The states that this pass has used. */
  get states(): ReadonlyMap<StepRuntime, StepState> {
    return this.#states;
  }

  /** Returns the changes of the drafts now. */
  intents(): Intents {
    return {
      status: this.status.take(),
      labels: this.labels.take(),
      annotations: this.annotations.take(),
      spec: this.spec.take(),
      states: new Map([...this.#states].map(([step, { draft }]) => [step, draft.take()])),
    };
  }

  /** Checks the drafts. Changes that are not JSON are undone. Returns the mistake. */
  check(): Misuse | undefined {
    if (!this.#areTouched) return undefined;
    this.#areTouched = false;
    const kept = keptFields(this.#pipeline);
    const written = this.status.takeOut(Object.keys(kept));
    let wrong =
      written === undefined ? undefined : misuse("ERR_READ_ONLY", `req.status.${written} is kept by the engine: ${kept[written]}`);
    for (const draft of this.#all()) wrong = draft.check() ?? wrong;
    return wrong;
  }

  /** Discards changes that no checkpoint stored; conditions stay. */
  discard(): void {
    for (const draft of this.#all()) draft.discard();
  }

  /** Revokes drafts that a step still holds; its changes so far stay. */
  renew(): void {
    for (const draft of this.#all()) draft.renew();
  }

  /** Revokes all drafts at the end of the pass. */
  close(): void {
    for (const draft of this.#all()) draft.close();
  }

  *#all(): Iterable<AnyDraft> {
    yield this.status;
    yield this.labels;
    yield this.annotations;
    yield this.spec;
    for (const { draft } of this.#states.values()) yield draft;
  }
}

/** The fields of the status that the engine and its extensions write, and how an author changes each. */
function keptFields({ conditions, stateIn, kind, extensions }: Pipeline): Readonly<Record<string, string>> {
  const parts = (kind.resource?.statusParts ?? []).map((field) => {
    const writer = extensions.find(({ status }) => status?.field === field)?.status?.writtenBy;
    return [field, writer ?? "the steps that keep it write it"] as const;
  });
  return {
    ...(conditions === undefined ? {} : { conditions: "declare the condition, and set it by req.conditions" }),
    ...(conditions?.keepsObservedGeneration === true
      ? {
          observedGeneration: "it is the generation of the object that the pass saw",
          lastHandledReconcileAt: "it is the request that the pass followed",
        }
      : {}),
    ...(stateIn === "status" ? { steps: "write req.state" } : {}),
    ...Object.fromEntries(parts),
  };
}

/** The status without the fields of the engine and its extensions. */
export function authorsPart(status: Readonly<Record<string, unknown>> | undefined, kind: Kind): Record<string, unknown> {
  if (status === undefined) return {};
  const { conditions: _c, observedGeneration: _o, lastHandledReconcileAt: _l, steps: _s, ...rest } = status as Record<string, unknown>; // a copy
  for (const field of kind.resource?.statusParts ?? []) delete rest[field];
  return rest;
}
