/**
 * Reads what is around one object: below it (owned objects, dependents, what it names), above it, its namespace, and the leases of its
 * operator. Reads run in parallel, in at most six rounds, and their number is bounded.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Health } from "@treadle/apimachinery/health";
import type { FoundObject } from "../cluster/find-object.ts";
import type { ObjectName } from "../cluster/object-name.ts";
import type { ClusterReader } from "../cluster/reader.ts";
import { isBuiltIn } from "../cluster/served-kinds.ts";
import { isRecord, valueAt } from "../json.ts";
import { operatorOf } from "./operator.ts";
import { hasPods, plannedKinds, type PlannedKind, workloadKinds } from "./planned-kinds.ts";
import { type Draft, draftsOf, type Known, Pool, treeOf, typeIdOf } from "./pool.ts";
import { type EventNote, healthOf, type Node, type Relation, type Situation } from "./situation.ts";
import { conditionsOf, eventNoteOf, sinceOf } from "./status-fields.ts";

/** Rounds of reads of what objects name, each one level deeper. */
const MAX_ROUNDS = 3;
/** Objects read in one round. An entry that was not read shows what the status says. */
const MAX_PER_ROUND = 40;
/** Objects whose events are read. */
const MAX_WITH_EVENTS = 15;

/** Options of {@link collect}. */
export interface CollectOptions {
  /** Whether events, leases and the namespace are read: not for a tree. @defaultValue true */
  readonly withCauses?: boolean;
}

/** @throws what the reader throws: only what prevents any answer */
export async function collect(reader: ClusterReader, found: FoundObject, { withCauses = true }: CollectOptions = {}): Promise<Situation> {
  const { kind, object } = found;
  const pool = new Pool();
  pool.add(object);
  const { planned, leftOut } = plannedKinds(kind, reader.kinds);
  if (leftOut > 0) reader.note(`${leftOut} kinds`, `only the ${planned.length} most likely kinds were searched for owned objects`);
  for (const version of reader.kinds.silent) reader.note(`kinds of ${version}`, "the server behind them does not answer");
  const namespace = object.metadata.namespace;
  const [owners, place, operator] = await Promise.all([
    ownersOf(reader, object),
    withCauses ? namespaceOf(reader, object) : undefined,
    operatorOf(reader, found, withCauses),
    listInto(reader, pool, planned, namespace),
  ]);
  const tree = await completed(reader, pool, object);
  const events = withCauses ? await eventsOf(reader, tree) : new Map<string, readonly EventNote[]>();
  const root = nodeOf(tree, events);
  return {
    root: lacksStatus(found) ? { ...root, health: NO_STATUS } : root,
    owners,
    namespace: place,
    ...operator,
    unread: reader.unread,
    nowMs: reader.nowMs(),
  };
}

/** An object whose controller has not written a status yet. `health()` calls it ready, because kinds without a status exist. */
function lacksStatus({ kind, object }: FoundObject): boolean {
  const hasStatus = kind.subresources.some(({ name }) => name === "status");
  return !isBuiltIn(kind) && hasStatus && isEmpty(valueAt(object, "status")) && object.metadata.deletionTimestamp === undefined;
}

function isEmpty(status: unknown): boolean {
  return status === undefined || (isRecord(status) && Object.keys(status).length === 0);
}

const NO_STATUS: Health = { type: "Unknown", reason: "NoStatus", message: "no operator has written a status" };

async function listInto(reader: ClusterReader, pool: Pool, planned: readonly PlannedKind[], namespace: string | undefined): Promise<void> {
  const lists = await Promise.all(planned.map(({ kind, isMetadataOnly }) => reader.list(kind, { namespace, isMetadataOnly })));
  for (const object of lists.flat()) pool.add(object);
}

/** Reads what the tree names until nothing is missing, then the pods of workloads in other namespaces. */
async function completed(reader: ClusterReader, pool: Pool, root: KubernetesObject): Promise<Draft> {
  let tree = treeOf(root, pool, reader.kinds);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const wanted = draftsOf(tree).filter(({ known }) => known === undefined);
    if (wanted.length === 0) break;
    await Promise.all(worstFirst(wanted).map(({ name }) => readInto(reader, pool, name)));
    tree = treeOf(root, pool, reader.kinds);
  }
  const places = new Set(
    draftsOf(tree)
      .filter(({ name, known }) => hasPods(name) && name.namespace !== root.metadata.namespace && known?.object !== undefined)
      .filter(({ known }) => healthOf(known?.object as KubernetesObject, []).type !== "Ready")
      .map(({ name }) => name.namespace),
  );
  if (places.size === 0) return tree;
  await Promise.all([...places].slice(0, 5).map((namespace) => listInto(reader, pool, workloadKinds(reader.kinds), namespace)));
  return treeOf(root, pool, reader.kinds);
}

/** Entries that are ready are read last. */
function worstFirst(wanted: readonly Draft[]): readonly Draft[] {
  const isReady = ({ relation }: Draft): boolean => relation.type === "dependent" && relation.entry.type === "Ready";
  return wanted.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b))).slice(0, MAX_PER_ROUND);
}

