/** The entries of `status.dependents` after a pass, and the conditions that follow from them. */
import {
  type ExtendedHandler,
  entryHandlerOf,
  MAX_ERROR_LENGTH,
  type Progress,
  reasonOf,
  type Setting,
  statusMessage,
  truncate,
  withoutSecrets,
} from "@treadle/reconcile/unstable/engine";
import {
  type DependentEntry,
  type DependentIdentity,
  type DependentState,
  entriesOfStep,
  mergeDependents,
  type NewEntry,
  type StepEntries,
  storedDependents,
  storedEntries,
} from "../core/entries.ts";
import { UNCHANGED } from "../core/work.ts";
import { settingOf } from "../entry-condition.ts";
import { type Cause, causeOfCode, causeOfError, type Running, supervisorOf } from "../supervision.ts";
import type { DependentData, DependentEnd, DependentPass, ExtendedDependent } from "./data.ts";

/** `status.dependents` after the pass; the very same list where nothing changes. */
export function compute(pass: DependentEnd, value: unknown): unknown {
  const { handler, clock } = pass;
  const stored = storedDependents({ dependents: value });
  const renamed = underPresentName(handler, stored);
  const before = renamed === stored || !pass.claim("entries", { isNeededByOld: true }) ? stored : renamed;
  const said = handler.steps
    .filter(({ data }) => data.hasEntries)
    .map((step): StepEntries => ({ step: step.name, entries: entriesOf(pass, step, before) }));
  // A pass that a gate ends does not modify the stored entries.
  const keepsUnknown = pass.type === "gated";
  const after = mergeDependents(before, said, { handler: entryHandlerOf(handler), nowMs: clock.now(), keepsUnknown });
  return after === stored ? value : after;
}

function entriesOf(pass: DependentEnd, extended: ExtendedDependent, before: readonly DependentEntry[]): readonly NewEntry[] | "keep" {
  const { name, data, step } = extended;
  const said = (entries: readonly NewEntry[], cause: Cause): readonly NewEntry[] =>
    entries.map((entry) => safe(pass, inWords(pass.handler, extended, { entry, cause, known })));
  const reported = pass.found.entries.get(name);
  const ended = pass.progressOf(step);
  const hasFailed = ended?.type === "failed" && (reported === undefined || !pass.found.told.has(name));
  if (reported !== undefined && !hasFailed) return reported === "keep" ? "keep" : reported.map((entry) => safe(pass, entry));
  const known = entriesOfStep(before, { handler: entryHandlerOf(pass.handler), step: name });
  if (hasFailed) {
    const { error } = ended;
    const state = { type: "Failed", reason: reasonOf(error), message: statusMessage(error) };
    return said(data.entriesFor(pass.object, { state, error, known }), causeOfError(error));
  }
  // The step did nothing: the last known state may be outdated.
  const unreached = (entry: DependentEntry, otherwise: DependentState): NewEntry =>
    data.unreached({ pass, entry: { ...identityIn(entry), ...stateIn(entry) } }) ?? { ...identityIn(entry), ...otherwise };
  if (pass.type === "full" && (ended === undefined || ended.type === "unreached")) {
    // Ready stays as it was, and the entries must agree with it.
    if (pass.isHiding) return "keep";
    const otherwise = { type: "Unknown", reason: "NotReached", message: pass.notReached };
    return said(
      known.map((entry) => unreached(entry, otherwise)),
      "unreached",
    );
  }
  if (ended?.type !== "wait" || pass.isDeleting) return "keep";
  // The step waits for another reason than its object: values of an earlier step, a kind that is not served, or a conflict.
  const cause = causeOfWait(ended);
  if (known.length > 0 && (cause === "unreached" || supervisorOf(pass.handler, name) === undefined))
    return said(
      known.map((entry) => unreached(entry, stateIn(entry))),
      "unreached",
    );
  const state = { type: "Pending", reason: ended.cause?.code ?? "Waiting", message: ended.reason };
  return said(data.entriesFor(pass.object, { state, error: undefined, known }), cause);
}

/** Returns why a step waits that has reported no object. */
export function causeOfWait({ cause, conflict }: Extract<Progress, { readonly type: "wait" }>): Cause {
  return conflict === undefined ? causeOfCode(cause?.code) : "transient";
}

