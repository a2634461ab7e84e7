/** Brings one object to what is wanted, by as few requests as possible: none where nothing differs. */
import { isAlreadyExists, isApiError, isConflict, jsonEqual, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { unitManager } from "../../pass/req-client.ts";
import { shownError } from "./confidential.ts";
import { digestAnnotation, digestOf, titleOf } from "./dependent.ts";
import type { DependentState } from "./entries.ts";
import { appliedFields, extractOwned, firstDifference } from "./owned-fields.ts";
import { contested, heldBackMs, noteWrite } from "./pace.ts";
import { takenOver } from "./take-over.ts";
import { memoryOf, remember, type Unit, type Wanted } from "./unit.ts";
import { formerManagers, renamedManagers, whoseIs } from "./whose.ts";

/** What became of it: it is there, or it is not and why. */
export type Converged =
  | { readonly type: "there"; readonly live: KubernetesObject }
  | {
      readonly type: "not yet";
      readonly live: KubernetesObject | undefined;
      readonly state: DependentState;
      readonly isRace?: true;
      /** When to look again. @defaultValue when the watch says so */
      readonly afterMs?: number;
    };

/** `wanted` is undefined where the author only looks. @throws what the server answers */
export async function converge(
  unit: Unit,
  target: Ref,
  given: { readonly wanted: Wanted | undefined; readonly live: KubernetesObject | undefined },
): Promise<Converged> {
  const { dependent } = unit;
  const { wanted, live } = given;
  if (live === undefined) {
    if (dependent.isCreated && wanted !== undefined) return held(unit, target, live) ?? (await create(unit, wanted));
    return pending("NotFound", `${title(unit, target)} does not exist yet, and somebody else is to create it`);
  }
  const whose = whoseIs(unit, live);
  const isToBeKept = dependent.isCreated || (dependent.isUpdated && wanted !== undefined);
  if (whose.type === "foreign") return isToBeKept ? notOurs(unit, target, { live, owner: whose.owner }) : { type: "there", live };
  if (live.metadata.deletionTimestamp !== undefined && dependent.isCreated)
    return { ...pending("Deleting", `${title(unit, target)} is being deleted, and will be created again`), live };
  if (!dependent.isUpdated || wanted === undefined) return { type: "there", live };
  return await update(unit, wanted, { live, isToRelease: whose.type === "adoptable" && whose.hasController });
}

/** What must be written, but not so soon again; also what was written so often that it is to be seen whether it stays. */
function held(unit: Unit, target: Ref, live: KubernetesObject | undefined): Converged | undefined {
  const why = contested(unit);
  const afterMs = heldBackMs(unit);
  if (why === undefined || afterMs <= 0) return undefined;
  const message = `${title(unit, target)} differs again each time it is written, last ${why}: either somebody else writes it, too, or desired does not give the same answer twice`;
  return { type: "not yet", live, state: { type: "Pending", reason: "Contested", message }, afterMs };
}

async function create(unit: Unit, wanted: Wanted): Promise<Converged> {
  const { dependent, req } = unit;
  const { kind, options } = dependent;
  try {
    const { body } = wanted;
    noteWrite(unit, undefined, "because it was gone");
    const live: KubernetesObject =
      options.update === undefined ? await req.client.apply(kind, body, { existing: undefined }) : await req.client.create(kind, body);
    written(unit, wanted, live);
    return { type: "there", live };
  } catch (error) {
    if (!isAlreadyExists(error) && !isConflict(error)) throw withReason(shownError(kind, wanted.body, error));
    return await raced(unit, wanted);
  }
}

/** The server answers 500, without a reason, to an object that breaks the schema of its kind. */
function withReason(error: unknown): unknown {
  if (!isApiError(error) || !/failed to create typed patch object|field not declared in schema/.test(error.message)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: "ERR_INVALID_APPLY" });
}

/** Somebody was faster, or the cache lags behind. What is there is asked of the server: a foreign object is said to be one at once. */
async function raced(unit: Unit, wanted: Wanted): Promise<Converged> {
  const { dependent, req } = unit;
  const { target } = wanted;
  // A list, because who watches may list; the right to get would be needed for this alone.
  const within = target.namespace === undefined ? {} : { namespace: target.namespace };
  const [live] = await req.client.list(dependent.kind, { ...within, fieldSelector: `metadata.name=${target.name}` });
  const whose = live === undefined ? undefined : whoseIs(unit, live);
  if (live !== undefined && whose?.type === "foreign") return notOurs(unit, target, { live, owner: whose.owner });
  // Somebody took away the labels by which its kind is watched: the cache will never show it.
  if (live !== undefined && unit.pass.env.isSelected?.(dependent.kind, live) === false)
    return await converge(unit, target, { wanted, live });
  return { ...pending("NotSeenYet", `${title(unit, target)} exists, but is not in the cache yet`), isRace: true };
}

