/** Loggers that add fields to each line. */
import type { Logger } from "../req.ts";
import type { Pass } from "../record/pass-state.ts";
import type { SecretValues } from "../record/secret-values.ts";

/**
 * A logger that adds `context` to each line. A field of the caller with the name of one of them is put under `fields`: it may
 * not replace the field that says what the line is about. No argument makes it throw, whatever its type: a line of the log may
 * not fail a step.
 */
export function withContext(
  log: Logger,
  context: Readonly<Record<string, unknown>>,
  reserved: ReadonlySet<string> = new Set(Object.keys(context)),
): Logger {
  return mapped(log, (data, text) => [{ ...context, ...withoutReserved(data, reserved) }, text]);
}

/** As {@link withContext}, for the lines of a step: they name no other object, controller or pass, and hold no values of Secrets. */
export function stepLogger(log: Logger, step: string, { secrets }: Pick<Pass, "secrets">): Logger {
  const inContext = withContext(log, { step }, RESERVED);
  return secrets === undefined ? inContext : hidingLogger(inContext, secrets);
}

/** A logger whose lines hold no values of `secrets`, also of those that are noted later. No argument makes it throw. */
export function hidingLogger(log: Logger, secrets: Pick<SecretValues, "hide" | "hideIn">): Logger {
  return mapped(log, (data, text) => [hiddenBy(secrets, data), secrets.hide(text)]);
}

/** Fields of every line of a pass, and those that the logger itself writes. */
const RESERVED: ReadonlySet<string> = new Set(["controller", "kind", "object", "reconcileID", "step", "level", "time", "msg"]);

type Fields = Readonly<Record<string, unknown>>;

/** A logger that changes the arguments of each line. The compiler does not check those of a step in JavaScript. */
function mapped(log: Logger, change: (data: Fields, text: string) => readonly [data: object, text: string]): Logger {
  const at =
    (level: keyof Logger) =>
    (data: unknown, text: unknown): void => {
      const isTextAlone = typeof data === "string" && text === undefined;
      log[level](...change(isTextAlone ? {} : fieldsOf(data), textOf(isTextAlone ? data : text)));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Returns a copy of the fields of `data`; a value that has no fields is the field `value`. */
function fieldsOf(data: unknown): Fields {
  if (data === undefined || data === null) return {};
  try {
    if (data instanceof Error) return { error: data, ...data };
    return typeof data === "object" && !Array.isArray(data) ? { ...data } : { value: data };
  } catch {
    return { value: UNREADABLE }; // A proxy or a getter that throws.
  }
}

function textOf(text: unknown): string {
  try {
    return text === undefined ? "" : String(text);
  } catch {
    return UNREADABLE; // A toString that throws.
  }
}

function withoutReserved(data: Fields, reserved: ReadonlySet<string>): Fields {
  const isTaken = ([name]: readonly [string, unknown]): boolean => reserved.has(name);
  const entries = Object.entries(data);
  if (!entries.some(isTaken)) return data;
  const kept = Object.fromEntries(entries.filter((entry) => !isTaken(entry)));
  const moved = Object.fromEntries(entries.filter(isTaken));
  return { ...kept, fields: { ...(data["fields"] as object | undefined), ...moved } }; // Spread takes any value.
}

function hiddenBy(secrets: Pick<SecretValues, "hideIn">, data: Fields): Fields {
  try {
    return secrets.hideIn(data);
  } catch {
    return { value: UNREADABLE }; // What cannot be searched for secrets is not logged.
  }
}

const UNREADABLE = "[unreadable]";
