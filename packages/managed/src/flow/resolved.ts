/** The references of an object, resolved. */
import type { Wait } from "@treadle/reconcile";
import { resolveReferences } from "../references/resolve.ts";
import { WaitingGraph } from "../references/waiting-graph.ts";
import { type ManagedReq, notSynced, nextLookMs, type Run } from "./run.ts";

/** The external names by reference, or the wait for one of them. */
export type Resolved =
  | { readonly type: "resolved"; readonly names: Readonly<Record<string, string | undefined>> }
  | { readonly type: "halted"; readonly halt: Wait };

/** Resolves the references. A change of the other object starts a pass. The short wait is for the message that names a circle. */
export function resolved(run: Run<ManagedReq>): Resolved {
  const { definition, req, state, pass, object } = run;
  const { references } = definition;
  if (Object.keys(references).length === 0) return NONE;
  const choices = { ...state.choices };
  const waiting = pass.shared(GRAPH, () => new WaitingGraph());
  const answer = resolveReferences(references, { object, values: req.reads, choices, waiting });
  if (Object.keys(choices).length > 0) state.choices = choices;
  if (answer.type === "resolved") return answer;
  return { type: "halted", halt: notSynced(run, "WaitingForReference", answer.message, nextLookMs(run)) };
}

const NONE: Resolved = { type: "resolved", names: {} };
/** The key under which an operator keeps what its objects wait for. */
const GRAPH = {};