async function update(
  unit: Unit,
  wanted: Wanted,
  { live, isToRelease }: { readonly live: KubernetesObject; readonly isToRelease: boolean },
): Promise<Converged> {
  const { dependent, req, owner } = unit;
  const { kind, options } = dependent;
  const { target } = wanted;
  const next = options.update === undefined ? undefined : merged(unit, wanted, live);
  const difference = isToRelease
    ? "in its controller"
    : options.update === undefined
      ? differenceOf(unit, wanted, live)
      : next === undefined
        ? undefined
        : "from what update gives";
  if (difference === undefined) return held(unit, target, live) ?? { type: "there", live };
  const isHeld = held(unit, target, live);
  if (isHeld !== undefined) return isHeld;
  noteWrite(unit, live, difference);
  const free = isToRelease ? await released(unit, live) : options.update === undefined ? await takenOver(unit, live) : live;
  req.log.debug({ kind: kind.kind, object: target.name, owner: owner.metadata.name, difference }, "applying a dependent");
  try {
    const stored =
      options.update === undefined
        ? await applied(unit, wanted, free)
        : await replaced(unit, isToRelease ? { live: free, next: merged(unit, wanted, free) } : { live, next });
    return held(unit, target, stored) ?? { type: "there", live: stored };
  } catch (error) {
    throw withReason(shownError(kind, next ?? wanted.body, error));
  }
}

async function applied(unit: Unit, wanted: Wanted, live: KubernetesObject): Promise<KubernetesObject> {
  const stored: KubernetesObject = await unit.req.client.apply(unit.dependent.kind, wanted.body, { existing: live });
  const cleared = await withoutFormer(unit, stored);
  written(unit, wanted, cleared);
  return cleared;
}

/** What another step of ours applied when the object was its own goes: who applies nothing gives up its fields. */
async function withoutFormer(unit: Unit, live: KubernetesObject): Promise<KubernetesObject> {
  const { pass, req, dependent } = unit;
  const { name, namespace, uid } = live.metadata;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid };
  const body = { apiVersion: live.apiVersion, kind: live.kind, metadata };
  let stored = live;
  for (const fieldManager of [...renamedManagers(unit, live), ...formerManagers(unit, live)]) {
    stored = await pass.env.client.apply(dependent.kind, body as never, { fieldManager, force: true, signal: req.signal });
    pass.env.observeOther?.(dependent.kind, stored);
  }
  return stored;
}

async function replaced(
  unit: Unit,
  { live, next }: { readonly live: KubernetesObject; readonly next: KubernetesObject | undefined },
): Promise<KubernetesObject> {
  if (next === undefined) return live;
  const { uid } = live.metadata;
  const stored: KubernetesObject = await unit.req.client.update(unit.dependent.kind, next);
  remember(unit, { uid, wanted: digestOf(withoutVersion(next)), stored: undefined, resourceVersion: stored.metadata.resourceVersion });
  return stored;
}

/** The author's own merge, with our marks put back into what it returns; `undefined` where nothing is to be written. */
function merged(unit: Unit, { body }: Wanted, live: KubernetesObject): KubernetesObject | undefined {
  const { dependent } = unit;
  const { labels, annotations, ownerReferences: ours = [] } = body.metadata;
  const given = (dependent.options.update?.(live, body) ?? live) as KubernetesObject;
  const others = (given.metadata?.ownerReferences ?? []).filter(({ uid }) => !ours.some((reference) => reference.uid === uid));
  const references = ours.length === 0 ? given.metadata?.ownerReferences : [...others, ...ours];
  const { managedFields: _, ...metadata } = live.metadata;
  const next = {
    ...given,
    metadata: {
      ...metadata,
      ...given.metadata,
      labels: { ...given.metadata?.labels, ...labels },
      ...(annotations === undefined && given.metadata?.annotations === undefined
        ? {}
        : { annotations: { ...given.metadata?.annotations, ...annotations } }),
      ...(references === undefined ? {} : { ownerReferences: references }),
      name: live.metadata.name,
      uid: live.metadata.uid,
      resourceVersion: live.metadata.resourceVersion,
    },
  } as KubernetesObject; // What was read from a server has a uid and a version.
  if (jsonEqual(next, { ...live, metadata: { ...metadata, labels: { ...metadata.labels } } })) return undefined;
  // What the server adds to what the merge gives, or does not keep of it, is no reason to write the same again.
  const known = memoryOf(unit);
  const isStored = known?.uid === live.metadata.uid && known?.resourceVersion === live.metadata.resourceVersion;
  return isStored && known?.wanted === digestOf(withoutVersion(next)) ? undefined : next;
}

