/**
 * Entries of `status.dependents`: what an owner reports of each object that it keeps. Pure.
 *
 * An entry belongs to one step of one handler. Entries of other handlers are not modified. Entries of steps that the handler
 * does not have any more are removed.
 */
import { jsonEqual } from "@treadle/apimachinery";

/** The state of a dependent, as the status of its owner reports it. */
export interface DependentState {
  /** `Ready`, `Pending`, `Failed`, `Unknown`, or a custom type of the author. */
  readonly type: string;
  /** The reason, as one CamelCase word for programs. */
  readonly reason: string;
  /** The message for people. */
  readonly message: string;
  /** More facts for people, e.g. the name of a pod. */
  readonly attributes?: readonly { readonly name: string; readonly value: string }[];
}

/** The object that an entry is about. */
export interface DependentIdentity {
  /** API version of the object, e.g. `apps/v1`. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; absent for a cluster-scoped one. */
  readonly namespace?: string;
}

/** One element of `status.dependents`. */
export interface DependentEntry extends DependentIdentity, DependentState {
  /** The step that keeps the object. */
  readonly step: string;
  /** The handler of the step; absent for the one with the default name of the kind. */
  readonly handler?: string;
  /** Time at which `type` last changed, in RFC 3339. */
  readonly lastTransitionTime: string;
}

/** An entry without its step, handler and time. */
export type NewEntry = DependentIdentity & DependentState;

/** Worst first; a custom type counts as Unknown. */
const SEVERITY: readonly string[] = ["Failed", "Pending", "Unknown", "Ready"];

/**
 * Returns the entry that matters most: Failed, then Pending, then Unknown and custom types, then Ready. Of equals it is the
 * first by step, kind, namespace and name: the order of the list does not count. `undefined` for an empty list.
 */
export function worstDependent(entries: readonly DependentEntry[]): DependentEntry | undefined {
  const [worst] = entries.toSorted((a, b) => severity(a) - severity(b) || compare(identity(a), identity(b)));
  return worst;
}

/** Returns the entries in the status of an object; empty if it has none. Elements that are not valid entries are left out. */
export function dependentsOf(object: object): readonly DependentEntry[] {
  return storedEntries(object).filter(isEntry);
}

/** Returns `status.dependents` of an object as it is stored, whatever its elements are. */
export function storedEntries(object: object): readonly DependentEntry[] {
  return storedDependents((object as { readonly status?: object | null }).status);
}

/** Returns `dependents` of a status as it is stored, whatever its elements are. */
export function storedDependents(status: object | null | undefined): readonly DependentEntry[] {
  const entries: unknown = (status as { readonly dependents?: unknown } | null | undefined)?.dependents;
  return Array.isArray(entries) ? (entries as readonly DependentEntry[]) : []; // What uses it asks isEntry() of each.
}

/**
 * Decides by the schema of `status.dependents`: an old schema, or a user who edited the status, may have left anything. Every pass
 * asks it of every entry, so the fields are written out.
 */
function isEntry(entry: unknown): entry is DependentEntry {
  if (typeof entry !== "object" || entry === null) return false;
  const { step, handler, apiVersion, kind, namespace, name, type, reason, message, lastTransitionTime } = entry as Unchecked;
  const isNamed = typeof step === "string" && (handler === undefined || typeof handler === "string");
  const hasObject = typeof apiVersion === "string" && typeof kind === "string" && typeof name === "string";
  const hasState = typeof type === "string" && typeof reason === "string" && typeof message === "string";
  if (!isNamed || !hasObject || !hasState || (namespace !== undefined && typeof namespace !== "string")) return false;
  return typeof lastTransitionTime === "string" && !Number.isNaN(Date.parse(lastTransitionTime));
}

/** An element of the list, with fields of any type. */
type Unchecked = { readonly [Field in keyof DependentEntry]?: unknown };

/** A status shows at most so many entries of one step: the size of an owner does not grow with the number of its objects. */
export const MAX_ENTRIES = 100;

/** Returns the entries that a status shows: all, or of more than {@link MAX_ENTRIES} the worst ones, the worst first. */
export function shownEntries<E extends DependentState>(entries: readonly E[]): readonly E[] {
  return entries.length <= MAX_ENTRIES ? entries : entries.toSorted((a, b) => severity(a) - severity(b)).slice(0, MAX_ENTRIES);
}

