/**
 * Decides what is done next about the certificates. A pure function of what the Secret and the configurations contain, so
 * each replica decides by itself and no leader is needed.
 *
 * The order of a change of the authority, by which no call of the API server fails:
 * 1. The Secret gets the new authority. The serving certificate of the previous authority stays in use.
 * 2. Every configuration gets a bundle with both authorities.
 * 3. Only when every configuration contains the new authority does it issue a serving certificate.
 * 4. The previous authority leaves the bundle a day after its last certificate ended.
 *
 * The first certificate of all waits only until every configuration was read. Before it no call succeeds, so a configuration that cannot be
 * written must not keep the others from an answer.
 *
 * The API server makes no call for a configuration or an entry that does not exist. So neither delays a step.
 */

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** How long an authority is valid. */
export const CA_MS: number = 5 * 365 * DAY_MS;
/** How long a serving certificate is valid. */
export const SERVING_MS: number = 90 * DAY_MS;
/** How long before its issue a certificate is valid already: more than two clocks differ that are wrong by an hour each. */
export const BACKDATE_MS: number = DAY_MS;
/** How long an authority stays in the bundle after its last certificate ended. */
export const GRACE_MS: number = DAY_MS;
/** Largest delay of a renewal, by which the replicas differ. */
export const JITTER_MS: number = DAY_MS;
/** Time in which all API servers of a cluster notice a new bundle. Their caches follow within seconds. */
export const SETTLE_MS: number = 30_000;

/** What a decision needs of an authority. */
export interface AuthorityView {
  readonly id: string;
  readonly startsMs: number;
  readonly endsMs: number;
  /** Whether its private key is there. */
  readonly canSign: boolean;
}

/** What a decision needs of the serving certificate in the Secret. Its key fits it. */
export interface ServingView {
  /** Id of the authority in the Secret that signed it. */
  readonly issuer: string;
  readonly startsMs: number;
  readonly endsMs: number;
  /** Whether it is made for all names of the server. */
  readonly hasNames: boolean;
}

/** What a decision needs of a configuration or a CRD. */
export type TargetView =
  | { readonly type: "unread"; readonly key: string; readonly retryAtMs: number }
  | { readonly type: "absent"; readonly key: string }
  | {
      readonly type: "present";
      readonly key: string;
      /** Ids of the authorities that all of its entries trust. */
      readonly trusted: readonly string[];
      /** Whether all of its entries trust the authorities of the Secret and no others. */
      readonly isExact: boolean;
      /** Whether an entry trusts an authority that the Secret does not have: a server may have a certificate of it. */
      readonly trustsOthers: boolean;
      /** Earliest time of the next write. */
      readonly retryAtMs: number;
    };

/** All that a decision depends on, besides the time. */
export interface PlanState {
  /** The authority that signs; `undefined` where the Secret has no usable one. */
  readonly authority: AuthorityView | undefined;
  /** Authorities that remain in the bundle. The first may still sign. */
  readonly previous: readonly AuthorityView[];
  /** Time at which the previous authorities leave the bundle. @defaultValue the end of the last of them */
  readonly previousUntilMs: number | undefined;
  readonly serving: ServingView | undefined;
  /** What is wrong in the Secret. The texts name keys of the Secret, and no values. */
  readonly faults: readonly string[];
  readonly targets: readonly TargetView[];
  /** Since when no configuration lacks the authority. */
  readonly agreedSinceMs: number | undefined;
  /** Earliest time of the next certificate. It limits a fight with another writer of the Secret. */
  readonly repairAtMs: number;
  /** Delay of the renewals of this replica, 0 to {@link JITTER_MS}. */
  readonly jitterMs: number;
}

/** What is done next. */
export type PlannedStep =
  | { readonly type: "replaceAuthority"; readonly reason: string; readonly isRepair: boolean }
  | { readonly type: "inject"; readonly keys: readonly string[] }
  | { readonly type: "issue"; readonly by: "authority" | "previous"; readonly reason: string; readonly keepsNames: boolean }
  | { readonly type: "dropPrevious" }
  /** Nothing, until something changes or the time has come. */
  | { readonly type: "wait"; readonly untilMs: number | undefined };

/** Decides the next step. */
export function decide(state: PlanState, nowMs: number): PlannedStep {
  const { authority, targets, jitterMs } = state;
  if (authority === undefined || !authority.canSign || !isValid(authority, nowMs)) {
    if (nowMs < state.repairAtMs) return { type: "wait", untilMs: state.repairAtMs };
    const faults = state.faults.length > 0 ? state.faults.join(", ") : authorityFault(authority, nowMs);
    return { type: "replaceAuthority", reason: faults ?? "there is no authority yet", isRepair: faults !== undefined };
  }
  if (nowMs >= dueMs(authority, jitterMs)) return { type: "replaceAuthority", reason: "two thirds of its time are over", isRepair: false };

  const behind = targets.filter((target) => target.type === "present" && !target.isExact && target.retryAtMs <= nowMs);
  if (behind.length > 0) return { type: "inject", keys: behind.map(({ key }) => key) };

  const issue = decideIssue(state, authority, nowMs);
  if (issue !== undefined && issue.type !== "wait") return nowMs < state.repairAtMs ? { type: "wait", untilMs: state.repairAtMs } : issue;

  const { serving } = state;
  const isOwn = serving?.issuer === authority.id;
  const dropMs = state.previous.length > 0 && isOwn ? previousEndMs(state) : undefined;
  if (dropMs !== undefined && nowMs >= dropMs) return { type: "dropPrevious" };
  return {
    type: "wait",
    untilMs: earliest(nowMs, [
      dueMs(authority, jitterMs),
      serving === undefined ? undefined : dueMs(serving, jitterMs),
      issue?.untilMs,
      dropMs,
      ...targets.map((target) => (target.type === "absent" ? undefined : target.retryAtMs)),
    ]),
  };
}

