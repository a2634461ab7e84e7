/** Compares a layout with the files that exist, and decides what to do. Pure. */
import { join } from "node:path";
import { CliError } from "../../cli-error.ts";
import { isGenerated, type Layout } from "../layouts/layout.ts";

/** What is true of a file. */
export type FileState =
  /** It has another content than the program gives. */
  | "stale"
  /** It does not exist. */
  | "missing"
  /** It was generated, and the program no longer gives it. */
  | "superfluous"
  /** It is what the program gives. */
  | "current"
  /** It belongs to the user. */
  | "kept"
  /** It has the name of a generated file, and was not generated. */
  | "foreign";

/** A file, by its path in the folder. */
export interface PlannedFile {
  readonly path: string;
  readonly state: FileState;
}

/** What is in a folder, by paths with `/`. */
export interface Present {
  readonly texts: ReadonlyMap<string, string>;
  /** Links, files that are too large, and what is neither file nor folder. */
  readonly obstacles: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** Returns the state of each file of a layout and of each generated file that exists, sorted by path. */
export function planFiles({ generated, once }: Layout, present: Present): readonly PlannedFile[] {
  const { texts } = present;
  const planned: PlannedFile[] = [];
  for (const [path, text] of generated)
    planned.push({ path, state: isTaken(path, present) ? "foreign" : stateOf(path, text, texts.get(path)) });
  for (const path of once.keys()) planned.push({ path, state: texts.has(path) || isTaken(path, present) ? "kept" : "missing" });
  for (const [path, text] of texts)
    if (!generated.has(path) && !once.has(path) && isGenerated(path, text)) planned.push({ path, state: "superfluous" });
  return planned.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether something that is no file of the layout has the path, or is a part of it. */
function isTaken(path: string, { obstacles, folders }: Present): boolean {
  if (folders.has(path)) return true;
  const parts = path.split("/");
  return parts.some((_, index) => obstacles.has(parts.slice(0, index + 1).join("/")));
}

function stateOf(path: string, text: string, present: string | undefined): FileState {
  if (present === undefined) return "missing";
  // git may have changed the line breaks at a checkout.
  if (present.replaceAll("\r\n", "\n") === text) return "current";
  return isGenerated(path, present) ? "stale" : "foreign";
}

/** Whether a check accepts a file. A file that is written once may be deleted by the user. */
export function isAccepted({ path, state }: PlannedFile, { once }: Layout): boolean {
  return state === "current" || state === "kept" || (state === "missing" && once.has(path));
}

/** Refuses to overwrite files that were not generated. @throws CliError that names them */
export function refuseForeign(planned: readonly PlannedFile[], folder: string): void {
  const foreign = planned.filter(({ state }) => state === "foreign").map(({ path }) => join(folder, path));
  if (foreign.length === 0) return;
  const [was, them] = foreign.length === 1 ? ["was", "it"] : ["were", "them"];
  throw new CliError(
    `nothing was written: ${foreign.join(", ")} ${was} not generated, and would be overwritten. Move ${them}, or name another folder with --out`,
  );
}
