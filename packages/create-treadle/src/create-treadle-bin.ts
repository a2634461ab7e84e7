#!/usr/bin/env node
/** The program that `npm create treadle` runs. */
import { nodeProblem } from "@treadle/apimachinery/unstable/node-version";

const problem = nodeProblem(process.versions.node);
if (problem === undefined) void import("./index.ts").then(({ create }) => create());
else {
  console.error(`create-treadle: ${problem}`);
  process.exitCode = 2;
}
