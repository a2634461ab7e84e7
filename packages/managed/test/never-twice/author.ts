/** The four kinds of author, and the handler that each of them would write. */
import { defineResource, type FakeClock, type ObjectOf } from "@treadle/apimachinery";
import { type AnyHandler, conditions, handler, pause } from "@treadle/reconcile";
import { z } from "zod";
import { externalNames, managed, managedSpec, managedStatus, managedTraits, provider } from "../../src/index.ts";
import { fakeProvider, type FakeProvider, type FakeTimes } from "../../src/testing/index.ts";

/**
 * - `chosen`: chooses the name; a create of a name that exists changes nothing.
 * - `recovered`: the provider assigns the name, and finds a create by its token.
 * - `idempotent`: the same, and a create with the token of an existing resource returns it.
 * - `blind`: the provider assigns the name, and cannot find a create.
 */
export const AUTHORS = ["chosen", "recovered", "idempotent", "blind"] as const;
export type Author = (typeof AUTHORS)[number];

/** What the provider of a script is like. */
export interface Nature extends FakeTimes {
  readonly author: Author;
  readonly isEventualForWrites?: boolean;
  readonly latencyMs?: number;
}

/** The functions that a planted defect replaces. */
export interface Library {
  readonly managed: typeof managed;
  readonly provider: typeof provider;
  readonly externalNames: typeof externalNames;
}
export const LIBRARY: Library = { managed, provider, externalNames };

export const CloudConfig = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "CloudConfig",
  scope: "Namespaced",
  spec: z.object({}),
  status: z.object({}),
});

export const Disk = defineResource({
  ...managedTraits,
  group: "test.treadle.dev",
  version: "v1",
  kind: "Disk",
  scope: "Namespaced",
  spec: z.object({ ...managedSpec, sizeGb: z.int32() }),
  status: z.object({ ...managedStatus }),
});
export interface Disk extends ObjectOf<typeof Disk> {}

export const FINALIZER = "test.treadle.dev/disks.test.treadle.dev";
export const STEP = "disk";
/** Shorter than the times of the natures: they must not break the contract of `graceMs`. */
const GRACE_MS = 30_000;
export const DEADLINE_MS = 60_000;

export type Outside = FakeProvider<{ readonly sizeGb: number }>;

/** Makes the provider of a script. */
export function outsideOf({ author, ...nature }: Nature, clock: FakeClock): Outside {
  return fakeProvider({
    defaults: { sizeGb: 1 },
    names: author === "chosen" ? "chosen" : "assigned",
    isIdempotentByToken: author === "idempotent",
    clock,
    ...nature,
  });
}

/** The calls of the provider: those of the fake, with what the script does to them. */
export type Calls = Pick<Outside, "observe" | "create" | "update" | "delete" | "recoverCreate">;

/** Makes the handler of one process. */
export function disks(
  author: Author,
  { calls, state }: { readonly calls: Calls; readonly state: Outside["state"] },
  library: Library,
): AnyHandler {
  const { observe, create, recoverCreate, update, delete: remove } = calls;
  const cloud = library.provider(CloudConfig, { connect: () => ({}) });
  const disk = library.managed(Disk, {
    name: STEP,
    provider: cloud,
    ...(author === "chosen" ? { externalName: library.externalNames.uid } : {}),
    observe,
    desired: ({ spec }) => ({ sizeGb: spec.sizeGb }),
    create,
    ...(author === "recovered" || author === "idempotent" ? { recoverCreate } : {}),
    update,
    delete: remove,
    state,
    graceMs: GRACE_MS,
    timeoutMs: DEADLINE_MS,
  });
  return handler(Disk).step(conditions()).step(pause()).step(disk).build();
}
