/** The place of an error in the code of the user. */
import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";

const FRAME = /^\s+at (?:.*?\()?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^\n]*?):(\d+:\d+)\)?$/gm;

/** Returns the first frame of a stack in the project, outside of its packages, as in `src/shop.ts:12:5`; undefined: it has none. */
export function placeIn(root: string, stack: string): string | undefined {
  for (const [, file = "", position] of stack.matchAll(FRAME)) {
    const path = relative(root, file.startsWith("file://") ? fileURLToPath(file) : file);
    if (!path.startsWith("..") && !isAbsolute(path) && !/(^|[\\/])node_modules[\\/]/.test(path)) return `${path}:${position}`;
  }
  return undefined;
}
