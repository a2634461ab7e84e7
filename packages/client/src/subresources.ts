/** Subresources whose objects have another kind: scale, eviction and tokens. Use the option `subresource` of the verbs for `status`. */
import { isNotFound, isTooManyRequests, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { Pod, ServiceAccount } from "@treadle/apimachinery/kinds";
import type { CallOptions, Client, GetOptions, WriteOptions } from "./client.ts";
import { isFields } from "./status.ts";

/** The desired and current number of replicas of an object, the same for every kind that can be scaled. */
export interface Scale extends KubernetesObject {
  /** Desired number of replicas. */
  readonly spec: { readonly replicas?: number };
  /** Current number of replicas, and the label selector of their pods. */
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** Returns the scale of an object; `undefined` when the object does not exist. @throws ApiError, also when its kind cannot be scaled */
export async function getScale(client: Client, kind: Kind, ref: Ref, options: CallOptions = {}): Promise<Scale | undefined> {
  const given: GetOptions = { ...options, subresource: "scale" };
  return (await client.get(kind, ref, given)) as Scale | undefined; // what the subresource answers with
}

/** Options of {@link setScale}. */
export interface SetScaleOptions extends Omit<WriteOptions, "subresource"> {
  /** Desired number of replicas. */
  readonly replicas: number;
}

/** Sets the number of replicas of an object, without a check of the current number. @throws ApiError `isNotFound`, also when its kind cannot be scaled */
export async function setScale(client: Client, kind: Kind, ref: Ref, { replicas, ...options }: SetScaleOptions): Promise<Scale> {
  if (!Number.isInteger(replicas) || replicas < 0)
    throw new TypeError(`cannot scale ${kind.kind} ${ref.name} to ${replicas}: give a whole number, 0 or more`);
  const patch = { type: "merge", body: { spec: { replicas } } } as const;
  return (await client.patch(kind, ref, patch, { ...options, subresource: "scale" })) as Scale; // what the subresource answers with
}

/** Options of {@link evict}. */
export interface EvictOptions extends CallOptions {
  /** Time for the pod to stop, in seconds. @defaultValue that of the pod */
  readonly gracePeriodSeconds?: number;
  /** Uid or version that the pod must have (409 otherwise). */
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  /** Whether the server checks and answers the eviction without doing it. @defaultValue false */
  readonly dryRun?: boolean;
}

/** The result of an eviction. */
export type Eviction =
  /** The eviction was accepted. The pod ends within its grace period. */
  | { readonly type: "evicted" }
  /** The pod does not exist. */
  | { readonly type: "gone" }
  /** A disruption budget does not allow it now. */
  | { readonly type: "blocked"; readonly reason: string; readonly retryAfterMs: number | undefined };

/** Deletes a pod, unless a disruption budget forbids it. @throws ApiError for other refusals */
export async function evict(client: Client, pod: Ref, options: EvictOptions = {}): Promise<Eviction> {
  const { gracePeriodSeconds, preconditions, dryRun, ...call } = options;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: nameOf(pod),
    ...(gracePeriodSeconds === undefined && preconditions === undefined ? {} : { deleteOptions: { gracePeriodSeconds, preconditions } }),
  };
  try {
    // The subresource takes another kind than Pod. The caller decides whether to ask again about a budget, so nothing is retried.
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

/** Options of {@link requestToken}. */
export interface TokenOptions extends CallOptions {
  /** Recipients for whom the token is valid. @defaultValue the API server */
  readonly audiences?: readonly string[];
  /** Lifetime in seconds, at least 600. The server may shorten it. @defaultValue the server's, one hour */
  readonly expirationSeconds?: number;
  /** Pod, Secret or Node whose deletion ends the token. @defaultValue none */
  readonly boundObjectRef?: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid?: string };
}

/** A token of a service account, and its end. */
export interface IssuedToken {
  /** Bearer token. */
  readonly token: string;
  /** Time at which the token expires. */
  readonly expiresAt: Date;
}

/** Requests a token for a service account. @throws ApiError `isNotFound` when there is no such account */
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

/** Name and namespace only: a caller may pass the whole metadata of an object. */
function nameOf({ name, namespace }: Ref): Ref {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}
