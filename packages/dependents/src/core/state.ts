/** From the live object to what the status of the owner says of it. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer } from "./answers.ts";
import type { Context } from "./context.ts";
import type { DependentState } from "./entries.ts";
import type { Plan } from "./plan.ts";

type Named = Pick<Context, "unit" | "unitNoun">;

/** Ready, or Pending with the sentence of `readyWhen`. @throws TypeError when it answers anything else */
export function stateOf({ unit, unitNoun }: Named, { readyWhen }: Pick<Plan, "readyWhen">, live: KubernetesObject): DependentState {
  const answer: unknown = readyWhen === undefined ? true : readyWhen(live);
  if (answer === true) return { type: "Ready", reason: "Ready", message: "" };
  if (typeof answer === "string" && answer !== "") return { type: "Pending", reason: "NotReady", message: answer };
  throw misuse(
    "ERR_INVALID_STEP",
    `${unitNoun} "${unit}": readyWhen must return true, or a text with the reason why not; it returned ${nameOfAnswer(answer)}`,
  );
}

/** The state as the author refines it. @throws what the author's function throws, if there is a live object; else that is ignored */
export function refined(
  { unit, unitNoun }: Named,
  { refine }: Pick<Plan, "refine">,
  { state, live }: { readonly state: DependentState; readonly live: KubernetesObject | undefined },
): DependentState {
  if (refine === undefined) return state;
  try {
    const { type, reason, message, attributes } = (refine(state, live) ?? {}) as Partial<DependentState>;
    if (typeof type !== "string" || type === "" || typeof reason !== "string" || typeof message !== "string")
      throw misuse(
        "ERR_INVALID_STEP",
        `${unitNoun} "${unit}": status must return an entry with type, reason and message: ({ ...entry, ... })`,
      );
    return { ...state, type, reason, message, ...(attributes === undefined ? {} : { attributes }) };
  } catch (thrown) {
    if (live !== undefined) throw thrown;
    return state; // What the author makes of an error must not hide the error.
  }
}

/** Whether the owner need not wait: a custom type of the author counts as what it was before. */
export function isReady(before: DependentState, state: DependentState): boolean {
  if (state.type === "Ready") return true;
  return ["Failed", "Pending", "Unknown"].includes(state.type) ? false : before.type === "Ready";
}
