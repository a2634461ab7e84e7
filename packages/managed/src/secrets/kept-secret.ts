/** Finds the Secret with the values that only the last create returned. */
import { type KubernetesObject, type ObjectOf, ownership, type Ref } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import type { External } from "../types.ts";
import { type Creation, isOfCreate } from "./connection-content.ts";
import { ownSecrets, refIn, type SecretReq } from "./own-secrets.ts";

/** Which Secret is asked for. */
export interface KeptSecretWanted {
  /** The name of the managed step. */
  readonly step: string;
  /** What the managed step gives in this pass. */
  readonly external: Creation & Pick<External<unknown>, "createdKeys">;
  /** The present name of the Secret. */
  readonly ref: Ref;
}

/**
 * Returns a Secret of ours with the keys of this create; `undefined` if no Secret has them. No request in steady state.
 *
 * The cache may be older than the Secret that another process wrote before, and after a change of `objectName` the keys are in a
 * Secret of another name. Only live reads tell: without them, the values would be removed.
 */
export async function keptSecret(req: SecretReq, { step, external, ref }: KeptSecretWanted): Promise<ObjectOf<typeof Secret> | undefined> {
  const { object, reads, client, handlerNames } = req;
  const isOurs = (secret: KubernetesObject): boolean => ownership(secret, object, handlerNames).type === "ours";
  const isKept = (secret: KubernetesObject): boolean => isOurs(secret) && isOfCreate(secret, step, external);
  if (reads.secret !== undefined && isKept(reads.secret)) return reads.secret;
  // An imported resource has no such keys, and a create that has just returned keys returned all of them.
  if (external.creation === 0 || external.createdKeys.length > 0 || ref.namespace === undefined) return undefined;
  const others = ownSecrets(req, ref.namespace).filter(isKept);
  const refs = [
    ...(reads.secret !== undefined && isOurs(reads.secret) ? [ref] : []),
    ...others.map(({ metadata }) => refIn(ref.namespace, metadata.name)),
  ];
  for (const each of refs) {
    const live = await client.get(Secret, each);
    if (live !== undefined && isKept(live)) return live;
  }
  return undefined;
}
