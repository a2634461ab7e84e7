/** The parts of a chain that wait for others, and the removal of objects after the chain. */
import type { Outcome } from "@treadle/reconcile";
import type { StepRuntime } from "@treadle/reconcile/unstable/engine";
import type { Cause } from "../supervision.ts";
import type { DependentChain, ExtendedDependent } from "./data.ts";
import { unseenEntries } from "./entries.ts";

/** Handles a part that waits for others. If its object is not desired, its dependents wait for the same steps instead. */
export async function blocked(
  chain: DependentChain,
  part: ExtendedDependent,
  { by, phase }: { readonly by: readonly StepRuntime[]; readonly phase: "do" | "cleanup" },
): Promise<void> {
  const { blockers } = chain.found;
  const all = [...new Set(by.flatMap((each) => blockers.get(each) ?? [each]))];
  const { whetherWanted } = part.data;
  if (phase === "do" && whetherWanted !== undefined) {
    const answer = await chain.probe(part.step, whetherWanted);
    if (answer?.["isWanted"] === false) {
      chain.note(part.step, "done");
      blockers.set(part.step, all);
      return;
    }
  }
  reportBlocked(chain, part, { reason: "WaitingForDependency", message: `waiting for ${namesOf(all)}`, cause: "dependency" });
}

/** The default concurrency of dependentApplyAll(). */
const PRUNED_AT_ONCE = 5;

/**
 * Removes objects that are no longer desired after all desired objects were converged, successfully or not. The order is
 * the reverse of the list. An object is removed after the objects that depend on it.
 */
export async function pruneUnwanted(chain: DependentChain): Promise<Outcome> {
  const { handler, found } = chain;
  if (found.unwanted.size === 0) return { type: "done" };
  const parts = handler.steps.filter(({ name }) => found.unwanted.has(name)).toReversed();
  const extended = (step: StepRuntime): ExtendedDependent => parts.find((each) => each.step === step) as ExtendedDependent; // `before` gets parts only.
  return await chain.run({
    name: "(dependents)",
    phase: "cleanup",
    steps: parts.map(({ step }) => step),
    concurrency: PRUNED_AT_ONCE,
    before: (step) => parts.map((each) => each.step).filter((each) => handler.isAfter(each, step)),
    blocked: (step, by) =>
      reportBlocked(chain, extended(step), { reason: "Deleting", message: `will be deleted after ${namesOf(by)}`, cause: "leaving" }),
  });
}

/** Reports a part that waits for others. The others report the reason and request the next pass. */
function reportBlocked(
  chain: DependentChain,
  extended: ExtendedDependent,
  { cause, ...why }: { readonly reason: string; readonly message: string; readonly cause: Cause },
): void {
  const { name, data, step } = extended;
  chain.note(step, "unreached");
  if (!data.hasEntries || chain.isDeleting) return;
  chain.found.entries.set(name, unseenEntries(chain, extended, { state: { type: "Pending", ...why }, cause }));
}

function namesOf(steps: readonly StepRuntime[]): string {
  return steps.map(({ name }) => name).join(", ");
}