/** Returns the entries of objects that a step keeps and has not looked at. */
export function unseenEntries(
  { handler, object }: { readonly handler: ExtendedHandler<DependentData>; readonly object: DependentPass["object"] },
  extended: ExtendedDependent,
  given: { readonly state: DependentState; readonly cause: Cause; readonly course?: Running },
): readonly NewEntry[] {
  const { state, ...rest } = given;
  const known = entriesOfStep(underPresentName(handler, storedEntries(object)), { handler: entryHandlerOf(handler), step: extended.name });
  const entries = extended.data.entriesFor(object, { state, error: undefined, known });
  return entries.map((entry) => inWords(handler, extended, { entry, known, ...rest }));
}

/** The entry in the words of the supervisor of its step. */
function inWords(
  handler: ExtendedHandler<unknown>,
  { name, data }: ExtendedDependent,
  given: { readonly entry: NewEntry; readonly cause: Cause; readonly known: readonly DependentEntry[]; readonly course?: Running },
): NewEntry {
  const supervisor = supervisorOf(handler, name);
  if (supervisor === undefined || data.dependent === undefined) return given.entry;
  const { kind } = data.dependent.policy;
  const { entry, cause, known, course } = given;
  const { type, reason, message, attributes } = entry;
  const state = { type, reason, message, ...(attributes === undefined ? {} : { attributes }) };
  const previous = (): string | undefined => known.find((each) => each.name === entry.name && each.namespace === entry.namespace)?.reason;
  const isReady = type === "Ready";
  const more = { live: undefined, operation: UNCHANGED, isJudgedByAuthor: false, course };
  return { ...entry, ...supervisor.word(name, { ...more, state, cause, isReady, kind, previous }) };
}

/** The setting of the conditions of a step, from its entries. */
export function condition(pass: DependentEnd, extended: ExtendedDependent): Setting | undefined {
  const { data, name, step } = extended;
  // A step with objects of several kinds sets its condition itself.
  if (!data.hasEntries || data.dependent === undefined) return undefined;
  const entries = entriesOf(pass, extended, underPresentName(pass.handler, storedEntries(pass.object)));
  if (entries === "keep") return undefined;
  const isDone = pass.progressOf(step)?.type === "done";
  return settingOf(entries, { absence: pass.found.absences.get(name), isDone, isDeleting: pass.isDeleting });
}

function stateIn({ type, reason, message, attributes }: DependentEntry): DependentState {
  return { type, reason, message, ...(attributes === undefined ? {} : { attributes }) };
}

function identityIn({ apiVersion, kind, name, namespace }: DependentEntry): DependentIdentity {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The entries with the present name of the handler in the place of a former one; the very same list where none has one. */
export function underPresentName(
  { kind, names }: Pick<ExtendedHandler<unknown>, "kind" | "names">,
  entries: readonly DependentEntry[],
): readonly DependentEntry[] {
  if (names.length === 1) return entries;
  const [present, ...former] = names.map((name) => entryHandlerOf({ kind, name }));
  const isFormer = (entry: DependentEntry | null): boolean => entry !== null && former.includes(entry.handler);
  if (!entries.some(isFormer)) return entries;
  return entries.map((entry) => {
    if (!isFormer(entry)) return entry;
    const { handler: _, ...rest } = entry;
    return present === undefined ? rest : { ...rest, handler: present };
  });
}

/** Maximum length of the type, the reason and the name of an attribute. */
const MAX_WORD_LENGTH = 256;
/** An entry shows at most so many attributes. */
const MAX_ATTRIBUTES = 32;

/** Shortens texts, and hides secrets: an author may copy a text of an error, or a value of a Secret, into the entry. */
function safe(pass: Pick<DependentEnd, "hide">, entry: NewEntry): NewEntry {
  const { message, attributes } = entry;
  const type = truncate(entry.type, MAX_WORD_LENGTH);
  const reason = truncate(entry.reason, MAX_WORD_LENGTH);
  if (message === "" && attributes === undefined)
    return type === entry.type && reason === entry.reason ? entry : { ...entry, type, reason };
  const short = { ...entry, type, reason, message: truncate(withoutSecrets(pass.hide(message)), MAX_ERROR_LENGTH) };
  if (attributes === undefined) return short;
  const shown = attributes.slice(0, MAX_ATTRIBUTES).map((each) => ({
    ...each,
    name: truncate(each.name, MAX_WORD_LENGTH),
    value: truncate(pass.hide(each.value), MAX_ERROR_LENGTH),
  }));
  return { ...short, attributes: shown };
}
