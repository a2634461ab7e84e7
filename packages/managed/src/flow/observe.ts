/** One observation. */
import { nameOfAnswer } from "@treadle/dependents/unstable/core";
import { operationOf } from "../state.ts";
import { AuthorError, type Run, sayAgain } from "./run.ts";
import type { Session } from "./session.ts";

/** Observes the resource. `undefined`: it does not exist. @throws CallFailed, and AuthorError for an answer that is not an object */
export async function observe(run: Run, session: Session, name: string): Promise<object | undefined> {
  const { definition, memory, state, req } = run;
  const { options } = definition;
  const seen: unknown = await session.call("observe", name, () =>
    options.observe({ ...session.args(), name, operation: operationOf(state) } as never),
  );
  if (seen !== undefined && seen !== null && (typeof seen !== "object" || Array.isArray(seen)))
    throw new AuthorError(
      `managed "${definition.name}": observe returned ${nameOfAnswer(seen)}, but must return an object, or undefined if it does not exist`,
    );
  memory.observedMs = req.now().getTime();
  sayAgain(memory, "CannotObserve");
  return seen ?? undefined;
}
