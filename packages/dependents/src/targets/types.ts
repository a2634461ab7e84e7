/** Target clusters: what their users write, and what a step needs of one. Types only. */
import type { OneRead } from "@treadle/reconcile/unstable/engine";
import type { Clock, Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Client, Impersonation, KindName } from "@treadle/client";
import type { Secret } from "@treadle/apimachinery/kinds";
import type { Cache, KindWatch, Permission, Read } from "@treadle/reconcile";
import type { Slot } from "../slots.ts";

/** Options of `clusters.target()`. At least one of `kubeconfig` and `as` is needed. */
export interface TargetOptions<T extends KubernetesObject> {
  /** The Secret with the kubeconfig, by a declared read. It is in the namespace of the owner; code may name another one. @defaultValue the cluster of the operator */
  readonly kubeconfig?: Read<T, Secret | undefined>;
  /** The key of the kubeconfig in the Secret. @defaultValue `kubeconfig`, else `value`, else the only key */
  readonly key?: string;
  /** The namespaces besides that of the owner in which the Secret may be. @defaultValue none: else an owner borrows the credentials of others */
  readonly secretNamespaces?: readonly string[];
  /** The user as whom the objects are written: a service account or a user; `undefined`: `defaultServiceAccount` of `targets()`. @defaultValue the user of the kubeconfig */
  readonly as?: (owner: T) => TargetUser | undefined;
  /** The groups of the user. Without `kubeconfig` they must be in `allow.groups`. @defaultValue none */
  readonly groups?: (owner: T) => readonly string[];
  /** Which service accounts and users `as` returns, for the rights of the operator. @defaultValue any */
  readonly allow?: TargetAllowance;
}

/** A user as whom the objects of an owner are written: by `serviceAccount()` or `user()`. */
export type TargetUser =
  | { readonly type: "service-account"; readonly name: string; readonly namespace: string | undefined }
  | { readonly type: "user"; readonly name: string };

/** Names that code allows and lists in the rights of the operator. */
export interface TargetAllowance {
  /** Names of service accounts, without namespaces. @defaultValue all */
  readonly serviceAccounts?: readonly string[];
  /** Names of users. @defaultValue all that do not begin with `system:` */
  readonly users?: readonly string[];
  /** Names of groups. @defaultValue with a kubeconfig all that do not begin with `system:`, else none */
  readonly groups?: readonly string[];
}

/** What `clusters.target()` returns, for the option `target` of steps. It is opaque for users. */
export interface Target<in T extends KubernetesObject> {
  /** A marker that exists in types only. */
  readonly $t?: (owner: T) => void;
  /** The target as steps use it. */
  readonly definition: TargetDefinition;
}

/** A target as steps use it. */
export interface TargetDefinition {
  /** The declared read of the Secret; `undefined`: the cluster of the operator, as another user. */
  readonly kubeconfig: OneRead | undefined;
  /** The rights that the operator needs for it in its own cluster. */
  readonly permissions: readonly Permission[];
  /**
   * Returns where the objects of an owner belong now, without a request. The same identity is the same connection.
   * @param secret the Secret as the read gave it, or the one that the step state names
   * @param stored the user with whom the objects were written, in place of that of the owner. `secret` is then the one of the state, or
   *   `undefined` for the cluster of the operator
   */
  identify(owner: KubernetesObject, secret: KubernetesObject | undefined, stored?: StoredUser): TargetIdentity;
  /** Returns the open connection of an identity, and opens it. `hold` keeps it until `release`. */
  connect(identity: KnownTarget, services: TargetServices): TargetConnection;
}

/** The user of a target, as a step state has it. */
export interface StoredUser {
  /** The user; `undefined`: that of the kubeconfig. */
  readonly as: Impersonation | undefined;
}

/** The services of an operator for its connections, and the name of the step that uses the connection. */
export interface TargetServices {
  /** Returns what the operator keeps under `key`: `shared` of the pass. */
  shared<V extends object>(key: object, make: () => V): V;
  /** The client of the operator, for targets in its own cluster. */
  readonly client: Client;
  /** The clock of the operator: `clock` of the pass. */
  readonly clock: Clock;
  /** The declared name of the set or step, for the label `target` of `treadle_requests_total`. */
  readonly name: string;
}

