/** The options of `dependentSet()`, and what renders its objects. Types only. */
import type { Kind, KubernetesObject, WriteOf } from "@treadle/apimachinery";
import type { AnyStep, Logger, NeedsOf, Permission, Reads, ReadsOf } from "@treadle/reconcile";
import type { Distinct } from "@treadle/reconcile/unstable/engine";
import type { RenderedObject } from "./configured.ts";
import type { Manifest } from "./plan/member.ts";
import type { Target } from "../targets/types.ts";
import type { SetPolicies } from "./policies/policies.ts";

/** How often the desired state of a set has changed. */
export interface Release {
  /** Counts the distinct desired states, from 1. */
  readonly revision: number;
  /** Whether this is the first desired state. */
  readonly isInstall: boolean;
}

/** Facts about the cluster. Those that a renderer reads are inputs: the set renders again when they change. */
export interface Cluster {
  /** The version of the API server, e.g. `v1.36.3`. */
  readonly version: string;
  /** What the API server serves. */
  readonly kinds: ServedKinds;
}

/** What an API server serves. */
export interface ServedKinds {
  /** Whether the server serves an API version, e.g. `apps/v1`, and a kind of it. */
  has(apiVersion: string, kind?: string): boolean;
  /** All of it, e.g. `apps/v1` and `apps/v1/Deployment`, sorted. */
  all(): readonly string[];
}

/** What a renderer gets besides the owner. */
export interface RenderContext<R = {}, V = {}> {
  /** The values of the declared `reads`. */
  readonly reads: R;
  /** The vars of the steps in `needs`. */
  readonly vars: V;
  /** The revision that is rendered. It is not an input: a new revision alone renders nothing. */
  readonly release: Release;
  /** Facts about the cluster. */
  readonly cluster: Cluster;
  /** The namespace of objects that name none: `placement`, else that of the owner; `undefined`: a cluster-scoped owner without one. */
  readonly namespace: string | undefined;
  /** The name of the deployment: `placement`, else the name of the owner. */
  readonly name: string;
  /**
   * The objects of the set that exist, by {@link ObjectConfig.id}, whole and frozen. They are inputs: the set renders again when one
   * changes. Only for a set with the option `live`.
   */
  readonly live: Readonly<Record<string, KubernetesObject | undefined>>;
  /** Ends at the deadline of the step. */
  readonly signal: AbortSignal;
  /** The log of the step. */
  readonly log: Logger;
}

/**
 * Renders the objects of a set from the owner, which is frozen. It is called once for each version of its inputs and process, so
 * its answer must follow from them: the owner's spec, labels and annotations, and the context without `release`.
 */
export type Renderer<T extends KubernetesObject = KubernetesObject, R = {}, V = {}, O extends RenderedObject = Manifest> = (
  object: T,
  context: RenderContext<R, V>,
) => readonly O[] | Promise<readonly O[]>;

/** The body of an object of kind `K`, for `object()`: what a client may write, with the metadata that an author chooses. */
export type ObjectBody<K extends Kind> = Omit<WriteOf<K>, "apiVersion" | "kind" | "metadata" | "status"> & {
  /** Name, namespace, labels, annotations and finalizers. The namespace of an object of a cluster-scoped kind is dropped. */
  readonly metadata: Manifest["metadata"];
};

/** A kind of a set that is not watched: its objects are read and applied again from time to time. */
export interface UnwatchedKind {
  /** The kind. */
  readonly kind: Kind;
  /** Says that no watch is opened. */
  readonly watched: false;
}

/** A kind whose instances guard the removal of the set. */
export interface GuardedKind {
  /** API group; `*`: every group; `*.suffix`: each group that ends with `.suffix`. */
  readonly group: string;
  /** Name of the kind; `*`: every kind of the group. */
  readonly kind: string;
}

