/**
 * Makes copies of values for log lines. It never throws and never takes long: unreadable, circular or oversized values are
 * replaced by a word that says so. Secrets are hidden by the same rules as in a status.
 */
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";

/** Deeper than any line that a person reads: the limit of objects with a class, such as the cause of an error. */
const MAX_DEPTH = 8;
/** The limit of plain data. A patch of a pod template nests 12 levels, a CRD more; {@link MAX_VALUES} bounds the line. */
const MAX_PLAIN_DEPTH = 64;
/** Values in one line: a few large objects, not a whole list of them. Objects that know each other would multiply without it. */
const MAX_VALUES = 5_000;
/** Maximum length of one text. {@link withoutSecrets} cuts longer ones before its search, which takes time by length. */
const MAX_TEXT = 16_384;
const REDACTED = "[redacted]";
/** The annotation that holds the whole object as text, also of a Secret. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

interface Walk {
  left: number;
  /** The objects around the current one. */
  readonly above: object[];
}

/** Copies `value` for a log line. */
export function loggable(value: unknown): unknown {
  return copyOf(value, { left: MAX_VALUES, above: [] });
}

/** Copies a text for a log line. */
export function loggableText(text: string): string {
  // It cuts the text itself, between two words: half a secret does not look like one.
  return text.length <= MAX_TEXT ? withoutSecrets(text) : `${withoutSecrets(text)} [${text.length} characters]`;
}

function copyOf(value: unknown, walk: Walk): unknown {
  if (typeof value === "string") return loggableText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (walk.above.includes(value)) return "[circular]";
  if (walk.above.length > (isPlain(value) ? MAX_PLAIN_DEPTH : MAX_DEPTH)) return "[too deep]";
  walk.above.push(value);
  try {
    return copyOfObject(value, walk);
  } catch {
    return "[unreadable]"; // A proxy, or a toJSON, that throws.
  } finally {
    walk.above.pop();
  }
}

/** Whether a value is a list or an object without a class. */
function isPlain(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return Array.isArray(value) || prototype === Object.prototype || prototype === null;
  } catch {
    return false; // A proxy that throws.
  }
}

function copyOfObject(value: object, walk: Walk): unknown {
  if (value instanceof Error) return copyOfError(value, walk);
  if (Array.isArray(value)) return copyOfList(value, walk);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const json: unknown = value.toJSON();
    if (json !== value) return copyOf(json, walk);
  }
  const isSecret = read(value, "kind") === "Secret";
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (walk.left-- <= 0) {
      copy["…"] = "[too much]";
      break;
    }
    const inner = read(value, name);
    const isHidden = (isSecret && (name === "data" || name === "stringData")) || name === LAST_APPLIED;
    const inside = isHidden ? REDACTED : copyOf(inner, walk);
    // Looked at after the copy: toJSON() may return the text of an object. A password in YAML without quotes may be a number.
    const shown = (typeof inside === "string" || typeof inside === "number") && isSecretName(name) ? REDACTED : inside;
    // An assignment to this name would set the prototype.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: shown, configurable: true, enumerable: true, writable: true });
    else copy[name] = shown;
  }
  return copy;
}

function copyOfList(list: readonly unknown[], walk: Walk): unknown[] {
  const copy: unknown[] = [];
  for (let i = 0; i < list.length; i++) {
    if (walk.left-- <= 0) {
      copy.push(`[too much: ${list.length - i} more]`);
      break;
    }
    copy.push(copyOf(read(list, i), walk));
  }
  return copy;
}

function copyOfError(error: Error, walk: Walk): object {
  const copy: Record<string, unknown> = {};
  for (const name of ["name", "message", "code", "stack", "cause", "errors"]) {
    if (!(name in error)) continue;
    walk.left--;
    const inner = read(error, name);
    if (inner !== undefined) copy[name] = walk.left > 0 ? copyOf(inner, walk) : "[too much]";
  }
  return copy;
}

/** Reads a field. Returns "[unreadable]" where its getter throws. */
function read(from: object, name: string | number): unknown {
  try {
    return (from as Record<string | number, unknown>)[name]; // any object may be asked for any field
  } catch {
    return "[unreadable]";
  }
}

/** Whether the rules for texts hide the value of `name`, so that there is one list of names. Lines repeat few names. */
function isSecretName(name: string): boolean {
  const end = name.slice(-MAX_NAME);
  let isSecret = SECRET_NAMES.get(end);
  if (isSecret === undefined) {
    const text = `${JSON.stringify(end)}: "?"`;
    isSecret = withoutSecrets(text) !== text;
    if (SECRET_NAMES.size >= MAX_NAMES) SECRET_NAMES.clear();
    SECRET_NAMES.set(end, isSecret);
  }
  return isSecret;
}

/** Results of a pure function, so all loggers share them. */
const SECRET_NAMES = new Map<string, boolean>();
const MAX_NAMES = 1_000;

/** Maximum length of the end of a name that is checked: that part makes it a secret. */
const MAX_NAME = 40;
