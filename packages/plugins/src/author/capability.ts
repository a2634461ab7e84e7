/**
 * The declaration of a capability: what a plugin offers, and its plan as a pure function. Types of parameters and of live objects follow
 * from the declaration. Nothing here does I/O.
 */
import type { Kind, KubernetesObject, ObjectMeta, ObjectOf, WriteOf } from "@treadle/apimachinery";
import type { DependentState } from "@treadle/dependents";
import type { z } from "zod";
import type { DependentConfig, PlanProblem } from "../wire/messages.ts";

/** A type of a capability, such as `postgresql` of the category `database`. */
export interface TypeInput {
  /** Name, compared without regard to case. */
  readonly name: string;
  /** Versions that an owner can request. @defaultValue none: the type has no versions */
  readonly versions?: readonly string[];
  /** Schema of `spec.parameters` of the owner, a `z.object`. @defaultValue no parameters */
  readonly parameters?: z.ZodObject;
}

/** The kinds of the objects in a plan: a list, or the kind of each object by its id. */
export type KindsInput = readonly Kind[] | Readonly<Record<string, Kind>>;

/** The owner of a plan, as the API server returned it. */
export interface PlanOwner extends KubernetesObject {
  /** The spec; `parameters` in it has no defaults. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The status at the time of the call. A change of the status alone leads to no new plan. */
  readonly status?: Readonly<Record<string, unknown>>;
}

/** The arguments of a plan: of several types it is a union, and `type` tells which. */
export type PlanArguments<T extends TypeInput, K extends KindsInput> = T extends unknown
  ? {
      /** The requested type, as the declaration writes it. */
      readonly type: T["name"];
      /** The requested version; `undefined`: any. */
      readonly version: (T extends { readonly versions: readonly (infer V)[] } ? V : never) | undefined;
      /** The object that requests the capability. */
      readonly owner: PlanOwner;
      /** The parameters, with the defaults of the schema. */
      readonly parameters: T extends { readonly parameters: infer P extends z.ZodObject } ? z.output<P> : Readonly<Record<never, never>>;
      /** The objects of earlier plans that exist, by id. */
      readonly live: LiveObjects<K>;
    }
  : never;

/**
 * The live objects of a plan by id. With a list of kinds, an object may have the fields of each of them.
 * `spec` is absent at run time if the kind has none: reading a field of it then throws. A record of kinds by id excludes this.
 */
export type LiveObjects<K extends KindsInput> = K extends readonly Kind[]
  ? Readonly<Record<string, LiveOfAny<ObjectOf<K[number]>>>>
  : { readonly [Id in keyof K]?: WithSpec<ObjectOf<K[Id]>> };

/** A live object of one kind. The server returns `spec` for each object whose kind has one. */
export type WithSpec<O> = O extends { readonly spec?: infer S } ? O & { readonly spec: NonNullable<S> } : O;

/** A live object of one of several kinds. */
export type LiveOfAny<O> = KubernetesObject & {
  readonly [F in Exclude<FieldsOf<O>, keyof KubernetesObject | "spec">]?: Merged<FieldOf<O, F>>;
} & ("spec" extends FieldsOf<O> ? { readonly spec: Merged<NonNullable<FieldOf<O, "spec">>> } : unknown);

type FieldsOf<O> = O extends unknown ? keyof O : never;
type FieldOf<O, F> = O extends unknown ? (F extends keyof O ? O[F] : never) : never;
/** The fields of all members of a union of objects, each optional. One object type and all other types stay as they are. */
type Merged<U> = [U] extends [object | undefined] ? { readonly [F in FieldsOf<NonNullable<U>>]?: FieldOf<NonNullable<U>, F> } : U;

/** A desired object; {@link dependent} makes it. */
export interface Dependent<Id extends string = string, K extends Kind = Kind> {
  /** Name in the plan: unique, and the same in every plan. */
  readonly id: Id;
  /** Kind of the object. */
  readonly kind: K;
  /** The desired fields. */
  readonly body: object;
  /** What the author decides about the object. */
  readonly config: DependentOptions;
}

/** What an author decides about a desired object. Each flag has the default `true`. */
export interface DependentOptions extends DependentConfig {
  /** Whether the object is ready; a text: it is not, and why. @defaultValue the host decides by the status of the object */
  readonly ready?: boolean | string | undefined;
  /** The state of the object in full, in place of `ready`. */
  readonly state?: DependentState | undefined;
}

/** The desired fields of an object. Its kind and namespace follow; its name has the default `<owner>-<id>`. */
export type BodyOf<K extends Kind> = Omit<WriteOf<K>, "apiVersion" | "kind" | "metadata"> & {
  /** Name, labels and annotations. The host refuses other fields. */
  readonly metadata?: Partial<Pick<ObjectMeta, "name" | "labels" | "annotations">>;
};

/** The dependents of a plan, in the order in which they are applied, or what is wrong with the owner. */
export type Plan<K extends KindsInput = KindsInput> = readonly PlannedBy<K>[] | { readonly problems: readonly PlanProblem[] };

/** A dependent that the declared kinds allow. */
export type PlannedBy<K extends KindsInput> = K extends readonly Kind[]
  ? Dependent<string, K[number]>
  : { [Id in keyof K & string]: Dependent<Id, Extract<K[keyof K & Id], Kind>> }[keyof K & string];

/** What a plugin offers. */
export interface Capability<
  Types extends readonly TypeInput[] = readonly TypeInput[],
  Kinds extends KindsInput = KindsInput,
  Result extends Plan<Kinds> | PromiseLike<Plan<Kinds>> = Plan<Kinds> | PromiseLike<Plan<Kinds>>,
> {
  /** Name of the plugin: of its file without an extension, or of its repository. */
  readonly name: string;
  /** What the types are, such as `database`. */
  readonly category: string;
  /** Version of the plugin itself, for people. @defaultValue unknown */
  readonly version?: string;
  /** The types that it offers. */
  readonly types: Types;
  /** The kinds of the objects in its plans. The operator decides which are granted. */
  readonly kinds: Kinds;
  /**
   * Returns the desired objects of an owner. The answer follows from the arguments alone. It may be a promise.
   * @throws PlanError with a code and when to try again; any other error is tried again by the backoff of the operator
   */
  plan(args: PlanArguments<Types[number], Kinds>): Result;
}

/** Returns a desired object for a plan. `id` names it in the plan and in `live`. Pure. */
export function dependent<const Id extends string, K extends Kind>(
  id: Id,
  kind: K,
  body: BodyOf<K>,
  config: DependentOptions = {},
): Dependent<Id, K> {
  return { id, kind, body, config };
}

/** Options of {@link PlanError}. */
export interface PlanErrorOptions extends ErrorOptions {
  /** When to try again, in milliseconds. @defaultValue by the backoff of the operator */
  readonly retryAfterMs?: number;
  /** Whether the same request fails again, so that nothing is tried until it changes. @defaultValue false */
  readonly terminal?: boolean;
}

/** A plan cannot be made. Throw it in `plan`. */
export class PlanError extends Error {
  /** The name of the class. */
  override readonly name: string = "PlanError";
  /** Why, as one CamelCase word. */
  readonly code: string;
  /** When to try again, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request fails again. */
  readonly terminal: boolean;

  constructor(code: string, message: string, { retryAfterMs, terminal = false, ...options }: PlanErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.terminal = terminal;
  }
}
