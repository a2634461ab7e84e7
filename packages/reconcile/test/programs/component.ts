/**
 * A component, as small as it can be: objects that belong together, made in list order, reported by one condition.
 * Switched off, it deletes them; its prerequisite is passed once in the life of the owner; a guard holds back its object
 * and all that follow. It is one step of the engine; several stand side by side in `all()`.
 */
import {
  applyMergePatch,
  controllerReference,
  jsonEqual,
  type Kind,
  type KubernetesObject,
  ownership,
  type WriteOf,
} from "@treadle/apimachinery";
import { type ActiveReq, type CleanupExit, one, type Read, type Reads, type ReadsOf, type Step, step } from "@treadle/reconcile";
import { z } from "zod";

/** What the author's functions look at. */
export interface Look<T extends KubernetesObject, D> {
  readonly object: T;
  readonly reads: ReadsOf<D>;
}

/** One object of a component. */
export interface Part<T extends KubernetesObject, D> {
  readonly kind: Kind;
  readonly desired: (owner: T) => WriteOf<Kind>;
  /** `true`, or the reason why this object and all that follow must wait. */
  readonly guard?: (look: Look<T, D>) => true | string;
}

/** Makes a part whose `desired` is typed by `kind`. */
export type MakePart<T extends KubernetesObject, D> = <K extends Kind>(
  kind: K,
  given: { readonly desired: (owner: T) => WriteOf<K>; readonly guard?: (look: Look<T, D>) => true | string },
) => Part<T, D>;

export interface ComponentOptions<T extends KubernetesObject, C extends string, D extends Reads<T>> {
  /** Of the handler, for telling whose an object is. */
  readonly handlerName: string;
  readonly name: string;
  readonly condition: C;
  readonly reads: D;
  readonly enabled?: (owner: T) => boolean;
  /** Asked until it answers `true` for the first time, never again after that. */
  readonly prerequisite?: (look: Look<T, D>) => true | string;
  readonly parts: (part: MakePart<T, D>) => readonly Part<T, D>[];
}

export function component<T extends KubernetesObject, const C extends string, D extends Reads<T>>(
  kind: Kind<T>,
  options: ComponentOptions<T, C, D>,
): Step<T> {
  const { name, condition, handlerName, enabled = () => true, prerequisite = () => true } = options;
  const parts = options.parts((kind, given) => ({ kind, ...given }));
  return step(kind, {
    name,
    conditions: [condition],
    state: z.object({ passedAt: z.string().optional() }),
    reads: { ...options.reads, ...liveParts(parts) },
    owns: parts.map(({ kind }) => kind),

    async do(req) {
      const live: ReadsOf<PartReads<T>> = req.reads;
      if (!enabled(req.object)) {
        const leaving = await removeLast(req, live);
        if (leaving !== undefined) return req.conditions.false(condition, "Disabling", leaving).wait();
        req.conditions.true(condition, "Disabled");
        return;
      }
      if (req.state.passedAt === undefined) {
        const answer = prerequisite(req);
        if (answer !== true) return req.conditions.false(condition, "PrerequisiteNotMet", answer).wait();
        req.state.passedAt = req.now().toISOString();
      }
      for (const [at, part] of parts.entries()) {
        const answer = part.guard?.(req) ?? true;
        if (answer !== true) return req.conditions.false(condition, "Blocked", answer).wait();
        const foreign = await put(req, part, live[`part/${at}`]);
        if (foreign !== undefined) return req.conditions.false(condition, "Foreign", foreign).wait();
      }
      req.conditions.true(condition, "Healthy");
    },

    async cleanup(req) {
      const leaving = await removeLast(req, req.reads);
      if (leaving !== undefined) return req.conditions.false(condition, "Deleting", leaving).wait();
    },
  });

  /** Makes the object as it should be; answers with whose it is where it is somebody else's. */
  async function put(req: Hands<T>, { kind, desired }: Part<T, D>, cached: KubernetesObject | undefined): Promise<string | undefined> {
    const wanted = desired(req.object);
    // Absent in the cache may only mean that the cache is behind.
    const live = cached ?? (await req.client.get(kind, wanted.metadata));
    if (live === undefined) {
      await req.client.create(kind, { ...wanted, metadata: { ...wanted.metadata, ownerReferences: [controllerReference(req.object)] } });
      return undefined;
    }
    const whose = ownership(live, req.object, handlerName);
    if (whose.type === "foreign") return `${kind.kind} ${live.metadata.name} belongs to ${whose.owner}`;
    const others = live.metadata.ownerReferences ?? [];
    const ownerReferences = whose.type === "ours" ? others : [...others, controllerReference(req.object)];
    // Lists are compared by position, and what is no more wanted stays: server-side apply knows better.
    const next = applyMergePatch(live, { ...wanted, metadata: { ...wanted.metadata, ownerReferences } });
    if (!covers(live, next)) await req.client.update(kind, next);
    return undefined;
  }

  /** Deletes what is ours, the last first, each when the one after it is gone; answers with what is still there. */
  async function removeLast(req: Hands<T>, reads: ReadsOf<PartReads<T>>): Promise<string | undefined> {
    for (const [at, { kind }] of [...parts.entries()].toReversed()) {
      const live = reads[`part/${at}`];
      if (live === undefined || ownership(live, req.object, handlerName).type !== "ours") continue;
      const { name, uid = "", deletionTimestamp } = live.metadata;
      if (deletionTimestamp === undefined) await req.client.delete(kind, live.metadata, { preconditions: { uid } });
      return `${kind.kind} ${name} is being deleted`;
    }
    return undefined;
  }
}

/** Whether `live` has all of `wanted`; it may have more, as the server's defaults are. */
function covers(live: unknown, wanted: unknown): boolean {
  if (typeof live !== "object" || live === null || typeof wanted !== "object" || wanted === null) return jsonEqual(live, wanted);
  if (Array.isArray(wanted) && (!Array.isArray(live) || live.length !== wanted.length)) return false;
  return Object.entries(wanted).every(([field, value]) => covers(live[field as keyof typeof live], value)); // absent: undefined
}

/** What the helpers use of a req, in whichever phase. */
type Hands<T extends KubernetesObject> = Pick<ActiveReq<T, {}, never, {}, CleanupExit>, "object" | "client">;

type PartReads<T extends KubernetesObject> = Readonly<Record<`part/${number}`, Read<T, KubernetesObject | undefined>>>;

/** The live objects of the parts, as declared reads: whoever changes or deletes one wakes the owner. */
function liveParts<T extends KubernetesObject, D>(parts: readonly Part<T, D>[]): PartReads<T> {
  return Object.fromEntries(parts.map(({ kind, desired }, at) => [`part/${at}`, one(kind, (owner: T) => desired(owner).metadata.name)]));
}
