/** Merges for the pods of an object, whatever its kind: a Pod, a workload with a template, a Job, or a CronJob. */
import type { Mutable } from "@treadle/apimachinery";
import { misuse, isPromiseLike } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "../core/ask.ts";
import { type ContainerBefore, type DraftFacts, factsOf } from "./draft.ts";
import { type Draft, isObject, mergeInto } from "./merge.ts";
import { CONTAINER, fieldsOfTypes, POD_SPEC, podPathsOf } from "./merge-keys.ts";
import type { ContainerPart, EditDraft, MergePartial, PodsDraft, PodSpecPart } from "./types.ts";

/**
 * Makes a merge of a layer that changes the spec of the pods. It fits every kind with pods. `spec` is a deep partial of a PodSpec, or
 * a function that edits it. Lists are merged by their keys.
 *
 * Its errors name the layer: an object without pods, or a partial that does not fit.
 */
export function onPods<Args extends readonly unknown[]>(
  spec: MergePartial<PodSpecPart> | EditDraft<Mutable<PodSpecPart>, Args>,
): EditDraft<PodsDraft, Args> {
  requireMerge("onPods", spec);
  return (draft, ...args) => {
    const facts = factsOf(draft) ?? ALONE;
    for (const { pod, path } of podsOf(draft as Draft, facts)) apply({ spec, type: POD_SPEC, where: facts.where, path }, pod, args);
  };
}

/**
 * Chooses containers: a name, an index from 0, or a function. `() => true` chooses all. The function gets each container as it was
 * before the layer, so that a container which the layer renamed is still found by its former name. Containers that the layer added
 * are asked as they are.
 */
export type ContainerPredicate = string | number | ((container: ContainerPart, index: number) => boolean);

/** Options of {@link containers}. */
export interface ContainersOptions {
  /** The list of the pod's spec. @defaultValue "containers" */
  readonly list?: "containers" | "initContainers";
}

/**
 * Makes a merge of a layer that changes the chosen containers of the pods. `edit` is a deep partial of a container, or a function
 * that edits it. A predicate that chooses no container changes nothing.
 *
 * @throws TypeError when the predicate is not a name, an index or a function (untyped code)
 */
export function containers<Args extends readonly unknown[]>(
  predicate: ContainerPredicate,
  edit: MergePartial<ContainerPart> | EditDraft<Mutable<ContainerPart>, Args>,
  { list = "containers" }: ContainersOptions = {},
): EditDraft<PodsDraft, Args> {
  if (!["string", "number", "function"].includes(typeof predicate))
    throw new TypeError("containers: the predicate must be a name, an index or a function");
  requireMerge("containers", edit);
  return (draft, ...args) => {
    const facts = factsOf(draft) ?? ALONE;
    for (const { pod, path } of podsOf(draft as Draft, facts)) {
      const present = containersOf(pod, list);
      const chosen = present.filter((container, index) =>
        isChosen(predicate, facts.before.get(container) ?? { container: structuredClone(container), index }, facts),
      );
      for (const container of chosen)
        apply({ spec: edit, type: CONTAINER, where: facts.where, path: [...path, list].join(".") }, container, args);
    }
  };
}

/** Returns a copy of each container of a draft, by the container itself. */
export function containersBefore(draft: Draft, facts: DraftFacts): ReadonlyMap<object, ContainerBefore> {
  const lists = podPathsIn(draft, facts).flatMap((path) => {
    const pod = at(draft, path);
    return pod === undefined ? [] : [containersOf(pod, "containers"), containersOf(pod, "initContainers")];
  });
  return new Map(
    lists.flatMap((list) => list.map((container, index) => [container, { container: structuredClone(container), index }] as const)),
  );
}

const ALONE: DraftFacts = { kind: undefined, where: "onPods", before: new Map() };

function isChosen(predicate: ContainerPredicate, { container, index }: ContainerBefore, { where }: DraftFacts): boolean {
  if (typeof predicate === "number") return index === predicate;
  if (typeof predicate === "string") return container["name"] === predicate;
  const answer: unknown = called(`${where}: the predicate of containers`, () => predicate(container as ContainerPart, index));
  if (typeof answer === "boolean" || answer === undefined) return answer === true;
  throw misuse("ERR_INVALID_STEP", `${where}: the predicate of containers returned ${nameOfAnswer(answer)}, but must return true or false`);
}

interface Change {
  readonly spec: unknown;
  readonly type: string;
  readonly where: string;
  readonly path: string | readonly string[];
}

function apply({ spec, type, where, path }: Change, target: Draft, args: readonly unknown[]): void {
  if (typeof spec !== "function") {
    mergeInto(target, spec as object, fieldsOfTypes([type]), { where, path: typeof path === "string" ? path : path.join(".") });
    return;
  }
  const result: unknown = spec(target, ...args);
  if (isPromiseLike(result))
    throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(result)}: edit the draft at once, without await`);
}

/** The specs of the pods, which are added where they are missing. @throws TypeError for an object without pods */
function podsOf(draft: Draft, facts: DraftFacts): readonly { readonly pod: Draft; readonly path: readonly string[] }[] {
  const paths = podPathsIn(draft, facts);
  if (paths.length === 0)
    throw misuse(
      "ERR_INVALID_STEP",
      facts.kind === undefined
        ? `${facts.where}: the object has no pods yet: give layered() the kind, as in { kind: Deployment }`
        : `${facts.where}: a ${facts.kind.kind} has no pods: use onPods and containers only for kinds with pods`,
    );
  return paths.map((path) => ({ path, pod: path.reduce(child, draft) }));
}

/** By the table; for other kinds, by the shape of the object. */
function podPathsIn(draft: Draft, { kind }: DraftFacts): readonly (readonly string[])[] {
  const known = kind === undefined ? [] : podPathsOf(kind);
  if (known.length > 0) return known;
  if (at(draft, ["spec", "jobTemplate"]) !== undefined) return [["spec", "jobTemplate", "spec", "template", "spec"]];
  if (at(draft, ["spec", "template"]) !== undefined) return [["spec", "template", "spec"]];
  return Array.isArray(at(draft, ["spec"])?.["containers"]) ? [["spec"]] : [];
}

function at(draft: Draft, path: readonly string[]): Draft | undefined {
  return path.reduce<Draft | undefined>((object, field) => {
    const value = object?.[field];
    return isObject(value) ? value : undefined;
  }, draft);
}

function child(object: Draft, field: string): Draft {
  const present = object[field];
  if (isObject(present)) return present;
  const added: Draft = {};
  object[field] = added;
  return added;
}

function containersOf(pod: Draft, list: "containers" | "initContainers"): readonly Draft[] {
  const present = pod[list];
  return Array.isArray(present) ? present.filter(isObject) : [];
}

function requireMerge(name: string, merge: unknown): void {
  if (typeof merge !== "function" && !isObject(merge))
    throw new TypeError(`${name}: give a part of the object, or a function that edits it`);
}
