/** Texts of errors for logs and probes, without secrets. */
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";

/** The message of an error, without secrets. Never throws, whatever was thrown. */
export function messageOf(error: unknown): string {
  return withoutSecrets(read(() => (error instanceof Error ? error.message : String(error))));
}

/**
 * The fields of a log line about an error: `error` is its message, and `stack` where it was thrown. The text of the line
 * says what failed, and does not repeat the message. A stack is left out where there is none.
 */
export function errorFields(error: unknown): { readonly error: string; readonly stack?: string } {
  const frames = read(() => (error instanceof Error ? framesOf(error) : ""));
  return { error: messageOf(error), ...(frames === "" ? {} : { stack: withoutSecrets(frames) }) };
}

/** The stack of an error without its first lines, which repeat the message. */
function framesOf({ stack = "" }: Error): string {
  const lines = stack.split("\n");
  const first = lines.findIndex((line) => /^\s+at /.test(line));
  return first === -1 ? "" : lines.slice(first).join("\n");
}

function read(look: () => string): string {
  try {
    // Any code may have thrown the error, so its message may be any value.
    return String(look());
  } catch {
    return "a value that cannot be shown";
  }
}
