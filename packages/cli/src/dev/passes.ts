/** Makes events of the lines and passes of the operator. A pass that changes nothing is only counted. No I/O. */
import type { LogLine, PassMessage } from "./messages.ts";
import type { ChangedCondition, DevEvent, LoggedLine, ObjectName, PassEvent, PassWrite, RecordedEvent } from "./events.ts";
import { textAt, valueAt } from "../json.ts";

/** More objects than a cluster of development has. The oldest are forgotten, and their next pass is shown. */
const MAX_OBJECTS = 10_000;

/** Options of {@link PassFeed}. */
export interface PassFeedOptions {
  /** Whether every pass and every line is an event. */
  readonly isAll: boolean;
  /** Returns the place in the code of the user of the frames of an error. */
  placeOf(stack: string): string | undefined;
  onEvent(event: DevEvent): void;
}

/** What is known of a pass that has not ended. */
interface OpenPass {
  readonly writes: PassWrite[];
  readonly conditions: ChangedCondition[];
  readonly events: RecordedEvent[];
  readonly lines: LoggedLine[];
  error?: string;
  stack?: string;
}

/** Collects what belongs to one pass. An object has one pass of a controller at a time, so its name is enough. */
export class PassFeed {
  readonly #options: PassFeedOptions;
  readonly #open = new Map<string, OpenPass>();
  /** What the last pass of each object did. It stays over a restart, so that the same passes of the next process are quiet. */
  readonly #last = new Map<string, string>();
  #quiet = 0;

  constructor(options: PassFeedOptions) {
    this.#options = options;
  }

  /** Takes a line of the log. */
  line({ level, text, fields }: LogLine): void {
    const { controller, object, name, namespace, reconcileID: _id, kind: _kind, ...rest } = fields;
    const isOfEvent = typeof name === "string" && "event" in fields;
    const key = isOfEvent ? (namespace === undefined ? name : `${String(namespace)}/${name}`) : object;
    if (typeof controller !== "string" || typeof key !== "string") return this.#outside({ level, text, fields });
    const id = `${controller} ${key}`;
    const open = this.#open.get(id) ?? { writes: [], conditions: [], events: [], lines: [] };
    this.#open.set(id, open);
    note(open, { level, text, fields: rest });
  }

  /** Takes the end of a pass. */
  pass(message: PassMessage): void {
    const { controller, kind, object, cause, outcome, durationMs, steps, nextMs } = message;
    const id = `${controller} ${object}`;
    const { writes = [], conditions = [], events = [], lines = [], error, stack } = this.#open.get(id) ?? {};
    this.#open.delete(id);
    const did = JSON.stringify([outcome, error, steps.map(({ step, phase, result, reason }) => [step, phase, result, reason])]);
    const isSame = this.#last.get(id) === did;
    this.#remember(id, did);
    const isQuiet = isSame && writes.length + conditions.length + events.length + lines.length === 0;
    if (isQuiet && !this.#options.isAll) return void this.#quiet++;
    const place = stack === undefined ? undefined : this.#options.placeOf(stack);
    const event: PassEvent = {
      type: "pass",
      controller,
      object: { kind, name: object },
      ...(cause === undefined ? {} : { cause }),
      outcome,
      durationMs,
      steps,
      writes,
      conditions,
      events,
      lines,
      ...(error === undefined ? {} : { error }),
      ...(place === undefined ? {} : { place }),
      ...(nextMs === undefined ? {} : { nextMs }),
    };
    this.count();
    this.#options.onEvent(event);
  }

  /** Reports the number of quiet passes since the last time, if there were any. */
  count(): void {
    if (this.#quiet > 0) this.#options.onEvent({ type: "quiet", passes: this.#quiet });
    this.#quiet = 0;
  }

  /** Forgets passes that will not end: their process has ended. */
  reset(): void {
    this.#open.clear();
  }

  #outside(line: LoggedLine): void {
    const { isAll, onEvent } = this.#options;
    if (isAll || line.level === "warn" || line.level === "error" || line.level === "fatal") onEvent({ type: "log", ...line });
  }

  #remember(id: string, did: string): void {
    this.#last.delete(id);
    this.#last.set(id, did);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_OBJECTS && oldest !== undefined) this.#last.delete(oldest);
  }
}

/** The engine logs changes, conditions, events and failures in forms of its own. Another line is one of the author. */
function note(open: OpenPass, line: LoggedLine): void {
  const { fields, text } = line;
  if (typeof fields["change"] === "string") open.writes.push(writeOf(fields));
  else if (typeof fields["condition"] === "string") open.conditions.push(conditionOf(fields));
  else if (valueAt(fields, "event") !== undefined) open.events.push(eventOf(fields, text));
  else if (text === "pass failed") Object.assign(open, { error: textAt(fields, "error"), stack: textAt(fields, "stack") });
  else if (text !== "pass finished") open.lines.push(line);
}

function writeOf(fields: LoggedLine["fields"]): PassWrite {
  const { paths, by } = fields;
  const [kind = ""] = textAt(fields, "of", "kind").split(".");
  const object: ObjectName = { kind, name: textAt(fields, "of", "name") };
  return {
    operation: textAt(fields, "change"),
    object,
    paths: Array.isArray(paths) ? paths.map(String) : [],
    ...(typeof by === "string" ? { step: by } : {}),
  };
}

function conditionOf(fields: LoggedLine["fields"]): ChangedCondition {
  return {
    type: textAt(fields, "condition"),
    status: textAt(fields, "status"),
    reason: textAt(fields, "reason"),
    message: textAt(fields, "message"),
  };
}

function eventOf(fields: LoggedLine["fields"], note: string): RecordedEvent {
  return { type: textAt(fields, "event", "type"), reason: textAt(fields, "event", "reason"), note };
}
