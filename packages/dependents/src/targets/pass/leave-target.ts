/**
 * Removes the objects of a step from where they are: when they belong to another cluster now, and when the owner is deleted. The cluster
 * is the one in the step state, and not the one that the owner names at present.
 */
import { isForbidden, type KubernetesObject } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import type { Wait } from "@treadle/reconcile";
import { errorsIn, statusMessage } from "@treadle/reconcile/unstable/engine";
import type { Place } from "../../place.ts";
import { ABANDON_TARGET, isAbandoned, noteRemovedAnnotation, recordAbandoned } from "./abandon-target.ts";
import type { HeldTarget } from "./held-target.ts";
import { isSameCluster, isSameSecret, type StoredTarget, storedTargetOf, storedUserOf, titleOfTarget } from "./stored-target.ts";
import { clientOfFormer, formerPlace } from "./target-place.ts";
import { servicesOf } from "./services.ts";
import { secretIn } from "./target-read.ts";
import type { TargetReason, TargetStep } from "./target-step.ts";
import { troubleOf } from "./trouble.ts";

/** Where the objects are, if they belong to another cluster. `"own"`: in the cluster of the operator. */
export type Former = StoredTarget | "own";

/** Returns where the objects are, if that is not `now`. `undefined`: there, or nowhere. */
export function formerOf(step: TargetStep, now: StoredTarget | undefined): Former | undefined {
  const { target } = step.state;
  if (target !== undefined) return now !== undefined && isSameCluster(target, now) ? undefined : target;
  // Objects in the cluster of the operator stay there if only the user is another one.
  return step.hasObjects() && now?.secret !== undefined ? "own" : undefined;
}

/** Removes the objects of a step from where they are, in a cleanup. @throws the errors of the operator's own API server */
export async function leaveAll(here: TargetStep): Promise<Wait | undefined> {
  const former = here.state.target ?? (here.hasObjects() ? "own" : undefined);
  const left = former === undefined ? undefined : await leaveFormer(here, former, { cannot: "TargetUnreachable" });
  if (left === undefined) here.targets.releaseAll();
  return left;
}

/** What to report when the objects cannot be removed. */
interface Leaving {
  readonly cannot: Extract<TargetReason, "TargetChanged" | "TargetUnreachable">;
}

/**
 * Removes the objects from where they are, as far as it goes in this pass. `undefined`: none is left, or the annotation of the owner has
 * given them up; then the state names no target. @throws the errors of the operator's own API server
 */
export async function leaveFormer(here: TargetStep, former: Former, leaving: Leaving): Promise<Wait | undefined> {
  const ended = await removedFrom(here, former);
  const { targets, name, noun } = here;
  if (ended.type === "left") {
    targets.answered();
    here.forget();
    return undefined;
  }
  if (ended.type === "waits") return ended.wait;
  // A single failure may be a blip: a server that starts may refuse each credential, and a Secret may be replaced.
  const isTriedTwice = targets.failed(here.pass.clock.elapsed());
  const isProven = ended.isProven || isTriedTwice;
  const title = former === "own" ? "the cluster of the operator" : titleOfTarget(former);
  noteRemovedAnnotation(here);
  if (isTriedTwice && isAbandoned(here)) {
    recordAbandoned(here, { title, why: ended.why });
    here.forget();
    here.state.abandoned = true;
    return undefined;
  }
  const fix = isProven
    ? `make it possible, or give up the objects by the annotation ${ABANDON_TARGET}: ${JSON.stringify(name)}${here.state.abandoned === true ? ", after the present one was removed" : ""}`
    : "it is tried again";
  const what =
    leaving.cannot === "TargetChanged"
      ? `the ${noun} has another target now, and its objects in ${title} cannot be removed`
      : `the objects in ${title} cannot be removed`;
  return here.report({
    reason: leaving.cannot,
    message: `${what}: ${ended.why}; ${fix}`,
    needsAction: isProven,
    afterMs: isTriedTwice ? RETRY_MS : FIRST_RETRY_MS,
  });
}

/** Time between the tries, in milliseconds. The annotation counts from the second try on. */
const FIRST_RETRY_MS = 10_000;
const RETRY_MS = 60_000;

type Ended =
  | { readonly type: "left" }
  | { readonly type: "waits"; readonly wait: Wait }
  /** `isProven`: no further try is likely to succeed without a change by a person. */
  | { readonly type: "impossible"; readonly why: string; readonly isProven: boolean };

