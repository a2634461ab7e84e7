/** Subresources with a shape of their own: scale, eviction and tokens. `status` is written with `subresource` of the verbs. */
import { isNotFound, isTooManyRequests, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { Pod, ServiceAccount } from "@treadle/apimachinery/kinds";
import type { CallOptions, Client, GetOptions, WriteOptions } from "./client.ts";
import { isFields } from "./status.ts";

/** How many replicas an object should have and has: the same for every kind that can be scaled. */
export interface Scale extends KubernetesObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** The scale of an object; `undefined` when there is no such object. @throws ApiError, also when its kind cannot be scaled */
export async function getScale(client: Client, kind: Kind, ref: Ref, options: CallOptions = {}): Promise<Scale | undefined> {
  const given: GetOptions = { ...options, subresource: "scale" };
  return (await client.get(kind, ref, given)) as Scale | undefined; // what the subresource answers with
}

export interface SetScaleOptions extends Omit<WriteOptions, "subresource"> {
  /** How many there should be. */
  readonly replicas: number;
}

/** Sets the replicas of an object, whatever they were. @throws ApiError `isNotFound`, also when its kind cannot be scaled */
export async function setScale(client: Client, kind: Kind, ref: Ref, { replicas, ...options }: SetScaleOptions): Promise<Scale> {
  if (!Number.isInteger(replicas) || replicas < 0)
    throw new TypeError(`cannot scale ${kind.kind} ${ref.name} to ${replicas}: give a whole number, 0 or more`);
  const patch = { type: "merge", body: { spec: { replicas } } } as const;
  return (await client.patch(kind, ref, patch, { ...options, subresource: "scale" })) as Scale; // what the subresource answers with
}

export interface EvictOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  /** Evicts only the pod with this uid or version. @throws ApiError 409 when it is another one */
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  readonly dryRun?: boolean;
}

/** What became of an eviction. */
export type Eviction =
  /** It was accepted: the pod ends within its grace period. */
  | { readonly type: "evicted" }
  /** There is no such pod. */
  | { readonly type: "gone" }
  /** A disruption budget does not allow it now. */
  | { readonly type: "blocked"; readonly reason: string; readonly retryAfterMs: number | undefined };

/** Deletes a pod as far as its disruption budgets allow it. */
export async function evict(client: Client, pod: Ref, options: EvictOptions = {}): Promise<Eviction> {
  const { gracePeriodSeconds, preconditions, dryRun, ...call } = options;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: nameOf(pod),
    ...(gracePeriodSeconds === undefined && preconditions === undefined ? {} : { deleteOptions: { gracePeriodSeconds, preconditions } }),
  };
  try {
    // Another kind than the pod's goes into its subresource. A budget is not asked again by itself: that is the caller's to decide.
    await client.create(Pod, body as never, {
      retry: false,
      ...call,
      subresource: "eviction",
      ...(dryRun === undefined ? {} : { dryRun }),
    });
    return { type: "evicted" };
  } catch (error) {
    if (isNotFound(error)) return { type: "gone" };
    const budget = isTooManyRequests(error) ? error.causes.find(({ reason }) => reason === "DisruptionBudget") : undefined;
    if (!isTooManyRequests(error) || budget === undefined) throw error;
    return { type: "blocked", reason: budget.message ?? error.message, retryAfterMs: error.retryAfterMs };
  }
}

export interface TokenOptions extends CallOptions {
  /** Whom the token is for. @defaultValue the API server */
  readonly audiences?: readonly string[];
  /** At least 600; the server may give less than asked for. @defaultValue the server's, an hour */
  readonly expirationSeconds?: number;
  /** The token ends with this object: a Pod, Secret or Node. */
  readonly boundObjectRef?: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid?: string };
}

/** A token, and until when it is good. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** A token for a service account. @throws ApiError `isNotFound` when there is no such account */
export async function requestToken(client: Client, serviceAccount: Ref, options: TokenOptions = {}): Promise<IssuedToken> {
  const { audiences = [], expirationSeconds, boundObjectRef, ...call } = options;
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: nameOf(serviceAccount),
    spec: { audiences, expirationSeconds, boundObjectRef },
  };
  const answer: unknown = await client.create(ServiceAccount, body as never, { ...call, subresource: "token" }); // see evict()
  const status = isFields(answer) ? answer["status"] : undefined;
  const { token, expirationTimestamp } = isFields(status) ? status : {};
  const expiresAt = new Date(String(expirationTimestamp));
  if (typeof token === "string" && token !== "" && !Number.isNaN(expiresAt.getTime())) return { token, expiresAt };
  throw new Error(
    `cannot create token of ServiceAccount ${serviceAccount.namespace}/${serviceAccount.name}: the answer holds no token with a time`,
  );
}

/** Who passes the metadata of an object does not mean all of it. */
function nameOf({ name, namespace }: Ref): Ref {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}
