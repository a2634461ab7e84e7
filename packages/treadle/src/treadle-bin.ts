#!/usr/bin/env node
/**
 * The program `treadle` of a project that has this package. The command is in `@treadle/cli`, which operators do not need at run time: this program
 * runs it where it is installed, and otherwise writes how to get it.
 */
import { nodeProblem } from "@treadle/apimachinery/unstable/node-version";

const problem = nodeProblem(process.versions.node);
if (problem === undefined) void import("./run-command.ts").then(({ runCommand }) => runCommand(process.argv, process.cwd()));
else {
  console.error(`treadle: ${problem}`);
  process.exitCode = 2;
}
