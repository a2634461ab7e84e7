/**
 * Checks that the engine and the controller name no kind of step: no file of their `src` contains the word "dependent", in code,
 * comments, texts or its own path. Such a word means that the engine knows what `@treadle/dependents` adds to it. The word
 * "independent" and its forms are allowed.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspaces.ts";

const folders: readonly string[] = ["packages/reconcile/src", "packages/controller/src"];

// A capital D begins a word of a name ("joinDependent"), so there "in" makes no "independent".
const forbidden = /(?<![iI]n)dependent|Dependent|(?<!IN)DEPENDENT/;

/** Every violation as one line `where: what`, in the order of the paths; empty when there is none. */
export function engineWordProblems(base: string = root): string[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.*`, { cwd: base })).map((file) => file.replaceAll("\\", "/"));
  return files.toSorted().flatMap((file) => {
    const ofName = forbidden.test(file) ? [`${file}: the name of the file contains "dependent"`] : [];
    return [...ofName, ...linesWith(readFileSync(join(base, file), "utf8")).map((found) => `${file}:${found}`)];
  });
}

function linesWith(text: string): string[] {
  return text.split("\n").flatMap((line, index) => (forbidden.test(line) ? [`${index + 1}: ${line.trim()}`] : []));
}

if (import.meta.main) {
  const problems = engineWordProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error(`${problems.length} places of ${folders.join(" and ")} contain the word "dependent"`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
