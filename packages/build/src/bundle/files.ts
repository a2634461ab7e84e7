/** Files that the program names by `new URL("./x", import.meta.url)`: each gets a place beside the bundle. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve, sep } from "node:path";
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
    const url = URL.parse(name, pathToFileURL(module).href);
    if (url !== null && (url.protocol !== "file:" || /^[a-z][a-z0-9+.-]*:/i.test(name))) return undefined;
    const source = url === null ? undefined : pathOf(url);
    if (source === undefined) return { problem: `it names ${JSON.stringify(name)}, which is not the URL of a file` };
    const known = this.#all.get(source);
    if (known !== undefined) return known;
    if (!existsSync(source)) return { problem: `it names ${JSON.stringify(name)}, but ${shownPath(this.#base, source)} does not exist` };
    if (`${dirname(module)}${sep}`.startsWith(`${source}${sep}`))
      return { problem: `it names ${JSON.stringify(name)}, a folder that holds the program itself` };
    const stat = statSync(source);
    if (!stat.isFile() && !stat.isDirectory()) return { problem: `it names ${JSON.stringify(name)}, which is neither a file nor a folder` };
    const broken = stat.isFile() ? undefined : filesIn(source).find(({ path }) => !existsSync(path));
    if (broken !== undefined)
      return { problem: `it names ${JSON.stringify(name)}, in which the link ${shownPath(this.#base, broken.path)} leads nowhere` };
    const isProgram = /\.[cm]?[jt]s$/.test(source) && stat.isFile();
    // Files of one name in several folders do not collide.
    const folder = createHash("sha256").update(shownPath(this.#base, source)).digest("hex").slice(0, 12);
    const last = isProgram ? `${basename(source, extname(source))}.mjs` : basename(source);
    const file = { source, place: `${folder}/${last}`, isProgram };
    this.#all.set(source, file);
    return file;
  }
}

/** The path of a URL, or `undefined` if no file can have it: `file:///a%2Fb`. */
function pathOf(url: URL): string | undefined {
  try {
    return resolve(fileURLToPath(url));
  } catch {
    return undefined;
  }
}

/**
 * The files of a folder and of the folders in it, with links that lead nowhere. A link counts as what it leads to, except a folder that holds
 * the link.
 */
export function filesIn(folder: string, above: readonly string[] = []): readonly { readonly path: string; readonly place: string }[] {
  const real = realpathSync(folder);
  if (above.includes(real)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = existsSync(path) ? statSync(path) : undefined;
    if (stat?.isDirectory() === true) return filesIn(path, [...above, real]).map((each) => ({ ...each, place: `${name}/${each.place}` }));
    return stat === undefined || stat.isFile() ? [{ path, place: name }] : [];
  });
}