/** Where the objects of an owner belong now. */
export type TargetIdentity = KnownTarget | RefusedTarget;

/** A target that can be tried. It contains credentials: never log it. */
export interface KnownTarget {
  /** The target can be tried. */
  readonly type: "known";
  /** Digest of kubeconfig, user and groups. */
  readonly digest: string;
  /** Namespace and name of the Secret, as stored in the step state; `undefined`: the cluster of the operator. */
  readonly secret: Ref | undefined;
  /** Digest of server and CA. It identifies clusters whose kube-system cannot be read. */
  readonly serverDigest: string;
  /** The user as whom requests are sent; `undefined`: that of the kubeconfig. */
  readonly as: Impersonation | undefined;
  /** The checked kubeconfig, for `connect`; opaque. */
  readonly config: unknown;
  /** Texts of the kubeconfig that must never be shown. */
  readonly secrets: readonly string[];
}

/** A target that code or the server does not allow. */
export interface RefusedTarget {
  /** The target is not tried. */
  readonly type: "refused";
  /** `TargetUnreachable`: the Secret is missing. `TargetRefused`: its contents, or the user, are not allowed. */
  readonly reason: "TargetUnreachable" | "TargetRefused";
  /** What is wrong, and what to do. Without contents of the Secret. */
  readonly message: string;
}

/** One connection, shared by all owners with the same identity. */
export interface TargetConnection {
  /** A client of the target with its rate and its metrics. Its errors are branded: see `isTargetError`. */
  readonly client: Client;
  /** The uid of the namespace kube-system, else the digest of server and CA. @throws the error of the target */
  clusterId(signal: AbortSignal): Promise<string>;
  /** The watches and the cache of the target. */
  readonly watches: TargetWatches;
  /**
   * Asks whether a pass of `key` may use the connection now. `away`: the target does not answer, nothing is sent, and `wake` is called when
   * it answers again. `later`: other passes use it, and `wake` is called when it is the turn of `key`.
   */
  enter(key: string, wake: () => void): TargetEntry;
  /** Keeps the connection open for an owner and a step, until {@link TargetConnection.release}. Idempotent. */
  hold(key: string): void;
  /** Ends the hold and the place of `key` in the queue of {@link TargetConnection.enter}. The watches are released one by one. */
  release(key: string): void;
}

/** The answer to a pass that wants to use a connection. */
export type TargetEntry =
  | { readonly type: "entered"; readonly slot: Slot }
  | { readonly type: "away"; readonly message: string; readonly retryMs: number }
  | { readonly type: "later" };

/** The watches of one connection: one for each kind and namespace, by our label, shared by all owners. */
export interface TargetWatches {
  /** The objects that are watched, and what passes wrote since. */
  readonly cache: Cache;
  /**
   * Watches a kind for `key`, in all namespaces if the credential may list it there, else in `namespaces`. Changes of the objects of `key`,
   * and of the state of the watch, call `wake`. Idempotent.
   */
  hold(kind: Kind | KindName, given: TargetWatchHold): KindWatch;
  /** Ends the hold of `key`; `id` is the `watchIdOf` of the kind. */
  release(id: string, key: string): void;
  /** Whether the cache has the objects of `kind` in `namespace`; `"*"`: in all. */
  covers(kind: Kind, namespace: string): boolean;
  /** Shows a write of a pass to the next pass. */
  observe(kind: Kind, object: KubernetesObject): void;
  /** Shows a deletion of a pass to the next pass. */
  observeDelete(kind: Kind, ref: Ref, uid: string): void;
}

/** Who watches a kind of a target. */
export interface TargetWatchHold {
  /** Identifies the owner and the step. */
  readonly key: string;
  /** The label that the objects of the owner carry: the one pair of `ownerLabels(owner, handlerName)`. */
  readonly ownerLabels: Readonly<Record<string, string>>;
  /** The names whose applied fields the cache keeps: those of the handler, and of the operators that it replaces. @defaultValue none */
  readonly managers?: readonly string[];
  /** The namespaces of the placement, where the credential may not list all. */
  readonly namespaces: readonly string[];
  /** Triggers a pass of the owner. */
  wake(cause: string): void;
}
