/**
 * The limits of HorizontalPodAutoscalers on the number of replicas that metrics ask for: the range, stabilization, and the
 * rates of `behavior` (kubernetes `podautoscaler/horizontal.go`).
 */
import type { HorizontalPodAutoscaler } from "@treadle/apimachinery/kinds";

type Behavior = NonNullable<NonNullable<HorizontalPodAutoscaler["spec"]>["behavior"]>;
type Rules = NonNullable<Behavior["scaleUp"]>;

/** What an autoscaler remembers between two looks. */
export interface Past {
  /** What its metrics asked for. */
  recommendations: readonly { readonly replicas: number; readonly atMs: number }[];
  /** Its own changes; negative numbers for fewer replicas. */
  changes: readonly { readonly by: number; readonly atMs: number }[];
}

export interface Range {
  readonly current: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: Behavior | undefined;
}

/** A number of replicas, with the reasons and texts of the conditions `AbleToScale` and `ScalingLimited`. */
export interface Limited {
  readonly replicas: number;
  readonly stabilized: readonly [reason: string, message: string];
  readonly isLimited: boolean;
  readonly limit: readonly [reason: string, message: string];
}

/** Limits a number of replicas, and remembers it. */
export function limited(wanted: number, { current, min, max, behavior }: Range, past: Past, nowMs: number): Limited {
  const stable = stabilize(wanted, { current, behavior, past, nowMs });
  past.recommendations = [...past.recommendations.filter(({ atMs }) => nowMs - atMs <= MAX_WINDOW_MS), { replicas: wanted, atMs: nowMs }];
  const [lowest, isRateDown] = lower({ current, min, behavior, past, nowMs });
  const [highest, isRateUp] = upper({ current, max, behavior, past, nowMs });
  const [replicas, limit] =
    stable < lowest && (behavior === undefined || stable < current)
      ? [lowest, isRateDown ? LIMITS.down : LIMITS.few]
      : stable > highest && (behavior === undefined || stable > current)
        ? [highest, isRateUp ? LIMITS.up : LIMITS.many]
        : [stable, LIMITS.none];
  return {
    replicas,
    stabilized: stable === wanted ? READY : stabilizedBy(wanted, current, behavior),
    isLimited: replicas !== stable,
    limit,
  };
}

const READY = ["ReadyForNewScale", "recommended size matches current size"] as const;

const LIMITS = {
  none: ["DesiredWithinRange", "the desired count is within the acceptable range"],
  few: ["TooFewReplicas", "the desired replica count is less than the minimum replica count"],
  many: ["TooManyReplicas", "the desired replica count is more than the maximum replica count"],
  up: ["ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"],
  down: ["ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate"],
} as const;

function stabilizedBy(wanted: number, current: number, behavior: Behavior | undefined): readonly [string, string] {
  return behavior !== undefined && wanted >= current
    ? ["ScaleUpStabilized", "recent recommendations were lower than current one, applying the lowest recent recommendation"]
    : ["ScaleDownStabilized", "recent recommendations were higher than current one, applying the highest recent recommendation"];
}

interface Moment {
  readonly current: number;
  readonly behavior: Behavior | undefined;
  readonly past: Past;
  readonly nowMs: number;
}

/** Takes recent recommendations into account, so that the number does not go up and down. */
function stabilize(wanted: number, { current, behavior, past, nowMs }: Moment): number {
  const recent = (seconds: number): readonly number[] => [
    wanted,
    ...past.recommendations.filter(({ atMs }) => nowMs - atMs < seconds * 1000).map(({ replicas }) => replicas),
  ];
  const down = Math.max(...recent(behavior?.scaleDown?.stabilizationWindowSeconds ?? DOWN_SECONDS));
  if (behavior === undefined) return down;
  const up = Math.min(...recent(behavior.scaleUp?.stabilizationWindowSeconds ?? 0));
  return Math.min(Math.max(current, up), down);
}

/** `--horizontal-pod-autoscaler-downscale-stabilization` of kube-controller-manager, and the longest window of a behavior. */
const DOWN_SECONDS = 300;
const MAX_WINDOW_MS = 3_600_000;

/** Returns the highest allowed number, and whether it is that of a rate. */
function upper({ current, max, ...moment }: Moment & { readonly max: number }): readonly [number, boolean] {
  const rules = moment.behavior?.scaleUp;
  const rate = moment.behavior === undefined ? Math.max(2 * current, 4) : Math.max(current, rated({ current, ...moment }, rules, 1));
  return max > rate ? [rate, true] : [max, false];
}

function lower({ current, min, ...moment }: Moment & { readonly min: number }): readonly [number, boolean] {
  if (moment.behavior === undefined) return [min, false];
  const rate = Math.min(current, rated({ current, ...moment }, moment.behavior.scaleDown, -1));
  return min < rate ? [rate, true] : [min, false];
}

/** Returns the number that the policies of one direction allow. */
function rated({ current, past, nowMs }: Moment, rules: Rules | undefined, sign: 1 | -1): number {
  if (rules?.selectPolicy === "Disabled") return current;
  const allowed = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const recent = past.changes.filter(({ atMs }) => nowMs - atMs < periodSeconds * 1000);
    const before = current - recent.reduce((sum, { by }) => sum + by, 0);
    if (type === "Pods") return before + sign * value;
    return sign > 0 ? Math.ceil(before * (1 + value / 100)) : Math.trunc(before * (1 - value / 100));
  });
  if (allowed.length === 0) return sign > 0 ? Number.MAX_SAFE_INTEGER : 0;
  // `Min` is the smallest change, so it is the nearest number.
  const isNearest = rules?.selectPolicy === "Min";
  return isNearest === sign > 0 ? Math.min(...allowed) : Math.max(...allowed);
}
