/** The step state of a set, and what it remembers of one owner in this process. */
import { hash } from "node:crypto";
import type { Kind } from "@treadle/apimachinery";
import { z } from "zod";
import { GRACE_CLOCK, type GraceClock } from "../../grace.ts";
import type { SeenInputs } from "../../core/inputs.ts";
import type { Outcome } from "./outcome.ts";
import type { Plan } from "../plan/plan.ts";
import { HeldTargets } from "../../targets/pass/held-target.ts";
import { STORED_TARGET, type StoredTarget } from "../../targets/pass/stored-target.ts";
import { FollowedInputs } from "../render/live-inputs.ts";
import type { BegunRendering, FailedRendering, Rendering } from "../render/rendering.ts";

/** A kind of which objects of the set may exist. */
export interface StoredKind {
  readonly version: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** Namespaces with objects, besides those in which the operator watches the kind. */
  readonly namespaces?: readonly string[] | undefined;
}

/** An object that the owner does not own. */
export interface StoredOther {
  /** The id of the object. */
  readonly id: string;
  /** `true`: another writer creates the object. */
  readonly isForeign?: boolean | undefined;
}

/** The state. It does not grow with the number of objects, except by one entry for each object that is completed or not owned. */
export interface StoredSet {
  /** The kinds of which objects may exist, by `Kind.group`. A kind is stored before its first object is written. */
  kinds: Record<string, StoredKind>;
  /** Objects that are not created again: a digest of the desired state that was done, by a digest of the identity. */
  done: Record<string, string>;
  /** The objects without marks of the owner, by `Kind.group` and `namespace/name`. Labels do not find them. */
  others?: Record<string, Record<string, StoredOther>> | undefined;
  /** Digest of the inputs of the desired state. */
  inputs?: string | undefined;
  /** Counts the distinct desired states. */
  revision: number;
  /** The last wave that began: the digest of the plan, a space, and the wave. */
  reached?: string | undefined;
  /** How long the set is processed. */
  clock?: GraceClock | undefined;
  /** Where the objects are; `undefined`: in the cluster of the operator, or nowhere. */
  target?: StoredTarget | undefined;
  /** Whether the present annotation that gives up a target was used. */
  abandoned?: boolean | undefined;
}

/** The schema of {@link StoredSet}. */
export const STATE: z.ZodObject = z.object({
  kinds: z
    .record(
      z.string(),
      z.object({
        version: z.string(),
        plural: z.string(),
        scope: z.enum(["Namespaced", "Cluster"]),
        namespaces: z.array(z.string()).optional(),
      }),
    )
    .default({})
    .describe("Kinds of which objects of the set may exist"),
  done: z.record(z.string(), z.string()).default({}).describe("Completed objects, by digest"),
  inputs: z.string().optional().describe("Digest of the inputs of the desired state"),
  others: z
    .record(z.string(), z.record(z.string(), z.object({ id: z.string(), isForeign: z.boolean().optional() })))
    .optional()
    .describe("Objects that the owner does not own, by kind and name"),
  revision: z.number().default(0).describe("Number of distinct desired states"),
  reached: z.string().optional().describe("Last wave that began, by digest of the desired state"),
  clock: GRACE_CLOCK.optional().describe("Clock of the time limit"),
  target: STORED_TARGET.describe("Cluster of the objects"),
  abandoned: z.boolean().optional().describe("Whether the annotation abandon-target was used"),
});

/** Returns the kind of stored objects. */
export function kindOfStored(groupKind: string, { version, plural, scope }: StoredKind): Kind {
  const dot = groupKind.indexOf(".");
  const [kind, group] = dot < 0 ? [groupKind, ""] : [groupKind.slice(0, dot), groupKind.slice(dot + 1)];
  return { group, version, kind, plural, scope };
}

/** Returns a short digest, for the keys and values of `done`: 10 characters of 6 bits. */
export function shortDigest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 10);
}

