/** Files that the program names by `new URL("./x", import.meta.url)`: each gets a place beside the bundle. */
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { basename, dirname, extname, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { shownPath } from "./findings.ts";

/** A file, a folder or a program that is named. */
export interface NamedFile {
  /** Its path. */
  readonly source: string;
  /** Its place in the folder `files`, with forward slashes. */
  readonly place: string;
  /** It is JavaScript or TypeScript, which is bundled by itself. */
  readonly isProgram: boolean;
}

/** All that a build has met. */
export class NamedFiles {
  readonly #base: string;
  readonly #all = new Map<string, NamedFile>();

  /** @param base the folder to which paths are relative, so that two checkouts give the same names */
  constructor(base: string) {
    this.#base = base;
  }

  /** In the order of their places. */
  all(): readonly NamedFile[] {
    return [...this.#all.values()].toSorted((a, b) => (a.place < b.place ? -1 : 1));
  }

  /** Takes the file that a module names. @returns its place, or why there is none */
  add(module: string, name: string): NamedFile | { readonly problem: string } | undefined {
    const url = new URL(name, pathToFileURL(module));
    if (url.protocol !== "file:" || /^[a-z][a-z0-9+.-]*:/i.test(name)) return undefined;
    const source = resolve(fileURLToPath(url));
    const known = this.#all.get(source);
    if (known !== undefined) return known;
    if (!existsSync(source)) return { problem: `it names ${JSON.stringify(name)}, but ${shownPath(this.#base, source)} does not exist` };
    if (`${dirname(module)}${sep}`.startsWith(`${source}${sep}`))
      return { problem: `it names ${JSON.stringify(name)}, a folder that holds the program itself` };
    const isProgram = /\.[cm]?[jt]s$/.test(source) && statSync(source).isFile();
    // Files of one name in several folders do not collide.
    const folder = createHash("sha256").update(shownPath(this.#base, source)).digest("hex").slice(0, 12);
    const last = isProgram ? `${basename(source, extname(source))}.mjs` : basename(source);
    const file = { source, place: `${folder}/${last}`, isProgram };
    this.#all.set(source, file);
    return file;
  }
}
