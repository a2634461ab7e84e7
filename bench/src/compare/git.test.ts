import { expect, test } from "vitest";
import { gitIn, hasChanged, landedBefore } from "./git.ts";
import { cloneOf, repository } from "./test-repository.ts";

test("a branch is compared with the merge base with main, however many commits it has", async () => {
  const source = repository();
  const base = source.commit({ a: "1" });
  source.git("checkout", "--quiet", "-b", "work");
  source.commit({ a: "2" });
  source.commit({ a: "3" });
  expect(await landedBefore(gitIn(source.dir))).toEqual({ commit: base, about: "the merge base with main" });
});

test("a merge is compared with main before it", async () => {
  const source = repository();
  source.commit({ a: "1" });
  source.git("checkout", "--quiet", "-b", "work");
  source.commit({ b: "2" });
  source.git("checkout", "--quiet", "main");
  const before = source.commit({ c: "3" });
  source.git("merge", "--quiet", "--no-ff", "--message=merge", "work");
  expect(await landedBefore(gitIn(cloneOf(source).dir))).toEqual({ commit: before, about: "the first parent of this merge" });
});

test("commits after a merge are compared with the merge, and without a merge with the parent", async () => {
  const source = repository();
  const first = source.commit({ a: "1" });
  source.commit({ a: "2" });
  expect(await landedBefore(gitIn(cloneOf(source).dir))).toEqual({ commit: first, about: "the parent" });
  source.git("checkout", "--quiet", "-b", "work", first);
  source.commit({ b: "2" });
  source.git("checkout", "--quiet", "main");
  source.git("merge", "--quiet", "--no-ff", "--message=merge", "work");
  const merge = source.git("rev-parse", "HEAD");
  source.commit({ a: "4" });
  source.commit({ a: "5" });
  expect(await landedBefore(gitIn(cloneOf(source).dir))).toEqual({ commit: merge, about: "the newest merge before" });
});

test("a clone of one commit, a repository without a commit and a folder without one have nothing to compare with", async () => {
  const source = repository();
  expect(await landedBefore(gitIn(source.dir))).toBeUndefined();
  source.commit({ a: "1" });
  const parent = source.commit({ a: "2" });
  source.commit({ a: "3" });
  expect(await landedBefore(gitIn(cloneOf(source, 1).dir))).toBeUndefined();
  expect(await landedBefore(gitIn("/"))).toBeUndefined();
  expect(await landedBefore(gitIn(cloneOf(source, 2).dir))).toEqual({ commit: parent, about: "the parent" });
});

test.for([
  { path: "packages/client/src/client.ts", want: true },
  { path: "bench/src/operators/treadle.ts", want: true },
  { path: "pnpm-lock.yaml", want: true },
  { path: "packages/client/src/client.test.ts", want: false },
  { path: "packages/apiserver/src/server.ts", want: false },
  { path: "docs/benchmarks.md", want: false },
])("a change of $path changes what an operator runs: $want", async ({ path, want }) => {
  const source = repository();
  const before = source.commit({ [path]: "1" });
  source.commit({ [path]: "2" });
  expect(await hasChanged(gitIn(source.dir), before)).toBe(want);
});
