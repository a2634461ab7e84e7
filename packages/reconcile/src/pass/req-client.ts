/** `req.client`: the client as a step has it, with the primary's namespace, our field manager and the phase's signal filled in. */
import {
  ApiError,
  apiVersionOf,
  groupKindOf,
  isMetadataOnly,
  keyOf,
  type Kind,
  type KubernetesObject,
  metadataOnly,
  type Ref,
  shortenName,
} from "@treadle/apimachinery";
import { type Client, type Deletion, withDryRun } from "@treadle/client";
import { inNamespaceOf } from "../read-refs.ts";
import type { ReqClient } from "../req.ts";
import { logChange, logWrite, type StepWrite } from "../record/change-log.ts";
import { watchedBy } from "./pass-watches.ts";
import type { Scope } from "../internal/deadline.ts";
import type { Pass } from "../record/pass-state.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** Kubernetes refuses longer field managers. */
const MAX_FIELD_MANAGER_LENGTH = 128;

/** A cluster that a step uses besides that of the operator. */
export interface OtherCluster {
  /** Sends the requests, with their credentials. */
  readonly client: Client;
  /** Called after every write of an object, so that reads of the next pass show it. */
  observe(kind: Kind, object: KubernetesObject): void;
  /** Called after a delete removed an object. */
  observeDelete(kind: Kind, ref: Ref, uid: string): void;
}

/**
 * Makes the client of a step. For another cluster it has no effect on the caches of the operator's own one, and its reads need no
 * declaration. The owner is looked for in the own cluster all the same, before an object is created that only a cleanup removes.
 */
