/** From the live object to what the status of the owner says of it. */
import { isMetadataOnly, type KubernetesObject } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import { misuse, isPromiseLike } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer } from "./ask.ts";
import type { Context } from "./context.ts";
import type { DependentState } from "./entries.ts";
import type { Plan, Policy } from "./plan.ts";

/** The reason of an object that runs once, was complete, and was deleted since. */
export const COMPLETED_REASON = "Completed";

type Named = Pick<Context, "unit" | "unitNoun">;

/**
 * Ready, or Pending with the sentence of `readyWhen`. Without a `readyWhen` it is the health of the object.
 * @throws TypeError when `readyWhen` answers anything else
 */
export function stateOf(
  { unit, unitNoun }: Named,
  { policy, readyWhen }: Pick<Plan, "policy" | "readyWhen">,
  live: KubernetesObject,
): DependentState {
  if (readyWhen === undefined) return stateByHealth(policy, live);
  const answer: unknown = readyWhen(live);
  if (answer === true) return READY;
  if (typeof answer === "string" && answer !== "") return { type: "Pending", reason: "NotReady", message: answer };
  throw misuse(
    "ERR_INVALID_STEP",
    `${unitNoun} "${unit}": readyWhen must return true, or a text with the reason why not; it returned ${nameOfAnswer(answer)}`,
  );
}

const READY: DependentState = Object.freeze({ type: "Ready", reason: "Ready", message: "" });

/**
 * The health of the object. A claim that is not bound holds up no other step: the pod that binds it often comes later.
 * An object of which the author reads metadata only is ready when it exists.
 */
function stateByHealth({ kind, hint }: Pick<Policy, "kind" | "hint">, live: KubernetesObject): DependentState {
  if (isMetadataOnly(kind)) return READY;
  const state = health(live, hint === undefined ? {} : { hint });
  const isClaim = kind.group === "" && kind.kind === "PersistentVolumeClaim";
  return isClaim && state.reason === "Unbound" ? { ...state, type: "Ready" } : state;
}

/** The state as the author refines it. @throws what the author's function throws, if there is a live object; else that is ignored */
export function refined(
  { unit, unitNoun }: Named,
  { refine }: Pick<Plan, "refine">,
  { state, live }: { readonly state: DependentState; readonly live: KubernetesObject | undefined },
): DependentState {
  if (refine === undefined) return state;
  try {
    const answer: unknown = refine(state, live) ?? {};
    if (isPromiseLike(answer)) nameOfAnswer(answer); // It may reject later. Without the fields of an entry it is refused below.
    const { type, reason, message, attributes } = answer as Partial<DependentState>;
    const refuse = (what: string): Error => misuse("ERR_INVALID_STEP", `${unitNoun} "${unit}": status must return ${what}`);
    if (typeof type !== "string" || type === "" || typeof reason !== "string" || typeof message !== "string")
      throw refuse("an entry with type, reason and message: ({ ...entry, ... })");
    if (attributes !== undefined && !areAttributes(attributes))
      throw refuse('attributes as a list of objects with name and value, both texts: [{ name: "host", value: "db" }]');
    return { ...state, type, reason, message, ...(attributes === undefined ? {} : { attributes }) };
  } catch (thrown) {
    if (live !== undefined) throw thrown;
    return state; // What the author makes of an error must not hide the error.
  }
}

/** Returns whether a value has the form of a state. The type and the reason are not empty. */
export function isDependentState(value: unknown): value is DependentState {
  if (typeof value !== "object" || value === null) return false;
  const { type, reason, message, attributes, ...rest } = value as { readonly [Field in keyof DependentState]?: unknown };
  const isText = (text: unknown): boolean => typeof text === "string" && text !== "";
  const hasTexts = isText(type) && isText(reason) && typeof message === "string";
  return hasTexts && (attributes === undefined || areAttributes(attributes)) && Object.keys(rest).length === 0;
}

function areAttributes(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  // findIndex() also sees the holes of a list.
  return value.findIndex((each: unknown) => !isAttribute(each)) < 0;
}

function isAttribute(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, value: text } = value as { readonly name?: unknown; readonly value?: unknown };
  return typeof name === "string" && typeof text === "string";
}

/** Whether the owner need not wait: a custom type of the author counts as what it was before. */
export function isReady(before: DependentState, state: DependentState): boolean {
  if (state.type === "Ready") return true;
  return ["Failed", "Pending", "Unknown"].includes(state.type) ? false : before.type === "Ready";
}
