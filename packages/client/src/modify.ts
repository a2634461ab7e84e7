/** Optimistic changes: read, change, write if nobody else did meanwhile. */
import {
  ApiError,
  type Clock,
  isConflict,
  isMetadataOnly,
  jsonEqual,
  keyOf,
  type Kind,
  type KubernetesObject,
  type Mutable,
  type ObjectOf,
  type Random,
  type Ref,
  systemClock,
  systemRandom,
  type WriteOf,
} from "@treadle/apimachinery";
import type { Client, WriteOptions } from "./client.ts";
import { wait } from "./wait.ts";

export interface ModifyOptions extends Omit<WriteOptions, "subresource"> {
  /** Writes the object's status instead of the rest of it. */
  readonly subresource?: "status";
  /** How often to read and write at the most. @defaultValue 5 (client-go `retry.DefaultRetry`) */
  readonly attempts?: number;
  /** @defaultValue the system's */
  readonly clock?: Clock;
  /** @defaultValue the system's */
  readonly random?: Random;
}

const ATTEMPTS = 5;
/** Doubling, and with as much again at random. */
const FIRST_DELAY_MS = 10;

/**
 * Changes an object: `change` gets the live one as a draft to write into, or gives another draft back. When somebody else
 * changed the object meanwhile, it is read and `change` is called again. A draft that is equal to the object sends nothing.
 * @returns the object as it is stored then
 * @throws ApiError `isNotFound` when there is no such object; 409 when every attempt met a newer version; what `change` throws
 */
// oxlint-disable-next-line max-params -- what, and how it changes, are said in the order in which one thinks them
export async function modify<K extends Kind>(
  client: Client,
  kind: K,
  ref: Ref,
  change: (draft: Mutable<ObjectOf<K>>) => Mutable<ObjectOf<K>> | void | Promise<Mutable<ObjectOf<K>> | void>,
  options: ModifyOptions = {},
): Promise<ObjectOf<K>> {
  const { attempts = ATTEMPTS, clock = systemClock, random = systemRandom, ...write } = options;
  if (isMetadataOnly(kind))
    throw new TypeError(`cannot change ${kind.kind} ${keyOf(ref)}: what was read as metadata only cannot be written`);
  for (let attempt = 1; ; attempt++) {
    const live = await client.get(kind, ref, callOptions(write));
    if (live === undefined) throw notFound(kind, ref);
    const draft = structuredClone(live) as Mutable<ObjectOf<K>>; // a copy may be written
    const changed = (await change(draft)) ?? draft;
    if (jsonEqual(changed, live)) return live;
    try {
      return await client.update(kind, pinned(changed, live) as WriteOf<K>, write);
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
    await wait(clock, FIRST_DELAY_MS * 2 ** (attempt - 1) * (1 + random.next()), options.signal);
  }
}

/** What makes it optimistic is not for `change` to take away. */
function pinned(changed: object, { metadata: { name, namespace, uid, resourceVersion } }: KubernetesObject): object {
  const { metadata } = changed as Partial<KubernetesObject>;
  return { ...changed, metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion } };
}

function callOptions({ signal, retry, beforeAttempt }: WriteOptions): object {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(retry === undefined ? {} : { retry }),
    ...(beforeAttempt === undefined ? {} : { beforeAttempt }),
  };
}

function notFound(kind: Kind, ref: Ref): ApiError {
  const message = `cannot change ${kind.kind} ${keyOf(ref)}: there is no such object`;
  return new ApiError({ message, status: 404, reason: "NotFound", details: { name: ref.name, kind: kind.plural, group: kind.group } });
}