/** The step and handler to which an entry belongs. */
export interface EntryOwner {
  /** Name of the handler; `undefined`: the one with the default name of the kind. */
  readonly handler: string | undefined;
  /** Name of the step. */
  readonly step: string;
}

/** Returns those of `entries` that belong to this step of this handler: another handler may have a step of the same name. */
export function entriesOfStep(entries: readonly DependentEntry[], { handler, step }: EntryOwner): readonly DependentEntry[] {
  const found: DependentEntry[] = [];
  // A loop, because each step of a pass looks through the entries of all steps.
  for (const entry of entries) if (entry?.step === step && entry.handler === handler && isEntry(entry)) found.push(entry);
  return found;
}

/** The entries of one step, as a pass reports them. */
export interface StepEntries {
  /** Name of the step. */
  readonly step: string;
  /** The entries; `"keep"`: those that are stored. */
  readonly entries: readonly NewEntry[] | "keep";
}

/**
 * Returns `before` with the entries of `steps` in the place of the first entry that the handler had, else at the end.
 * `steps` are all steps of the handler: its other entries are removed, unless `keepsUnknown`. Elements that are not valid
 * entries are removed too, because the server would refuse the list. The time of an entry changes only when its type does.
 * If nothing changes, the very same list is returned: two handlers never move each other's entries.
 */
export function mergeDependents(
  before: readonly DependentEntry[],
  steps: readonly StepEntries[],
  given: { readonly handler: string | undefined; readonly nowMs: number; readonly keepsUnknown?: boolean },
): readonly DependentEntry[] {
  const { handler, nowMs, keepsUnknown = false } = given;
  const names = new Set(steps.map(({ step }) => step));
  const ofHandler = new Map<string, DependentEntry[]>();
  const others: DependentEntry[] = [];
  let at: number | undefined;
  for (const entry of before) {
    const isValid = isEntry(entry);
    const isOfHandler = isValid && entry.handler === handler;
    if (isOfHandler) {
      const ofStep = ofHandler.get(entry.step);
      if (ofStep === undefined) ofHandler.set(entry.step, [entry]);
      else ofStep.push(entry);
    }
    if (isOfHandler ? !keepsUnknown || names.has(entry.step) : !isValid && !keepsUnknown) at ??= others.length;
    else others.push(entry);
  }
  const ours = steps.flatMap(({ step, entries }) => {
    const mine = ofHandler.get(step) ?? [];
    if (entries === "keep") return mine;
    return entries.map((entry) => {
      const previous = mine.findLast((each) => isSameObject(each, entry));
      if (previous !== undefined && saysTheSame(previous, entry)) return previous;
      const named = { step, ...(handler === undefined ? {} : { handler }), ...entry };
      return { ...named, lastTransitionTime: previous?.type === entry.type ? previous.lastTransitionTime : timeOf(nowMs) };
    });
  });
  const merged = [...others.slice(0, at), ...ours, ...(at === undefined ? [] : others.slice(at))];
  return jsonEqual(merged, before) ? before : merged;
}

/** RFC 3339, in seconds as Kubernetes writes it. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The version of the API does not tell objects apart. */
function isSameObject(a: DependentIdentity, b: DependentIdentity): boolean {
  return a.name === b.name && a.kind === b.kind && (a.namespace ?? "") === (b.namespace ?? "") && groupOf(a) === groupOf(b);
}

/** Decides whether `stored` would not change: then no new entry is made. */
function saysTheSame(stored: DependentEntry, entry: NewEntry): boolean {
  return (
    stored.type === entry.type &&
    stored.reason === entry.reason &&
    stored.message === entry.message &&
    stored.apiVersion === entry.apiVersion &&
    stored.namespace === entry.namespace &&
    jsonEqual(stored.attributes, entry.attributes)
  );
}

function groupOf({ apiVersion }: DependentIdentity): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

/** The rank of a state: a smaller number is worse. */
export function severity({ type }: DependentState): number {
  const found = SEVERITY.indexOf(type);
  return found < 0 ? SEVERITY.indexOf("Unknown") : found;
}

/** Sorts equally severe entries, whatever their order in the list. */
function identity(entry: DependentEntry): string {
  const { handler = "", step, kind, namespace = "", name } = entry;
  return JSON.stringify([handler, step, groupOf(entry), kind, namespace, name]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