/** Where a set is deployed. An empty text means the default. */
export interface Placement {
  /** The namespace of objects that name none. @defaultValue the namespace of the owner */
  readonly namespace?: string | undefined;
  /** The name of the deployment, for the renderer. @defaultValue the name of the owner */
  readonly name?: string | undefined;
}

/** The options of `dependentSet()`. */
export interface DependentSetOptions<T extends KubernetesObject, C extends string, L extends readonly AnyStep[], R extends Reads<T>> {
  /** Persistent name of the step: each object carries it as a label, by which it is found again. */
  readonly name: string;
  /**
   * The condition of the set. True: Ready. False: Error, Timeout, TargetRefused, TargetChanged. Unknown: Processing, Pending, Suspended,
   * DeletionBlocked, Deleting, TargetUnreachable.
   */
  readonly condition: C;
  /**
   * The kinds of the objects. Watches and rights follow from them. `"any"`: a watch begins when the first object of a kind is
   * rendered, and the operator needs all rights.
   */
  readonly kinds: readonly (Kind | UnwatchedKind)[] | "any";
  /** Renders the objects. */
  readonly objects: Renderer<T, ReadsOf<R>, Readonly<NeedsOf<L>>, RenderedObject>;
  /** Whether the renderer gets the objects of the set that exist, as `live`: it renders again when one changes. @defaultValue false */
  readonly live?: boolean;
  /**
   * The order in which objects of one wave are applied. `"canonical"`: by kind, and some kinds are waited for. `"given"`: as rendered, one
   * after the other, without waiting for readiness. @defaultValue "canonical"
   */
  readonly order?: "canonical" | "given";
  /** Objects that the functions get, as in `step()`. A change of one renders the set again. */
  readonly reads?: R;
  /** Earlier steps whose vars the renderer gets. */
  readonly needs?: L & Distinct<L>;
  /** The policies of the operator for objects that set none. @defaultValue those of the framework */
  readonly defaults?: SetPolicies;
  /** The policies of the custom resource: they outweigh `defaults`. @defaultValue none */
  readonly policies?: (object: T) => SetPolicies;
  /** Where the set is deployed. @defaultValue namespace and name of the owner */
  readonly placement?: (object: T) => Placement;
  /**
   * Where the objects are kept: another cluster, or this one as another user. `targets()` of `@treadle/dependents/targets` makes it.
   * @defaultValue the cluster of the operator, as the operator
   */
  readonly target?: Target<T>;
  /** Whether nothing is applied or removed. The deletion of the owner works. @defaultValue never */
  readonly suspended?: (object: T) => boolean;
  /**
   * Time for which the objects may be not ready, in milliseconds. Then the condition is False with the reason Timeout, and the work
   * continues. The time begins again when an input changes. @defaultValue 600_000
   */
  readonly timeoutMs?: number | ((object: T) => number);
  /** Rights that Roles of the set grant. The operator gets them too, in place of the verbs `escalate` and `bind`. */
  readonly grants?: readonly Permission[];
  /** Whether objects may have the update policy "replace", which needs the right to update. @defaultValue whether `defaults` has it */
  readonly replaces?: boolean;
  /** Further rights, such as to list the instances of a CRD of the set whose kind is not in `kinds`. @defaultValue none */
  readonly permissions?: readonly Permission[];
  /**
   * Maximum time for one phase, in milliseconds. The deadline of the pass ends a phase, too: 120 s, or `deadlines.passMs` of the handler. A
   * renderer that runs programs needs more than their 30 s, so that a program that is too slow is reported as such. @defaultValue 90_000
   */
  readonly phaseTimeoutMs?: number;
  /** Further kinds of which no instance of another owner may exist when the owner is deleted. @defaultValue the kinds that the set defines */
  readonly alsoGuards?: readonly GuardedKind[] | ((object: T) => readonly GuardedKind[]);
  /** Prefixes of annotations of the owner that are no inputs. @defaultValue kubectl.kubernetes.io/ and those of Flux */
  readonly ignoredAnnotations?: readonly string[];
}
