/** Files that follow from other files, and output that follows its schema. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Deployment } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { expectedFile } from "../scripts/remedies.ts";
import { explanation, objectTree } from "../scripts/object-schemas.ts";
import { schemaFiles } from "../scripts/schemas.ts";
import { VERSION } from "../src/version.ts";
import { treadle } from "./fake-terminal.ts";
import { pods, Shop, shops } from "./shop.ts";

const file = (...path: readonly string[]): string => readFileSync(join(import.meta.dirname, "..", ...path), "utf8");

test("the remedies of explain are those of docs/operations.md; `node packages/cli/scripts/remedies.ts` writes them", () => {
  expect(file("src", "explain", "remedies-data.ts")).toBe(expectedFile());
});

test.for([...schemaFiles()])("schemas/%s is up to date; `node packages/cli/scripts/schemas.ts` writes it", ([name, text]) => {
  // The formatter of the repository breaks lines as it likes.
  expect(JSON.parse(file("schemas", name))).toEqual(JSON.parse(text));
});

test("the version of the program is that of its package", () => {
  expect(VERSION).toBe(JSON.parse(file("package.json")).version);
});

test("-o json has the documented schema, for objects that are ready and not ready", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true, https: true });
  cluster.workloads.pods.fail("CrashLoopBackOff", { matchLabels: { app: "a-database" } });
  await cluster.start(shops);
  await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web") });
  await cluster.settled();
  await cluster.advance(60_000);
  for (const object of ["shop/a", "deployment/a-database", "deployment/web", "namespace/default"]) {
    const [why, tree] = await Promise.all([treadle(cluster, `explain ${object} -o json`), treadle(cluster, `tree ${object} -o json`)]);
    expect(explanation.parse(JSON.parse(why.out)).isReady, object).toBe(!/shop|database/.test(object));
    expect(objectTree.parse(JSON.parse(tree.out)).object.relation).toBe("root");
  }
});

test("docs/cli/explain.md lists every code that a rule gives", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "cli", "explain.md"), "utf8");
  const rules = ["lifecycle", "pods", "statements", "texts", "workloads"]
    .map((name) => file("src", "explain", "rules", `${name}.ts`))
    .join("\n");
  const codes = [...rules.matchAll(/(?:\bcode: |\? |: )"([A-Z][A-Za-z]+)"(?=[,;\s])/g)].map(([, code = ""]) => code);
  const given = new Set(codes.filter((code) => !KINDS.has(code)));
  expect(given.size).toBeGreaterThan(25);
  expect([...given].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

/** Words of the rules that are kinds. */
const KINDS = new Set(
  "Secret ConfigMap ServiceAccount PersistentVolumeClaim Service Namespace Pod Deployment ClusterRole Node StorageClass PriorityClass".split(
    " ",
  ),
);
