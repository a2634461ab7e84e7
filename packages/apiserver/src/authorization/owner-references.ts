/**
 * The admission plugin OwnerReferencesPermissionEnforcement. A user who changes the owners of an object must be able to
 * delete the object. With `blockOwnerDeletion` the user must also be able to update the finalizers of the owner.
 */
import { jsonEqual } from "@treadle/apimachinery";
import { goQuote, type JsonObject } from "../internal/json.ts";
import { listAt } from "../internal/read.ts";
import { type Registry, resourceOf, type Served } from "../storage/registry.ts";
import { forbiddenError, type StatusError } from "../errors/status-errors.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import type { ResourceAttributes } from "./attributes.ts";
import type { Authorizer } from "./authorizer.ts";
import type { UserInfo } from "./identity.ts";

export interface OwnedWrite {
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  readonly registry: Registry;
  readonly served: Served;
  readonly draft: Draft;
  readonly live: StoredObject | undefined;
  readonly subresource: string;
}

interface OwnerReference extends JsonObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly blockOwnerDeletion?: boolean;
}

/** Checks the rights for the owner references of a write. @throws StatusError 403 */
export function checkOwners(write: OwnedWrite): void {
  const { user, authorizer, served, draft, live, subresource } = write;
  // The kubelet writes the status of pods and keeps their owners.
  if (served.type.id === "pods" && subresource === "status") return;
  const owners = ownersOf(draft);
  const before = live === undefined ? [] : ownersOf(live);
  if (jsonEqual(owners, before)) return;
  const { name, namespace = "" } = draft.metadata;
  if (live !== undefined) {
    const { group, plural } = served.type;
    const remove = { verb: "delete", group, version: served.version.version, resource: plural, subresource, namespace, name };
    const { isAllowed, reason } = authorizer.authorize(user, remove);
    if (!isAllowed) throw refused(write, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
  }
  const blocking = owners.filter(
    ({ uid, blockOwnerDeletion }) =>
      blockOwnerDeletion === true && !before.some((old) => old.uid === uid && old.blockOwnerDeletion === true),
  );
  if (blocking.length === 0 || authorizer.authorize(user, FINALIZE_ANYTHING).isAllowed) return;
  for (const owner of blocking) checkBlocking(write, owner);
}

function checkBlocking(write: OwnedWrite, { apiVersion = "", kind = "", name = "" }: OwnerReference): void {
  const { user, authorizer, registry, draft } = write;
  const owner = [...registry.all()].find((one) => one.version.apiVersion === apiVersion && one.type.kind === kind);
  if (owner === undefined) {
    const cause = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
    throw refused(
      write,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${cause}`,
    );
  }
  const { group, plural, isNamespaced } = owner.type;
  const namespace = isNamespaced ? (draft.metadata.namespace ?? "") : "";
  const { isAllowed, reason } = authorizer.authorize(user, {
    verb: "update",
    group,
    version: owner.version.version,
    resource: plural,
    subresource: "finalizers",
    namespace,
    name,
  });
  if (isAllowed) return;
  throw refused(
    write,
    `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`,
  );
}

const FINALIZE_ANYTHING: ResourceAttributes = {
  verb: "update",
  group: "*",
  version: "*",
  resource: "*",
  subresource: "finalizers",
  namespace: "",
  name: "*",
};

function ownersOf({ metadata }: { readonly metadata: { readonly [field: string]: unknown } }): readonly OwnerReference[] {
  return listAt(metadata, "ownerReferences"); // read by readMeta
}

function refused({ served, draft }: OwnedWrite, cause: string): StatusError {
  return forbiddenError(resourceOf(served.type), draft.metadata.name || String(draft.metadata["generateName"] ?? ""), cause);
}
