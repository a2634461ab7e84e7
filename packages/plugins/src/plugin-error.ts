/** The error of a plugin that is away, slow or broken. */
import { NoAnswer } from "@treadle/dependents";

/** Why a plugin gave no answer. */
export type PluginErrorCode =
  /** The process has ended, or the server cannot be reached. */
  | "Away"
  /** It did not start: see the message. */
  | "NotStarted"
  /** The program speaks another protocol. It is not started again until it changes. */
  | "Refused"
  /** A call took longer than it may. */
  | "TooSlow"
  /** The answer is not one of the protocol, or is too large. */
  | "InvalidAnswer"
  /** The answer has an object of a kind that the host did not grant, or in another namespace. */
  | "NotGranted"
  /** The plugin answered with an error. */
  | "PlanFailed";

/** Options of {@link PluginError}. */
export interface PluginErrorOptions extends ErrorOptions {
  /**
   * When the call may be tried again, in milliseconds.
   * @defaultValue by the backoff of the pass; with `Away`: when the plugin is back; with `NotGranted`: 5 minutes
   */
  readonly retryAfterMs?: number | undefined;
}

/** A plugin gave no answer. Nothing is applied and nothing is removed then: no answer is never an empty answer. */
export class PluginError extends NoAnswer {
  /** The name of the class. */
  override readonly name: string = "PluginError";
  /** Why. */
  readonly code: PluginErrorCode;

  constructor(code: PluginErrorCode, message: string, { retryAfterMs, ...options }: PluginErrorOptions = {}) {
    super("PluginUnavailable", message, { ...options, retry: retryAfterMs ?? RETRY[code] ?? "backoff" });
    this.code = code;
    Object.defineProperty(this, PLUGIN_ERROR, { value: true });
  }
}

/** A plan that is not granted follows from the request, and grants change with the process: another call seldom helps. */
const RETRY: Readonly<Partial<Record<PluginErrorCode, "never" | number>>> = { Away: "never", NotGranted: 300_000 };

const PLUGIN_ERROR: symbol = Symbol.for("treadle.plugins.PluginError");

/** Returns whether `error` is a {@link PluginError} of any copy of the package. */
export function isPluginError(error: unknown): error is PluginError {
  return typeof error === "object" && error !== null && PLUGIN_ERROR in error;
}
