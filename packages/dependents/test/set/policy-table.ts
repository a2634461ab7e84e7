/** The table of policy x phase x state of an object: how each state is made, what each phase does, and what must be true after it. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import type { TestCluster, TestOperator } from "@treadle/testing";
import { type DependentEntry, dependentsOf, type ObjectPolicies } from "../../src/index.ts";
import { config, HANDLER, Platform, platforms } from "./platforms.ts";

/** The policies of one object in the table. */
export interface Row extends Required<Pick<ObjectPolicies, "adopt" | "update" | "reconcile" | "onRemoval">> {
  /** The name of the object, which names the policies. */
  readonly name: string;
}

const ADOPT = ["never", "ifUnowned", "force"] as const;
const UPDATE = ["apply", "apply-and-reclaim", "replace", "recreate"] as const;
const RECONCILE = ["on-object-change", "on-object-or-component-change", "once"] as const;
const ON_REMOVAL = ["delete", "orphan", "orphan-on-apply", "orphan-on-delete"] as const;

/** All combinations of policies. */
export const ROWS: readonly Row[] = ADOPT.flatMap((adopt) =>
  UPDATE.flatMap((update) =>
    RECONCILE.flatMap((reconcile) =>
      ON_REMOVAL.map((onRemoval) => ({
        name: `${adopt}.${update}.${reconcile}.${onRemoval}`.toLowerCase(),
        adopt,
        update,
        reconcile,
        onRemoval,
      })),
    ),
  ),
);

/** An object before the phase. */
export const STATES = [
  "absent",
  "ours",
  "drifted",
  "terminating",
  "unowned",
  "of a controller",
  "of another owner",
  "of an earlier owner",
] as const;
export type State = (typeof STATES)[number];

/** What happens to the owner. "install" of an object that is ours already is a restart of the operator. */
export const PHASES = ["install", "other input", "update", "dropped", "owner deleted"] as const;
export type Phase = (typeof PHASES)[number];

/** What must be true of an object after the phase. */
export interface Fate {
  /** `data.text`; undefined: the object does not exist. */
  readonly text: string | undefined;
  /** Whether a field of another writer is there. */
  readonly hasTheirs: boolean;
  /** Whether it is the object that existed before the phase. */
  readonly isSame: boolean;
  /** Whether the operator did not write it. */
  readonly isUntouched: boolean;
  /** The name of whose owner its marks carry. */
  readonly marks: "ours" | "theirs" | "none";
  /** The reason in the entry of the owner; undefined: no entry. */
  readonly reason: string | undefined;
}

const GONE = { text: undefined, hasTheirs: false, isSame: false, isUntouched: false, marks: "none" } as const;
const isKept = (state: State): boolean => state === "ours" || state === "drifted" || state === "terminating";

/** Says what must be true. */
export function fateOf(row: Row, state: State, phase: Phase): Fate {
  const { onRemoval } = row;
  const isRemoved = phase === "dropped" || phase === "owner deleted";
  if (!isTaken(row, state)) return foreignFate(state, isRemoved ? undefined : "NotOurs");
  if (state === "terminating") {
    if (isRemoved) return { ...GONE, reason: undefined };
    if (row.reconcile === "once") return { ...GONE, reason: "Completed" };
    return { ...GONE, text: textAfter(phase), marks: "ours", reason: "Ready" };
  }
  const kept = keptFate(row, state, phase);
  if (!isRemoved) return kept;
  const stays = onRemoval === "orphan" || onRemoval === (phase === "dropped" ? "orphan-on-apply" : "orphan-on-delete");
  return stays ? { ...kept, isUntouched: false, marks: "none", reason: undefined } : { ...GONE, reason: undefined };
}

function isTaken({ adopt }: Row, state: State): boolean {
  if (state === "absent" || isKept(state)) return true;
  if (state === "of another owner") return false; // It would take the object again.
  return state === "of a controller" ? adopt === "force" : adopt !== "never";
}

