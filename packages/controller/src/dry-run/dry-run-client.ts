/**
 * A client that reads, and reports writes instead of sending them. It answers with the expected result, as far as that is
 * known without the server. It sends no server-side dry run either: so the rights to read are sufficient, no webhook is
 * called, and writes that need an earlier write (an object in a new namespace) are reported as well.
 *
 * Caveat: defaults, admission, validation, and how an apply merges lists with keys are not known.
 */
import {
  ApiError,
  apiVersionOf,
  applyJsonPatch,
  applyMergePatch,
  createMergePatch,
  keyOf,
  type Kind,
  type KubernetesObject,
  type ObjectOf,
  type Ref,
} from "@treadle/apimachinery";
import type { Client, Deletion, Patch, WriteOptions } from "@treadle/client";
import { type DryWrite, dryWrite } from "./dry-write.ts";

/** Makes a client whose writes are reported, and not sent. */
export function dryRunClient(client: Client, report: (write: DryWrite) => void): Client {
  const live = async (kind: Kind, ref: Ref, given: Given): Promise<KubernetesObject | undefined> =>
    await client.get(kind, ref, given?.signal === undefined ? {} : { signal: given.signal });
  /** Reports the change, and returns the object that it leads to; the types are the caller's. */
  const stored = <K extends Kind>(verb: DryWrite["verb"], kind: K, write: Stored): ObjectOf<K> => {
    const { before, after, subresource } = write;
    const change: unknown = before === undefined ? withoutInvented(after) : createMergePatch(before, after);
    if (change !== undefined) report(dryWrite(verb, kind, { ref: write.after.metadata, subresource, change }));
    return after as ObjectOf<K>;
  };

  return {
    get: (kind, ref, options) => client.get(kind, ref, options),
    list: (kind, options) => client.list(kind, options),
    watch: (kind, options) => client.watch(kind, options),
    async create(kind, object, options) {
      const after = madeOf(kind, object);
      if ((await live(kind, after.metadata, options)) !== undefined) throw refused(kind, after.metadata, ALREADY_EXISTS);
      return stored("create", kind, { before: undefined, after });
    },
    async update(kind, object, options) {
      const given = object as KubernetesObject;
      const before = await existing(kind, given.metadata, options);
      requireVersion(kind, before, given.metadata.resourceVersion);
      return stored("update", kind, { before, after: replaced(before, given, options), subresource: options?.subresource });
    },
    async patch(kind, ref, patch, options) {
      const before = await existing(kind, ref, options);
      const { resourceVersion } = before.metadata;
      if (patch.type !== "json") requireVersion(kind, before, versionIn(patch.body));
      const patched = patchedBy(before, patch);
      const after = { ...patched, metadata: { ...patched.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
      return stored("patch", kind, { before, after, subresource: options?.subresource });
    },
    async apply(kind, object, options) {
      const { metadata, ...rest } = object as KubernetesObject;
      const { resourceVersion, ...given } = metadata;
      const before = await live(kind, metadata, options);
      // As the engine requests it: with the uid of an existing object, or with version 1 for a new one.
      if (
        before === undefined
          ? given.uid !== undefined
          : resourceVersion === "1" || (given.uid ?? before.metadata.uid) !== before.metadata.uid
      )
        throw refused(kind, metadata, CONFLICT);
      if (before === undefined) return stored("apply", kind, { before, after: madeOf(kind, { ...rest, metadata: given }) });
      const after = applyMergePatch(before, { ...rest, metadata: given }) as KubernetesObject;
      return stored("apply", kind, { before, after, subresource: options?.subresource });
    },
    async delete(kind, ref, options) {
      const before = await live(kind, ref, options);
      const { uid, resourceVersion } = options?.preconditions ?? {};
      if (before === undefined) return { type: "gone", uid };
      if ((uid ?? before.metadata.uid) !== before.metadata.uid) throw refused(kind, ref, CONFLICT);
      requireVersion(kind, before, resourceVersion);
      if (before.metadata.deletionTimestamp === undefined) report(dryWrite("delete", kind, { ref }));
      const isGoing = (before.metadata.finalizers ?? []).length > 0;
      return (isGoing ? { type: "going", object: before } : { type: "gone", uid: before.metadata.uid }) as Deletion<ObjectOf<typeof kind>>;
    },
    raw(request, about) {
      // A client that acts as another user asks the server itself for a dry run, because only the server knows the rights of that user.
      if (request.method === "GET" || isServersDryRun(request.path)) return client.raw(request, about);
      return Promise.reject(new Error(`dry run: ${request.method} ${request.path} is not sent`));
    },
    close: () => client.close(),
  };

  async function existing(kind: Kind, ref: Ref, given: Given): Promise<KubernetesObject> {
    const found = await live(kind, ref, given);
    if (found === undefined) throw refused(kind, ref, NOT_FOUND);
    return found;
  }
}

function isServersDryRun(path: string): boolean {
  return new URLSearchParams(path.split("?")[1]).getAll("dryRun").join() === "All";
}

type Given = Pick<WriteOptions, "signal" | "subresource"> | undefined;

interface Stored {
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject;
  readonly subresource?: string | undefined;
}

const NOT_FOUND = { status: 404, reason: "NotFound" };
const CONFLICT = { status: 409, reason: "Conflict" };
const ALREADY_EXISTS = { status: 409, reason: "AlreadyExists" };

/** The answer that the server would give. */
function refused(kind: Kind, { name, namespace }: Ref, { status, reason }: { readonly status: number; readonly reason: string }): ApiError {
  const message = `dry run: cannot write ${kind.kind} ${keyOf(namespace === undefined ? { name } : { name, namespace })}: ${reason}`;
  return new ApiError({ message, status, reason, details: { name, kind: kind.plural, group: kind.group } });
}

function requireVersion(kind: Kind, { metadata }: KubernetesObject, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== metadata.resourceVersion) throw refused(kind, metadata, CONFLICT);
}

function versionIn(body: object): string | undefined {
  return (body as { readonly metadata?: { readonly resourceVersion?: string } }).metadata?.resourceVersion;
}

/** The result of an update, which keeps the fields of the server; an update of a subresource changes only that. */
function replaced(before: KubernetesObject, given: KubernetesObject, options: Given): KubernetesObject {
  if (options?.subresource !== undefined) return { ...before, ...given, metadata: before.metadata };
  const kept = [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
  ];
  const ofServer = Object.fromEntries(Object.entries(before.metadata).filter(([name]) => kept.includes(name)));
  const { status } = before as { readonly status?: unknown };
  return {
    ...given,
    apiVersion: before.apiVersion,
    kind: before.kind,
    metadata: { ...given.metadata, ...ofServer },
    ...(status === undefined ? {} : { status }),
  } as KubernetesObject;
}

/** Applies a patch; a strategic one as a merge patch, because its effect on lists is not known here. */
function patchedBy(before: KubernetesObject, patch: Patch): KubernetesObject {
  return (patch.type === "json" ? applyJsonPatch(before, patch.body) : applyMergePatch(before, patch.body)) as KubernetesObject;
}

/** The result of a create, with a name if only its beginning is given, and with a uid that no object has. */
function madeOf(kind: Kind, object: object): KubernetesObject {
  const { metadata, ...rest } = object as { readonly metadata: { readonly name?: string; readonly generateName?: string } };
  const name = metadata.name ?? `${metadata.generateName ?? ""}${GENERATED}`;
  return { ...rest, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { ...metadata, name, uid: NO_UID } } as KubernetesObject;
}

const NO_UID = "00000000-0000-0000-0000-000000000000";

/** The object as it would be sent: the uid, and a name that the server generates, are not known. */
function withoutInvented(object: KubernetesObject): object {
  const { uid: _uid, ...metadata } = object.metadata;
  if (!("generateName" in metadata) || metadata.name !== `${metadata.generateName as string}${GENERATED}`) return { ...object, metadata };
  const { name: _name, ...named } = metadata;
  return { ...object, metadata: named };
}

/** Stands for the random end of a generated name. */
const GENERATED = "00000";
