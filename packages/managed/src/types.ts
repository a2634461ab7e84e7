/** The options of `managed()`. Types only. */
import type { KubernetesObject, Mutable } from "@treadle/apimachinery";
import type { Reads, ReadsOf, StatusOf, Step } from "@treadle/reconcile";
import type { ExternalChange } from "./change.ts";
import type { Provider } from "./provider/provider.ts";
import type { References, ReferencesOf } from "./reference.ts";

/** The state of an external resource, as the author's `state` maps it from the words of the provider. */
export type ExternalStateType = "Available" | "Unavailable" | "Creating" | "Updating" | "Deleting" | "Failed";

/** The result of `state`: a type, or a type with a message. A `Failed` that is terminal waits for a change of the spec. */
export type ExternalState =
  | Exclude<ExternalStateType, "Failed">
  | { readonly type: Exclude<ExternalStateType, "Failed">; readonly message?: string }
  | { readonly type: "Failed"; readonly message: string; readonly terminal?: boolean };

/** The vars that a managed step gives to later steps, under its name. */
export interface External<Seen> {
  /** The name of the external resource at the provider. */
  readonly name: string;
  /** The state as of this pass. After a create it is `Creating`. */
  readonly state: ExternalStateType;
  /** The result of `observe`; `undefined` in the pass that created the resource. */
  readonly seen: Seen | undefined;
  /** The connection details: those of `connection`, and those that `create` returned in this pass. */
  readonly connection: Readonly<Record<string, string>>;
  /** The keys of `connection` that only `create` returned, in the pass of the create. */
  readonly createdKeys: readonly string[];
  /** The number of the create that made the resource; 0 for an imported one. */
  readonly creation: number;
}

/** A step made by `managed()`. Later steps with it in `needs` get `vars.<name>`. */
export interface ManagedStep<in T extends KubernetesObject, Name extends string = string, out Seen = unknown>
  extends Step<T, {}, { readonly [N in Name]: External<Seen> }> {
  /** Exists in types only: other steps do not have it. */
  readonly $managed: { readonly name: Name; readonly seen: Seen };
}

/** A {@link ManagedStep} of any kind, name and observation. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that matches a parameter of every variance
export type AnyManagedStep = ManagedStep<any, string, unknown>;

/** The spec of an object. */
export type SpecOf<T> = T extends { readonly spec: infer Spec } ? Spec : never;

/** The part of the arguments that every function of an author gets. */
export interface OwnerArgs<T extends KubernetesObject, R> {
  /** The object; frozen. */
  readonly object: T;
  /** The spec of the object. */
  readonly spec: SpecOf<T>;
  /** The metadata of the object. */
  readonly metadata: T["metadata"];
  /** The values of the declared `reads`. */
  readonly reads: ReadsOf<R>;
}

/** The arguments of every call of the provider. */
export interface CallArgs<T extends KubernetesObject, Api, R> extends OwnerArgs<T, R> {
  /** What `connect` of the provider returned. */
  readonly api: Api;
  /** A signal that ends at the deadline of the step, or at shutdown. Pass it on. */
  readonly signal: AbortSignal;
}

/** The arguments of `observe`. */
export interface ObserveArgs<T extends KubernetesObject, Api, R> extends CallArgs<T, Api, R> {
  /** The name of the external resource. */
  readonly name: string;
  /** What the last `create` or `update` returned as `operation`, until the resource is Available. */
  readonly operation: unknown;
}

/** The arguments of `desired`. */
export interface DesiredArgs<T extends KubernetesObject, R, F> extends OwnerArgs<T, R> {
  /** The external names of the resolved `references`. */
  readonly references: ReferencesOf<F>;
}

/** The arguments of `create`. */
export interface CreateArgs<T extends KubernetesObject, Api, R, F, Want> extends CallArgs<T, Api, R>, DesiredArgs<T, R, F> {
  /** The name of the external resource. A provider that assigns names ignores it, and `create` returns the assigned name. */
  readonly name: string;
  /** A token that is unique for this create: `<uid>-<number>`. A repeated call after a crash has the same token. */
  readonly token: string;
  /** The result of `desired`. */
  readonly want: Want;
}

