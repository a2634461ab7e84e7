import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Checkouts } from "./checkouts.ts";
import { type Repository, repository } from "./test-repository.ts";

const SETS_UP = 'import { writeFileSync } from "node:fs"; writeFileSync("installed", process.argv[2]);';

function checkoutsOf(source: Repository, signal: AbortSignal = new AbortController().signal): Checkouts {
  return new Checkouts({ repository: source.dir, log() {}, signal });
}

function worktreesOf(source: Repository): number {
  return source.git("worktree", "list").split("\n").length;
}

test("a commit is checked out and set up by its own program, and both are removed in the end", async () => {
  const source = repository();
  const old = source.commit({ "tools/bootstrap.mjs": SETS_UP, version: "old" });
  source.commit({ version: "new" });
  const checkouts = checkoutsOf(source);
  const { dir, about } = await checkouts.of("HEAD~1");
  expect(about).toBe(`HEAD~1 (${old.slice(0, 12)})`);
  expect(readFileSync(join(dir, "version"), "utf8")).toBe("old");
  expect(readFileSync(join(dir, "installed"), "utf8")).toBe("setup");
  await checkouts[Symbol.asyncDispose]();
  expect(existsSync(dir)).toBe(false);
  expect(worktreesOf(source)).toBe(1);
});

test("a commit whose setup fails is removed in the end, and the error has the output", async () => {
  const source = repository();
  source.commit({ "tools/bootstrap.mjs": 'console.error("no registry"); process.exit(3);' });
  const checkouts = checkoutsOf(source);
  await expect(checkouts.of("HEAD")).rejects.toThrow(/setup of .* failed \(3\):\nno registry/);
  await checkouts[Symbol.asyncDispose]();
  expect(worktreesOf(source)).toBe(1);
});

test("an interrupted setup ends, and its commit is removed", async () => {
  const source = repository();
  source.commit({ "tools/bootstrap.mjs": "setInterval(() => {}, 1000);" });
  const interrupted = new AbortController();
  const checkouts = checkoutsOf(source, interrupted.signal);
  const failed = expect(checkouts.of("HEAD")).rejects.toThrow("aborted");
  await expect.poll(() => worktreesOf(source)).toBe(2);
  interrupted.abort(new Error("interrupted by SIGINT"));
  await failed;
  await checkouts[Symbol.asyncDispose]();
  expect(worktreesOf(source)).toBe(1);
});

test("a folder is used as it is and stays, and a text that is neither a commit nor a folder is refused", async () => {
  const source = repository();
  source.commit({ "tools/bootstrap.mjs": SETS_UP });
  const checkouts = checkoutsOf(source);
  expect(await checkouts.of(source.dir)).toEqual({ dir: source.dir, about: source.dir });
  await expect(checkouts.of("no-such-branch")).rejects.toThrow('"no-such-branch" is no commit');
  await checkouts[Symbol.asyncDispose]();
  expect(existsSync(source.dir)).toBe(true);
});
