/** One dependent as its step runs it: the author's options with their defaults, and what follows from them without a request. */
import { hash } from "node:crypto";
import {
  apiVersionOf,
  canReference,
  controllerReference,
  groupKindOf,
  type Kind,
  type KubernetesObject,
  keyOf,
  MAX_LABEL_LENGTH,
  ownerAnnotations,
  ownerLabels,
  parseApiVersion,
  type Ref,
  shortenName,
} from "@treadle/apimachinery";
import { misuse } from "../../internal/misuse.ts";
import { inNamespaceOf } from "../../reads.ts";
import { requireTexts } from "./confidential.ts";
import type { DependentIdentity } from "./entries.ts";
import type { Adoption, DependentOptions } from "./types.ts";

/** The options of a step whatever its types. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that fits the functions of every author
export type AnyOptions = DependentOptions<any, Kind, string, any, any, any>;

/** What the functions of an author get besides the object. */
export interface Inputs {
  readonly vars: Readonly<Record<string, unknown>>;
  readonly reads: Readonly<Record<string, unknown>>;
  readonly dependents: Readonly<Record<string, KubernetesObject | undefined>>;
}

export interface Dependent {
  readonly options: AnyOptions;
  readonly name: string;
  readonly kind: Kind;
  readonly isOwned: boolean;
  readonly isCreated: boolean;
  readonly isUpdated: boolean;
  readonly isWatched: boolean;
  readonly isChecked: boolean;
  readonly adopt: Adoption;
}

export function dependentOf(options: AnyOptions): Dependent {
  const { name, kind, created = true, owned = created } = options;
  return {
    options,
    name,
    kind,
    isOwned: owned,
    isCreated: created,
    isUpdated: options.updated ?? true,
    isWatched: options.watched ?? true,
    isChecked: options.checkedForReadiness ?? true,
    adopt: options.adopt ?? (owned ? "never" : "ifUnowned"),
  };
}

/** Which object it is. @throws TypeError when the author's functions give no name, or no namespace where one is needed. */
export function targetOf({ options, kind, name: step }: Dependent, owner: KubernetesObject): Ref {
  const { objectName, namespace: given } = options;
  const name: unknown = typeof objectName === "function" ? objectName(owner) : (objectName ?? owner.metadata.name);
  const namespace: unknown = typeof given === "function" ? given(owner) : given;
  if (typeof name !== "string" || name === "")
    throw misuse("ERR_INVALID_STEP", `step "${step}": objectName gave ${textOf(name)}, which is no name`);
  if (namespace !== undefined && (typeof namespace !== "string" || namespace === ""))
    throw misuse("ERR_INVALID_STEP", `step "${step}": namespace gave ${textOf(namespace)}, which is no namespace`);
  const ref = inNamespaceOf(owner, kind, namespace === undefined ? { name } : { name, namespace });
  const isOwner = groupKindOf(kind) === groupKindOf({ group: parseApiVersion(owner.apiVersion).group, kind: owner.kind });
  if (isOwner && keyOf(ref) === keyOf(owner.metadata))
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${kind.kind} ${keyOf(ref)} is the object itself: say with objectName what its dependent is called`,
    );
  if (kind.scope === "Namespaced" && ref.namespace === undefined)
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${owner.kind} ${owner.metadata.name} has no namespace: say with namespace where ${kind.kind} ${name} is to be`,
    );
  return ref;
}

/** What can be told without an object of `primary`. */
export function problemsOf(dependent: Dependent, primary: Kind): readonly string[] {
  const { options, kind, isOwned, isCreated, isWatched, adopt } = dependent;
  const problems: string[] = [];
  const isOwnKind = groupKindOf(kind) === groupKindOf(primary);
  if (isOwnKind && options.objectName === undefined && (kind.scope === "Cluster" || options.namespace === undefined))
    problems.push(`keeps a ${kind.kind} of the name of its owner, which is the owner itself: say with objectName what it is called`);
  if (isOwned && !isCreated && adopt === "never")
    problems.push("is to own what somebody else creates, but may not take it: say adopt, or leave owned out");
  if (isOwned && isCreated && !isWatched && kind.scope === "Namespaced" && typeof options.namespace === "function")
    problems.push(
      "could lose sight of its object in another namespace: where namespace is a function, leave out watched: false, or say owned: false",
    );
  return problems;
}

/** The label by which the objects of a step are found. */
function stepLabels(handlerName: string, step: string): Readonly<Record<string, string>> {
  return { [`${handlerName}/dependent`]: stepLabelValue(step) };
}

export function stepLabelValue(step: string): string {
  return shortenName(step, MAX_LABEL_LENGTH);
}

/** The labels that all objects of a step and its owner have, and no others. */
export function marksOf(handlerName: string, step: string, owner: KubernetesObject): Readonly<Record<string, string>> {
  return { ...ownerLabels(owner, handlerName), ...stepLabels(handlerName, step) };
}

