/**
 * Replaces an object by a PUT: fields of other writers are removed, finalizers and the status stay.
 *
 * Guarantees
 * - A PUT is sent only when the desired state is another one than the last, or when a desired field has another value.
 * - A value that the server changes in each PUT is remembered, and is no reason for another one. After a restart one PUT finds it out.
 */
import { type KubernetesObject, ownerAnnotations } from "@treadle/apimachinery";
import { type Body, digestOf } from "./body.ts";
import type { Context } from "./context.ts";
import { claimedNames } from "./difference.ts";
import { keeping, valueAt } from "./immutable.ts";
import { digestAnnotation, digestOfKept, marksOf, refTo } from "./marks.ts";
import type { ObjectMemory } from "./memory.ts";
import { type FieldSet, firstDifference, textOfPath } from "./owned-fields.ts";
import { formerUnits } from "./ownership.ts";
import type { Policy } from "./plan.ts";
import { readLive, takenOver } from "./take-over.ts";
import { hasValues, type ValueDifference, valueDifferences } from "./values.ts";
import type { Wanted } from "./work.ts";

interface Sides {
  readonly body: Body;
  readonly live: KubernetesObject;
  readonly memory: ObjectMemory;
}

/** Why a PUT is necessary, as a path or a sentence; `undefined` where it is not. */
export async function differenceToReplace(context: Context, policy: Policy, { body, live, memory }: Sides): Promise<string | undefined> {
  if (claimedNames(context, live).length > 0 || (hasFormerMarks(context, live) && isClaimed(context)))
    return "in what its handler left there under a former name";
  if (formerUnits(context, policy, live).length > 0) return `in what another ${context.unitNoun} left there`;
  const { uid, resourceVersion } = live.metadata;
  const known = memory.applied?.uid === uid ? memory.applied : undefined;
  const wanted = digestOf(body);
  if (known?.wanted === wanted && known.resourceVersion !== undefined && known.resourceVersion === resourceVersion) return undefined;
  const at = ({ path }: ValueDifference): string => `at ${textOfPath(path)}`;
  const [first] = valueDifferences(body, live, 1);
  if ((known !== undefined && known.wanted !== wanted) || !isSameDigest(context, policy, { body, live }))
    return first === undefined ? "at what was applied" : at(first);
  const [open] = openDifferences({ body, live, memory });
  if (open !== undefined) return at(open);
  if (known === undefined) {
    const left = await forgottenField(context, policy, { body, live });
    if (left !== undefined) return `at ${left}`;
  }
  memory.applied = {
    uid,
    wanted,
    stored: undefined,
    resourceVersion,
    ...(known?.accepted === undefined ? {} : { accepted: known.accepted }),
  };
  return undefined;
}

/** The desired values that the object does not have, without those that the server changed in the last PUT. */
export function openDifferences({ body, live, memory }: Sides): readonly ValueDifference[] {
  const { applied } = memory;
  const accepted = applied?.uid === live.metadata.uid && applied?.wanted === digestOf(body) ? applied.accepted : undefined;
  const differing = valueDifferences(body, live);
  return accepted === undefined
    ? differing
    : differing.filter(({ path, live: value }) => accepted.get(textOfPath(path)) !== digestOf([value]));
}

/** Sends the PUT. @throws the error of the server; 409 when another writer was faster */
export async function replaced(
  { context, plan, memory, body }: Wanted,
  { live, fresh }: { readonly live: KubernetesObject; readonly fresh: KubernetesObject | undefined },
): Promise<KubernetesObject> {
  const { policy } = plan;
  const free = await takenOver(context, policy, { known: live, fresh });
  const stored: KubernetesObject = await context.client.update(policy.kind, successorOf(context, policy, { body, live: free }));
  noteReplaced(memory, { body, stored });
  return stored;
}

/** Remembers what the server made of `body`. */
export function noteReplaced(memory: ObjectMemory, { body, stored }: { readonly body: Body; readonly stored: KubernetesObject }): void {
  const { uid, resourceVersion } = stored.metadata;
  const accepted = new Map(valueDifferences(body, stored).map(({ path, live }) => [textOfPath(path), digestOf([live])]));
  memory.applied = { uid, wanted: digestOf(body), stored: undefined, resourceVersion, accepted };
}

