/** Starts a program. Nothing else is imported here, and no syntax is new: an old Node is told what it lacks. */
import { nodeProblem } from "@treadle/apimachinery/unstable/node-version";

/** Runs the command line of the process under this name, after the words `before`, or writes that Node is too old. */
export function launch(name: string, before: readonly string[] = []): void {
  const problem = nodeProblem(process.versions.node);
  if (problem === undefined) {
    void import("./main.ts").then(({ main }) => main(name, before));
    return;
  }
  console.error(`${name}: ${problem}`);
  process.exitCode = 2;
}
