/**
 * The last step of a change of a CRD's storage version. Every object is written again, so that the server stores it in the
 * current version; then `status.storedVersions` names only that version. Until then the server refuses to remove an older
 * version from the CRD.
 *
 * Guarantees
 * - Only the resourceVersion of an object changes. Writes of others in the meantime stay.
 * - It can be interrupted at any point and called again. If there is nothing to do, it only reads the CRD.
 */
import {
  isConflict,
  isExpired,
  isNotFound,
  type Kind,
  kind as kindOf,
  keyOf,
  type KubernetesObject,
  metadataOnly,
} from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";
import { ManagerError } from "./manager-error.ts";

/** Options of {@link migrateStoredVersions}. */
export interface StoredVersionsOptions {
  /** Called after each page of objects with the number of objects that were written so far. */
  readonly onProgress?: (rewritten: number) => void;
  /** Ends the migration, which then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** The result of {@link migrateStoredVersions}. */
export interface StoredVersions {
  /** The version in which all objects are stored now. */
  readonly storageVersion: string;
  /** The versions that no object is stored in any more. */
  readonly removed: readonly string[];
  /** Number of objects that were written. Objects that another writer changed or deleted in the meantime are not written. */
  readonly rewritten: number;
}

/**
 * Rewrites all objects of the CRD `name` (`<plural>.<group>`). Needs the rights to get the CRD and patch its status, and to
 * list and patch its objects. Call it when every API server knows the new storage version: a minute after the change.
 *
 * @throws ManagerError ERR_STORED_VERSIONS when the CRD does not exist, or its storage version changes in the meantime; the API's errors
 */
export async function migrateStoredVersions(client: Client, name: string, options: StoredVersionsOptions = {}): Promise<StoredVersions> {
  const crd = await readCrd(client, name, options);
  const { storageVersion, removed, kind } = crd;
  if (removed.length === 0) return { storageVersion, removed, rewritten: 0 };
  const rewritten = await rewriteAll(client, kind, options);
  await trim(client, name, { storageVersion, options });
  return { storageVersion, removed, rewritten };
}

interface Crd {
  readonly kind: Kind;
  readonly resourceVersion: string | undefined;
  readonly storageVersion: string;
  readonly removed: readonly string[];
}

async function readCrd(client: Client, name: string, { signal }: StoredVersionsOptions): Promise<Crd> {
  const crd = await client.get(CustomResourceDefinition, { name }, signalled(signal));
  if (crd === undefined) throw refused(name, "there is no such CRD: give its name, <plural>.<group>");
  const { group, names, scope, versions } = crd.spec;
  const storageVersion = versions.find(({ storage }) => storage)?.name;
  if (storageVersion === undefined) throw refused(name, "none of its versions is the storage version");
  return {
    kind: kindOf({
      group,
      version: storageVersion,
      kind: names.kind,
      plural: names.plural,
      scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    }),
    resourceVersion: crd.metadata.resourceVersion,
    storageVersion,
    removed: (crd.status?.storedVersions ?? []).filter((version) => version !== storageVersion),
  };
}

async function rewriteAll(client: Client, kind: Kind, options: StoredVersionsOptions): Promise<number> {
  const { signal, onProgress } = options;
  const written = new Set<string>();
  let from: { readonly continue?: string } | undefined = {};
  while (from !== undefined) {
    const page = await pageOf(client, kind, { from, signal });
    // The list took longer than the server keeps its first page: list again, without the written objects.
    if (page === "expired") from = {};
    else {
      const items = page.items.filter(({ metadata }) => !written.has(keyOf(metadata)));
      for (let at = 0; at < items.length; at += AT_ONCE)
        await Promise.all(items.slice(at, at + AT_ONCE).map((object) => rewrite(client, kind, { object, written, options })));
      onProgress?.(written.size);
      from = page.next === undefined ? undefined : { continue: page.next };
    }
  }
  return written.size;
}

async function pageOf(
  client: Client,
  kind: Kind,
  { from, signal }: { readonly from: { readonly continue?: string }; readonly signal: AbortSignal | undefined },
): Promise<{ readonly items: readonly KubernetesObject[]; readonly next: string | undefined } | "expired"> {
  try {
    const { items, metadata } = await client.list(metadataOnly(kind), { limit: PAGE, ...from, ...signalled(signal) });
    return { items: items as readonly KubernetesObject[], next: metadata.continue === "" ? undefined : metadata.continue };
  } catch (error) {
    if (from.continue === undefined || !isExpired(error)) throw error;
    return "expired";
  }
}

/** A patch that changes nothing is stored all the same if the object is stored in another version. */
async function rewrite(
  client: Client,
  kind: Kind,
  {
    object,
    written,
    options,
  }: { readonly object: KubernetesObject; readonly written: Set<string>; readonly options: StoredVersionsOptions },
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const ref = namespace === undefined ? { name } : { name, namespace };
  try {
    await client.patch(kind, ref, { type: "merge", body: { metadata: { uid, resourceVersion } } }, signalled(options.signal));
    written.add(keyOf(object.metadata));
  } catch (error) {
    // Another writer has written it, in the current version, or it was deleted.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function trim(
  client: Client,
  name: string,
  { storageVersion, options }: { readonly storageVersion: string; readonly options: StoredVersionsOptions },
): Promise<void> {
  for (;;) {
    const now = await readCrd(client, name, options);
    if (now.storageVersion !== storageVersion)
      throw refused(
        name,
        `its storage version became ${now.storageVersion} while objects were written in ${storageVersion}: call it again`,
      );
    const body = { metadata: { resourceVersion: now.resourceVersion }, status: { storedVersions: [storageVersion] } };
    try {
      await client.patch(
        CustomResourceDefinition,
        { name },
        { type: "merge", body },
        { subresource: "status", ...signalled(options.signal) },
      );
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

function signalled(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function refused(name: string, why: string): ManagerError {
  return new ManagerError("ERR_STORED_VERSIONS", `cannot migrate the stored versions of CRD ${name}: ${why}`);
}

const PAGE = 500;
const AT_ONCE = 10;
