/**
 * Resolves the references of a managed step to external names, from the objects that the step has read. Pure, except for the stored
 * choices and the graph of waiting objects.
 */
import { findCondition, groupKindOf, groupOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { Condition } from "@treadle/apimachinery";
import { inNamespaceOf } from "@treadle/reconcile/unstable/engine";
import { namesOf } from "../names.ts";
import type { ReferenceParts, References } from "../reference.ts";
import type { ReferenceChoice, ReferenceChoices } from "./choices.ts";
import { chosenReadNameOf, partsOf, readNameOf } from "./reads.ts";
import type { WaitingGraph, WaitingNode } from "./waiting-graph.ts";

/** What {@link resolveReferences} gets of a pass. */
export interface ReferencesGiven {
  /** The object that has the references. */
  readonly object: KubernetesObject;
  /** The values of the reads of the step, with those of `readsOfReferences()`. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The choices of `once` in the step state. They are changed in place: the caller stores them. */
  readonly choices: ReferenceChoices;
  /** The graph of the operator. */
  readonly waiting: WaitingGraph;
}

/** The result of {@link resolveReferences}. */
export type ResolvedReferences =
  | { readonly type: "resolved"; readonly names: Readonly<Record<string, string | undefined>> }
  | { readonly type: "waiting"; readonly message: string };

/** Returns the external name for each reference, or one message with everything that the step waits for. */
export function resolveReferences(references: References<KubernetesObject>, given: ReferencesGiven): ResolvedReferences {
  const names: Record<string, string | undefined> = {};
  const waits: { readonly name: string; readonly wait: Waiting }[] = [];
  for (const [name, value] of Object.entries(references)) {
    const parts = partsOf(value);
    const answer = resolved(name, parts, given);
    if (answer.type === "resolved") names[name] = answer.externalName;
    else if (parts.isOptional) names[name] = undefined;
    else waits.push({ name, wait: answer });
  }
  const node = nodeOf(given.object);
  // What a deleted object waited for does not count any more.
  for (const { wait } of waits) if (wait.isMissing === true && wait.for !== undefined) given.waiting.record(wait.for, []);
  given.waiting.record(
    node,
    waits.flatMap(({ wait }) => wait.for ?? []),
  );
  if (waits.length === 0) return { type: "resolved", names };
  const messages = waits.map(({ name, wait }) => `reference "${name}": ${wait.why}`);
  const circle = given.waiting.circleOf(node);
  if (circle !== undefined) messages.push(`a circle of references: ${circle.map(({ title }) => title).join(" -> ")}`);
  return { type: "waiting", message: messages.join("; ") };
}

interface Waiting {
  readonly type: "waiting";
  readonly why: string;
  /** The object without which the reference cannot be resolved. `undefined`: no object, or one of several. */
  readonly for?: WaitingNode;
  readonly isMissing?: boolean;
}

type Answer = { readonly type: "resolved"; readonly externalName: string } | Waiting;

function resolved(name: string, parts: ReferenceParts, given: ReferencesGiven): Answer {
  const choice = parts.resolve === "once" ? given.choices[name] : undefined;
  const value = given.values[readNameOf(name)];
  if (choice !== undefined) {
    const chosen = parts.ref === undefined ? given.values[chosenReadNameOf(name)] : value;
    const now = isObject(chosen) && isChosen(chosen, choice) ? nameOf(chosen, parts) : undefined;
    // The choice stays: an object that is deleted or no longer ready keeps the name that it had.
    if (now?.type !== "resolved") return { type: "resolved", externalName: choice.externalName };
    if (now.externalName !== choice.externalName) given.choices[name] = { ...choice, externalName: now.externalName };
    return now;
  }
  const { answer, object } = parts.ref === undefined ? selected(parts, value, given.object) : named(parts, value, given.object);
  if (parts.resolve === "once" && answer.type === "resolved" && object !== undefined) {
    const { name: chosen, namespace } = object.metadata;
    given.choices[name] = { name: chosen, ...(namespace === undefined ? {} : { namespace }), externalName: answer.externalName };
  }
  return answer;
}

function isChosen({ metadata }: KubernetesObject, { name, namespace }: ReferenceChoice): boolean {
  return metadata.name === name && metadata.namespace === namespace;
}

interface Found {
  readonly answer: Answer;
  readonly object?: KubernetesObject;
}

function named({ kind, ref, ...parts }: ReferenceParts, value: unknown, object: KubernetesObject): Found {
  const target = refOfField(ref?.(object));
  if (target === undefined) return { answer: waiting(`it is empty: the object names no ${kind.kind}`) };
  const node = nodeOfRef(kind, inNamespaceOf(object, kind, target));
  if (node.id === nodeOf(object).id) return { answer: waiting(`${node.title} refers to itself`) };
  if (!isObject(value)) return { answer: { ...waiting(`${node.title} does not exist`), for: node, isMissing: true } };
  return { answer: nameOf(value, { kind, ref, ...parts }), object: value };
}

function selected(parts: ReferenceParts, value: unknown, object: KubernetesObject): Found {
  const { kind, selector } = parts;
  const controller = controllerOf(object);
  const labels = Object.entries(selector?.matchLabels(object) ?? {}).map(([key, label]) => `${key}=${label}`);
  const what = `${kind.kind} with the labels ${labels.join(",")}`;
  if (selector?.matchController === true && controller === undefined)
    return { answer: waiting(`this object has no controller, and the reference asks for a ${what} of the same controller`) };
  const self = nodeOf(object).id;
  const candidates = (Array.isArray(value) ? value.filter(isObject) : [])
    .filter((candidate) => selector?.matchController !== true || controllerOf(candidate) === controller)
    .toSorted((a, b) => (keyOf(a.metadata) < keyOf(b.metadata) ? -1 : 1));
  const others = candidates.filter((candidate) => nodeOf(candidate).id !== self);
  const which = selector?.matchController === true ? `${what} and the same controller` : what;
  if (others.length === 0)
    return { answer: waiting(candidates.length === 0 ? `no ${which} exists` : `it selects only itself: no other ${which} exists`) };
  const answers = others.map((other) => ({ answer: nameOf(other, parts), object: other }));
  const ready = answers.find(({ answer }) => answer.type === "resolved");
  if (ready !== undefined) return ready;
  const [first] = answers.map(({ answer }) => answer as Waiting); // None is resolved.
  if (answers.length === 1 && first !== undefined) return { answer: first };
  return { answer: waiting(`none of ${answers.length} ${which} is ready; ${first?.why}`) };
}

/** Returns the external name of an object that exists, or why it has none that can be used. */
function nameOf(object: KubernetesObject, { prefix }: ReferenceParts): Answer {
  const node = nodeOf(object);
  const wait = (why: string): Waiting => ({ ...waiting(`${node.title} ${why}`), for: node });
  if (object.metadata.deletionTimestamp !== undefined) return wait("is being deleted");
  const { ready: type, annotation } = namesOf(prefix);
  const ready = findCondition(conditionsOf(object), type);
  if (ready === undefined) return wait(`has no condition ${type} yet`);
  if (ready.status !== "True") return wait(`is not ${type}: ${ready.reason}`);
  const externalName = object.metadata.annotations?.[annotation];
  if (externalName === undefined || externalName === "") return wait(`is ${type}, and has no annotation ${annotation}`);
  return { type: "resolved", externalName };
}

function waiting(why: string): Waiting {
  return { type: "waiting", why };
}

/** An object that was stored under an older schema may hold null, although its type promises a text. */
function refOfField(given: string | Ref | null | undefined): Ref | undefined {
  const ref = typeof given === "string" ? { name: given } : given;
  return ref?.name ? ref : undefined;
}

function conditionsOf(object: KubernetesObject): readonly Condition[] | undefined {
  return (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status?.conditions;
}

function controllerOf({ metadata }: KubernetesObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function nodeOf(object: KubernetesObject): WaitingNode {
  return nodeOfRef({ group: groupOf(object.apiVersion), kind: object.kind }, object.metadata);
}

function nodeOfRef(kind: Pick<Kind, "group" | "kind">, ref: Ref): WaitingNode {
  const key = keyOf(ref);
  return { id: `${groupKindOf(kind)} ${key}`, title: `${kind.kind} ${key}` };
}

function isObject(value: unknown): value is KubernetesObject {
  return typeof value === "object" && value !== null && "metadata" in value;
}
