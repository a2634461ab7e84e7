/** What authors of webhooks write, and what their functions get. Types only. */
import type { EngineStatus, Kind, KubernetesObject, Mutable, ObjectOf } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger, Permission, Problem, Reads, ReadsOf } from "@treadle/reconcile";

/** An operation is what a client wants to do with an object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The client whose request is reviewed, as the API server authenticated it. */
export interface ReviewedUser {
  /** The name, such as `system:serviceaccount:ops:website-operator`. */
  readonly username: string;
  /** The id that the authenticator gave; empty when it gave none. */
  readonly uid: string;
  /** The groups. */
  readonly groups: readonly string[];
  /** More facts of the authenticator. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A review is one request of a client, on its way into the cluster. */
export interface Review<T extends KubernetesObject, R = {}> {
  /**
   * The object as it will be stored. It cannot be changed. For DELETE it is the object that is deleted. For CONNECT it is the options of the
   * connection, with the name and the namespace of the object in `metadata`. For a subresource such as `scale` it may be of another kind.
   *
   * With `generateName` the object has no name in `fill`: the API server makes the name later.
   */
  readonly object: T;
  /** The stored object, for UPDATE and DELETE. */
  readonly old: T | undefined;
  /** What the client does. */
  readonly operation: Operation;
  /** Who the client is. */
  readonly user: ReviewedUser;
  /** Whether nothing will be stored: then a function must have no side effects. */
  readonly isDryRun: boolean;
  /** The subresource, such as `scale`; empty for the object itself. */
  readonly subresource: string;
  /** The options of the request, such as CreateOptions; empty when there are none. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The values of the declared reads, from the caches. */
  readonly reads: ReadsOf<R>;
  /** A client with the rights of the operator. What it calls is declared as `permissions`. */
  readonly client: Client;
  /**
   * Aborted when the client has left, and a tenth of the timeout before the API server stops waiting. The timeout is the smaller one of
   * `timeoutSeconds` and the one that the API server names in its call.
   */
  readonly signal: AbortSignal;
  /** A log whose lines name the webhook, the object and the user. */
  readonly log: Logger;
  /** Sends a warning to the client. It is cut after 256 characters, and all of them together after 4,096. */
  warn(text: string): void;
  /** The time, in milliseconds since 1970. */
  now(): number;
}

/** The draft that `fill` changes: the spec. For a kind without a spec, and with `whole: true`, it is the object without its status. */
export type DraftOf<T, Whole extends boolean = false> = Whole extends true
  ? Mutable<Omit<T, "status">>
  : string extends keyof T
    ? Record<string, unknown>
    : "spec" extends keyof T
      ? Mutable<NonNullable<T[keyof T & "spec"]>>
      : Mutable<Omit<T, "status">>;

/** What a conversion makes of an object: the spec, and the author's part of the status where it changes. */
export type Converted<T> = {
  /** Metadata is converted by Treadle. */
  readonly metadata?: never;
  /** The whole spec. */
  readonly spec: T extends { readonly spec: infer S } ? S : never;
  /** The status without the fields of the engine. @defaultValue the status as it was, without fields that the version does not have */
  readonly status?: (T extends { readonly status?: infer U } ? Omit<NonNullable<U>, keyof EngineStatus> : never) | undefined;
};

/** The functions between the hub and another version. Both are pure. */
export interface Conversion<Hub, Lower> {
  /** Returns the hub's form of an object of this version. */
  up(object: Lower): Converted<Hub>;
  /** Returns this version's form of an object of the hub. */
  down(object: Hub): Converted<Lower>;
}

/** The conversions of a kind with several versions: one entry for each version besides the hub. */
export type ConversionsOf<K> = K extends { readonly version: infer Hub extends string; readonly versions: infer V }
  ? { readonly [L in Exclude<keyof V, Hub> & string]: Conversion<ObjectOf<K>, ObjectOf<V[L]>> }
  : never;

/** A kind with several versions says how they are converted, because without a conversion the API server drops fields. */
export type ConvertOption<K> = [ConversionsOf<K>] extends [never]
  ? {}
  : {} extends ConversionsOf<K>
    ? {}
    : {
        /** The conversions, or `"none"`: see {@link WebhooksOptions}. */
        readonly convert: ConversionsOf<K> | "none";
      };

/** A label selector of the API. */
export interface WebhookSelector {
  /** Labels with their values. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** More requirements. */
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

/** Which requests are reviewed, and what the API server does when no answer comes: the fields of a webhook's configuration. */
export interface RegistrationOptions {
  /** Tells apart several webhooks of one kind: a name in lower case. @defaultValue none */
  readonly name?: string;
  /** The operations that are reviewed. @defaultValue CREATE and UPDATE */
  readonly on?: readonly Operation[];
  /** Subresources that are reviewed besides the object, such as `scale`. Their objects may be of another kind. @defaultValue none */
  readonly subresources?: readonly string[];
  /** Only objects with these labels. @defaultValue all */
  readonly objectSelector?: WebhookSelector;
  /**
   * Only objects in namespaces with these labels. @defaultValue all for own kinds; for kinds of others all but `kube-system` and the
   * operator's own namespace
   */
  readonly namespaceSelector?: WebhookSelector;
  /** CEL expressions that must all be true. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Whether a request fails or continues when the webhook does not answer. @defaultValue "Fail" */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** How long the API server waits, in seconds, 1 to 30. @defaultValue 5 */
  readonly timeoutSeconds?: number;
  /** Whether `fill` is asked again after another webhook changed the object. @defaultValue "Never" */
  readonly reinvocation?: "Never" | "IfNeeded";
  /**
   * Whether the functions have side effects outside of the review. With `NoneOnDryRun` a function must read `review.isDryRun`: in a dry run
   * that it accepts without a look, the review fails (ERR_DRY_RUN_NOT_READ). @defaultValue "None"
   */
  readonly sideEffects?: "None" | "NoneOnDryRun";
}

/** These are the options of {@link webhooks}. */
export interface WebhooksOptions<K extends Kind, R extends Reads<ObjectOf<K>> = {}, Whole extends boolean = false>
  extends RegistrationOptions {
  /**
   * Completes an object: changes the draft in place, and may return a promise. The patch names the fields that differ, so the changes of other
   * webhooks stay. Asked again for its own result it must change nothing (ERR_NOT_AT_REST).
   *
   * - A spec that is absent is an empty draft. For a subresource such as `scale`, the draft is the spec of that object.
   * - With `whole: true` the name, the namespace and other fields of the API server cannot change (ERR_FORBIDDEN_CHANGE).
   * - It is not asked for DELETE and CONNECT, for an object that is being deleted, and for an update that leaves the spec as it was.
   * - It runs before the API server checks the schema. An object that breaks the schema may have fields of other types than `draft`.
   */
  fill?(draft: DraftOf<ObjectOf<K>, Whole>, object: ObjectOf<K>, review: Review<ObjectOf<K>, R>): void | Promise<void>;
  /**
   * Returns why the object is refused; an empty list accepts it. It may return a promise. The user gets all problems together.
   *
   * It is not asked for an object that is being deleted, and for an update that leaves the spec as it was (see `unchanged`).
   */
  problems?(object: ObjectOf<K>, review: Review<ObjectOf<K>, R>): readonly Problem[] | Promise<readonly Problem[]>;
  /**
   * The conversions between the hub, which is the first version, and each other version. A kind with several versions needs them: without a
   * conversion the API server changes only `apiVersion`, and drops the fields that a version lacks. `"none"` says that this is right, or that
   * other webhooks of the kind convert it.
   */
  readonly convert?: ConversionsOf<K> | "none";
  /** Objects that the functions read, as in a step: watched and granted. */
  readonly reads?: R;
  /** Rights for what the functions call by `review.client`. */
  readonly permissions?: readonly Permission[];
  /** Whether the draft of `fill` is the object without its status instead of the spec. @defaultValue false */
  readonly whole?: Whole;
  /**
   * Whether `fill` and `problems` are asked also for updates that leave the spec as it was, for rules over metadata. Without it a rule that
   * is newer than an object does not keep a user from a label, nor an operator from its finalizer. Kinds without a spec are always asked.
   * @defaultValue false
   */
  readonly unchanged?: boolean;
}