export function reqClient(pass: Pass, step: StepRuntime, scope: Scope, other?: OtherCluster): ReqClient {
  const client = clientOf(pass, other);
  const fieldManager = pass.pipeline.name;
  const ref = (kind: Kind, given: Ref | string): Ref =>
    inNamespaceOf(pass.object, kind, typeof given === "string" ? { name: given } : given);
  const options = (): { readonly signal: AbortSignal; readonly fieldManager: string } => {
    scope.check(step.name);
    return { signal: scope.signal, fieldManager };
  };
  const reading = (): { readonly signal: AbortSignal } => ({ signal: options().signal });
  /** Notes what a write made of the object: the version shows whether it changed anything. */
  const noted = <T>(kind: Kind, stored: T, write: StepWrite): T => {
    const { metadata, kind: answered } = stored as Partial<KubernetesObject>;
    if (metadata === undefined || pass.env.isDryRun) return stored;
    // Before the write is noted: a version that was noted before is no change.
    logWrite(pass, { ...write, kind, metadata, stored, step: step.name });
    // A scale is another kind than its object; and of the primary itself only the engine's writes are no events.
    const isPrimary = groupKindOf(kind) === groupKindOf(pass.pipeline.kind) && metadata.uid === pass.object.metadata.uid;
    if (other !== undefined) {
      if (answered === kind.kind) other.observe(kind, stored as KubernetesObject);
    } else if (answered === kind.kind && !isPrimary) {
      pass.env.observeOther?.(kind, stored as KubernetesObject);
      if (!isMetadataOnly(kind)) pass.fetches.wrote(kind, stored as KubernetesObject);
    }
    pass.written.add(`${groupKindOf(kind)} ${keyOf(metadata)} ${metadata.resourceVersion ?? ""}`);
    return stored;
  };
  /** No text of the step may hold what a Secret that it has read or written holds. */
  const began = <T>(verb: string, kind: Kind, call: Promise<T>): Promise<T> =>
    scope.began(
      `${verb} ${kind.kind}`,
      call.then((answer) => {
        pass.noteSecrets(kind, answer);
        return answer;
      }),
    );
  return {
    get: (kind, given) => {
      if (other === undefined) reportUndeclared(pass, step, "get", kind);
      return began("get", kind, client.get(kind, ref(kind, given), reading()));
    },
    list: (kind, { namespace: given, ...rest } = {}) => {
      if (other === undefined) reportUndeclared(pass, step, "list", kind);
      const { namespace } =
        given === "*" ? {} : inNamespaceOf(pass.object, kind, given === undefined ? { name: "" } : { name: "", namespace: given });
      const call = client.list(kind, { ...rest, ...(namespace === undefined ? {} : { namespace }), ...reading() });
      return began(
        "list",
        kind,
        call.then(({ items }) => items),
      );
    },
    create: (kind, object, more) => {
      const given = placed(pass, kind, object);
      if (more?.dryRun === true) return began("create", kind, client.create(kind, given, { ...options(), dryRun: true }));
      return began(
        "create",
        kind,
        requireOwner(pass, step, { kind, object })
          .then(() => client.create(kind, given, options()))
          .then((stored) => noted(kind, stored, { verb: "create", body: object })),
      );
    },
    update: (kind, object) => {
      const given = placed(pass, kind, object);
      const before = other === undefined ? cached(pass, kind, (given as { readonly metadata?: Ref }).metadata) : undefined;
      return began(
        "update",
        kind,
        client.update(kind, given, options()).then((stored) => noted(kind, stored, { verb: "update", body: object, before })),
      );
    },
    patch: (kind, given, patch, more) => {
      const target = ref(kind, given);
      const before = other === undefined ? cached(pass, kind, target) : undefined;
      return began(
        "patch",
        kind,
        client
          .patch(kind, target, patch, { ...more, ...options() })
          .then((stored) => noted(kind, stored, { verb: "patch", body: patch.body, before })),
      );
    },
    apply: (kind, object, { existing, unit = step.name, handlerName = pass.pipeline.name }) => {
      if (!pass.pipeline.before.names.includes(handlerName))
        throw new TypeError(
          `apply: ${JSON.stringify(handlerName)} is not a name of this handler: give its name, or one of its formerNames`,
        );
      const given = placed(pass, kind, object) as { readonly metadata: object };
      // The uid keeps an apply from re-creating what vanished; version "1" lets it create and nothing else.
      const guard = existing === undefined ? { resourceVersion: "1" } : { uid: (existing as KubernetesObject).metadata.uid };
      const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...given, metadata: { ...given.metadata, ...guard } };
      const manager = unitManager({ handlerName, unit, uid: pass.object.metadata.uid ?? "" });
      const isThere = existing === undefined ? requireOwner(pass, step, { kind, object }) : Promise.resolve();
      const call = isThere.then(() => client.apply(kind, body, { ...options(), fieldManager: manager, force: true }));
      return began(
        "apply",
        kind,
        call.then((stored) => noted(kind, stored, { verb: existing === undefined ? "create" : "update", body: object, before: existing })),
      );
    },
    delete: (kind, given, more) => {
      const target = ref(kind, given);
      const call = client.delete(kind, target, { ...more, ...reading() });
      return began(
        "delete",
        kind,
        call.then((deletion) => {
          const mark = `${groupKindOf(kind)} ${keyOf(target)} deleted${other === undefined ? "" : " elsewhere"}`;
          if (more?.dryRun !== true) {
            deleted(pass, { kind, ref: target, deletion }, other);
            // An object that takes its time is deleted in each pass, and one that no longer exists has no uid.
            const isNew = !pass.memory.written.has(mark) && !(deletion.type === "gone" && deletion.uid === undefined);
            if (isNew) logChange(pass, { operation: "deleted", kind, ref: target, step: step.name });
          }
          pass.written.add(mark);
        }),
      );
    },
  };
}

/** A dry run writes nothing in another cluster either, nor does a process without the leadership. */
function clientOf({ env }: Pass, other: OtherCluster | undefined): Client {
  if (other === undefined) return env.client;
  const client = env.fenced?.(other.client) ?? other.client;
  return env.isDryRun ? withDryRun(client) : client;
}

/** The object before a write, for the log; undefined where it is not known as a whole. */
function cached(pass: Pass, kind: Kind, target: Ref | undefined): KubernetesObject | undefined {
  const { env, fetches } = pass;
  if (target === undefined || !isWatched(pass, kind)) return undefined;
  for (const cachedKind of [kind, metadataOnly(kind)]) {
    try {
      const found: KubernetesObject | undefined = env.cache.get(cachedKind, target);
      if (found !== undefined) return cachedKind === kind ? found : fetches.peek(kind, found);
    } catch {
      // The cache has the other form, or does not show the namespace.
    }
  }
  return undefined;
}

interface Creation {
  readonly kind: Kind;
  readonly object: object;
}

/**
 * Proves that the owner still exists before an object is created that only a cleanup removes. An object that does not
 * refer to its owner stays forever if the cache shows an owner that was deleted. That happens when a process starts from
 * an older state than the process before it saw, and no guarded write of its own fails.
 *
 * The proof holds for the pass. A write of the owner in this pass proves it too: it was made at the owner's version.
 * @throws ApiError with the code of a conflict, so that the pass runs again when the cache has caught up
 */