function foreignFate(state: State, reason: string | undefined): Fate {
  const text = state === "of an earlier owner" ? "one" : "theirs";
  // The earlier owner had the same name.
  const marks = state === "of an earlier owner" ? "ours" : state === "of another owner" ? "theirs" : "none";
  return { text, hasTheirs: state !== "of another owner", isSame: true, isUntouched: true, marks, reason };
}

function textAfter(phase: Phase): string {
  return phase === "update" ? "two" : "one";
}

/** An object that the owner keeps, or kept until the phase. */
function keptFate({ update, reconcile }: Row, state: State, phase: Phase): Fate {
  const isOnce = reconcile === "once";
  const isRemoved = phase === "dropped" || phase === "owner deleted";
  // The operator did not run between the drift and the removal.
  const isDriftKept = state === "drifted" && (isOnce || isRemoved);
  const isAdopted = !isKept(state) && state !== "absent";
  const isNoted = phase === "other input" && reconcile === "on-object-or-component-change";
  const isReverted = state === "drifted" && !isDriftKept;
  const isChanged = phase === "update" && !isOnce;
  const isWritten = isAdopted || isReverted || isChanged || isNoted;
  const keepsTheirs = update === "apply" || isDriftKept;
  return {
    text: isDriftKept ? "drifted" : isOnce ? "one" : textAfter(phase),
    hasTheirs: (state === "drifted" || isAdopted) && keepsTheirs,
    isSame: state !== "absent" && !(isWritten && update === "recreate"),
    isUntouched: state !== "absent" && !isWritten,
    marks: "ours",
    reason: "Ready",
  };
}

/** What was seen of one object before the phase. */
export type Seen = ReadonlyMap<string, KubernetesObject>;

/** Says what is true. */
export function foundOf(row: Row, { before, after, owner }: { before: Seen; after: Seen; owner: KubernetesObject | undefined }): Fate {
  const entry = dependentsOf(owner ?? {}).find(({ name }: DependentEntry) => name === row.name);
  const reason = entry?.reason;
  const live = after.get(row.name) as ConfigMap | undefined;
  if (live === undefined) return { ...GONE, reason };
  const { metadata: was } = before.get(row.name) ?? {};
  return {
    text: live.data?.["text"],
    hasTheirs: live.data?.["theirs"] !== undefined,
    isSame: live.metadata.uid === was?.uid,
    isUntouched: live.metadata.resourceVersion === was?.resourceVersion,
    marks: whoseMarks(live, row),
    reason,
  };
}

/** The differences between what is and what must be, one line for each field of an object; short, so that a pattern shows. */
export function differences(row: Row, { found, wanted }: { readonly found: Fate; readonly wanted: Fate }): readonly string[] {
  const fields = Object.keys(wanted) as (keyof Fate)[];
  return fields
    .filter((field) => found[field] !== wanted[field])
    .map((field) => `${row.name}: ${field} is ${found[field]}, not ${wanted[field]}`);
}

function whoseMarks({ metadata }: KubernetesObject, { adopt }: Row): Fate["marks"] {
  const { labels = {}, annotations = {}, managedFields = [] } = metadata;
  const owner = annotations[`${HANDLER}/owner`];
  const texts = [...Object.keys(labels), ...Object.keys(annotations), ...managedFields.map(({ manager = "" }) => manager)];
  if (!texts.some((text) => text.startsWith("platforms"))) return "none";
  return owner?.includes(ownerName(adopt)) === true && labels[`${HANDLER}/dependent`] === "stack" ? "ours" : "theirs";
}

/** One owner for each way to adopt. */
export const ownerName = (adopt: Row["adopt"]): string => adopt.toLowerCase();
export const OWNERS: readonly string[] = ADOPT.map(ownerName);