async function removedFrom(here: TargetStep, former: Former): Promise<Ended> {
  if (former === "own") return await removedFromOwn(here);
  const way = await wayTo(here, former);
  if (way.type === "none") return { type: "impossible", why: way.why, isProven: way.isProven };
  const { held } = way;
  const wake = here.pass.waker();
  const entry = held.connection.enter(here.key, () => wake("the target cluster can be used"));
  if (entry.type === "away") return { type: "impossible", why: entry.message, isProven: false };
  // The pass already uses the connection, or waits for its turn at another one: it comes again soon.
  if (entry.type === "later") return { type: "waits", wait: here.req.wait("waits until other passes have used the target cluster") };
  try {
    const ended = await removed(here, formerPlace(clientOfFormer(here.req, held), held.connection.client));
    here.targets.answered();
    return ended;
  } catch (error) {
    const trouble = here.req.signal.aborted ? undefined : troubleOf(error);
    if (trouble === undefined && !isTargetForbidden(error)) throw error;
    return { type: "impossible", why: statusMessage(error), isProven: trouble !== "away" };
  } finally {
    entry.slot.release();
  }
}

function isTargetForbidden(error: unknown): boolean {
  return errorsIn(error).some((each) => isForbidden(each));
}

/** Objects that the operator kept in its own cluster, before the set had a target. */
async function removedFromOwn(here: TargetStep): Promise<Ended> {
  try {
    return await removed(
      here,
      formerPlace(here.req.client, here.pass.client, () => here.isOwnWhole()),
    );
  } catch (error) {
    if (!isTargetForbidden(error)) throw error;
    return { type: "impossible", why: statusMessage(error), isProven: true };
  }
}

async function removed(here: TargetStep, place: Place): Promise<Ended> {
  if (here.isPlanned) return { type: "waits", wait: here.req.wait("the objects would be removed from their former cluster") };
  const wait = await here.removeAt(place);
  return wait === undefined ? { type: "left" } : { type: "waits", wait };
}

/** The connection to the cluster in which the objects are. */
export type Way =
  | { readonly type: "held"; readonly held: HeldTarget }
  | { readonly type: "none"; readonly why: string; readonly isProven: boolean };

/** Finds the connection: with the Secret that the state names, or one that is still open. @throws the errors of the own API server */
export async function wayTo(here: TargetStep, former: StoredTarget): Promise<Way> {
  const open = here.targets.toCluster(former.cluster);
  const fresh = await freshWay(here, former);
  if (fresh.type === "held" || open === undefined) return fresh;
  return { type: "held", held: open };
}

async function freshWay(here: TargetStep, former: StoredTarget): Promise<Way> {
  const { target, owner, noun, pass, req, targets } = here;
  const title = titleOfTarget(former);
  if (target === undefined) return none(`the ${noun} has no target any more, and no credential for it`, true);
  const secret = former.secret === undefined ? undefined : await secretOf(here, former);
  if (former.secret !== undefined && secret === undefined) return none("the Secret does not exist", true);
  const identity = target.identify(owner, secret, { as: storedUserOf(former) });
  if (identity.type === "refused") return none(identity.message, true);
  pass.conceal(identity.secrets);
  const held = targets.hold(here.key, identity, {
    as: "former",
    cluster: former.cluster,
    connect: () => target.connect(identity, servicesOf(here)),
  });
  try {
    held.cluster = await held.connection.clusterId(req.signal);
  } catch (error) {
    const trouble = req.signal.aborted ? undefined : troubleOf(error);
    if (trouble === undefined) throw error;
    return none(statusMessage(error), trouble === "refused");
  }
  if (isSameCluster(former, storedTargetOf(identity, held.cluster))) return { type: "held", held };
  return none(`${title} is another cluster now`, true);
}

function none(why: string, isProven: boolean): Way {
  return { type: "none", why, isProven };
}

/** The Secret that the state names: as the pass read it, or by a request. */
async function secretOf({ req, pass }: TargetStep, { secret }: StoredTarget): Promise<KubernetesObject | undefined> {
  const read = secretIn(req.reads);
  if (read !== undefined && isSameSecret(read.metadata, secret)) return read;
  if (secret === undefined) return undefined;
  const found: KubernetesObject | undefined = await pass.client.get(Secret, secret, { signal: req.signal });
  return found;
}
