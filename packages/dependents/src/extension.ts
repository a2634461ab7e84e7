/**
 * The extension of the engine behind dependentApply(): the entries in `status.dependents`, the order by `dependsOn`, and the
 * removal of what is no longer desired when the chain has run.
 */
import { defineExtension, type Extension } from "@treadle/reconcile/unstable/engine";
import { DependentsMemory } from "./core/memory.ts";
import { blocked, pruneUnwanted } from "./extension/chain.ts";
import type { DependentData, DependentFindings } from "./extension/data.ts";
import { compute, condition } from "./extension/entries.ts";
import { problems } from "./extension/problems.ts";

export const dependents: Extension<DependentData, DependentsMemory, DependentFindings> = defineExtension<
  DependentData,
  DependentsMemory,
  DependentFindings
>({
  name: "dependents",
  memory: () => new DependentsMemory(),
  found: () => ({
    entries: new Map(),
    live: new Map(),
    told: new Set(),
    unwanted: new Set(),
    absences: new Map(),
    blockers: new Map(),
    seen: new Map(),
    leaving: new Map(),
    courses: new Map(),
    removed: new Map(),
  }),
  status: { field: "dependents", writtenBy: "dependentApply writes it", compute },
  order: { before: ({ data }) => data.dependsOn(), blocked },
  afterChain: pruneUnwanted,
  condition,
  describe: ({ data: { dependent, fixedName } }) =>
    dependent === undefined
      ? []
      : [{ type: dependent.isEach ? "dependents" : "dependent", name: fixedName?.name, kinds: [dependent.policy.kind] }],
  problems: (handler) => problems(handler, (step) => dependents.dataOf(step)),
});
