/** What is reported of a call that changes the provider: an event, and the author's `onChange`. */
import type { ExternalChange, ExternalVerb } from "../change.ts";
import { messageOfCall } from "./failed.ts";
import { type Run, sayAgain, sayOnce } from "./run.ts";
import { CallFailed } from "./session.ts";

interface Change {
  readonly verb: ExternalVerb;
  readonly name: string;
  readonly before: object | undefined;
  readonly changes: Readonly<Record<string, unknown>> | undefined;
  readonly isDrift?: boolean;
  /** What the event says of the change. @defaultValue the name */
  readonly note?: string;
}

const EVENTS = { create: "Created", update: "Updated", delete: "Deleted" } as const;
const FAILURES = { create: "CannotCreate", update: "CannotUpdate", delete: "CannotDelete" } as const;

/** The reasons of all events of a managed step. */
export const EVENT_REASONS: readonly string[] = [
  ...Object.values(EVENTS),
  ...Object.values(FAILURES),
  "CannotObserve",
  "Imported",
  "ExternalNameChanged",
];

/**
 * Runs a call that changes the provider, and reports it. The call may say a name that it learned from the provider.
 * @throws what the call throws
 */
export async function changed<Result>(run: Run, change: Change, call: (named: (name: string) => void) => Promise<Result>): Promise<Result> {
  const startedMs = run.req.now().getTime();
  const { verb } = change;
  let { name } = change;
  try {
    const result = await call((learned) => {
      name = learned;
    });
    const { note = name } = change;
    report(run, { ...change, name }, startedMs, undefined);
    sayAgain(run.memory, FAILURES[verb]);
    // A resource that takes long to delete is deleted again at each look.
    if (verb !== "delete" || sayOnce(run.memory, EVENTS.delete, name)) run.req.event("Normal", EVENTS[verb], run.pass.hide(note));
    return result;
  } catch (error) {
    if (error instanceof CallFailed) {
      report(run, change, startedMs, error.cause);
      const message = messageOfCall(run, error);
      if (sayOnce(run.memory, FAILURES[verb], message)) run.req.event("Warning", FAILURES[verb], message);
    }
    throw error;
  }
}

/** Calls the author's change log. A change log that fails must not repeat the change. */
function report({ definition, object, req, pass }: Run, change: Change, startedMs: number, error: unknown): void {
  const { onChange } = definition.options;
  if (onChange === undefined) return;
  const { verb, name, before, changes, isDrift = false } = change;
  const { kind } = definition.kind;
  const entry: ExternalChange = {
    verb,
    kind,
    object,
    name,
    before: pass.hideIn(withoutRedacted(before, definition.redacted)),
    changes: pass.hideIn(withoutRedacted(changes, definition.redacted)),
    isDrift,
    error: pass.hideIn(error),
    durationMs: req.now().getTime() - startedMs,
  };
  try {
    void Promise.resolve(onChange(entry) as unknown).catch((thrown: unknown) =>
      req.log.error({ error: String(thrown) }, "onChange failed"),
    );
  } catch (thrown) {
    req.log.error({ error: String(thrown) }, "onChange failed");
  }
}

function withoutRedacted<V extends object | undefined>(values: V, redacted: ReadonlySet<string>): V {
  if (values === undefined || redacted.size === 0) return values;
  // The values of the keys have any type.
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, redacted.has(key) ? "<redacted>" : value])) as V;
}
