/** Errors as texts that may be read by anybody who reads a log or asks a probe. */
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";

/** What went wrong, without secrets. Never throws, whatever was thrown. */
export function messageOf(error: unknown): string {
  return withoutSecrets(read(() => (error instanceof Error ? error.message : String(error))));
}

/** The fields of a log line that tell of an error, named as in the line of a failed pass. */
export function errorFields(error: unknown): { readonly error: string; readonly stack: string } {
  const message = messageOf(error);
  const stack = read(() => (error instanceof Error ? (error.stack ?? "") : ""));
  return { error: message, stack: stack === "" ? message : withoutSecrets(stack) };
}

function read(look: () => string): string {
  try {
    // Errors are thrown by anybody: a message may be anything.
    return String(look());
  } catch {
    return "a value that cannot be shown";
  }
}
