/** What an observer of passes sees. */
import type { Ref } from "@treadle/apimachinery";
import type { AnyHandler, PassResult } from "@treadle/reconcile";

/** One pass that has ended. */
export interface PassReport {
  readonly handler: AnyHandler;
  readonly ref: Ref;
  readonly reconcileID: string;
  readonly result: PassResult;
  readonly durationMs: number;
}
