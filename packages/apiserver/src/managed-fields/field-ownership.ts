/** Records the owners of the fields of an object to store. */
import { type Clock, jsonEqual, type ManagedFieldsEntry } from "@treadle/apimachinery";
import type { UserInfo } from "../authorization/identity.ts";
import type { Served } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import { emptyOf } from "../builtin/decode-object.ts";
import { cloneJson, type JsonObject } from "../internal/json.ts";
import type { Deliberation } from "../request/deliberation.ts";
import { TypeMismatchError } from "./check-type.ts";
import { checkVersionFields, type Modelled, modelOf } from "./model.ts";
import { managedAfterUpdate, managedBefore } from "./update.ts";
import { secondsOf } from "../objects/object-meta.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import type { Written } from "../objects/validation.ts";
import { NO_RESIDUE, type Residue } from "./residue.ts";

/** The part of a request that decides who owns its fields. */
interface Writing {
  readonly parts: { readonly store: Store; readonly clock: Clock; readonly simulatesWorkloads?: boolean } & Modelled["parts"];
  readonly user: UserInfo;
  readonly served: Served;
  readonly deliberation?: Deliberation | undefined;
}

interface Writer {
  readonly fieldManager: string;
}

/** Field owners after an apply. */
export interface AppliedOwnership {
  readonly managed: readonly ManagedFieldsEntry[];
  /** Empty metadata that the apply leaves in the store, see `residue.ts`. */
  readonly residue: Residue;
}

/** Completes a draft by the rules of its kind. Its field owners follow from the state before that. */
export function prepareDraft({ served, parts, user }: Writing, draft: Draft, live: StoredObject | undefined): void {
  const { convert, prepare } = served.type.hooks;
  convert?.(draft, live as JsonObject | undefined);
  if (prepare === undefined) return;
  const { managedFields: _, ...metadata } = draft.metadata;
  SENT.set(draft, cloneJson({ ...draft, metadata }));
  prepare(draft, live as JsonObject | undefined, { ...parts, user });
}

/** Notes what a write would have stored, when its field owners follow from that. */
export function noteSent(draft: Draft, sent: JsonObject): void {
  SENT.set(draft, sent);
}

/** Drafts before `prepare`. */
const SENT = new WeakMap<Draft, JsonObject>();

/** Field owners after a write: known after an apply, otherwise to be computed. */
export type Ownership = { readonly options: Writer; readonly requested: unknown } | AppliedOwnership;

/**
 * Records the field owners that follow from entries of the client, if it sent other ones than the object has. They are
 * validated with the draft.
 */
export function recordSentOwner(call: Writing, written: Written, ownership: Ownership): void {
  const { live } = written;
  if (!("requested" in ownership) || !Array.isArray(ownership.requested) || ownership.requested.length === 0) return;
  if (!jsonEqual(ownership.requested, live?.metadata["managedFields"])) recordOwner(call, written, ownership);
}

/** Records the field owners in the draft. */
export function recordOwner(call: Writing, written: Written, ownership: Ownership): void {
  const { draft, live } = written;
  const { managed, residue } =
    "options" in ownership ? { managed: managedByUpdate(call, written, ownership), residue: NO_RESIDUE } : ownership;
  delete draft.metadata["managedFields"];
  if (managed.length > 0) draft.metadata["managedFields"] = managed;
  if (live !== undefined && residue === NO_RESIDUE && isSameButForTimes(draft, live))
    draft.metadata["managedFields"] = live.metadata["managedFields"];
}

/** An object whose managers have other versions, which do not have all its fields, loses its managers. */
function managedByUpdate(
  call: Writing,
  written: Written,
  { requested, options }: { readonly requested: unknown; readonly options: Writer },
): readonly ManagedFieldsEntry[] {
  try {
    return managedAfter(call, written, { requested, options });
  } catch (error) {
    // As on the real server, such an object has no managers then.
    if (error instanceof TypeMismatchError) return [];
    throw error;
  }
}

function managedAfter(
  call: Writing,
  { draft, live, subresource }: Written,
  { requested, options }: { readonly requested: unknown; readonly options: Writer },
): readonly ManagedFieldsEntry[] {
  delete draft.metadata["managedFields"];
  const [before, after] = [live as JsonObject | undefined, SENT.get(draft) ?? draft];
  if (before !== undefined) for (const object of [after, before]) checkVersionFields(call.served, object);
  return managedAfterUpdate({
    before,
    after,
    ...(live === undefined ? { empty: emptyOf(call.served) } : {}),
    model: modelOf(call, subresource, false),
    managed: managedBefore(requested, live?.metadata["managedFields"], subresource !== ""),
    writer: {
      manager: options.fieldManager,
      subresource,
      time: secondsOf(call.parts.clock.now()),
    },
  });
}

/** Reports whether only times of managedFields differ. Such a write changes nothing, so the times stay. */
function isSameButForTimes(draft: Draft, live: StoredObject): boolean {
  const { managedFields: given, ...meta } = draft.metadata;
  const { managedFields: stored, ...liveMeta } = live.metadata;
  if (!Array.isArray(given) || !Array.isArray(stored) || given.length !== stored.length) return false;
  const timeless = (entries: readonly ManagedFieldsEntry[]): readonly unknown[] => entries.map((entry) => ({ ...entry, time: 0 }));
  // The cheapest and most frequent difference is checked first.
  return (
    jsonEqual({ ...draft, metadata: 0 }, { ...live, metadata: 0 }) &&
    jsonEqual(meta, liveMeta) &&
    jsonEqual(timeless(given), timeless(stored))
  );
}
