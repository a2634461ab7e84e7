/** Computes what a read names: the reference of a `one()`, and the selector of a `many()`. The functions of the author are called here. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import { misuse } from "./internal/misuse.ts";
import type { ManyRead, ManySelector, OneRead, SeveralRead } from "./reads.ts";

/**
 * Returns the object that a `one()` names, with its namespace filled in. `object` is the object that names it: the primary, or with
 * `through()` the object of the first read. `primary` gives the namespace if `object` has none.
 *
 * @throws TypeError when the namespace is missing that the kind needs, and when the function returned neither a name nor a reference.
 */
export function refOfRead(read: OneRead, object: KubernetesObject, primary: KubernetesObject = object): Ref | undefined {
  // Called for messages only: every read of every pass comes here.
  const where = (): string => `one(${read.kind.kind}) of ${object.kind} ${object.metadata.name}`;
  // An object that was stored under an older schema may hold null, or nothing, although its type promises a text.
  const given: string | Partial<Ref> | null | undefined = read.ref(object);
  requireForm(given, where);
  const { name, namespace } = typeof given === "string" ? { name: given } : (given ?? {});
  if (name === undefined || name === null || name === "") return undefined;
  requireSegment(name, "name", where);
  const from = object.metadata.namespace === undefined ? primary : object;
  const ref = inNamespaceOf(from, read.kind, namespace === undefined ? { name } : { name, namespace });
  if (read.kind.scope === "Namespaced" && ref.namespace === undefined) {
    throw misuse(
      "ERR_INVALID_REFERENCE",
      `one(${read.kind.kind}) names ${JSON.stringify(name)} without a namespace, and ${object.kind} ${object.metadata.name} has none: return { name, namespace }`,
    );
  }
  requireSegment(ref.namespace, "namespace", where);
  return ref;
}

/** Returns the objects that a read names for this primary. @throws what the function of the read throws */
export function refsOfRead(read: OneRead | SeveralRead, primary: KubernetesObject): readonly Ref[] {
  if (read.type === "several") return read.refs(primary);
  const ref = refOfRead(read, primary);
  return ref === undefined ? [] : [ref];
}

/** Returns the selector of a `many()` for this primary. @throws TypeError when a label has no value: it would select objects without it. */
export function selectorOf(read: ManyRead, object: KubernetesObject): ManySelector {
  const selector = read.select(object);
  const unset = Object.entries(selector?.matchLabels ?? { matchLabels: undefined }).find(([, value]) => typeof value !== "string");
  if (unset !== undefined)
    throw misuse(
      "ERR_INVALID_REFERENCE",
      `many(${read.kind.kind}) of ${object.kind} ${object.metadata.name}: the label ${unset[0]} has no value`,
    );
  requireSegment(selector.namespace, "namespace", () => `many(${read.kind.kind}) of ${object.kind} ${object.metadata.name}`);
  return selector;
}

/** Completes `ref` with the namespace of `object` if the kind is namespaced; removes the namespace if it is not. */
export function inNamespaceOf(object: KubernetesObject, kind: Kind, ref: Ref): Ref {
  if (kind.scope === "Cluster") return { name: ref.name };
  // `||`: an empty namespace means none, as everywhere in Kubernetes.
  const namespace = ref.namespace || object.metadata.namespace;
  return namespace === undefined ? { name: ref.name } : { name: ref.name, namespace };
}

/** Whether `text` can be the name of an object or a namespace. */
export function isSegment(text: string): boolean {
  return text !== "." && text !== ".." && !/[/%]/.test(text);
}

/** @throws TypeError for a promise, and for a value that is neither a name nor a reference. */
function requireForm(given: unknown, where: () => string): void {
  if (given === undefined || given === null || typeof given === "string") return;
  const what = given instanceof Promise ? "a promise" : typeof given === "object" ? "an object" : `a ${typeof given}`;
  if (given instanceof Promise) given.catch(() => undefined); // Its error is not reported: the promise is the mistake.
  const name = typeof given === "object" && !(given instanceof Promise) ? (given as Partial<Ref>).name : 0;
  if (name === undefined || name === null || typeof name === "string") return;
  throw misuse(
    "ERR_INVALID_REFERENCE",
    `${where()}: the function returned ${what}, which is neither a name nor a reference: return a text, { name, namespace } or undefined, and do not use async`,
  );
}

function requireSegment(text: string | null | undefined, what: "name" | "namespace", where: () => string): void {
  if (typeof text === "string" && !isSegment(text))
    throw misuse(
      "ERR_INVALID_REFERENCE",
      `${where()}: ${JSON.stringify(text)} is not a ${what}${what === "name" ? ": return { namespace, name }" : ""}`,
    );
}
