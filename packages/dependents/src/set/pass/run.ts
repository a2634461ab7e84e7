/** One set in one pass: what every part of the pass needs. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { CleanupReq, DoReq } from "@treadle/reconcile";
import { dependents } from "../../extension.ts";
import type { DependentPass } from "../../extension/data.ts";
import type { Place } from "../../place.ts";
import { StepContext } from "../../step-context.ts";
import type { StoredTarget } from "../../targets/pass/stored-target.ts";
import { withoutTargetRead } from "../../targets/pass/target-read.ts";
import type { SetDefinition } from "../definition.ts";
import { sets } from "../extension.ts";
import { withoutOtherReads } from "./others.ts";
import type { SetMemory, StoredSet } from "./state.ts";
import { StoredEntries } from "./stored-entries.ts";

export type SetDoReq = DoReq<KubernetesObject, object, Readonly<Record<string, unknown>>, string, StoredSet>;
export type SetCleanupReq = CleanupReq<KubernetesObject, Readonly<Record<string, unknown>>, string, StoredSet>;

/** A set in one pass. */
export interface Run<R extends SetDoReq | SetCleanupReq = SetDoReq | SetCleanupReq> {
  readonly definition: SetDefinition;
  readonly req: R;
  readonly pass: DependentPass;
  readonly context: StepContext;
  readonly memory: SetMemory;
  readonly state: StoredSet;
  /** The entries that an earlier pass has stored. */
  readonly stored: StoredEntries;
  /** The declared reads of the set. */
  readonly reads: Readonly<Record<string, unknown>>;
  /** Where the set keeps its objects; `undefined`: in the cluster of the operator, as the operator. */
  readonly target: StoredTarget | undefined;
}

/** A place other than the cluster of the operator. */
export interface Elsewhere {
  readonly place: Place;
  /** What the state stores of it; `undefined`: the set leaves it. */
  readonly target: StoredTarget | undefined;
}

/** Begins the run of a set. Its entries stay as they are until the run reports. */
export function runOf<R extends SetDoReq | SetCleanupReq>(definition: SetDefinition, req: R, elsewhere?: Elsewhere): Run<R> {
  const pass = dependents.of(req);
  const { name, source } = definition;
  pass.found.entries.set(name, "keep");
  pass.found.told.add(name);
  return {
    definition,
    req,
    pass,
    context: new StepContext(source, req as never, pass, elsewhere?.place),
    memory: sets.of(req).memory.of(name),
    state: req.state,
    stored: new StoredEntries(pass, name),
    reads: withoutOtherReads(definition.target === undefined ? req.reads : withoutTargetRead(req.reads)),
    target: elsewhere?.target,
  };
}