/** Whether the object carries marks under a former name of the handler. */
export function hasFormerMarks(context: Context, live: KubernetesObject): boolean {
  const { labels, annotations, finalizers } = formerMarksOf(context, live);
  return finalizers.length > 0 || Object.keys(labels).length > 0 || Object.keys(annotations).length > 0;
}

/** What is stored in place of `live`. */
function successorOf(context: Context, policy: Policy, { body, live }: Omit<Sides, "memory">): KubernetesObject {
  const { uid, resourceVersion, finalizers = [] } = live.metadata;
  const former = formerMarksOf(context, live);
  const kept = hasFormerMarks(context, live) && !isClaimed(context) ? former : NOT_KEPT;
  const gone = former.finalizers.filter((finalizer) => !kept.finalizers.includes(finalizer));
  const all = new Set([...finalizers.filter((finalizer) => !gone.includes(finalizer)), ...(body.metadata.finalizers ?? [])]);
  const annotations = { ...kept.annotations, ...body.metadata.annotations };
  // Servers complete fields that cannot change, such as the selector of a Job, and refuse an object without the rest.
  const fixed = policy.immutableFields.filter((path) => /^spec(?:\.|$)/.test(path) && isCompleted(path, { body, live }));
  const { status } = live as { readonly status?: unknown };
  return {
    ...keeping(fixed, { body, live, owned: undefined }),
    // Of a kind without the subresource a PUT would remove the status.
    ...(status === undefined ? {} : { status }),
    metadata: {
      ...body.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      labels: { ...kept.labels, ...body.metadata.labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(all.size === 0 ? {} : { finalizers: [...all] }),
    },
  };
}

function isCompleted(path: string, { body, live }: Omit<Sides, "memory">): boolean {
  const value = valueAt(live, path);
  return value !== undefined && hasValues(value, valueAt(body, path));
}

/** A kept digest says that the server refused to change fields, which were ignored. */
function isSameDigest({ handlerName }: Context, { onImmutable }: Policy, { body, live }: Omit<Sides, "memory">): boolean {
  const key = digestAnnotation(handlerName);
  const wanted = body.metadata.annotations?.[key];
  const applied = live.metadata.annotations?.[key];
  return wanted === undefined || applied === wanted || (onImmutable === "ignore" && applied === digestOfKept(wanted));
}

/**
 * A field of an earlier desired state. An object without a digest, such as a Secret, does not show that its desired state has become
 * smaller, but our entry of managedFields does. The server is asked once in a process.
 */
async function forgottenField(context: Context, policy: Policy, { body, live }: Omit<Sides, "memory">): Promise<string | undefined> {
  const { handlerName, handlerNames } = context;
  if (body.metadata.annotations?.[digestAnnotation(handlerName)] !== undefined) return undefined;
  const fresh = await readLive(context, policy, refTo(live));
  const entry = fresh?.metadata.managedFields?.find(
    ({ manager = "", operation, subresource = "" }) => operation === "Update" && subresource === "" && handlerNames.includes(manager),
  );
  if (entry?.fieldsV1 === undefined) return undefined;
  const { "f:type": type, ...fields } = entry.fieldsV1 as FieldSet;
  // The type of a Secret has a default, which the entry has too.
  const owned = body["type"] === undefined || type === undefined ? fields : { ...fields, "f:type": type };
  return firstDifference(body, live, { owned, trust: true });
}

interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
}

const NOT_KEPT: Marks = Object.freeze({ labels: {}, annotations: {}, finalizers: [] });

/** During a rolling update the old version still finds the object by them. */
function formerMarksOf(context: Context, { metadata }: KubernetesObject): Marks {
  const [, ...former] = context.handlerNames;
  if (former.length === 0) return NOT_KEPT;
  const { annotations = [], finalizers = [] } = context.extraMarks ?? {};
  const isFormer = (key: string): boolean => former.some((name) => key.startsWith(`${name}/`));
  const keys = former.flatMap((name) => [...Object.keys(ownerAnnotations(context.owner, name)), digestAnnotation(name)]);
  return {
    labels: among(
      former.flatMap((name) => Object.keys(marksOf(context, name))),
      metadata.labels,
    ),
    annotations: among([...keys, ...annotations.filter(isFormer)], metadata.annotations),
    finalizers: finalizers.filter((each) => isFormer(each) && metadata.finalizers?.includes(each) === true),
  };
}

function among(keys: readonly string[], from: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));
}

function isClaimed(context: Context): boolean {
  return context.claims(`dependent ${context.unit}`);
}