/** A pass in which nothing was to be done. It holds as long as nothing that it looked at changes. */
export interface SettledPass {
  readonly plan: Plan;
  /** The versions of the objects, in the order of the members; `undefined` for a completed one. */
  readonly versions: readonly (string | undefined)[];
  /** The number of labelled objects, by kind and name of the handler. */
  readonly counts: readonly { readonly kind: Kind; readonly name: string; readonly count: number }[];
  /** When objects that are not watched are applied again, in the clock's milliseconds. */
  readonly dueAtMs: number | undefined;
}

/** What a set remembers of one owner. */
export class SetMemory implements Disposable {
  /** The inputs of the last digest, so that the same inputs are not hashed again. */
  seen: { readonly inputs: SeenInputs; readonly digest: string } | undefined;
  /** What was rendered last. */
  rendered: Rendering | undefined;
  /** The rendering that failed last; `undefined`: a later one succeeded. */
  failed: FailedRendering | undefined;
  /** The rendering that waits. */
  unfinished: BegunRendering | undefined;
  /** The inputs that trigger passes of the owner. */
  readonly followed: FollowedInputs = new FollowedInputs();
  /** The plan of what was rendered. */
  plan: Plan | undefined;
  settled: SettledPass | undefined;
  /** The number of positions of the plan that began. */
  reached = 0;
  /** The objects that began under the plan, by key: they no longer wait for others. */
  begun: Set<string> = new Set();
  /** How each object was in the last pass, by key. */
  last: Map<string, Pick<Outcome, "phase" | "state">> = new Map();
  /** The errors of removals in the last pass, by key. */
  deleteErrors: Map<string, string> = new Map();
  /** When objects that are not watched were applied, in the clock's milliseconds, and a digest of what was applied, by key. */
  readonly applied: Map<string, { readonly atMs: number; readonly digest: string }> = new Map();
  /** When the status was last reported, and its reason. */
  reported: { readonly atMs: number; readonly id: string } | undefined;
  /** Passes in a row in which an object that the set does not wait for was not as desired. */
  failures = 0;
  /** Digest of the plan for which objects that the operator does not watch were removed last. */
  prunedFor: string | undefined;
  /** When the set began to wait for the lists of its kinds, in the clock's milliseconds. */
  listingSinceMs: number | undefined;
  /** Whether the objects were counted for the metrics. */
  isCounted = false;
  /** Whether the deletion of the owner has listed the objects on the server. */
  isListed = false;
  /** Whether no foreign instance existed when the deletion of the owner began. */
  isGuardPassed = false;
  /** When the first object of a wave was applied, in the clock's milliseconds, by wave. */
  readonly waves: Map<number, number> = new Map();
  /** The identity of the target of the last pass. */
  target: string | undefined;

  /** Ends the rendering that waits, if there is one: what it waits for is free for others. */
  endUnfinished(): void {
    const ends = this.unfinished?.ends;
    this.unfinished = undefined;
    for (const end of ends?.values() ?? []) end();
  }

  [Symbol.dispose](): void {
    this.followed[Symbol.dispose]();
    this.endUnfinished();
  }
}

/** The memories of the sets of one owner, by name. */
export class SetMemories implements Disposable {
  readonly #sets = new Map<string, SetMemory>();
  readonly #targets = new Map<string, HeldTargets>();

  of(set: string): SetMemory {
    let memory = this.#sets.get(set);
    if (memory === undefined) this.#sets.set(set, (memory = new SetMemory()));
    return memory;
  }

  /** Forgets what a set remembers, but for its connections. */
  forget(set: string): void {
    this.#sets.get(set)?.[Symbol.dispose]();
    this.#sets.delete(set);
  }

  /** The connections of a set to targets. */
  targetsOf(set: string): HeldTargets {
    let targets = this.#targets.get(set);
    if (targets === undefined) this.#targets.set(set, (targets = new HeldTargets()));
    return targets;
  }

  [Symbol.dispose](): void {
    for (const memory of this.#sets.values()) memory[Symbol.dispose]();
    for (const targets of this.#targets.values()) targets.releaseAll();
  }
}
