/** The options of a set with their defaults, and what follows from them without a pass. */
import { groupKindOf, isMetadataOnly, type Kind, type KubernetesObject, metadataOnly } from "@treadle/apimachinery";
import type { Permission } from "@treadle/reconcile";
import { type ExtendedHandler, misuse } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer, shownAnswer } from "../core/ask.ts";
import type { Context } from "../core/context.ts";
import type { NewEntry } from "../core/entries.ts";
import type { ContextSource } from "../step-context.ts";
import { requirePolicies } from "./policies/policy-levels.ts";
import { TARGET_READ } from "../targets/pass/target-read.ts";
import type { Target, TargetDefinition } from "../targets/types.ts";
import { POLICIES_SUFFIX } from "./plan/member.ts";
import { type ApplyOrder, BINDINGS, ROLES } from "./plan/order.ts";
import type { SetPolicies } from "./policies/policies.ts";
import type { Outcome } from "./pass/outcome.ts";
import type { Plan } from "./plan/plan.ts";
import type { DependentSetOptions, GuardedKind, UnwatchedKind } from "./types.ts";

/** The default of `timeoutMs` of a set. */
export const DEFAULT_TIMEOUT_MS = 600_000;
/** The default of `phaseTimeoutMs`: a renderer may run several programs, of which each ends after 30 s. A pass has 120 s. */
export const DEFAULT_PHASE_MS = 90_000;

/** The options of a set of any owner. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that fits the functions of every author
export type AnySetOptions = DependentSetOptions<any, string, any, any>;

/** A kind that a set lists. */
export interface DeclaredKind {
  readonly kind: Kind;
  readonly isWatched: boolean;
}

/** A set with its defaults. */
export interface SetDefinition {
  readonly name: string;
  readonly condition: string;
  readonly options: AnySetOptions;
  /** The policies of the operator. */
  readonly defaults: SetPolicies;
  /** The kinds, by `Kind.group`; `undefined`: any. */
  readonly kinds: ReadonlyMap<string, DeclaredKind> | undefined;
  readonly replaces: boolean;
  readonly order: ApplyOrder;
  readonly source: ContextSource;
  /** Where the objects are kept; `undefined`: in the cluster of the operator, as the operator. */
  readonly target: TargetDefinition | undefined;
  /** What a step that is a set and more is told. */
  readonly hooks: SetHooks;
}

/** What a step that is a set and more is told by the passes of its set. */
export interface SetHooks {
  /** Called with the end of a rendering. @defaultValue nothing is called */
  readonly onRendered?: OnRendered | undefined;
  /** Called when a pass has looked at the objects. @defaultValue nothing is called */
  readonly onFound?: ((found: FoundInPass) => void) | undefined;
}

/** What a pass found. */
export interface FoundInPass extends SetSummary {
  /** The plan; `undefined`: the owner is being deleted. */
  readonly plan: Plan | undefined;
  /** The outcomes of all objects of the plan. */
  readonly outcomes: readonly Outcome[];
  /** The last wave that began. */
  readonly wave: number;
  /** Objects that are being removed, or that will be. */
  readonly leaving: readonly NewEntry[];
}

/** Reason and message of the condition of a set. */
export interface SetSummary {
  readonly reason: string;
  readonly message: string;
}

/**
 * Called in each pass that knows how the renderer ends for the present inputs, before the pass writes. `error` is what the renderer throws,
 * without the values of Secrets, and `undefined` if the present rendering is known.
 */
export type OnRendered = (req: unknown, error: unknown) => void;

/** Makes the definition of a set. @throws TypeError with what is wrong, and what to do */
export function definitionOf(options: AnySetOptions): SetDefinition {
  const { name, condition } = options ?? {};
  if (typeof name !== "string" || name === "") throw new TypeError("dependentSet: the options need a name");
  const where = `dependentSet "${name}"`;
  if (typeof condition !== "string" || condition === "") throw new TypeError(`${where}: set condition to the type of its condition`);
  requireFunctions(where, options);
  const defaults = requirePolicies(`${where}: defaults`, options.defaults ?? {});
  const kinds = options.kinds === "any" ? undefined : kindsIn(where, options.kinds);
  return {
    name,
    condition,
    options,
    defaults,
    kinds,
    replaces: options.replaces ?? defaults.update === "replace",
    order: orderOf(where, options.order),
    source: { name, cacheKindOf, marksOf: extraMarksOf },
    target: targetOf(where, options),
    hooks: {},
  };
}

function targetOf(where: string, { target, reads }: AnySetOptions): TargetDefinition | undefined {
  if (target === undefined) return undefined;
  const definition = (target as Partial<Target<never>> | null)?.definition;
  if (definition === undefined) throw new TypeError(`${where}: target must be what clusters.target() returned`);
  if (reads !== undefined && TARGET_READ in reads)
    throw new TypeError(`${where}: a read must not be named ${TARGET_READ}: choose another name`);
  return definition;
}

