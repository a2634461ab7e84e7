/** The owner of a set that no API server stores: its caller does, under the rules by which a server stores objects. */
import { ApiError, applyMergePatch, type Kind, keyOf, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import type { Client, Patch, WriteOptions } from "@treadle/client";

/** The store of one owner. */
export interface StoredOwner {
  /** The owner as it was stored last, with uid and resourceVersion; `undefined`: it no longer exists. */
  readonly current: KubernetesObject | undefined;
  /**
   * Stores `next` in place of {@link StoredOwner.current}, and returns it with its new version. An owner with a deletionTimestamp and
   * without finalizers may end. @throws ApiError with the code of a conflict if another writer has stored something since
   */
  store(next: KubernetesObject, signal?: AbortSignal): Promise<KubernetesObject>;
}

/** Returns the client by which a pass reads and writes its owner. It sends nothing else, and in a dry run nothing at all. */
export function ownerClient(owner: StoredOwner, { isDryRun }: { readonly isDryRun: boolean }): Client {
  let dry: KubernetesObject | undefined;
  const current = (): KubernetesObject | undefined => (isDryRun ? (dry ?? owner.current) : owner.current);
  const refuse = (verb: string) => (): Promise<never> =>
    Promise.reject(new Error(`cannot ${verb}: a run without an operator stores its owner only`));
  return {
    get: async <K extends Kind>(_kind: K, _ref: Ref) => current() as ObjectOf<K> | undefined, // It has one kind.
    async patch<K extends Kind>(kind: K, ref: Ref, patch: Patch, options?: WriteOptions): Promise<ObjectOf<K>> {
      const before = current();
      if (before === undefined) throw refused(kind, ref, 404, "NotFound");
      if (patch.type !== "merge") throw new Error("an owner is written by merge patches only");
      const given = (patch.body as { readonly metadata?: { readonly resourceVersion?: string } }).metadata?.resourceVersion;
      if (given !== undefined && given !== before.metadata.resourceVersion) throw refused(kind, ref, 409, "Conflict");
      const next = applyMergePatch(before, patch.body) as KubernetesObject; // It has only changed fields.
      if (isDryRun) dry = next;
      return (isDryRun ? next : await owner.store(next, options?.signal)) as ObjectOf<K>;
    },
    list: refuse("list"),
    watch: refuse("watch") as never,
    create: refuse("create"),
    update: refuse("update"),
    apply: refuse("apply"),
    delete: refuse("delete"),
    raw: refuse("send a request"),
    close: async () => undefined,
  };
}

function refused(kind: Kind, { name, namespace }: Ref, status: number, reason: string): ApiError {
  const ref = namespace === undefined ? { name } : { name, namespace };
  return new ApiError({
    message: `cannot write ${kind.kind} ${keyOf(ref)}: ${reason}`,
    status,
    reason,
    details: { name, kind: kind.plural, group: kind.group },
  });
}