async function readInto(reader: ClusterReader, pool: Pool, name: ObjectName): Promise<void> {
  const kind = reader.kinds.of(name);
  if (kind === undefined) return pool.note(name, reader.kinds.isUnserved(name) ? "unserved" : "refused");
  const { namespace, name: own } = name;
  const isMetadataOnly = ["Secret", "ConfigMap"].includes(typeIdOf(name));
  const found = await reader.get(kind, namespace === undefined ? { name: own } : { namespace, name: own }, { isMetadataOnly });
  if (found.type === "found") pool.add(found.object);
  else pool.note(name, found.type === "missing" ? "missing" : "refused");
}

/** The owners above an object, the nearest first; at most four. */
async function ownersOf(reader: ClusterReader, object: KubernetesObject): Promise<readonly Node[]> {
  const owners: Node[] = [];
  let at: KubernetesObject | undefined = object;
  while (at !== undefined && owners.length < 4) {
    const reference = at.metadata.ownerReferences?.find(({ controller }) => controller === true) ?? at.metadata.ownerReferences?.[0];
    const kind = reference === undefined ? undefined : reader.kinds.of(reference);
    if (reference === undefined || kind === undefined) break;
    const place = kind.scope === "Namespaced" ? { namespace: object.metadata.namespace ?? "" } : {};
    const found = await reader.get(kind, { ...place, name: reference.name });
    const name = { apiVersion: reference.apiVersion, kind: reference.kind, name: reference.name, ...place };
    const state = found.type === "unread" ? "refused" : found.type;
    at = found.type === "found" ? found.object : undefined;
    owners.push(nodeOf({ name, relation: { type: "root" }, known: { state, object: at }, children: [] }, new Map()));
  }
  return owners;
}

async function namespaceOf(reader: ClusterReader, { metadata: { namespace } }: KubernetesObject): Promise<KubernetesObject | undefined> {
  const kind = reader.kinds.of({ apiVersion: "v1", kind: "Namespace" });
  if (kind === undefined || namespace === undefined) return undefined;
  const found = await reader.get(kind, { name: namespace });
  return found.type === "found" ? found.object : undefined;
}

/** Reads the events of objects that are not ready, by uid. */
async function eventsOf(reader: ClusterReader, tree: Draft): Promise<ReadonlyMap<string, readonly EventNote[]>> {
  const kind = reader.kinds.of({ apiVersion: "v1", kind: "Event" });
  if (kind === undefined) return new Map();
  const asked = draftsOf(tree)
    .filter((draft) => draft === tree || nodeOf(draft, new Map()).health.type !== "Ready")
    .flatMap(({ known }) => (known?.object?.metadata.uid === undefined ? [] : [known.object]))
    .slice(0, MAX_WITH_EVENTS);
  const lists = await Promise.all(
    asked.map(async ({ metadata: { uid = "", namespace = "default" } }) => {
      const events = await reader.list(kind, { namespace, fieldSelector: `involvedObject.uid=${uid}` });
      return [uid, events.map(eventNoteOf).toSorted((a, b) => b.lastMs - a.lastMs)] as const;
    }),
  );
  return new Map(lists);
}

function nodeOf({ name, relation, known, children }: Draft, events: ReadonlyMap<string, readonly EventNote[]>): Node {
  const below = children.map((child) => nodeOf(child, events));
  const object = known?.object;
  const pods = below.flatMap((child) => podsIn(child));
  const live = object === undefined ? healthWithout(known?.state, relation) : healthWithPods(object, pods);
  const entry = relation.type === "dependent" ? relation.entry : undefined;
  // The author of an operator may know better when an object is ready.
  const isByEntry = entry !== undefined && live.type === "Ready" && entry.type !== "Ready";
  const health: Health = isByEntry ? { type: typeOfEntry(entry.type), reason: entry.reason, message: entry.message } : live;
  return {
    name,
    relation,
    state: known?.state ?? "refused",
    object,
    health,
    since: isByEntry || object === undefined ? entry?.since : sinceOf(object, live),
    conditions: conditionsOf(object),
    events: events.get(object?.metadata.uid ?? "") ?? [],
    children: below,
  };
}

/** The reason of the pod that is worst off. Its message stands at the pod itself. */
function healthWithPods(object: KubernetesObject, pods: readonly KubernetesObject[]): Health {
  return pods.length === 0 ? healthOf(object, []) : { ...healthOf(object, pods), message: healthOf(object, []).message };
}

function podsIn({ object, children }: Node): readonly KubernetesObject[] {
  const own = object !== undefined && object.kind === "Pod" && object.apiVersion === "v1" ? [object] : [];
  return [...own, ...children.flatMap(podsIn)];
}

function typeOfEntry(type: string): Health["type"] {
  return type === "Failed" || type === "Unknown" ? type : "Pending";
}

/** The health of an object that was not read, or does not exist. An entry tells what the operator saw, and why it has not created it yet. */
function healthWithout(state: Known["state"] | undefined, relation: Relation): Health {
  if (state === "unserved") return { type: "Failed", reason: "KindNotServed", message: "the server does not serve its kind" };
  const entry = relation.type === "dependent" ? relation.entry : undefined;
  if (entry !== undefined && (entry.type !== "Ready" || state !== "missing")) {
    const { type, reason, message } = entry;
    return type === "Ready" ? { type, reason, message } : { type: typeOfEntry(type), reason, message };
  }
  if (state === "missing") return { type: "Failed", reason: "NotFound", message: "it does not exist" };
  return { type: "Unknown", reason: "NotRead", message: "it could not be read" };
}
