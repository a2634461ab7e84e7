#!/usr/bin/env node
/** The program `treadle-apiserver`: an in-memory API server for clients of any language, from the package alone. */
import { nodeProblem } from "@treadle/apimachinery/unstable/node-version";

const problem = nodeProblem(process.versions.node);
if (problem === undefined) void import("./cluster/program.ts").then(({ main }) => main());
else {
  console.error(`treadle-apiserver: ${problem}`);
  process.exitCode = 2;
}
