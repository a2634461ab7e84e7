/** One dependent in one pass: what the phases of its step share. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Pass } from "../../record/pass-state.ts";
import { stepOf } from "../../pass/step-req.ts";
import type { OneRead } from "../../reads.ts";
import type { CleanupReq, DoReq } from "../../req.ts";
import type { Body, Dependent, Inputs } from "./dependent.ts";
import { type DependentPass, dependents } from "./extension.ts";
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
  readonly ext: DependentPass;
  readonly owner: KubernetesObject;
  readonly handlerName: string;
  /** The present name first, then those of before. */
  readonly handlerNames: readonly string[];
}

export function unitOf(dependent: Dependent, read: OneRead, req: AnyDoReq | AnyCleanupReq): Unit {
  return {
    dependent,
    read,
    req,
    pass: stepOf(req).pass,
    ext: dependents.of(req),
    owner: req.object,
    handlerName: req.handlerName,
    handlerNames: req.handlerNames,
  };
}

/** What the author's functions get. */
export function inputsOf({ dependent, req, pass, ext, owner }: Unit): Inputs {
  const { [LIVE]: _live, ...reads } = req.reads as Readonly<Record<string, unknown>>;
  const step = ext.handler.steps.find(({ name }) => name === dependent.name);
  const live: Record<string, KubernetesObject | undefined> = {};
  for (const needed of step?.data.dependsOn() ?? []) {
    const data = dependents.dataOf(needed);
    if (needed === undefined || data === undefined) continue;
    live[needed.name] = ext.found.live.has(needed.name) ? ext.found.live.get(needed.name) : data.cached(owner, pass.env.cache);
  }
  return Object.freeze({ vars: pass.vars, reads: Object.freeze(reads), dependents: Object.freeze(live) });
}

/** Says what `status.dependents` is to hold of this step. */
export function report({ dependent, ext, req }: Unit, entries: readonly NewEntry[]): void {
  if (!req.signal.aborted) ext.found.entries.set(dependent.name, entries);
}

export function memoryOf({ dependent, ext }: Unit): DependentMemory | undefined {
  return ext.memory.get(dependent.name) as DependentMemory | undefined; // Only this file puts something there.
}

export function remember({ dependent, ext }: Unit, memory: DependentMemory): void {
  ext.memory.set(dependent.name, memory);
}

/** What is asked for and where. */
export interface Wanted {
  readonly body: Body;
  readonly target: Ref;
}
