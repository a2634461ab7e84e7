/**
 * The fault suite: an operator's process behind every fault of `scenarios.ts`, before the in-memory API server and before a real
 * one, and an auditor's process that compares what each saw with what there was. Ends with 1 when something was missed,
 * invented, went backwards, or took longer than docs/operations.md promises.
 *
 *     node --conditions=@treadle/source tools/faults/main.ts [--server memory|real]... [--only NAME]... [--long] [--rounds N]
 *       [--seed N] [--at-once N] [--kubeconfig FILE]
 *
 * The real server is a control plane of its own, whose programs are ended, too; with `--kubeconfig` it is that cluster, and
 * these scenarios are left out. `--long` waits for long deadlines with a real clock.
 */
import { parseArgs } from "node:util";
import { startControlPlane } from "../controlplane/src/control-plane.ts";
import { SCENARIOS } from "./scenarios.ts";
import { memoryServer, realServer } from "./server.ts";
import { runSuite, type SuiteOptions, type SuiteReport } from "./suite.ts";

const { values } = parseArgs({
  options: {
    server: { type: "string", multiple: true, default: ["memory", "real"] },
    only: { type: "string", multiple: true },
    long: { type: "boolean", default: false },
    rounds: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    "at-once": { type: "string", default: "3" },
    kubeconfig: { type: "string" },
  },
});
const { kubeconfig, only } = values;
const unknown = (only ?? []).filter((name) => SCENARIOS.every((scenario) => scenario.name !== name));
if (unknown.length > 0) throw new Error(`--only ${unknown.join(", ")}: there are ${SCENARIOS.map(({ name }) => name).join(", ")}`);
const [rounds, seed, atOnce] = [values.rounds, values.seed, values["at-once"]].map(Number) as [number, number, number];
if (![rounds, seed, atOnce].every((number) => Number.isInteger(number) && number > 0))
  throw new Error("--rounds, --seed and --at-once are whole numbers from 1");
const options: SuiteOptions = { ...(only === undefined ? {} : { only }), isLong: values.long, rounds, seed, atOnce, log: console.log };
const started = performance.now();
const reports = await Promise.all([...new Set(values.server)].map(onServer));
const problems = reports.flatMap((report) => report.problems);
const passed = reports.reduce((sum, report) => sum + report.passed, 0);
console.log(`faults: ${passed} scenarios passed in ${((performance.now() - started) / 1000).toFixed(1)} s, ${problems.length} problems`);
for (const problem of problems) console.error(`problem: ${problem}`);
process.exitCode = problems.length > 0 || passed === 0 ? 1 : 0;

async function onServer(name: string): Promise<SuiteReport> {
  if (name === "memory") {
    await using server = await memoryServer();
    return await runSuite(server, options);
  }
  if (name !== "real") throw new Error(`--server ${name}: there are memory and real`);
  await using plane = kubeconfig === undefined ? await startControlPlane() : undefined;
  await using server = await realServer(kubeconfig ?? plane?.kubeconfigPath ?? "", plane);
  return await runSuite(server, options);
}
