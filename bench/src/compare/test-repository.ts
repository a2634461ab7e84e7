/** For tests: small repositories. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export interface Repository {
  readonly dir: string;
  git(...args: readonly string[]): string;
  /** Writes files and commits them. Returns the id of the commit. */
  commit(files: Readonly<Record<string, string>>): string;
}

/** Makes a repository on the branch main without commits; it is removed when the test ends. */
export function repository(): Repository {
  const dir = mkdtempSync(join(tmpdir(), "compare-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return prepared(dir, () => execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: dir }));
}

/** Clones a repository into a new folder. A depth makes a shallow clone. */
export function cloneOf(source: Repository, depth?: number): Repository {
  const dir = mkdtempSync(join(tmpdir(), "compare-clone-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const options = depth === undefined ? [] : [`--depth=${depth}`];
  return prepared(dir, () => execFileSync("git", ["clone", "--quiet", ...options, `file://${source.dir}`, "."], { cwd: dir }));
}

function prepared(dir: string, make: () => void): Repository {
  make();
  // A hook or an identity of the machine would change what a test does.
  const fixed = [
    "-c",
    "user.name=test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "commit.gpgsign=false",
  ];
  const git: Repository["git"] = (...args) => execFileSync("git", [...fixed, ...args], { cwd: dir, encoding: "utf8" }).trim();
  return {
    dir,
    git,
    commit(files) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(dir, path)), { recursive: true });
        writeFileSync(join(dir, path), text);
      }
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message=change");
      return git("rev-parse", "HEAD");
    },
  };
}
