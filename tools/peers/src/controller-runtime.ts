/** The tests of controller-runtime's own packages, each before a new pair of servers without controllers, as in envtest. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../../src/run.ts";
import { build, folderOf } from "./go.ts";
import type { Outcome } from "./informer.ts";
import { compareResults, type KnownDifference, readReport, resultProblems, type Results } from "./results.ts";
import { type Side, startServers } from "./servers.ts";

/** Those whose tests run before a cluster that is there; the others start servers with options of their own. */
export const PACKAGES: readonly string[] = [
  "client",
  "builder",
  "manager",
  "controller",
  "controller/controllerutil",
  "cluster",
  "source",
  "cache",
];

const ROOT = "sigs.k8s.io/controller-runtime/pkg";

/** Builds the tests into `dir` and runs them. Reports stay there. */
export async function comparePackage(name: string, dir: string, log: (line: string) => void): Promise<Outcome> {
  const file = join(dir, `${name.replaceAll("/", "-")}.test`);
  await build("clients", `${ROOT}/${name}`, file);
  const cwd = await folderOf("clients", `${ROOT}/${name}`);
  await using servers = await startServers({ controllers: [], log });
  const run = async (side: Side): Promise<Results> => {
    const report = `${file}.${side}.json`;
    const env = { ...process.env, USE_EXISTING_CLUSTER: "true", KUBECONFIG: servers.kubeconfigs[side] };
    const { code, output } = await capture(file, ["--ginkgo.no-color", "--ginkgo.timeout=10m", `--ginkgo.json-report=${report}`], {
      cwd,
      env,
    });
    if (!existsSync(report))
      throw new Error(`the tests of ${name} ended with ${code} before the ${side} server, without a report:\n${output.slice(-2000)}`);
    return readReport(readFileSync(report, "utf8"));
  };
  const real = await run("real");
  const memory = await run("memory");
  const comparison = compareResults(real, memory);
  const { agreed, differ, uncounted } = comparison;
  for (const spec of differ) log(`differs: ${spec}: ${memory.get(spec)?.slice(0, 300) ?? "did not run"}`);
  for (const spec of uncounted) log(`does not pass before the real server: ${spec}`);
  return {
    line: `controller-runtime, pkg/${name}: ${agreed.length} agreed, ${differ.length} differ, ${uncounted.length} not counted`,
    problems: resultProblems(name, comparison, knownDifferences()),
  };
}

function knownDifferences(): readonly KnownDifference[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../known-differences.json"), "utf8")); // a file of ours
}
