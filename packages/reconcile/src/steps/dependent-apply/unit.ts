/** One dependent in one pass: what the phases of its step share. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Pass } from "../../internal/pass-state.ts";
import { passOf } from "../../internal/step-req.ts";
import type { OneRead } from "../../reads.ts";
import type { CleanupReq, DoReq } from "../../req.ts";
import type { Body, Dependent, Inputs } from "./dependent.ts";
import type { NewEntry } from "./entries.ts";

/** Under this name the object itself is among the reads of its step. */
export const LIVE = "dependent:live";

/** What is remembered of an object between passes, in this process only. */
export interface DependentMemory {
  readonly uid: string | undefined;
  /** Digest of what was applied. */
  readonly wanted: string;
  /** Digest of what the server made of it: values that it normalises are no difference. */
  readonly stored: string | undefined;
  /** The version that was written, or last compared, and held nothing to change. */
  readonly resourceVersion: string | undefined;
}

export type AnyDoReq = DoReq<KubernetesObject, object>;
export type AnyCleanupReq = CleanupReq<KubernetesObject>;

export interface Unit {
  readonly dependent: Dependent;
  readonly read: OneRead;
  readonly req: AnyDoReq | AnyCleanupReq;
  readonly pass: Pass;
  readonly owner: KubernetesObject;
  readonly handlerName: string;
  /** The present name first, then those of before. */
  readonly handlerNames: readonly string[];
}

export function unitOf(dependent: Dependent, read: OneRead, req: AnyDoReq | AnyCleanupReq): Unit {
  return { dependent, read, req, pass: passOf(req), owner: req.object, handlerName: req.handlerName, handlerNames: req.handlerNames };
}

/** What the author's functions get. */
export function inputsOf({ dependent, req, pass, owner }: Unit): Inputs {
  const { [LIVE]: _live, ...reads } = req.reads as Readonly<Record<string, unknown>>;
  const step = pass.pipeline.leaves.find(({ name }) => name === dependent.name);
  const dependents: Record<string, KubernetesObject | undefined> = {};
  for (const needed of step?.dependent?.dependsOn() ?? []) {
    if (needed?.dependent === undefined) continue;
    dependents[needed.name] = pass.dependents.live.has(needed.name)
      ? pass.dependents.live.get(needed.name)
      : needed.dependent.cached(owner, pass.env.cache);
  }
  return Object.freeze({ vars: pass.vars, reads: Object.freeze(reads), dependents: Object.freeze(dependents) });
}

/** Says what `status.dependents` is to hold of this step. */
export function report({ dependent, pass, req }: Unit, entries: readonly NewEntry[]): void {
  if (!req.signal.aborted) pass.dependents.entries.set(dependent.name, entries);
}

export function memoryOf({ dependent, pass }: Unit): DependentMemory | undefined {
  return pass.memory.dependents?.get(dependent.name) as DependentMemory | undefined; // Only this file puts something there.
}

export function remember({ dependent, pass }: Unit, memory: DependentMemory): void {
  pass.memory.dependents ??= new Map();
  pass.memory.dependents.set(dependent.name, memory);
}

/** What is asked for and where. */
export interface Wanted {
  readonly body: Body;
  readonly target: Ref;
}
