#!/usr/bin/env node
/** The program `treadle-rbac`. The module that it loads may hold timers or sockets, so it ends by `process.exit`. */
import { nodeProblem } from "@treadle/apimachinery/unstable/node-version";

let code = 2;
try {
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) throw new Error(problem);
  // An old Node cannot load the command.
  const { main } = await import("./rbac-command.ts");
  code = await main(process.argv.slice(2));
} catch (error) {
  console.error(`treadle-rbac: ${error instanceof Error ? error.message : String(error)}`);
}
process.exit(code);
