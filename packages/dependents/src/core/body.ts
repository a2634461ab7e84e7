/** From the desired state of the author to what is applied: as JSON, with name, namespace and the marks of the owner. */
import { hash } from "node:crypto";
import {
  apiVersionOf,
  canReference,
  controllerReference,
  groupKindOf,
  type Kind,
  type KubernetesObject,
  keyOf,
  ownerAnnotations,
  type Ref,
} from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { requireTexts } from "./confidential.ts";
import { plainJson } from "./json.ts";
import type { Context } from "./context.ts";
import { digestAnnotation, marksOf, unitLabels } from "./marks.ts";
import { isObject } from "./owned-fields.ts";
import type { Plan } from "./plan.ts";

/** What is applied. */
export interface Body extends KubernetesObject {
  readonly [field: string]: unknown;
}

/** @throws TypeError for a desired state that cannot be stored as it is */
export function bodyOf(context: Context, { policy, target }: Pick<Plan, "policy" | "target">, desired: object): Body {
  const { owner, handlerName, unit } = context;
  const { kind, isOwned } = policy;
  const where = `${context.unitNoun} "${unit}"`;
  const { metadata, fields } = contentOf(where, { kind, target }, desired);
  const canRefer = canReference(owner, target.namespace);
  if (policy.ownership === "reference" && !canRefer)
    throw misuse(
      "ERR_INVALID_STEP",
      `${where}: ${owner.kind} ${keyOf(owner.metadata)} cannot be referred to as the owner of ${kind.kind} ${keyOf(target)}, which is not in its namespace: leave out ownership, or set it to "label"`,
    );
  const byReference = isOwned && canRefer && policy.ownership !== "label";
  const annotations = { ...metadata.annotations, ...(isOwned ? ownerAnnotations(owner, handlerName) : {}) };
  const body: Body = {
    ...(groupKindOf(kind) === "Secret" ? withEncodedText(fields) : fields),
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      ...target,
      labels: { ...metadata.labels, ...(isOwned ? marksOf(context, handlerName) : unitLabels(handlerName, unit)) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(metadata.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
      ...(byReference ? { ownerReferences: [controllerReference(owner)] } : {}),
    },
  };
  // A confidential object carries no digest of its values: they are compared themselves.
  if (!isOwned || policy.update !== undefined || kind.cachedAs === "metadata") return body;
  return { ...body, metadata: { ...body.metadata, annotations: { ...annotations, [digestAnnotation(handlerName)]: digestOf(body) } } };
}

/** The desired state of the author as JSON. */
export interface Content {
  readonly metadata: GivenMetadata;
  /** All fields but `metadata` and `status`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @throws TypeError for a desired state that cannot be stored as it is */
export function contentOf(where: string, { kind, target }: { readonly kind: Kind; readonly target: Ref }, desired: object): Content {
  // plainJson() keeps the shape of an object; its members besides metadata are checked by the server.
  const { metadata: given, status: _status, ...fields } = plainJson(`${where}: desired`, desired) as Readonly<Record<string, unknown>>;
  const metadata = metadataOf(where, given);
  requireSameName(where, desired, target);
  requireTexts(where, kind, fields);
  return { metadata, fields };
}

/** The same text for equal JSON, whatever the order of its members. */
export function digestOf(value: unknown): string {
  return hash("sha256", JSON.stringify(sorted(value)), "hex").slice(0, 32);
}

/** The metadata that a desired state may have. */
export interface GivenMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** @throws TypeError for what is not the metadata of an object */
function metadataOf(where: string, given: unknown): GivenMetadata {
  const refuse = (path: string, wanted: string, value: unknown): Error =>
    misuse("ERR_INVALID_STEP", `${where}: desired must have ${wanted} as ${path}, or leave it out; it has ${textOf(value)}`);
  if (given === undefined) return {};
  if (!isObject(given)) throw refuse("metadata", "an object", given);
  for (const name of ["labels", "annotations"] as const) {
    const texts = given[name];
    if (texts !== undefined && texts !== null && !isObject(texts)) throw refuse(`metadata.${name}`, "an object", texts);
  }
  const { finalizers } = given;
  if (finalizers !== undefined && finalizers !== null && !Array.isArray(finalizers))
    throw refuse("metadata.finalizers", "a list", finalizers);
  return given;
}

/** @throws TypeError for a name in `desired` that is not the one under which the object will be looked for. */
function requireSameName(where: string, desired: object, target: Ref): void {
  const { metadata } = desired as { readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown } };
  if (metadata?.name !== undefined && metadata.name !== target.name)
    throw misuse("ERR_INVALID_STEP", `${where}: desired has the name ${textOf(metadata.name)}: set it by objectName`);
  if (metadata?.namespace !== undefined && metadata.namespace !== target.namespace)
    throw misuse("ERR_INVALID_STEP", `${where}: desired has the namespace ${textOf(metadata.namespace)}: set it by namespace`);
}

/** `stringData` cannot be read back: as `data` it is compared and reverted like every field. It wins, as on the server. */
function withEncodedText({ stringData, ...fields }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof stringData !== "object" || stringData === null) return fields;
  // requireTexts() has checked that the values are texts.
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text as string).toString("base64")]);
  return { ...fields, data: { ...(fields["data"] as object | undefined), ...Object.fromEntries(encoded) } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const inOrder: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const member = sorted((value as Record<string, unknown>)[key]);
    // An assignment to this name would set the prototype.
    if (key === "__proto__") Object.defineProperty(inOrder, key, { value: member, enumerable: true });
    else inOrder[key] = member;
  }
  return inOrder;
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
}