function orderOf(where: string, order: unknown = "canonical"): ApplyOrder {
  if (order === "canonical" || order === "given") return order;
  throw new TypeError(`${where}: order must be "canonical" or "given", not ${shownAnswer(order)}`);
}

/** Confidential objects are cached as metadata. */
export function cacheKindOf(kind: Kind): Kind {
  return kind.cachedAs === "metadata" ? metadataOnly(kind) : kind;
}

function requireFunctions(where: string, options: AnySetOptions): void {
  if (typeof options.objects !== "function")
    throw new TypeError(`${where}: objects must be a function that returns the objects, such as manifests(folder)`);
  for (const callback of ["policies", "placement", "suspended"] as const)
    if (options[callback] !== undefined && typeof options[callback] !== "function")
      throw new TypeError(`${where}: ${callback} must be a function of the owner`);
  const { timeoutMs } = options;
  if (timeoutMs !== undefined && typeof timeoutMs !== "function" && !(typeof timeoutMs === "number" && timeoutMs > 0))
    throw new TypeError(`${where}: timeoutMs must be a number of milliseconds above 0, or a function that returns one`);
}

function kindsIn(where: string, kinds: unknown): ReadonlyMap<string, DeclaredKind> {
  if (!Array.isArray(kinds)) throw new TypeError(`${where}: kinds must be a list of kinds, or "any"`);
  const found = new Map<string, DeclaredKind>();
  for (const given of kinds as readonly (Kind | UnwatchedKind)[]) {
    const declared = declaredKind(given);
    const { kind } = declared;
    if (typeof kind?.kind !== "string" || kind.kind === "" || typeof kind.plural !== "string")
      throw new TypeError(`${where}: kinds lists a value that is not a kind: give kinds such as ConfigMap of treadle/kinds`);
    if (isMetadataOnly(kind)) throw new TypeError(`${where}: kinds lists metadata of ${kind.kind}: list the kind itself`);
    if (found.has(groupKindOf(kind))) throw new TypeError(`${where}: kinds lists ${groupKindOf(kind)} twice: list it in one version`);
    found.set(groupKindOf(kind), declared);
  }
  return found;
}

function declaredKind(given: Kind | UnwatchedKind): DeclaredKind {
  return "watched" in given ? { kind: given.kind, isWatched: given.watched } : { kind: given, isWatched: true };
}

/** Returns the rights of a set besides those to watch its kinds. */
export function permissionsOf({ kinds, options, replaces, target }: SetDefinition): readonly Permission[] {
  // The objects are written with other credentials.
  if (target !== undefined) return [...(options.permissions ?? []), ...target.permissions];
  const rights: Permission[] = [...(options.permissions ?? [])];
  const { grants } = options;
  for (const { kind } of kinds?.values() ?? []) {
    const verbs: Permission["verbs"][number][] = ["list", "create", "patch", "delete"];
    if (replaces) verbs.push("update");
    rights.push({ kind, verbs });
    if (grants !== undefined) continue;
    if (ROLES.includes(groupKindOf(kind)))
      rights.push({
        kind,
        verbs: ["escalate"],
        because: `a ${kind.kind} of the set may grant rights that the operator does not have; grants: [...] names them instead`,
      });
    if (BINDINGS.includes(groupKindOf(kind)))
      rights.push({
        kind,
        verbs: ["bind"],
        because: `a ${kind.kind} of the set may bind rights that the operator does not have; grants: [...] names them instead`,
      });
  }
  return [...rights, ...(grants ?? [])];
}

/** Returns the kinds that guard the removal of the set for this owner. */
export function alsoGuardsOf({ name, options }: SetDefinition, owner: KubernetesObject): readonly GuardedKind[] {
  const { alsoGuards = [] } = options;
  if (typeof alsoGuards !== "function") return alsoGuards;
  const where = `step "${name}": alsoGuards`;
  const answer: unknown = called(where, () => alsoGuards(owner));
  if (Array.isArray(answer) && answer.every(isGuardedKind)) return answer;
  throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(answer)}, but must return a list of { group, kind }`);
}

function isGuardedKind(value: unknown): value is GuardedKind {
  const { group, kind } = (value ?? {}) as Partial<GuardedKind>;
  return typeof group === "string" && typeof kind === "string";
}

/** Returns the marks of objects of a set besides those of the core. */
function extraMarksOf({ names, finalizers }: ExtendedHandler<unknown>): Context["extraMarks"] {
  return { annotations: names.map((name) => name + POLICIES_SUFFIX), finalizers };
}
