/** References to other managed objects: their external names, once those objects are ready. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";

/** When a reference chooses its object. `once`: the first choice stays, also if the spec or the labels change. */
export type Resolve = "always" | "once";

/** The options of {@link reference}. */
export interface ReferenceOptions {
  /** When the other object is chosen. @defaultValue `"always"` */
  readonly resolve?: Resolve;
  /** Whether the step runs without the other object; its name is then `undefined`. @defaultValue false */
  readonly optional?: boolean;
  /** The `prefix` of the managed step of the other object. @defaultValue no prefix */
  readonly prefix?: string;
}

/** Selects the other object by labels, in the namespace of this one. Of several, a ready one with the first name is chosen. */
export interface ReferenceSelector<in T extends KubernetesObject> {
  /** The labels of the other object; a pure function. */
  readonly matchLabels: (object: T) => Readonly<Record<string, string>>;
  /** Whether the other object must have the same controller owner as this one. @defaultValue false */
  readonly matchController?: boolean;
}

/** A reference to another managed object; {@link reference} makes it. `Name` is the type of its value. */
export interface Reference<in T extends KubernetesObject, out Name extends string | undefined = string> {
  /** Marks what `reference()` made. */
  readonly type: "reference";
  /** For the compiler only: the objects that have the reference. */
  readonly $t?: (t: T) => void;
  /** For the compiler only: the type of the value. */
  readonly $r?: Name;
}

/** These are the references of a managed step, by name. */
export type References<T extends KubernetesObject> = Readonly<Record<string, Reference<T, string | undefined>>>;

/** These are the values of the references `F`. */
// oxlint-disable-next-line typescript/no-explicit-any -- matches a reference whatever its objects
export type ReferencesOf<F> = { readonly [Key in keyof F]: F[Key] extends Reference<any, infer Name> ? Name : never };

/** The type of the value of a reference with the options `O`: with `optional` it may be `undefined`. */
export type ReferenceName<O extends ReferenceOptions> = "optional" extends keyof O
  ? O["optional"] extends false
    ? string
    : string | undefined
  : string;

/** The parts of a {@link Reference}. */
export interface ReferenceParts extends Reference<KubernetesObject, string | undefined> {
  /** The kind of the other object. */
  readonly kind: Kind;
  /** Names the other object; `undefined`: a selector chooses it. */
  readonly ref: ((object: KubernetesObject) => string | Ref | undefined) | undefined;
  /** Selects the other object; `undefined`: a function names it. */
  readonly selector: ReferenceSelector<KubernetesObject> | undefined;
  /** When the other object is chosen. */
  readonly resolve: Resolve;
  /** Whether the step runs without the other object. */
  readonly isOptional: boolean;
  /** The prefix of the managed step of the other object. */
  readonly prefix: string | undefined;
}

/**
 * Refers to another managed object. The value is its external name, once it is Ready; until then the step waits. `target` is a pure
 * function that names the object, in the namespace of this one or by a full reference, or a selector by labels.
 *
 * @throws TypeError for a value that is not a kind, for another target, and for an unknown `resolve` (untyped code)
 */
export function reference<T extends KubernetesObject, const O extends ReferenceOptions = {}>(
  kind: Kind,
  target: ((object: T) => string | Ref | undefined) | ReferenceSelector<T>,
  options?: O,
): Reference<T, ReferenceName<O>> {
  if (typeof (kind as Kind | undefined)?.kind !== "string")
    throw new TypeError("reference: the first argument must be a kind: what defineResource() or kind() gave");
  const isNamed = typeof target === "function";
  if (!isNamed && typeof (target as Partial<ReferenceSelector<T>> | undefined)?.matchLabels !== "function")
    throw new TypeError(
      `reference(${kind.kind}): the second argument must be a function that names the object, or { matchLabels: (object) => labels }`,
    );
  const { resolve = "always", optional = false, prefix }: ReferenceOptions = options ?? {};
  if (resolve !== "always" && resolve !== "once")
    throw new TypeError(`reference(${kind.kind}) has resolve ${JSON.stringify(resolve)}: use "always" or "once"`);
  const parts: ReferenceParts = {
    type: "reference",
    kind,
    // They are called with objects of the step's kind only.
    ref: isNamed ? (target as ReferenceParts["ref"]) : undefined,
    selector: isNamed ? undefined : (target as ReferenceParts["selector"]),
    resolve,
    isOptional: optional,
    prefix,
  };
  return parts as Reference<T, ReferenceName<O>>; // The type of the value follows from the options.
}
