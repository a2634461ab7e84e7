/** Who may write a file. A program that another user can replace runs with the rights of the operator, so such programs are refused. */
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Returns why users other than root and the user of this process may write or replace `path`, as a sentence; `undefined` when they may not.
 * `path` is a real path. It and the folders above it must belong to root or this user, and no group and no other user may write them.
 * Folders above it may be sticky, such as /tmp: in those, users can only replace what is theirs. On Windows nothing is checked.
 */
export async function otherWriters(path: string): Promise<string | undefined> {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  for (let at = path, isAbove = false; ; at = dirname(at), isAbove = true) {
    const { mode, uid } = await lstat(at);
    if (uid !== 0 && uid !== user) return `${at} belongs to user ${uid}, who may write it: change its owner to ${user} or root`;
    const isSticky = isAbove && (mode & 0o1000) !== 0;
    if ((mode & 0o022) !== 0 && !isSticky) {
      return `other users may write ${at} (mode ${(mode & 0o7777).toString(8).padStart(4, "0")}): run chmod go-w ${at}`;
    }
    if (dirname(at) === at) return undefined;
  }
}
