/** The table of switch x phase of an object: what an author decides in code, and what must be true of the object after each phase. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { configured, type ObjectConfig, dependentsOf } from "../../src/index.ts";
import { config, HANDLER, Platform, platform, platforms } from "./platforms.ts";

/** The switches of one object. */
export interface Row extends Readonly<Record<Exclude<keyof ObjectConfig, "id" | "state">, boolean>> {
  /** The name of owner and object, with a letter for each switch that is on. */
  readonly name: string;
}

const BOTH = [true, false] as const;

/** All combinations of switches. */
export const ROWS: readonly Row[] = BOTH.flatMap((owned) =>
  BOTH.flatMap((created) =>
    BOTH.flatMap((updated) =>
      BOTH.flatMap((watched) =>
        BOTH.map((checkedForReadiness) => {
          const on = { o: owned, c: created, u: updated, w: watched, r: checkedForReadiness };
          const name = Object.entries(on).map(([letter, isOn]) => (isOn ? letter : "x"));
          return { name: name.join(""), owned, created, updated, watched, checkedForReadiness } as Row;
        }),
      ),
    ),
  ),
);

/** Another writer creates the object, and no update marks it as the owner's. */
export const isLegal = ({ owned, created, updated }: Row): boolean => created || updated || !owned;

/** What happens to the object. */
export const PHASES = [
  "missing",
  "unowned",
  "of a controller",
  "changed",
  "drift",
  "drift, later",
  "deleted",
  "deleted, later",
  "dropped",
  "owner deleted",
] as const;
export type Phase = (typeof PHASES)[number];

/** What must be true of an object after the phase. */
export interface Fate {
  /** `data.text`; undefined: the object does not exist. */
  readonly text: string | undefined;
  /** Whether it has the label of the owner. */
  readonly isOwned: boolean;
  /** Whether it has the label of the step. */
  readonly hasLabel: boolean;
  /** The reason in the entry of the owner; undefined: no entry. */
  readonly reason: string | undefined;
  /** The status of the condition of the set; undefined: no owner. */
  readonly ready: string | undefined;
}

/** Says what must be true. */
export function fateOf(row: Row, phase: Phase): Fate {
  const { owned, created, updated, watched, checkedForReadiness } = row;
  const isTaken = created || updated;
  const ready = { reason: checkedForReadiness ? "Ready" : undefined, ready: "True" };
  const not = (reason: string, status: string) => (checkedForReadiness ? { reason, ready: status } : { reason: undefined, ready: "True" });
  const ours = { isOwned: owned && isTaken, hasLabel: isTaken };
  const theirs = { text: "theirs", isOwned: false, hasLabel: false };
  const away = { text: undefined, isOwned: false, hasLabel: false };
  const before = { ...ours, text: updated || created ? "one" : "theirs" };
  switch (phase) {
    case "missing":
      return created ? { ...before, text: "one", ...ready } : { ...away, ...not("NotFound", "Unknown") };
    case "unowned":
      return updated ? { ...before, ...ready } : { ...theirs, ...ready };
    case "of a controller":
      return isTaken ? { ...theirs, ...not("NotOurs", "False") } : { ...theirs, ...ready };
    case "changed":
      return { ...before, text: updated ? "two" : before.text, ...ready };
    case "drift":
    case "drift, later":
      return { ...before, text: updated && (watched || phase === "drift, later") ? "one" : "drifted", ...ready };
    case "deleted":
    case "deleted, later":
      if (!watched && phase === "deleted") return { ...away, ...ready };
      // The time limit of the set is over for an object that was missed at once.
      return created
        ? { ...before, ...ready }
        : { ...away, ...not("NotFound", watched && phase === "deleted, later" ? "False" : "Unknown") };
    case "dropped":
      return owned ? { ...away, reason: undefined, ready: "True" } : { ...before, reason: undefined, ready: "True" };
    case "owner deleted":
      return owned ? { ...away, reason: undefined, ready: undefined } : { ...before, reason: undefined, ready: undefined };
  }
}

/** One owner for each combination. */
function start(rows: readonly Row[], objects: readonly object[]): FakeWorld {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const handler = platforms({
    objects: ({ metadata, spec }) => {
      const { name: _, ...switches } = byName.get(metadata.name) as Row;
      return spec.names.map(() => configured(config(metadata.name, { text: spec.text }), switches));
    },
  });
  return fakeWorld(handler, { objects: [...rows.map(({ name }) => platform({ text: "one", names: ["it"] }, { name })), ...objects] });
}

const BOSS = { apiVersion: "v1", kind: "ConfigMap", name: "boss", uid: "boss", controller: true };
const foreign = ({ name }: Row, ownerReferences: readonly object[] = []): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ownerReferences },
  data: { text: "theirs" },
});

/** Longer than the time after which an object that is not watched is applied again. */
const LATER_MS = 3_700_000;

/** Runs the phase. */
export async function run(rows: readonly Row[], phase: Phase): Promise<FakeWorld> {
  const existing = rows.flatMap((row) => {
    if (phase === "missing") return [];
    if (phase === "of a controller") return [foreign(row, [BOSS])];
    return phase === "unowned" || !row.created ? [foreign(row)] : [];
  });
  const world = start(rows, existing);
  await world.settled();
  for (const { name } of rows) {
    if (phase === "changed") await world.update(Platform, name, ({ spec }) => void (spec.text = "two"));
    if (phase.startsWith("drift")) await world.update(ConfigMap, name, (map) => void (map.data = { text: "drifted" }));
    if (phase.startsWith("deleted")) await world.delete(ConfigMap, name);
    if (phase === "dropped") await world.update(Platform, name, ({ spec }) => void (spec.names = []));
    if (phase === "owner deleted") await world.delete(Platform, name);
  }
  await world.settled();
  if (phase.endsWith("later")) {
    await world.advance(LATER_MS);
    await world.settled();
  }
  return world;
}

/** Says what is true. */
export async function foundOf(world: FakeWorld, { name }: Row): Promise<Fate> {
  const live = (await world.get(ConfigMap, name)) as (KubernetesObject & { readonly data?: Readonly<Record<string, string>> }) | undefined;
  const owner = await world.get(Platform, name);
  const labels = live?.metadata.labels ?? {};
  return {
    text: live?.data?.["text"],
    isOwned: labels[`${HANDLER}/owner-id`] !== undefined,
    hasLabel: labels[`${HANDLER}/dependent`] !== undefined,
    reason: dependentsOf(owner ?? {})[0]?.reason,
    ready: owner?.status?.conditions?.find(({ type }) => type === "StackReady")?.status,
  };
}
