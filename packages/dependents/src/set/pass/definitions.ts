/** CRDs and APIServices of a set: they carry the finalizer of the handler, so that they do not disappear before their turn. */
import { isKindNotServed, isNotFound, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { refTo } from "../../core/marks.ts";
import type { Manifest } from "../plan/member.ts";
import { definedKindOf, definesKinds } from "../plan/own-kinds.ts";
import type { Run } from "./run.ts";

/**
 * Removes our finalizer from a CRD or APIService that is being deleted, when no instance of the CRD is left. Does nothing for other
 * objects. Safe to repeat. @throws the error of the server; 409 when another writer was faster
 */
export async function freeDefinition(run: Run, { kind }: { readonly kind: Kind }, live: KubernetesObject): Promise<void> {
  if (!definesKinds(kind) || !isHeld(run, live) || (await hasInstances(run, live))) return;
  await withoutFinalizer(run, kind, live);
}

/** Removes our finalizer. @throws the error of the server */
export async function withoutFinalizer({ context, pass }: Run, kind: Kind, live: KubernetesObject): Promise<void> {
  const { uid, resourceVersion, finalizers = [] } = live.metadata;
  const rest = finalizers.filter((name) => !pass.handler.finalizers.includes(name));
  const body = { metadata: { uid, resourceVersion, finalizers: rest.length === 0 ? null : rest } };
  try {
    await context.client.patch(kind, refTo(live), { type: "merge", body });
  } catch (error) {
    if (!isNotFound(error)) throw error; // It no longer exists, with its finalizers.
  }
}

/** Whether the object carries our finalizer. */
export function isHeld({ pass }: Run, { metadata }: KubernetesObject): boolean {
  return metadata.finalizers?.some((name) => pass.handler.finalizers.includes(name)) === true;
}

/** The server deletes the instances of a CRD before it deletes the CRD. It does not delete those of an APIService. */
async function hasInstances({ context }: Run, live: KubernetesObject): Promise<boolean> {
  const defined = definedKindOf(live as Manifest);
  if (defined === undefined) return false;
  try {
    const found = await context.client.list(defined, { namespace: "*", limit: 1 });
    return found.length > 0;
  } catch (error) {
    if (isKindNotServed(error)) return false;
    throw error;
  }
}
