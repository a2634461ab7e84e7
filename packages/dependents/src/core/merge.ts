/** The custom merge of an author, in place of server-side apply. */
import { jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "./ask.ts";
import { type Body, digestOf } from "./body.ts";
import { isPlain } from "./json.ts";
import type { ObjectMemory } from "./memory.ts";
import type { Policy } from "./plan.ts";

/** What the author's `update` returns, with our marks added; `undefined` where nothing is to be written. */
export function merged(
  policy: Policy,
  { body, live, memory }: { readonly body: Body; readonly live: KubernetesObject; readonly memory: ObjectMemory },
): KubernetesObject | undefined {
  const { labels, annotations, ownerReferences: ours = [] } = body.metadata;
  const given = givenBy(policy, live, body);
  const others = (given.metadata?.ownerReferences ?? []).filter(({ uid }) => !ours.some((reference) => reference.uid === uid));
  const references = ours.length === 0 ? given.metadata?.ownerReferences : [...others, ...ours];
  const { managedFields: _, ...metadata } = live.metadata;
  const hasAnnotations = annotations !== undefined || given.metadata?.annotations !== undefined;
  const next = {
    ...given,
    metadata: {
      ...metadata,
      ...given.metadata,
      labels: { ...given.metadata?.labels, ...labels },
      ...(hasAnnotations ? { annotations: { ...given.metadata?.annotations, ...annotations } } : {}),
      ...(references === undefined ? {} : { ownerReferences: references }),
      name: live.metadata.name,
      uid: live.metadata.uid,
      resourceVersion: live.metadata.resourceVersion,
    },
  } as KubernetesObject; // An object that was read from a server has a uid and a version.
  if (jsonEqual(next, { ...live, metadata: { ...metadata, labels: { ...metadata.labels } } })) return undefined;
  // Fields that the server adds to the merge, or does not store of it, are no reason to write it again.
  const known = memory.applied;
  const isStored = known?.uid === live.metadata.uid && known?.resourceVersion === live.metadata.resourceVersion;
  return isStored && known?.wanted === digestOf(withoutVersion(next)) ? undefined : next;
}

/** What the author's function returns; `live` where there is nothing to write. @throws TypeError for what is not an object */
function givenBy({ update }: Policy, live: KubernetesObject, body: Body): KubernetesObject {
  const answer: unknown = called("update", () => update?.(live, body)) ?? live;
  // The fields of an instance of a class, such as a Map, would be lost when the object is sent.
  if (typeof answer !== "object" || answer === null || Array.isArray(answer) || !isPlain(answer) || isPromiseLike(answer))
    throw misuse("ERR_INVALID_STEP", `update returned ${nameOfAnswer(answer)}, but must return the object to store, or undefined`);
  return answer as KubernetesObject; // An object of the kind, or the server refuses it.
}

/** Remembers what the server made of the merge. */
export function noteMerged(
  memory: ObjectMemory,
  { next, stored }: { readonly next: KubernetesObject; readonly stored: KubernetesObject },
): void {
  const { uid, resourceVersion } = stored.metadata;
  memory.applied = { uid, wanted: digestOf(withoutVersion(next)), stored: undefined, resourceVersion };
}

function withoutVersion({ metadata, ...rest }: KubernetesObject): object {
  return { ...rest, metadata: { ...metadata, resourceVersion: undefined } };
}
