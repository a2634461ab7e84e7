/** Three-way merge of a project: the templates as they were written, the templates of this version, and the files of the user. */
import { merge } from "node-diff3";
import type { Files } from "../files/write.ts";
import { mergedJson } from "./merge-json.ts";

/** What happens to a file. */
export interface FileMerge {
  readonly path: string;
  readonly type: FileMergeType;
  /** The new text; `undefined`: the file is removed, or stays as it is. */
  readonly text: string | undefined;
}

/**
 * - `added`: it is new in the templates.
 * - `updated`: the user did not change it.
 * - `merged`: both changed it, in different places.
 * - `conflict`: both changed the same place; the text has marks as those of git.
 * - `removed`: the templates no longer have it, and the user did not change it.
 * - `kept`: the templates no longer have it, and the user changed it. It stays.
 * - `absent`: the user removed it, and the templates changed it. It stays away.
 */
export type FileMergeType = "added" | "updated" | "merged" | "conflict" | "removed" | "kept" | "absent";

/** The three sides of a merge. */
export interface Sides {
  readonly base: Files;
  readonly next: Files;
  /** Returns the text of a file of the user; `undefined` if it does not exist. */
  mine(path: string): string | undefined;
  /** What the marks of a conflict call the new templates. */
  readonly label: string;
}

/** Returns what happens to each file that changes, in the order of the paths. Files without a change are left out. */
export function mergeProject({ base, next, mine, label }: Sides): readonly FileMerge[] {
  const paths = [...new Set([...Object.keys(base), ...Object.keys(next)])].toSorted();
  return paths.flatMap((path) => {
    const found = mergeFile({ base: base[path], next: next[path], mine: mine(path), label, isJson: path.endsWith(".json") });
    return found === undefined ? [] : [{ path, ...found }];
  });
}

interface File {
  readonly base: string | undefined;
  readonly next: string | undefined;
  readonly mine: string | undefined;
  readonly label: string;
  readonly isJson: boolean;
}

function mergeFile({ mine: given, ...file }: File): Omit<FileMerge, "path"> | undefined {
  const { base, next } = file;
  // A checkout on Windows may have other line breaks. They stay.
  const isWindows = given?.includes("\r\n") === true;
  const mine = isWindows ? given.replaceAll("\r\n", "\n") : given;
  const done = (type: FileMergeType, text?: string): Omit<FileMerge, "path"> => ({
    type,
    text: isWindows ? text?.replaceAll("\n", "\r\n") : text,
  });
  if (mine === next || base === next) return undefined;
  if (next === undefined) return mine === undefined ? undefined : done(mine === base ? "removed" : "kept");
  if (mine === undefined) return base === undefined ? done("added", next) : done("absent");
  if (mine === base) return done("updated", next);
  const merged = mergeTexts({ base: base ?? "", mine, next, label: file.label });
  if (!merged.hasConflict) return done("merged", merged.text);
  // Neighbouring lines, such as two dependencies, are a conflict of texts, but none of values.
  const json = file.isJson && base !== undefined ? mergedJson({ base, mine, next }) : undefined;
  return json === undefined ? done("conflict", merged.text) : done("merged", json);
}

interface Texts {
  readonly base: string;
  readonly mine: string;
  readonly next: string;
  readonly label: string;
}

function mergeTexts({ base, mine, next, label }: Texts): { readonly text: string; readonly hasConflict: boolean } {
  const lines = (text: string): string[] => text.split("\n");
  const { conflict, result } = merge(lines(mine), lines(base), lines(next), { label: { a: "yours", b: label } });
  return { text: result.join("\n"), hasConflict: conflict };
}
