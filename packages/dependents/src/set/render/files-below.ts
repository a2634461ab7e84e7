/** Walks the files of a folder. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Returns the paths of the files below a folder, relative to it, with `/`. Links count as what they link to: files of a mounted ConfigMap
 * are links. What is neither a file nor a folder is skipped.
 * @param isEntered decides about each file and folder by its path, before it is read. @defaultValue all
 * @throws an error of the system, with the field `syscall`, also for a folder that links to a folder that contains it
 */
export function* filesBelow(root: string, isEntered: (file: string) => boolean = () => true): Generator<string> {
  const visit = function* (below: string, above: readonly string[]): Generator<string> {
    const here = path.join(root, below);
    const real = realpathSync(here);
    if (above.includes(real))
      throw Object.assign(new Error(`${here} links to a folder that contains it`), { code: "ELOOP", syscall: "scandir" });
    for (const name of readdirSync(here)) {
      const file = below === "" ? name : `${below}/${name}`;
      if (!isEntered(file)) continue;
      const found = statSync(path.join(root, file));
      if (found.isDirectory()) yield* visit(file, [...above, real]);
      else if (found.isFile()) yield file;
    }
  };
  yield* visit("", []);
}
