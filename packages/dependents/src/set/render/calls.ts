/** Calls of renderers and edits. Their errors name the function, and an answer of the wrong form is an error. */
import { misuse } from "@treadle/reconcile/unstable/engine";
import { called, isOfFrozen, nameOfAnswer } from "../../core/ask.ts";
import type { Manifest } from "../plan/member.ts";

/** Calls a function of the author that may be async. `where` is put in front of its error, as by `called()`. */
export async function calledAsync<Result>(where: string, call: () => Result): Promise<Awaited<Result>> {
  try {
    return await call();
  } catch (error) {
    return called(where, () => {
      throw explained(where, error);
    });
  }
}

/** Explains V8's error for the change of a frozen argument, which names neither the function nor what to do. */
function explained(where: string, error: unknown): unknown {
  if (!isOfFrozen(error)) return error;
  return misuse(
    "ERR_READ_ONLY",
    `${where} changed something that is read-only, such as the owner or what is in reads (${error.message}): change a copy made by structuredClone()`,
    error,
  );
}

/** Returns the answer of a renderer as a list. @throws TypeError for another answer */
export function requireList(where: string, answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer as readonly unknown[];
  throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(answer)}, not a list: return a list of objects, or [] for no objects`);
}

/** Calls an edit for one object. @throws TypeError for an answer that is not an object */
export function callEdit(where: string, each: unknown, edit: () => unknown): Manifest | undefined {
  const place = `${where} for ${nameOf(each)}`;
  const answer = called(place, () => {
    try {
      return edit();
    } catch (error) {
      throw explained(place, error);
    }
  });
  if (answer === undefined) return undefined;
  if (typeof answer === "object" && answer !== null && !Array.isArray(answer) && !("then" in answer)) return answer as Manifest;
  throw misuse(
    "ERR_INVALID_STEP",
    `${where} for ${nameOf(each)} returned ${nameOfAnswer(answer)}: return the object, or undefined to leave it out`,
  );
}

/** The kind and name of what a renderer returned, which may be anything. */
function nameOf(each: unknown): string {
  if (typeof each !== "object" || each === null) return nameOfAnswer(each);
  const { kind, metadata } = each as {
    readonly kind?: unknown;
    readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown } | null;
  };
  const names = [metadata?.namespace, metadata?.name].filter((name) => typeof name === "string");
  return [typeof kind === "string" ? kind : "an object", names.join("/")].join(" ").trim();
}