/** The targets that keep the authority from issuing: API servers may call by a bundle that lacks it. */
export function laggards({ targets }: Pick<PlanState, "targets">, authorityId: string): readonly string[] {
  return targets
    .filter((target) => target.type === "unread" || (target.type === "present" && !target.trusted.includes(authorityId)))
    .map(({ key }) => key);
}

/** The targets that keep the authority from issuing. The first certificate of all cannot replace one that a target trusts. */
export function blockers(state: PlanState, authorityId: string): readonly string[] {
  const behind = laggards(state, authorityId);
  if (state.serving !== undefined || state.previous.length > 0) return behind;
  const isBlocking = (target: TargetView): boolean => target.type === "unread" || (target.type === "present" && target.trustsOthers);
  return state.targets.filter((target) => behind.includes(target.key) && isBlocking(target)).map(({ key }) => key);
}

/** Decides about the serving certificate; `undefined` where it stays. */
function decideIssue(
  state: PlanState,
  authority: AuthorityView,
  nowMs: number,
): Extract<PlannedStep, { type: "issue" | "wait" }> | undefined {
  const { serving, previous, jitterMs } = state;
  const isUsable = serving !== undefined && isValid(serving, nowMs);
  const isDue = !isUsable || !serving.hasNames || nowMs >= dueMs(serving, jitterMs);
  // Names of another release of the operator stay until the next renewal: its replicas may still be called.
  const keepsNames = isUsable && !serving.hasNames && nowMs < dueMs(serving, jitterMs);
  if (serving?.issuer === authority.id)
    return isDue ? { type: "issue", by: "authority", reason: reasonOf(state, nowMs), keepsNames } : undefined;
  if (blockers(state, authority.id).length === 0) {
    // Without a previous authority there is no older bundle that an API server may still use.
    const settledMs = previous.length === 0 ? nowMs : (state.agreedSinceMs ?? nowMs) + SETTLE_MS;
    return nowMs < settledMs
      ? { type: "wait", untilMs: settledMs }
      : { type: "issue", by: "authority", reason: reasonOf(state, nowMs), keepsNames };
  }
  // A configuration without the new authority must not let the certificate of the previous one expire.
  const [signer] = previous;
  if (isDue && signer?.canSign === true && isValid(signer, nowMs) && signer.endsMs > (serving?.endsMs ?? 0))
    return { type: "issue", by: "previous", reason: reasonOf(state, nowMs), keepsNames };
  return undefined;
}

function reasonOf({ serving, authority, faults, jitterMs }: PlanState, nowMs: number): string {
  if (faults.length > 0) return faults.join(", ");
  if (serving === undefined) return "there is no certificate yet";
  if (nowMs >= serving.endsMs) return "it has expired";
  if (nowMs < serving.startsMs) return "it is not valid yet";
  if (!serving.hasNames) return "it lacks a name of the server";
  if (nowMs >= dueMs(serving, jitterMs)) return "two thirds of its time are over";
  return serving.issuer === authority?.id ? "it is due" : "the authority is new";
}

function authorityFault(authority: AuthorityView | undefined, nowMs: number): string | undefined {
  if (authority === undefined) return undefined;
  if (nowMs >= authority.endsMs) return "the authority in ca.crt has expired";
  return nowMs < authority.startsMs ? "the authority in ca.crt is not valid yet" : "ca.key is missing";
}

function previousEndMs({ previous, previousUntilMs }: PlanState): number {
  return previousUntilMs ?? Math.max(...previous.map(({ endsMs }) => endsMs));
}

/** When two thirds of the time are over. */
function dueMs({ startsMs, endsMs }: { readonly startsMs: number; readonly endsMs: number }, jitterMs: number): number {
  // A short certificate, which an old authority issued, is not delayed past its end.
  return startsMs + ((endsMs - startsMs) * 2) / 3 + Math.min(jitterMs, (endsMs - startsMs) / 6);
}

function isValid({ startsMs, endsMs }: { readonly startsMs: number; readonly endsMs: number }, nowMs: number): boolean {
  return startsMs <= nowMs && nowMs < endsMs;
}

/** The first of the times that is still to come. */
function earliest(nowMs: number, times: readonly (number | undefined)[]): number | undefined {
  const later = times.filter((time): time is number => time !== undefined && time > nowMs);
  return later.length === 0 ? undefined : Math.min(...later);
}
