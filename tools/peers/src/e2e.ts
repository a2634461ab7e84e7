/**
 * Kubernetes' own e2e specs before both servers: each in a process of its own, because a spec that waits for what nobody
 * does would wait for minutes, and three at a time.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { capture } from "../../src/run.ts";
import { build } from "./go.ts";
import type { Outcome } from "./informer.ts";
import { compareResults, type Results } from "./results.ts";
import { type Side, startServers } from "./servers.ts";

const SECONDS = 60;
const AT_ONCE = 3;

/** Those that need an API server and controllers of objects, but no pods that run. */
const { focus: FOCUS, skip: SKIP }: { readonly focus: readonly string[]; readonly skip: readonly string[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../e2e-specs.json"), "utf8"), // a file of ours
);

/** Builds the suite into `dir` and runs the specs whose names contain `part`. A report only: no difference is a problem. */
export async function compareSpecs(dir: string, part: string, log: (line: string) => void): Promise<Outcome> {
  const program = join(dir, "kubernetes-e2e.test");
  await build("kubernetes", ".", program);
  const names = (await listSpecs(program, dir)).filter((name) => name.includes(part));
  await using servers = await startServers({ controllers: ["*"], log });
  const all = async (side: Side): Promise<Results> => {
    const results = new Map<string, string>();
    const left = [...names];
    const worker = async (): Promise<void> => {
      for (let name = left.shift(); name !== undefined; name = left.shift())
        results.set(name, await runSpec(program, servers.kubeconfigs[side], name));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return results;
  };
  const real = await all("real");
  const memory = await all("memory");
  const { agreed, differ, uncounted } = compareResults(real, memory);
  for (const name of agreed) log(`agreed: ${name}`);
  for (const name of differ) log(`differs: ${name}: ${memory.get(name) ?? ""}`);
  for (const name of uncounted) log(`not counted: ${name}: ${real.get(name) ?? ""}`);
  const line = `Kubernetes e2e: ${agreed.length} agreed, ${differ.length} differ, ${uncounted.length} not counted`;
  return { line, problems: agreed.length === 0 ? [`${line}: nothing ran`] : [] };
}

async function listSpecs(program: string, dir: string): Promise<readonly string[]> {
  const report = join(dir, "kubernetes-e2e.specs.json");
  const { code, output } = await capture(program, [
    "--provider=skeleton",
    "--kubeconfig=none",
    "--ginkgo.dry-run",
    `--ginkgo.json-report=${report}`,
  ]);
  if (code !== 0) throw new Error(`the specs could not be listed:\n${output.slice(-2000)}`);
  interface Listed {
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly ContainerHierarchyTexts: readonly string[] | null;
  }
  const suites = JSON.parse(readFileSync(report, "utf8")) as readonly { readonly SpecReports: readonly Listed[] }[]; // as Ginkgo writes it
  const names = suites
    .flatMap(({ SpecReports }) => SpecReports)
    .filter(({ LeafNodeType }) => LeafNodeType === "It")
    .map(({ ContainerHierarchyTexts, LeafNodeText }) => [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" "));
  const [focus, skip] = [new RegExp(FOCUS.join("|")), new RegExp(SKIP.join("|"))];
  return [...new Set(names)].filter((name) => focus.test(name) && !skip.test(name)).toSorted();
}

/** `passed`, or what is known of why not. */
async function runSpec(program: string, kubeconfig: string, name: string): Promise<string> {
  const only = `${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}( \\[|$)`;
  const args = ["--provider=skeleton", `--kubeconfig=${kubeconfig}`, "--dump-logs-on-failure=false", "--disable-log-dump"];
  const ginkgo = ["--ginkgo.no-color", `--ginkgo.focus=${only}`, `--ginkgo.timeout=${SECONDS}s`, "--ginkgo.grace-period=1s"];
  const running = capture(program, [...args, ...ginkgo]);
  const ended = await Promise.race([running, delay((SECONDS + 30) * 1000, undefined, { ref: false })]);
  if (ended === undefined) return `not ended after ${SECONDS} s`;
  if (/\b1 Passed\b/.test(ended.output)) return "passed";
  return /\[(?:FAILED|TIMEDOUT|PANICKED|SKIPPED)\] (?!\[)(.*)/.exec(ended.output)?.[1]?.slice(0, 200) ?? `ended with ${ended.code}`;
}
