/** The state of a file, to see that it was written. */
import { statSync } from "node:fs";

/** Returns a text that differs after each write of the file: its time and size. A file that does not exist has one, too. */
export function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? ABSENT : `${stat.mtimeMs} ${stat.size}`;
}

/** The state of a file that does not exist. */
const ABSENT = "absent";
