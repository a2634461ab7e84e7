/** What the certificates report: changes to the log and to events, and each failure and problem to the log once. */
import { textOf } from "./error-text.ts";
import type { CertificateNote, OwnCertificatesOptions } from "./options.ts";

/** Reports of the certificates of one operator. */
export class CertificateReports {
  readonly #options: Pick<OwnCertificatesOptions, "log" | "onNote">;
  #lastFailure: string | undefined;
  #lastProblem: string | undefined;

  constructor(options: Pick<OwnCertificatesOptions, "log" | "onNote">) {
    this.#options = options;
  }

  /** Reports a change. */
  note(type: CertificateNote["type"], reason: CertificateNote["reason"], message: string): void {
    const { log, onNote } = this.#options;
    log[type === "Normal" ? "info" : "warn"]({ reason }, message);
    this.guard("onNote", () => onNote?.({ type, reason, message }));
  }

  /** Logs a failed pass, once until there is no problem. */
  failure(error: string): void {
    if (error !== this.#lastFailure) this.#options.log.error({ error }, "cannot keep the certificates; trying again");
    this.#lastFailure = error;
  }

  /** Logs what a person must look at, once until it changes; `undefined`: there is nothing. */
  problem(problem: string | undefined): void {
    if (problem === undefined) this.#lastFailure = undefined;
    else if (problem !== this.#lastProblem) this.#options.log.warn({ problem }, "certificates of webhooks need attention");
    this.#lastProblem = problem;
  }

  /** Calls code of others, whose errors are logged and end nothing here. */
  guard(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#options.log.error({ error: textOf(error) }, `${what} threw an error`);
    }
  }
}
