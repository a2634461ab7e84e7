/** What a command will write, known before it writes anything. */
import type { Files } from "../files/write.ts";

/** New files, changes of files, and what a person has to do. */
export interface Plan {
  /** Files that should not exist yet. */
  readonly files: Files;
  /** New texts of files that exist. */
  readonly edits: Files;
  /** Lines for which no place was found, and where they belong. */
  readonly unplaced: readonly Unplaced[];
}

/** A line that a person has to add. */
export interface Unplaced {
  readonly path: string;
  readonly line: string;
  /** Where it belongs. */
  readonly where: string;
}