/** The whole of what is applied: what the author wants, where it is, and whose. */
export function bodyOf(
  dependent: Dependent,
  desired: object,
  given: { readonly owner: KubernetesObject; readonly handlerName: string; readonly target: Ref },
): Body {
  const { owner, handlerName, target } = given;
  const { name: step, kind, isOwned, options } = dependent;
  const {
    metadata = {},
    status: _status,
    ...fields
  } = asJson(step, desired, { path: "", above: [] }) as Readonly<Record<string, unknown>> & {
    readonly metadata?: Wanted;
    readonly status?: unknown;
  };
  requireOwnName(step, desired, target);
  requireTexts(step, kind, fields);
  const isReferable = canReference(owner, target.namespace);
  if (options.ownership === "reference" && !isReferable)
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${owner.kind} ${keyOf(owner.metadata)} cannot be referred to as the owner of ${kind.kind} ${keyOf(target)}, which is not in its namespace: leave ownership out, or say "label"`,
    );
  const byReference = isOwned && isReferable && options.ownership !== "label";
  const annotations = { ...metadata.annotations, ...(isOwned ? ownerAnnotations(owner, handlerName) : {}) };
  const body: Body = {
    ...(groupKindOf(kind) === "Secret" ? withEncodedText(fields) : fields),
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      ...target,
      labels: { ...metadata.labels, ...(isOwned ? marksOf(handlerName, step, owner) : stepLabels(handlerName, step)) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(metadata.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
      ...(byReference ? { ownerReferences: [controllerReference(owner)] } : {}),
    },
  };
  // Of what is confidential not even a hash stands beside it; its values are compared themselves.
  if (!isOwned || options.update !== undefined || kind.cachedAs === "metadata") return body;
  return { ...body, metadata: { ...body.metadata, annotations: { ...annotations, [digestAnnotation(handlerName)]: digestOf(body) } } };
}

/**
 * The annotation that says what was applied last: after a restart it tells what is wanted less from what the server added.
 */
export function digestAnnotation(handlerName: string): string {
  return `${handlerName}/applied`;
}

/** The same for the same JSON, whatever the order of its members. */
export function digestOf(value: unknown): string {
  return hash("sha256", JSON.stringify(sorted(value)), "hex").slice(0, 32);
}

/** What is applied. */
export interface Body extends KubernetesObject {
  readonly [field: string]: unknown;
}

interface Wanted {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** The object in an entry. */
export function identityOf(kind: Kind, target: Ref): DependentIdentity {
  const { name, namespace } = target;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** What the object is called: `ConfigMap web`, with its namespace where that is not the owner's. */
export function titleOf({ options, kind }: Dependent, target: Ref, owner: KubernetesObject): string {
  const isNear = target.namespace === undefined || target.namespace === owner.metadata.namespace;
  return `${options.displayName ?? kind.kind} ${isNear ? target.name : keyOf(target)}`;
}

/** @throws TypeError for a name in `desired` that is not the one under which the object will be looked for. */
function requireOwnName(step: string, desired: object, target: Ref): void {
  const { metadata } = desired as { readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown } };
  if (metadata?.name !== undefined && metadata.name !== target.name)
    throw misuse("ERR_INVALID_STEP", `step "${step}": desired names the object ${textOf(metadata.name)}: say it with objectName`);
  if (metadata?.namespace !== undefined && metadata.namespace !== target.namespace)
    throw misuse("ERR_INVALID_STEP", `step "${step}": desired puts the object into ${textOf(metadata.namespace)}: say it with namespace`);
}

interface Place {
  readonly path: string;
  readonly above: readonly object[];
}

/** As JSON will have it. @throws TypeError for what JSON would lose without a word, or has no end */
function asJson(step: string, value: unknown, { path, above }: Place): unknown {
  const refuse = (what: string): Error =>
    misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${path === "" ? "desired" : `desired holds at ${path}`}${path === "" ? " is" : ""} ${what}, which is not JSON`,
    );
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") throw refuse(`a ${typeof value}`);
  if (typeof value === "number" && !Number.isFinite(value)) throw refuse(`the number ${value}`);
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) throw refuse("itself, a circle");
  const below = (key: string | number): Place => ({
    path: typeof key === "number" ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`,
    above: [...above, value],
  });
  if (Array.isArray(value)) return value.map((each, i) => asJson(step, each, below(i)));
  if (value instanceof Date) {
    const text: string | null = value.toJSON();
    if (text === null) throw refuse("a date that is none");
    return text;
  }
  // What other realms and libraries make of `{}` is one, too: nothing is inherited but what all objects have.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw refuse(`a ${value.constructor?.name || "thing"}, no plain object`);
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw refuse("an object with a toJSON of its own");
  const kept = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, asJson(step, member, below(key))]));
}

/** `stringData` cannot be read back: as `data` it is compared and put back like everything else. It wins, as on the server. */
function withEncodedText({ stringData, ...fields }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof stringData !== "object" || stringData === null) return fields;
  // That they are texts is checked before.
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text as string).toString("base64")]);
  return { ...fields, data: { ...(fields["data"] as object | undefined), ...Object.fromEntries(encoded) } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
}
