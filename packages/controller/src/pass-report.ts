/** What an observer of passes sees. */
import type { Ref } from "@treadle/apimachinery";
import type { AnyHandler, PassResult } from "@treadle/reconcile";

/** One pass that has ended. */
export interface PassReport {
  /** The handler of the pass. */
  readonly handler: AnyHandler;
  /** The name and namespace of the object. */
  readonly ref: Ref;
  /** The id of the pass, which its log lines carry. */
  readonly reconcileID: string;
  /** What started the pass, such as `Secret ns/in was updated`; absent if it is not known. */
  readonly cause?: string;
  /** The result of the pass. */
  readonly result: PassResult;
  /** The duration of the pass, in milliseconds. */
  readonly durationMs: number;
}
