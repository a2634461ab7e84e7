import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NEEDED_NODE, nodeProblem } from "./node-version.ts";

const packages = join(import.meta.dirname, "..", "..", "..");

test("the version of Node that the commands need is that of package.json", async () => {
  const { engines } = JSON.parse(await readFile(join(packages, "apimachinery", "package.json"), "utf8")) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${NEEDED_NODE}`);
});

test.for(["20.11.1", "22.18.0", "8.0.0"])("Node %s is refused, and both versions are named", (version) => {
  expect(nodeProblem(version)).toBe(`it needs Node 22.19 or later, and this is Node ${version}; install a newer Node (https://nodejs.org)`);
});

test.for(["22.19.0", "22.100.1", "24.0.0", "26.1.0-nightly"])("Node %s is accepted", (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});
