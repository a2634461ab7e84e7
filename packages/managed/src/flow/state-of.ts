/** The state of a resource, as the author maps it. */
import { nameOfAnswer } from "@treadle/dependents/unstable/core";
import type { ExternalStateType } from "../types.ts";
import { ask, AuthorError, type Run } from "./run.ts";

/** A state with its message. */
export interface Condition {
  readonly type: ExternalStateType;
  readonly message: string;
  /** Whether only a change of the spec can help. */
  readonly isTerminal: boolean;
}

const STATES: ReadonlySet<unknown> = new Set(["Available", "Unavailable", "Creating", "Updating", "Deleting", "Failed"]);

/** Asks the author for the state. Without `state`, a resource that exists is Available. @throws AuthorError for another answer */
export function stateOf(run: Run, seen: object): Condition {
  const { definition, args, pass } = run;
  const { state } = definition.options;
  if (state === undefined) return AVAILABLE;
  const answer: unknown = ask(run, "state", () => state(seen, args as never));
  const given = (typeof answer === "string" ? { type: answer } : (answer ?? {})) as {
    readonly type?: unknown;
    readonly message?: unknown;
    readonly terminal?: unknown;
  };
  if (!STATES.has(given.type)) {
    const shown = typeof given.type === "string" ? JSON.stringify(given.type) : nameOfAnswer(answer);
    throw new AuthorError(`managed "${definition.name}": state returned ${shown}, but must return one of ${[...STATES].join(", ")}`);
  }
  const type = given.type as ExternalStateType;
  const message = typeof given.message === "string" && given.message !== "" ? given.message : type === "Available" ? "" : TEXTS[type];
  return { type, message: pass.hide(message), isTerminal: type === "Failed" && given.terminal === true };
}

const AVAILABLE: Condition = { type: "Available", message: "", isTerminal: false };

const TEXTS: Readonly<Record<Exclude<ExternalStateType, "Available">, string>> = {
  Unavailable: "the external resource is not available",
  Creating: "the external resource is being created",
  Updating: "the external resource is being updated",
  Deleting: "the external resource is being deleted at the provider",
  Failed: "the provider reports a failure",
};