/** The operator of the table. */
async function start(cluster: TestCluster): Promise<TestOperator> {
  const operator = await cluster.start(
    platforms({
      replaces: true,
      objects: ({ metadata, spec }) =>
        spec.names.length === 0
          ? []
          : ROWS.filter(({ adopt }) => metadata.name === "other" || ownerName(adopt) === metadata.name).map(({ name, ...policies }) =>
              config(name, { text: spec.text }, metadata.name === "other" ? {} : policies),
            ),
    }),
  );
  await operator.settled();
  return operator;
}

const change = async (cluster: TestCluster, act: (spec: { text: string; names: string[]; retain: boolean }) => void): Promise<void> => {
  for (const name of OWNERS) await cluster.update(Platform, name, ({ spec }) => act(spec));
};
const createOwners = async (cluster: TestCluster): Promise<void> => {
  for (const name of OWNERS) await cluster.create(Platform, { metadata: { name }, spec: { text: "one" } });
};

/** All objects of the table. */
export async function seen(cluster: TestCluster): Promise<Seen> {
  const objects: readonly KubernetesObject[] = await cluster.list(ConfigMap, "default");
  return new Map(objects.map((object) => [object.metadata.name, object]));
}

const HOLD = "example.dev/hold";

/** Makes the state. No operator runs after it. */
export async function prepare(cluster: TestCluster, state: State): Promise<void> {
  if (state === "absent") return;
  if (state === "unowned" || state === "of a controller") return await createForeign(cluster, state);
  if (state === "of another owner") await cluster.create(Platform, { metadata: { name: "other" }, spec: { text: "theirs" } });
  else await createOwners(cluster);
  const operator = await start(cluster);
  await operator.stop();
  if (state === "of an earlier owner") {
    for (const name of OWNERS) {
      await cluster.update(Platform, name, ({ metadata }) => void (metadata.finalizers = []));
      await cluster.delete(Platform, name);
    }
  }
  for (const { name } of ROWS) {
    if (state === "drifted") await cluster.update(ConfigMap, name, (object) => void (object.data = { text: "drifted", theirs: "x" }));
    if (state === "of an earlier owner")
      await cluster.update(ConfigMap, name, (object) => void (object.data = { text: "one", theirs: "x" }));
    if (state !== "terminating") continue;
    await cluster.update(ConfigMap, name, ({ metadata }) => void (metadata.finalizers = [HOLD]));
    await cluster.delete(ConfigMap, name);
  }
}

async function createForeign(cluster: TestCluster, state: State): Promise<void> {
  const boss = await cluster.create(ConfigMap, { metadata: { name: "boss" } });
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "boss", uid: boss.metadata.uid ?? "", controller: true };
  const ownerReferences = state === "of a controller" ? [reference] : [];
  for (const { name } of ROWS)
    await cluster.create(ConfigMap, { metadata: { name, ownerReferences }, data: { text: "theirs", theirs: "x" } });
}

/** Runs the phase. Returns what the objects were while a foreign finalizer held them, if it did. */
export async function run(cluster: TestCluster, state: State, phase: Phase): Promise<{ readonly held: Seen | undefined }> {
  const hadOwners = isKept(state);
  if (!hadOwners) await createOwners(cluster);
  // What is ours already sees a restart, all others an operator that runs.
  let operator = hadOwners ? undefined : await start(cluster);
  if (phase === "update") await change(cluster, (spec) => void (spec.text = "two"));
  if (phase === "other input") await change(cluster, (spec) => void (spec.retain = true));
  if (phase === "dropped") await change(cluster, (spec) => void (spec.names = []));
  if (phase === "owner deleted") for (const name of OWNERS) await cluster.delete(Platform, name);
  operator ??= await start(cluster);
  await operator.settled();
  if (state !== "terminating") return { held: undefined };
  const held = await seen(cluster);
  for (const { name } of ROWS) await cluster.update(ConfigMap, name, ({ metadata }) => void (metadata.finalizers = []));
  await operator.settled();
  return { held };
}
