/** A watch of one more kind. */
import type { Informer } from "@treadle/informer";

/** A watch that was opened while the controller runs, until it is closed. */
export interface OpenWatch {
  /** The informer of the kind. */
  readonly informer: Informer;
  /** Ends the watch. Resolves when its informer has stopped, if no other user needs it. */
  close(): Promise<void>;
}
