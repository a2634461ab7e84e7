/** Turns an error into the text that a user sees: what is wrong, and what to do. Only unexpected errors have a stack. */
import { isApiError, isForbidden } from "@treadle/apimachinery";
import { CliError } from "./cli-error.ts";

/** Returns the text of an error, without a line break at its end. `isVerbose` adds the stack. */
export function failureText(error: unknown, { isVerbose }: { readonly isVerbose: boolean }): string {
  if (isVerbose && error instanceof Error) return error.stack ?? error.message;
  if (error instanceof CliError) return error.message;
  if (isForbidden(error) && isMissingRight(error.message))
    return `${error.message}\nAsk for this right, or act as another user: --as USER, --context NAME`;
  if (isApiError(error)) return error.message;
  if (isOfClient(error)) return ofClient(error);
  if (error instanceof Error && WITH_ADVICE.has(error.name)) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `${message}\nThis is not an expected failure. TREADLE_DEBUG_CLI=1 shows where it happened.`;
}

/** Errors of programs and of the cluster in memory, whose messages say what to do. Commands load them, so they are known by their names. */
const WITH_ADVICE: ReadonlySet<string> = new Set(["ProgramError", "LocalClusterError"]);

/** Whether a refusal is one of the authorizer. Quotas, policies and namespaces that are being deleted answer with the same code. */
export function isMissingRight(message: string): boolean {
  return /" cannot \S+ (resource|path) "/.test(message);
}

interface ClientError extends Error {
  readonly code: string;
}

/** The client and the loader of modules are loaded by commands only, so their errors are known by their names. */
function isOfClient(error: unknown): error is ClientError {
  return error instanceof Error && (error.name === "ConfigError" || error.name === "ConnectionError") && "code" in error;
}

function ofClient({ code, message }: ClientError): string {
  const advice = ADVICE[code];
  return advice === undefined ? message : `${message}\n${advice}`;
}

const ADVICE: Readonly<Record<string, string>> = {
  ERR_CONFIG_NOT_FOUND: "Name a kubeconfig with --kubeconfig FILE or KUBECONFIG, or a server with --server URL.",
  ERR_UNREACHABLE: "Check that the cluster runs, and that --context, --kubeconfig or --server name the right one.",
  ERR_TIMEOUT: "Check the network between this machine and the cluster, and try again.",
};
