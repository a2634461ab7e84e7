/** Formats values as kubectl shows them, with the texts of Kubernetes' printers. */
import { isObject, type JsonObject } from "../internal/json.ts";
import { at, listAt, objectAt, textAt, textsAt } from "../internal/read.ts";

const SECOND = 1000;
const HOURS_PER_DAY = 24;
const HOURS_PER_YEAR = HOURS_PER_DAY * 365;

/** Formats a duration with two or three significant figures (k8s.io/apimachinery `duration.HumanDuration`). */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  const days = Math.trunc(hours / HOURS_PER_DAY);
  if (hours < 48) return `${hours}h`;
  if (hours < HOURS_PER_DAY * 8) return two(days, "d", hours % HOURS_PER_DAY, "h");
  if (hours < HOURS_PER_YEAR * 2) return `${days}d`;
  const years = Math.trunc(hours / HOURS_PER_YEAR);
  return hours < HOURS_PER_YEAR * 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** Formats the time since `time`. */
export function age(time: unknown, nowMs: number): string {
  if (typeof time !== "string" || time === "") return "<unknown>";
  return humanDuration(nowMs - Date.parse(time));
}

/** Returns the text, or `<none>` when it is empty. */
export function orNone(text: string): string {
  return text === "" ? "<none>" : text;
}

export function formatLabels(labels: unknown): string {
  const pairs = isObject(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : [];
  return orNone(pairs.toSorted().join(","));
}

/** Formats a label selector as for `-l`. The text is empty when it selects everything or nothing. */
export function selectorText(selector: unknown): string {
  if (!isObject(selector)) return "";
  const labels = Object.entries(objectAt(selector, "matchLabels")).map(([key, value]) => ({ key, text: `${key}=${String(value)}` }));
  const expressions = listAt(selector, "matchExpressions").map((expression) => ({
    key: textAt(expression, "key"),
    text: requirementText(expression),
  }));
  const all = [...labels, ...expressions].toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return all.map(({ text }) => text).join(",");
}

function requirementText(expression: JsonObject): string {
  const key = textAt(expression, "key");
  const values = textsAt(expression, "values").toSorted().join(",");
  switch (expression["operator"]) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}

export function formatSelector(selector: unknown): string {
  return orNone(selectorText(selector));
}

/** Formats the names and images of containers. */
export function containerCells(containers: readonly JsonObject[]): readonly [names: string, images: string] {
  return [containers.map((one) => textAt(one, "name")).join(","), containers.map((one) => textAt(one, "image")).join(",")];
}

export function formatBoolean(value: unknown): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : "<unset>";
}

/** Formats a number or a string, or returns `absent`. */
export function numberOrText(value: unknown, absent: string): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : absent;
}

const MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

export function accessModes(modes: readonly string[]): string {
  return MODES.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(",");
}

/** Formats the addresses of a load balancer, sorted and without duplicates. */
export function ingressAddresses(object: unknown): string {
  const found = listAt(object, "status", "loadBalancer", "ingress").map((one) => textAt(one, "ip") || textAt(one, "hostname"));
  return [...new Set(found.filter((one) => one !== ""))].toSorted().join(",");
}

/** Formats at most `max` items of the list, and the number of the others. */
export function withMore(list: readonly string[], max: number, empty: string): string {
  const shown = list.slice(0, max).join(",");
  if (list.length > max) return `${shown} + ${list.length - max} more...`;
  return shown === "" ? empty : shown;
}

export function annotation(object: unknown, name: string): unknown {
  return at(object, "metadata", "annotations", name);
}
