/**
 * The hub of a resource with several versions: the version of the kind itself, in which objects are stored. It is the first of
 * `versions`. Types have no order of keys that the language guarantees. So without `version`, the first must also be the version with
 * the highest Kubernetes priority, which types and values compute alike:
 * - `defineResource` refuses other definitions at run time, so a kind never has the type of another version;
 * - the compiler refuses them earlier, where it sees the order. There it may be wrong about spread objects, in both directions.
 *
 * The priority is that of kubectl: `v2`, `v1`, `v2beta1`, `v1beta2`, `v1alpha1`. Other names come last.
 */
import type { z } from "zod";

/** The compile error for `versions` that are not accepted as they are. */
export interface VersionsProblem<Message extends string> {
  /** The explanation. */
  readonly "treadle: these versions cannot be defined": Message;
}

/** The version that is the hub if `version` is left out; `never` if `version` is required. */
export type HubOf<Versions> = string extends keyof Versions
  ? string & keyof Versions
  : [Above<Versions, First<Versions>>] extends [never]
    ? First<Versions>
    : never;

/** Requires `version` in a definition for whose `versions` {@link HubOf} is `never`. */
export type KnownHub<Versions, Version> = [Version] extends [never]
  ? VersionsProblem<`add version: '${First<Versions>}' to the definition, because the first version does not have the highest Kubernetes priority`>
  : unknown;

/** Explains why a definition with `versions` is refused. The compiler shows only the errors of the last overload of `defineResource`. */
export interface NoVersions<Versions> {
  /** Absent from a definition with one version. */
  readonly versions?: Versions &
    ([Versions] extends [undefined]
      ? unknown
      : [HubOf<Versions>] extends [never]
        ? KnownHub<Versions, HubOf<Versions>>
        : Readonly<Record<string, { readonly spec: z.ZodObject }>> & VersionsProblem<"another part of this definition is wrong">);
}

/** Returns whether the first of these versions has the highest priority, so that {@link HubOf} knows it. */
export function isHubKnown([first = "", ...others]: readonly string[]): boolean {
  if (others.length === 0) return true;
  const rank = rankOf(first);
  return rank !== undefined && others.every((other) => compareRanks(rankOf(other), rank) <= 0);
}

const LEVELS: Readonly<Record<string, bigint>> = { "": 3n, beta: 2n, alpha: 1n };

function rankOf(version: string): readonly bigint[] | undefined {
  const [, major = "", level = "", minor = "1"] = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version) ?? [];
  return major === "" ? undefined : [LEVELS[level] ?? 0n, BigInt(major), BigInt(minor)];
}

function compareRanks(a: readonly bigint[] | undefined, b: readonly bigint[]): bigint {
  if (a === undefined) return -1n;
  return a.map((part, i) => part - (b[i] ?? 0n)).find((difference) => difference !== 0n) ?? 0n;
}

/**
 * The first key. An inference for several properties visits them in the order of their declaration, and an intersection of functions
 * keeps that order. From overloaded functions the last one is inferred, so the recursion takes off the last key.
 */
type First<Versions> =
  keyof Versions extends Last<Versions>
    ? Last<Versions>
    : First<{ [V in keyof Versions as V extends Last<Versions> ? never : V]: Versions[V] }>;
type Last<Versions> = Overloads<Versions> extends (version: infer V extends keyof Versions & string) => void ? V : never;
type Overloads<Versions> = { [V in keyof Versions]: (use: (version: V) => void) => void } extends {
  [V in keyof Versions]: (use: infer Uses) => void;
}
  ? Uses
  : never;

/** The versions that keep `First` from being the known hub: those of higher priority, and all others if its name has no priority. */
type Above<Versions, First> = {
  [V in keyof Versions & string]: V extends First ? never : RankOf<First> extends Rank ? Higher<V, RankOf<V>, RankOf<First>> : V;
}[keyof Versions & string];
type Higher<V, A, B extends Rank> = A extends Rank ? (IsHigher<A, B> extends true ? V : never) : never;

/** What decides the priority of a version; `undefined` for names without a priority. */
type RankOf<Version> = Version extends `v${infer Major}beta${infer Minor}`
  ? RankIf<"2", Major, Minor>
  : Version extends `v${infer Major}alpha${infer Minor}`
    ? RankIf<"1", Major, Minor>
    : Version extends `v${infer Major}`
      ? RankIf<"3", Major, "1">
      : undefined;
type Rank = readonly [level: string, major: string, minor: string];
type RankIf<Level extends string, Major extends string, Minor extends string> = [Major, Minor] extends [Positive, Positive]
  ? readonly [Level, Major, Minor]
  : undefined;
type Positive = `${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}${string}` & `${bigint}`;

type IsHigher<A extends Rank, B extends Rank> = A[0] extends B[0]
  ? A[1] extends B[1]
    ? IsLarger<A[2], B[2]>
    : IsLarger<A[1], B[1]>
  : IsLarger<A[0], B[0]>;

/** Whether digits `A` are a larger number than `B`: the longer one, else the one with the larger digit where they first differ. */
type IsLarger<A extends string, B extends string, Sofar = "equal"> = A extends `${infer DigitA}${infer RestA}`
  ? B extends `${infer DigitB}${infer RestB}`
    ? IsLarger<RestA, RestB, Sofar extends "equal" ? CompareDigits<DigitA, DigitB> : Sofar>
    : true
  : B extends ""
    ? Sofar
    : false;
type CompareDigits<A extends string, B extends string> = A extends B
  ? "equal"
  : "9876543210" extends `${string}${A}${string}${B}${string}`
    ? true
    : false;
