/** Optimistic changes: read, change, and write unless another writer changed the object meanwhile. */
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

/** Options of {@link modify}. */
export interface ModifyOptions extends Omit<WriteOptions, "subresource"> {
  /** Writes the status of the object instead of the rest. */
  readonly subresource?: "status";
  /** Maximum number of reads and writes. @defaultValue 5 (client-go `retry.DefaultRetry`) */
  readonly attempts?: number;
  /** Clock of the pauses. @defaultValue the system's */
  readonly clock?: Clock;
  /** Source of the jitter. @defaultValue the system's */
  readonly random?: Random;
}

const ATTEMPTS = 5;
/** Pause before the second attempt. It doubles each time, with up to the same time added at random. */
const FIRST_DELAY_MS = 10;

/**
 * Changes an object. `change` gets the live object as a draft, and writes into it or returns another draft. When another writer
 * changed the object meanwhile, it is read and changed again. A draft that is equal to the object sends nothing.
 * @returns the object as it is stored after the change
 * @throws ApiError `isNotFound` when the object does not exist; 409 when every attempt met a newer version; what `change` throws
 */
// oxlint-disable-next-line max-params -- the object and its change read best in this order
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

/** `change` must not remove the fields that make the write conditional. */
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
  const message = `cannot change ${kind.kind} ${keyOf(ref)}: the object does not exist`;
  return new ApiError({ message, status: 404, reason: "NotFound", details: { name: ref.name, kind: kind.plural, group: kind.group } });
}
