/**
 * dependentApply: keeps one object that belongs to the primary. What is wanted is a pure function; the step creates it,
 * puts back what drifts, says in `status.dependents` how it stands, waits until it is ready, deletes it when it is wanted
 * no more, and cleans it up.
 *
 * Guarantees
 * - Nothing is written or deleted that is not the owner's, unless `adopt` says so.
 * - No request when nothing differs. Fields that `desired` does not name are left to others.
 * - Every write carries the uid, or the promise that the object does not exist: nothing that vanished comes back by accident.
 */
import { type Kind, keyOf, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import { misuse } from "../../internal/misuse.ts";
import { defineStep, runtimeOf, type StepRuntime } from "../../build/step-runtime.ts";
import { dependents, type UnseenDependent } from "./extension.ts";
import type { Permission } from "../../permission.ts";
import { one, type OneRead, type Reads } from "../../reads.ts";
import { type StepResult, type Wait, waitBecause } from "../../result.ts";
import type { AnyStep, NeedsOf } from "../../step.ts";
import { type AnyOptions, bodyOf, type Dependent, dependentOf, identityOf, problemsOf, targetOf } from "./dependent.ts";
import { converge, type Converged } from "./converge.ts";
import type { DependentIdentity, DependentState } from "./entries.ts";
import { mayHaveObjects, prune, prunedFor, setPrunedFor } from "./prune.ts";
import type { AnyDependentStep, DependentOptions, DependentStep } from "./types.ts";
import { type AnyCleanupReq, type AnyDoReq, inputsOf, LIVE, report, type Unit, unitOf } from "./unit.ts";

/**
 * Makes a step that keeps one dependent object. Its place in the list is its place in the order: the chain goes on when it
 * is ready. Several that depend on each other, or do not, go into {@link dependentApplyAll}.
 *
 * @throws TypeError when the options are none (untyped code); what depends on the pipeline is reported by `build()`.
 */
export function dependentApply<
  P extends Kind,
  K extends Kind,
  const Name extends string,
  const L extends readonly AnyStep[] = readonly [],
  R extends Reads<ObjectOf<P>> = {},
  const D extends readonly AnyDependentStep[] = readonly [],
>(primary: P, options: DependentOptions<ObjectOf<P>, K, Name, L, R, D>): DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K> {
  const given = options as unknown as AnyOptions;
  requireOptions(given);
  const dependent = dependentOf(given);
  const read = liveRead(dependent);
  const step = defineStep(primary, {
    name: given.name,
    needs: given.needs ?? [],
    reads: { ...given.reads, [LIVE]: read },
    owns: dependent.isOwned && dependent.isWatched ? [given.kind] : [],
    permissions: permissionsOf(dependent),
    dryRun: true,
    ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
    do: (req) => apply(unitOf(dependent, read, req as AnyDoReq)),
    ...(dependent.isOwned ? { cleanup: (req: unknown) => cleanup(unitOf(dependent, read, req as AnyCleanupReq)) } : {}),
    readsInCleanup: false,
    refersFrom: dependent.isOwned && given.ownership !== "label" ? [given.kind] : [],
    uses: [
      dependents.use({
        kind: dependent.kind,
        makesNamesake: dependent.isCreated && given.objectName === undefined && given.namespace === undefined,
        hasEntries: dependent.isChecked,
        whetherWanted:
          typeof given.desired === "function"
            ? { reads: (given.reads ?? {}) as StepRuntime["reads"], do: (req) => whetherWanted(unitOf(dependent, read, req as AnyDoReq)) }
            : undefined,
        target: (owner) => targetOf(dependent, owner),
        problems: (primary) => problemsOf(dependent, primary),
        dependsOn: () => (given.dependsOn ?? []).map((needed: unknown): StepRuntime | undefined => runtimeOf(needed)),
        cached: (owner, cache) => cache.get(read.cacheKind, targetOf(dependent, owner)),
        entryFor: (owner, given) => entryFor(dependent, owner, { ...given, live: undefined }),
      }),
    ],
  });
  // What defineStep() gives is opaque; the signature is what is known of it.
  return step as unknown as DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K>;
}

/** What wakes nobody by itself is looked at again after this time: the watch does the rest. */
const LOOK_AGAIN_MS = 600_000;

/** The object itself as a read of its step: watch, wake-up by name and, of Secrets, one GET a version follow from it. */
function liveRead(dependent: Dependent): OneRead {
  const ref = (owner: KubernetesObject): ReturnType<typeof targetOf> | undefined => {
    try {
      return targetOf(dependent, owner);
    } catch {
      return undefined; // Said by the step itself, which asks again.
    }
  };
  return one(dependent.kind, ref, dependent.isWatched ? {} : { watch: false }) as OneRead; // A read is one of these at run time.
}

/** What it does with its objects, besides what the read asks for. */
function permissionsOf({ kind, options, adopt, ...dependent }: Dependent): readonly Permission[] {
  const isOwn = options.update !== undefined;
  const verbs = new Set<Permission["verbs"][number]>();
  // A create that somebody else was faster with looks at what is there by a list; so do pruning and cleanup.
  if (dependent.isCreated) verbs.add("list").add("create");
  // Server-side apply is a patch, also where it creates.
  if (!isOwn && (dependent.isCreated || (dependent.isUpdated && options.desired !== undefined))) verbs.add("patch");
  if (isOwn && dependent.isUpdated) verbs.add("update");
  // The controller of before is taken off by a patch.
  if (dependent.isUpdated && adopt === "force") verbs.add("patch");
  if (dependent.isOwned) verbs.add("list").add("delete");
  return verbs.size === 0 ? [] : [{ kind, verbs: [...verbs] }];
}

/** @throws TypeError with what is wrong, and what to do. */
function requireOptions(options: AnyOptions): void {
  const { name, kind } = options ?? {};
  if (typeof name !== "string") throw new TypeError("dependentApply: the options need a name");
  const where = `dependentApply "${name}"`;
  if (typeof kind?.kind !== "string" || kind.kind === "")
    throw new TypeError(`${where}: kind must be a kind, e.g. ConfigMap of treadle/kinds`);
  if (options.desired === undefined && options.created !== false)
    throw new TypeError(`${where}: say with desired what the object is to be; only with created: false may it be left out`);
  if (
    options.desired !== undefined &&
    typeof options.desired !== "function" &&
    (typeof options.desired !== "object" || options.desired === null)
  )
    throw new TypeError(`${where}: desired must be an object or a function that gives one`);
  for (const callback of ["readyWhen", "status", "update"] as const)
    if (options[callback] !== undefined && typeof options[callback] !== "function")
      throw new TypeError(`${where}: ${callback} must be a function`);
  if (options.dependsOn !== undefined && !Array.isArray(options.dependsOn))
    throw new TypeError(`${where}: dependsOn must be a list of steps`);
  if (options.reads !== undefined && LIVE in options.reads) throw new TypeError(`${where}: the name ${LIVE} among reads is taken`);
  if (options.adopt !== undefined && !["never", "ifUnowned", "force"].includes(options.adopt))
    throw new TypeError(`${where}: adopt must be "never", "ifUnowned" or "force", not ${JSON.stringify(options.adopt)}`);
  if (options.ownership !== undefined && !["reference", "label"].includes(options.ownership))
    throw new TypeError(`${where}: ownership must be "reference" or "label", not ${JSON.stringify(options.ownership)}`);
}

async function apply(unit: Unit): Promise<StepResult<{}>> {
  const { dependent, owner, ext } = unit;
  const req = unit.req as AnyDoReq; // `do` has one.
  const inputs = inputsOf(unit);
  const desired = desiredOf(dependent, owner, inputs);
  if (desired === undefined && dependent.options.desired !== undefined) return unwanted(unit);
  const target = targetOf(dependent, owner);
  const wanted =
    desired === undefined ? undefined : { target, body: bodyOf(dependent, desired, { owner, handlerName: unit.handlerName, target }) };
  const live = req.reads[LIVE as never] as KubernetesObject | undefined; // The read that stands under this name gives it.
  const converged = await converge(unit, target, { wanted, live });
  ext.found.live.set(dependent.name, converged.live);

  const state = converged.type === "there" ? readiness(dependent, owner, { live: converged.live, inputs }) : converged.state;
  const entry = entryFor(dependent, owner, { state, live: converged.live, error: undefined, last: undefined });
  if (dependent.isChecked) report(unit, [entry]);
  if (!isReady(state, entry)) return notReady(unit, entry, converged);
  const leftovers = await pruneOthers(unit, target);
  if (leftovers.length === 0 || !dependent.isChecked) return req.next();
  report(unit, [entry, ...leftovers]);
  return waitBecause(leftovers[0]?.message ?? "", { code: leftovers[0]?.reason ?? "Deleting", afterMs: LOOK_AGAIN_MS });
}

/** Only looks, with what there is of its dependencies; a function that cannot do without them says by that that it is wanted. */
function whetherWanted(unit: Unit): StepResult<{ readonly isWanted: boolean }> {
  const req = unit.req as AnyDoReq; // `do` has one.
  try {
    if (desiredOf(unit.dependent, unit.owner, inputsOf(unit)) !== undefined) return req.next({ isWanted: true });
  } catch {
    return req.next({ isWanted: true });
  }
  unwanted(unit);
  return req.next({ isWanted: false });
}

/** It is wanted no more. What there is of it goes when the steps that need it had their turn: the engine calls the cleanup. */
function unwanted(unit: Unit): StepResult<{}> {
  const { dependent, ext } = unit;
  ext.found.live.set(dependent.name, undefined);
  if (mayHaveObjects(unit)) ext.found.unwanted.add(dependent.name);
  else if (dependent.isChecked) report(unit, []);
  return (unit.req as AnyDoReq).next(); // `do` has one.
}

function notReady({ dependent, req }: Unit, entry: DependentState, converged: Converged): StepResult<{}> {
  const { message, reason } = entry;
  const text = message === "" ? reason : message;
  if (!dependent.isChecked) {
    // Nobody waits for it; that it is not ours or not there is said in the log alone.
    if (converged.type === "not yet") req.log.warn({ reason }, text);
    if (converged.type === "not yet" && converged.afterMs !== undefined) (req as AnyDoReq).revisit(converged.afterMs, text);
    return (req as AnyDoReq).next();
  }
  const severity = entry.type === "Failed" ? "failed" : entry.type === "Pending" ? "pending" : "unknown";
  const wait = (ms?: number): StepResult<{}> => waitBecause(text, { code: reason, severity, afterMs: ms });
  if (converged.type === "not yet" && converged.afterMs !== undefined) return wait(converged.afterMs);
  return converged.type === "not yet" && converged.isRace ? wait() : wait(afterMs(dependent));
}

/** Without a watch only time can tell. */
function afterMs({ isWatched }: Dependent): number | undefined {
  return isWatched ? LOOK_AGAIN_MS : undefined;
}

/** What an earlier name of the object left behind; where nothing is watched it is looked for when the name changes. */
async function pruneOthers(unit: Unit, keep: Ref): ReturnType<typeof prune> {
  if (unit.dependent.isWatched) return await prune(unit, { keep, isLive: false });
  const key = keyOf(keep);
  if (prunedFor(unit) === key) return [];
  const leftovers = await prune(unit, { keep, isLive: true });
  if (leftovers.length === 0) setPrunedFor(unit, key);
  return leftovers;
}

async function cleanup(unit: Unit): Promise<Wait | undefined> {
  const { dependent, pass } = unit;
  if (pass.isDeleting && isToOrphan(unit)) return undefined;
  const leftovers = await prune(unit, { keep: undefined, isLive: pass.isDeleting || !dependent.isWatched });
  if (dependent.isChecked) report(unit, leftovers);
  const [first] = leftovers;
  if (first === undefined) setPrunedFor(unit, "");
  if (first === undefined || (!pass.isDeleting && !dependent.isChecked)) return undefined;
  const text = leftovers.length === 1 ? first.message : `${leftovers.length} objects are being deleted: ${first.message}`;
  return waitBecause(text, { code: first.reason, afterMs: afterMs(dependent) });
}

/** Whose finalizer the server sets where somebody deletes with `--cascade=orphan`. */
const ORPHAN_FINALIZER = "orphan";

/**
 * Who deletes the owner wants its objects to stay. The garbage collector takes the finalizer off when it has taken off the
 * references, which may be before the last cleanup is done: so it is remembered.
 */
function isToOrphan({ owner, ext }: Unit): boolean {
  const { memory } = ext;
  if (owner.metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) memory.set(ORPHAN_FINALIZER, true);
  return memory.has(ORPHAN_FINALIZER);
}

function desiredOf({ options, name }: Dependent, owner: KubernetesObject, inputs: ReturnType<typeof inputsOf>): object | undefined {
  const desired: unknown = typeof options.desired === "function" ? options.desired(owner, inputs) : options.desired;
  if (desired === undefined || desired === null) return undefined;
  if (typeof desired !== "object" || Array.isArray(desired) || typeof (desired as { then?: unknown }).then === "function")
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${name}": desired must give an object, or undefined, at once: read what it needs by reads, or hand it over by vars`,
    );
  return desired;
}

