/** The repository whose commits are compared. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs git in a folder. Resolves to what it prints, without the last line break. */
export type Git = (...args: readonly string[]) => Promise<string>;

export function gitIn(dir: string): Git {
  return async (...args) => {
    const { stdout } = await promisify(execFile)("git", args, { cwd: dir, maxBuffer: 2 ** 26 });
    return stdout.trimEnd();
  };
}

/** As {@link Git}, or `undefined` where git fails: there is no such commit, or no repository. */
export async function asked(git: Git, ...args: readonly string[]): Promise<string | undefined> {
  try {
    return await git(...args);
  } catch {
    return undefined;
  }
}

/** A commit, and why it was chosen. */
export interface Choice {
  readonly commit: string;
  readonly about: string;
}

/**
 * Returns the commit that a change landed on, or `undefined` where the clone does not have it:
 *  1. on a branch, the merge base with main;
 *  2. at a merge, its first parent, which is main before the merge;
 *  3. otherwise the newest merge before, since work lands by merges, or the parent where there is none.
 * A shallow clone has less history, so it may have only the parent, or nothing.
 */
export async function landedBefore(git: Git): Promise<Choice | undefined> {
  const head = await asked(git, "rev-parse", "--verify", "--quiet", "HEAD");
  if (head === undefined) return undefined;
  for (const main of ["origin/main", "main"]) {
    const base = await asked(git, "merge-base", main, "HEAD");
    if (base !== undefined && base !== head) return { commit: base, about: `the merge base with ${main}` };
  }
  const parent = await asked(git, "rev-parse", "--verify", "--quiet", "HEAD^1");
  if (parent === undefined) return undefined;
  if ((await asked(git, "rev-parse", "--verify", "--quiet", "HEAD^2")) !== undefined)
    return { commit: parent, about: "the first parent of this merge" };
  const merge = await asked(git, "rev-list", "--first-parent", "--merges", "--max-count=1", parent);
  return merge === undefined || merge === ""
    ? { commit: parent, about: "the parent" }
    : { commit: merge, about: "the newest merge before" };
}

/** The sources that an operator runs. Tests and docs are not in it. */
const SOURCES = [
  "packages/*/src/*",
  "bench/src/operators",
  "pnpm-lock.yaml",
  ":(exclude)**/*.test.ts",
  ":(exclude)**/*.test-d.ts",
  ":(exclude)packages/apiserver",
];

/** Tells whether the files that an operator runs differ between a commit and the files here. New files count once git knows them. */
export async function hasChanged(git: Git, commit: string): Promise<boolean> {
  return (await git("diff", "--name-only", commit, "--", ...SOURCES)) !== "";
}
