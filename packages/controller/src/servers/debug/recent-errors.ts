/** The last failed passes, for `/debug`. Only texts are kept: neither objects nor secrets. */
import { keyOf } from "@treadle/apimachinery";
import type { PassReport } from "../../pass-report.ts";
import { messageOf } from "../../internal/error-text.ts";

const MAX_ERRORS = 100;

export interface RecentError {
  readonly at: string;
  readonly controller: string;
  readonly object: string;
  readonly reconcileID: string;
  /** The first failed step; absent when the save failed. */
  readonly step?: string;
  readonly error: string;
}

export class RecentErrors {
  readonly #errors: RecentError[] = [];

  note({ handler, ref, reconcileID, result }: PassReport, atMs: number): void {
    if (result.error === undefined) return;
    const failed = result.phases.find((phase) => phase.result === "failed");
    this.#errors.push({
      at: new Date(atMs).toISOString(),
      controller: handler.name,
      object: keyOf(ref),
      reconcileID,
      ...(failed === undefined ? {} : { step: failed.step }),
      error: messageOf(result.error),
    });
    if (this.#errors.length > MAX_ERRORS) this.#errors.shift();
  }

  /** The errors, the newest first. */
  all(): readonly RecentError[] {
    return this.#errors.toReversed();
  }
}