/** The arguments of `update`. */
export interface UpdateArgs<T extends KubernetesObject, Api, R, F, Want, Seen> extends CallArgs<T, Api, R>, DesiredArgs<T, R, F> {
  /** The name of the external resource. */
  readonly name: string;
  /** The result of `desired`. */
  readonly want: Want;
  /** The keys of `want` that differ from the observation, with their desired values. */
  readonly changes: Partial<Want>;
  /** The observation. */
  readonly seen: Seen;
}

/** The arguments of `delete`. */
export interface DeleteArgs<T extends KubernetesObject, Api, R, Seen> extends CallArgs<T, Api, R> {
  /** The name of the external resource. */
  readonly name: string;
  /** The observation; `undefined` if a create may have happened that is not visible yet. */
  readonly seen: Seen | undefined;
}

/** The arguments of `recoverCreate`. */
export interface RecoverArgs<T extends KubernetesObject, Api, R> extends CallArgs<T, Api, R> {
  /** The token of the create that was interrupted, or that returned no name. */
  readonly token: string;
  /** What that create returned as `operation`; `undefined` if it was interrupted. */
  readonly operation: unknown;
}

/** The arguments of `externalName`. */
export interface NameArgs<T extends KubernetesObject> extends Pick<OwnerArgs<T, {}>, "object" | "spec" | "metadata"> {
  /** The singular of the kind, in lower case. */
  readonly singular: string;
}

/** The parts of the result of `create` and `update` that the step uses. Other members, and other results, have no meaning. */
export interface CallResult {
  /** The name that the provider assigned. Only for kinds without `externalName`. */
  readonly name?: string;
  /** Connection details that only this call returns, such as a password. */
  readonly connection?: Readonly<Record<string, string | undefined>>;
  /** The running operation, as plain JSON; `observe` gets it until the resource is Available. */
  readonly operation?: unknown;
}

/** This type is a sentence that the compiler prints for a key of `desired` that `observe` does not give. */
export interface DesiredProblem<M extends string> {
  readonly "treadle: this key cannot be compared": M;
}

/**
 * The observation before the compiler has inferred it. A `desired` without arguments is checked before `observe` is read, and must not
 * be refused then.
 */
export interface Unobserved {
  /** Exists in types only. */
  readonly "treadle: not inferred yet": never;
}

type Primitive = string | number | boolean | bigint;
/** Whether two texts, numbers or booleans can be equal. Objects are compared by their own keys. */
type CanEqual<Want, Seen> = [Want, Seen] extends [Primitive, Primitive]
  ? [Seen extends Want ? Seen : Want extends Seen ? Want : never] extends [never]
    ? false
    : true
  : true;

/** Accepts a desired state all of whose keys are keys of the observation, with values that can be equal. */
export type Comparable<Want, Seen> = {
  readonly [Key in keyof Want]: Key extends keyof Seen
    ? CanEqual<NonNullable<Want[Key]>, NonNullable<Seen[Key]>> extends true
      ? unknown
      : DesiredProblem<`observe() returns another type for '${Key & string}', so it always differs: convert one of them`>
    : Seen extends Unobserved
      ? unknown
      : DesiredProblem<`observe() does not return '${Key & string}': return it there, or leave it out of desired`>;
};

/** The keys of the desired state. A conditional type, because the compiler would infer `Want` of a plain `keyof Want`. */
export type RedactKey<Want> = Want extends unknown ? keyof Want & string : never;

/** This type is a sentence that the compiler prints for a key that the status does not have. */
export interface StatusProblem<M extends string> {
  readonly "treadle: this key cannot be shown": M;
}

/** Accepts fields all of which the status has. */
export type Showable<Shown, Status> = {
  readonly [Key in keyof Shown]: Key extends keyof Status
    ? Status[Key]
    : StatusProblem<`the status has no '${Key & string}': declare it in the status of the kind, or leave it out`>;
};

type Awaitable<V> = V | Promise<V>;

/**
 * The options of `managed()`. The compiler reads them in their order: write `observe` before the options that take its result, and
 * `desired` before `create` and `update`.
 */
export interface ManagedOptions<
  T extends KubernetesObject,
  Name extends string,
  Api,
  R extends Reads<T>,
  F extends References<T>,
  Seen extends object,
  Want extends object,
  Shown extends object = object,