function withoutVersion({ metadata, ...rest }: KubernetesObject): object {
  return { ...rest, metadata: { ...metadata, resourceVersion: undefined } };
}

/** Takes the controller off an object that the author lets us take from it: there can be only one. */
async function released({ dependent, req }: Unit, live: KubernetesObject): Promise<KubernetesObject> {
  const { name, namespace, uid, resourceVersion, ownerReferences = [] } = live.metadata;
  const body = { metadata: { uid, resourceVersion, ownerReferences: ownerReferences.filter(({ controller }) => controller !== true) } };
  return await req.client.patch(dependent.kind, namespace === undefined ? { name } : { name, namespace }, { type: "merge", body });
}

/** Where applying would change something; `undefined` where nowhere. */
function differenceOf(unit: Unit, { body }: Wanted, live: KubernetesObject): string | undefined {
  const { uid, resourceVersion } = live.metadata;
  const known = memoryOf(unit);
  if (renamedManagers(unit, withManagedFields(unit, live)).length > 0) return "in what its handler left there under a former name";
  const digest = digestOf(body);
  const isKnown = known?.uid === uid && known?.wanted === digest;
  if (isKnown && known?.resourceVersion !== undefined && known.resourceVersion === resourceVersion) return undefined;
  const owned = appliedFields(withManagedFields(unit, live), unitManager(unit.pass, unit.dependent));
  if (owned === undefined) return "in whom its fields belong to";
  if (formerManagers(unit, withManagedFields(unit, live)).length > 0) return "in what another step left there";
  const key = digestAnnotation(unit.handlerName);
  const wasApplied = body.metadata.annotations?.[key];
  const isOurs = wasApplied !== undefined;
  const path = (trust: boolean): string | undefined => firstDifference(body, live, { owned, trust });
  // Something else is wanted than what was applied; what was put there by hand is put back.
  if (isOurs && live.metadata.annotations?.[key] !== wasApplied) return `at ${path(false) ?? "what was applied"}`;
  const stored = digestOf(extractOwned(live, owned));
  const difference = isKnown && known?.stored === stored ? undefined : path(isOurs);
  if (difference !== undefined) return `at ${difference}`;
  remember(unit, { uid, wanted: digest, stored: isKnown ? known?.stored : stored, resourceVersion });
  return undefined;
}

function written(unit: Unit, { body }: Wanted, live: KubernetesObject): void {
  const owned = appliedFields(live, unitManager(unit.pass, unit.dependent));
  const { uid, resourceVersion } = live.metadata;
  const stored = owned === undefined ? undefined : digestOf(extractOwned(live, owned));
  remember(unit, { uid, wanted: digestOf(body), stored, resourceVersion });
}

/** Objects that are fetched come without managedFields; the metadata in the cache has ours of the same version. */
function withManagedFields({ pass, read }: Unit, live: KubernetesObject): KubernetesObject {
  if (live.metadata.managedFields !== undefined || read.source !== "fetch") return live;
  const { name, namespace, resourceVersion } = live.metadata;
  const cached: KubernetesObject | undefined = pass.env.cache.get(read.cacheKind, namespace === undefined ? { name } : { name, namespace });
  const managedFields = cached?.metadata.resourceVersion === resourceVersion ? cached?.metadata.managedFields : undefined;
  return managedFields === undefined ? live : { ...live, metadata: { ...live.metadata, managedFields } };
}

function notOurs(
  unit: Unit,
  target: Ref,
  { live, owner }: { readonly live: KubernetesObject; readonly owner: string | undefined },
): Converged {
  const why = owner === undefined ? 'nobody controls it; adopt: "ifUnowned" would take it' : `it belongs to ${owner}`;
  const message = `${title(unit, target)} is not ours: ${why}`;
  return { type: "not yet", live, state: { type: "Failed", reason: "NotOurs", message } };
}

function pending(reason: string, message: string): Converged & { readonly type: "not yet" } {
  return { type: "not yet", live: undefined, state: { type: "Pending", reason, message } };
}

function title({ dependent, owner }: Unit, target: Ref): string {
  return titleOf(dependent, target, owner);
}