function readiness(
  dependent: Dependent,
  owner: KubernetesObject,
  { live, inputs }: { readonly live: KubernetesObject; readonly inputs: object },
): DependentState {
  const { readyWhen } = dependent.options;
  const answer: unknown = readyWhen === undefined ? true : readyWhen(live, owner, inputs as never);
  if (answer === true) return { type: "Ready", reason: "Ready", message: "" };
  if (typeof answer === "string" && answer !== "") return { type: "Pending", reason: "NotReady", message: answer };
  throw misuse(
    "ERR_INVALID_STEP",
    `step "${dependent.name}": readyWhen must answer true, or say as a text why not yet; it answered with ${String(answer)}`,
  );
}

/** What the author's `status` makes of it decides, where it says one of the words that are known. */
function isReady(state: DependentState, entry: DependentState): boolean {
  if (entry.type === "Ready") return true;
  return ["Failed", "Pending", "Unknown"].includes(entry.type) ? false : state.type === "Ready";
}

/** Throws only what the author's `status` makes of a live object: what it makes of an error must not hide the error. */
function entryFor(
  dependent: Dependent,
  owner: KubernetesObject,
  given: UnseenDependent & { readonly live: KubernetesObject | undefined },
): DependentIdentity & DependentState {
  const { state, live, error } = given;
  const identity = identityOf(dependent.kind, targetOr(dependent, owner, given.last));
  if (dependent.options.status === undefined) return { ...identity, ...state };
  try {
    return { ...identity, ...refined(dependent, state, dependent.options.status(state, live, error)) };
  } catch (thrown) {
    if (live !== undefined) throw thrown;
    return { ...identity, ...state };
  }
}

/** Also of an object whose name cannot be told something must be said: under the name that it had. */
function targetOr(dependent: Dependent, owner: KubernetesObject, last: DependentIdentity | undefined): Ref {
  try {
    return targetOf(dependent, owner);
  } catch {
    return last ?? owner.metadata;
  }
}

function refined({ name }: Dependent, state: DependentState, given: unknown): DependentState {
  const { type, reason, message, attributes } = (given ?? {}) as Partial<DependentState>;
  if (typeof type !== "string" || type === "" || typeof reason !== "string" || typeof message !== "string")
    throw misuse("ERR_INVALID_STEP", `step "${name}": status must return an entry with type, reason and message: ({ ...entry, ... })`);
  return { ...state, type, reason, message, ...(attributes === undefined ? {} : { attributes }) };
}