> {
  /** The persistent name of the step, and of its vars. */
  readonly name: Name;
  /** The provider: connection, limits, breaker. */
  readonly provider: Provider<Api>;
  /**
   * The prefix of the conditions, in CamelCase: `Bucket` makes `BucketReady`, `BucketSynced` and `BucketUpToDate`. With it, several
   * managed steps can be in one handler, and `Ready` is computed by the engine. @defaultValue `Ready`, `Synced` and `UpToDate`
   */
  readonly prefix?: string;
  /** Objects that the functions get, as in `step()`. */
  readonly reads?: R;
  /** Other managed objects whose external names `desired`, `create` and `update` get. They are not resolved in a deletion. */
  readonly references?: F;
  /**
   * Returns the name of the external resource: a pure function of the object. `externalNames` has common ones.
   * @defaultValue the provider assigns the name: `create` returns `{ name }`; else the name is `<singular>-<uid>`
   */
  readonly externalName?: (args: NameArgs<T>) => string;
  /** Returns the external resource, or `undefined` if it does not exist. It must change nothing. */
  readonly observe: (args: ObserveArgs<T, Api, R>) => Awaitable<Seen | undefined>;
  /**
   * Returns the desired values, by the keys of the observation. Keys that it does not name, and keys with `undefined`, belong to the
   * provider. It must be pure.
   */
  readonly desired: (args: DesiredArgs<T, R, F>) => Want & Comparable<Want, NoInfer<Seen>>;
  /**
   * Creates the external resource. It must be idempotent for its name, or for its token. A provider that answers that it created
   * nothing must throw a `TerminalError` or a `Throttled`. @defaultValue the step cannot create
   */
  readonly create?: (args: CreateArgs<T, Api, R, F, NoInfer<Want>>) => unknown;
  /**
   * Finds the resource that the create with this token has made, or returns `undefined`. It is called after an interrupted create, and
   * while a provider that assigns names has not named the resource. @defaultValue a person has to say
   */
  readonly recoverCreate?: (args: RecoverArgs<T, Api, R>) => Awaitable<{ readonly name: string } | string | undefined>;
  /** Changes the keys in `changes`. @defaultValue the step cannot update */
  readonly update?: (args: UpdateArgs<T, Api, R, F, NoInfer<Want>, NoInfer<Seen>>) => unknown;
  /** Deletes the external resource. It must be idempotent. @defaultValue the step cannot delete: the resource stays */
  readonly delete?: (args: DeleteArgs<T, Api, R, NoInfer<Seen>>) => unknown;
  /** Maps the observation to a state. @defaultValue `Available` */
  readonly state?: (seen: NoInfer<Seen>, args: OwnerArgs<T, R>) => ExternalState;
  /** Returns fields of the status. @defaultValue none */
  readonly status?: (seen: NoInfer<Seen>, args: OwnerArgs<T, R>) => Shown & Showable<Shown, Partial<StatusOf<T>>>;
  /** Returns connection details for later steps. @defaultValue none */
  readonly connection?: (seen: NoInfer<Seen>, args: OwnerArgs<T, R>) => Readonly<Record<string, string | undefined>>;
  /** Returns values for fields of the spec that are empty. They are filled once. @defaultValue nothing is filled */
  readonly lateInitialize?: (seen: NoInfer<Seen>, args: OwnerArgs<T, R>) => Partial<Mutable<SpecOf<T>>>;
  /** Keys of `desired` whose values never appear in conditions, logs and events. @defaultValue none */
  readonly redact?: readonly RedactKey<Want>[];
  /** Time between two observations of a settled resource, in milliseconds, or a function of its state. @defaultValue 60_000 */
  readonly pollMs?: number | ((state: ExternalStateType) => number);
  /** Time after a create in which the provider may not show the resource yet, in milliseconds. @defaultValue 30_000 */
  readonly graceMs?: number;
  /** Maximum time of one pass of the step, in milliseconds. @defaultValue 60_000 */
  readonly timeoutMs?: number;
  /** Called after each create, update and delete, for a change log. It must not throw. @defaultValue nothing is called */
  readonly onChange?: (change: ExternalChange) => void;
}

/** The options of a managed step with any types. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that fits the functions of every author
export type AnyManagedOptions = ManagedOptions<any, string, any, any, any, any, any, any>;
