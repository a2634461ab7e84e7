/** A later step that waits or fails shows in Synced, because this step owns Ready. */
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import type { Definition } from "../definition.ts";
import { managedSteps } from "../extension.ts";
import type { ManagedPostReq } from "./run.ts";

/** Reports the end of the chain. */
export function reportChain({ name, names, ownsReady }: Definition, req: ManagedPostReq): void {
  const { outcome } = req;
  if (req.phase !== "do") return;
  const pass = managedSteps.of(req);
  const began = pass.found.began.has(name);
  // Every step got what the create returned. Until then only this process has it.
  if (outcome.type === "done" && began) req.memory.created = undefined;
  if (!ownsReady || outcome.type === "done" || outcome.step === name) return;
  if (!began) for (const type of [names.ready, names.upToDate]) req.conditions.keep(type);
  const [reason, text] =
    outcome.type === "failed"
      ? ["StepFailed", `step "${outcome.step}" failed: ${statusMessage(outcome.error)}`]
      : ["StepWaiting", `step "${outcome.step}" ${outcome.type === "wait" ? "waits" : "stopped"}: ${outcome.reason}`];
  req.conditions.false(names.synced, reason, pass.hide(text));
}
