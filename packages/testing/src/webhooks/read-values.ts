/** The values of declared reads, from all objects of their kinds at this moment: a test needs no informers of its webhooks. */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger, Reads } from "@treadle/reconcile";
import { type AnyRead, resolveReads } from "@treadle/reconcile/unstable/engine";
import { ObjectPicture } from "../internal/object-picture.ts";
import { pictureCache } from "../internal/picture-cache.ts";
import { UsedKinds } from "../internal/used-kinds.ts";

/** Where values come from. */
export interface ReadSource {
  readonly client: Client;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** What reads, for errors. */
  readonly where: string;
}

/** Returns the kinds of reads. */
export function kindsOfReads(reads: Reads<KubernetesObject>): readonly Kind[] {
  return (Object.values(reads) as unknown as AnyRead[]).map(({ kind }) => kind); // one() and many() made them
}

/** Returns the values of reads for an object, as in a step. @throws what a function of a read throws, and ApiError */
export async function readValues(
  reads: Reads<KubernetesObject>,
  object: KubernetesObject,
  source: ReadSource,
): Promise<Readonly<Record<string, unknown>>> {
  const picture = new ObjectPicture(source.client, new UsedKinds(kindsOfReads(reads), []), () => undefined);
  await picture.refresh();
  return await resolveReads(reads, object, { ...source, cache: pictureCache(picture), isServed: (kind) => picture.serves(kind) });
}
