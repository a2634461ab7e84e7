/** Where the objects of a step are, as its state stores it before the first write. Pure. */
import type { Ref } from "@treadle/apimachinery";
import type { Impersonation } from "@treadle/client";
import { z } from "zod";
import type { KnownTarget } from "../types.ts";

/** Where objects are. It contains no credential. */
export interface StoredTarget {
  /** The Secret with the kubeconfig; `undefined`: the cluster of the operator. */
  readonly secret?: Ref | undefined;
  /** The id of the cluster. */
  readonly cluster: string;
  /** Digest of server and CA. */
  readonly server: string;
  /** The user as whom the objects were written. @defaultValue that of the kubeconfig */
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** The schema of {@link StoredTarget}. */
export const STORED_TARGET: z.ZodOptional<z.ZodObject> = z
  .object({
    secret: z.object({ name: z.string(), namespace: z.string().optional() }).optional(),
    cluster: z.string(),
    server: z.string(),
    user: z.string().optional(),
    groups: z.array(z.string()).optional(),
  })
  .optional();

/** Returns what is stored of a target with this cluster id. */
export function storedTargetOf({ secret, serverDigest, as }: KnownTarget, cluster: string): StoredTarget {
  return {
    ...(secret === undefined ? {} : { secret: refOf(secret) }),
    cluster,
    server: serverDigest,
    ...(as === undefined ? {} : { user: as.user }),
    ...(as?.groups === undefined || as.groups.length === 0 ? {} : { groups: [...as.groups] }),
  };
}

function refOf({ name, namespace }: Ref): Ref {
  return namespace === undefined ? { name } : { name, namespace };
}

/** Returns the user of a stored target. */
export function storedUserOf({ user, groups }: StoredTarget): Impersonation | undefined {
  if (user === undefined) return undefined;
  return groups === undefined ? { user } : { user, groups };
}

/**
 * Whether both are one cluster. Its id is the digest of the server while the credential may not read the namespace kube-system: then the
 * server decides.
 */
export function isSameCluster(a: StoredTarget, b: StoredTarget): boolean {
  if (a.secret === undefined && b.secret === undefined) return true;
  if (a.secret === undefined || b.secret === undefined) return false;
  if (a.cluster === b.cluster) return true;
  const isGuess = a.cluster === a.server || b.cluster === b.server;
  return isGuess && a.server === b.server;
}

/** Whether both name the same Secret. */
export function isSameSecret(a: Ref | undefined, b: Ref | undefined): boolean {
  return a?.name === b?.name && (a?.namespace ?? "") === (b?.namespace ?? "");
}

/** Returns a name of the target for users. */
export function titleOfTarget({ secret, user }: Pick<StoredTarget, "secret" | "user">): string {
  const where =
    secret === undefined
      ? "the cluster of the operator"
      : `the cluster of Secret ${secret.namespace === undefined ? "" : `${secret.namespace}/`}${secret.name}`;
  return user === undefined ? where : `${where} (as ${user})`;
}