async function requireOwner(pass: Pass, step: StepRuntime, { kind, object }: Creation): Promise<void> {
  const { uid } = pass.object.metadata;
  const { ownerReferences = [] } = (object as Pick<KubernetesObject, "metadata">).metadata;
  if (step.cleanup === undefined || ownerReferences.some((reference) => reference.uid === uid) || pass.writer.writes > 0) return;
  pass.ownerCheck ??= findOwner(pass);
  try {
    await pass.ownerCheck;
  } catch (error) {
    if (!(error instanceof OwnerGone)) throw error;
    const { kind: ownerKind } = pass.pipeline;
    const message = `cannot create ${kind.kind} for ${ownerKind.kind} ${keyOf(pass.object.metadata)}: the owner was deleted, or is being deleted, and the cache does not show it yet`;
    throw new ApiError({ message, status: 409, reason: "Conflict", cause: error });
  }
}

class OwnerGone extends Error {}

/** Not bound to a step: several steps wait for one answer. @throws OwnerGone */
async function findOwner({ env, object: { metadata }, pipeline, signal }: Pass): Promise<void> {
  const live: KubernetesObject | undefined = await env.client.get(pipeline.kind, metadata, { signal });
  if (live?.metadata.uid !== metadata.uid || live?.metadata.deletionTimestamp !== metadata.deletionTimestamp) throw new OwnerGone();
}

interface Deleted {
  readonly kind: Kind;
  readonly ref: Ref;
  readonly deletion: Deletion;
}

/** The next pass does not see it any more, or sees that it is going. The primary's own end is for the watch to tell. */
function deleted({ env, fetches, object, pipeline }: Pass, { kind, ref, deletion }: Deleted, other: OtherCluster | undefined): void {
  if (env.isDryRun) return;
  const uid = deletion.type === "gone" ? deletion.uid : deletion.object.metadata.uid;
  if (other !== undefined) {
    if (deletion.type === "gone" && uid !== undefined) other.observeDelete(kind, ref, uid);
    if (deletion.type !== "gone" && (deletion.object.metadata.finalizers ?? []).length > 0) other.observe(kind, deletion.object);
    return;
  }
  fetches.removed(kind, ref);
  if (uid === undefined || (groupKindOf(kind) === groupKindOf(pipeline.kind) && uid === object.metadata.uid)) return;
  if (deletion.type === "gone") env.observeOtherDelete?.(kind, ref, uid);
  // Without finalizers it ends after its grace period; such an answer to another write would mean that it has ended.
  else if ((deletion.object.metadata.finalizers ?? []).length > 0) env.observeOther?.(kind, deletion.object);
}

/** A read that no declaration tells of: for tests, since neither wake-ups nor access rules follow from it. */
function reportUndeclared(pass: Pass, step: StepRuntime, verb: "get" | "list", kind: Kind): void {
  const { env, pipeline } = pass;
  if (env.undeclared === undefined || step.allRights !== undefined) return;
  const groupKind = groupKindOf(kind);
  if (!isWatched(pass, kind) && !pipeline.otherKinds.has(groupKind))
    env.undeclared({ handler: pipeline.name, step: step.name, verb, kind: groupKind });
}

function isWatched(pass: Pass, kind: Kind): boolean {
  return pass.pipeline.watchedKinds.has(groupKindOf(kind)) || watchedBy(pass, kind) !== undefined;
}

/** `object` in the primary's namespace, where it names none and its kind has one. */
function placed<T>(pass: Pass, kind: Kind, object: T): T {
  const { metadata } = object as { readonly metadata?: Ref };
  if (kind.scope === "Cluster" || metadata === undefined || metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...metadata, ...inNamespaceOf(pass.object, kind, metadata), ...metadata } };
}

/**
 * The field manager `<handler>/<unit>/<owner uid>`: each unit of each owner has its own, so that the server removes the
 * fields that the unit does not apply any more.
 */
export function unitManager({
  handlerName,
  unit,
  uid,
}: {
  readonly handlerName: string;
  readonly unit: string;
  readonly uid: string;
}): string {
  return `${shortenName(`${handlerName}/${unit}`, MAX_FIELD_MANAGER_LENGTH - 1 - uid.length)}/${uid}`;
}
