/** What the harness asks of the profiler in an operator's process, and its answer. */

export type ProfileRequest =
  /** Ends a profile of the processor and begins the next one. Without a file the profile is dropped. */
  | { readonly type: "cpu"; readonly file?: string }
  /** Writes a snapshot of the heap. */
  | { readonly type: "heap"; readonly file: string };

export interface ProfileAnswer {
  readonly type: "profiled";
  /** What failed. */
  readonly problem?: string;
}
