/** Clients in other languages before both servers, by scripts of our own. Each step of a script prints one line. */
import { basicControllers } from "../../controlplane/src/control-plane.ts";
import { capture } from "../../src/run.ts";
import { type Client, CLIENTS, CRDS } from "./client-programs.ts";
import type { Outcome } from "./informer.ts";
import { compareResults, resultProblems, type Results } from "./results.ts";
import { type Servers, type Side, SIDES, startServers } from "./servers.ts";

/** Runs the script of each client whose name contains `part` before both servers. `dir` keeps what was installed. */
export async function compareClients(dir: string, part: string, log: (line: string) => void): Promise<Outcome> {
  const chosen = CLIENTS.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  await using servers = await startServers({ controllers: CONTROLLERS, compactionSeconds: COMPACTION_SECONDS, manifests: CRDS, log });
  const outcomes: Outcome[] = [];
  for (const client of chosen) outcomes.push(await compareClient(client, { dir, servers, log }));
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  return {
    line: outcomes.map(({ line }) => line).join("\n"),
    problems: chosen.length === 0 ? [`--focus ${part}: there are ${CLIENTS.map(({ name }) => name).join(", ")}`] : problems,
  };
}

/** Those that both servers have: a local cluster has no others without workloads. */
const CONTROLLERS = [...basicControllers, "serviceaccount-controller", "root-ca-certificate-publisher-controller"];

/** The steps about old versions wait for one or two compactions. */
const COMPACTION_SECONDS = 5;

interface Run {
  readonly dir: string;
  readonly servers: Servers;
  readonly log: (line: string) => void;
}

async function compareClient({ name, prepare }: Client, { dir, servers, log }: Run): Promise<Outcome> {
  const { command, args, env } = await prepare(dir);
  const play = async (side: Side): Promise<Results> => {
    const result = await capture(command, args, { env: { ...process.env, ...env, KUBECONFIG: servers.kubeconfigs[side] } });
    return readSteps(result.output, result.code);
  };
  const [real, memory] = [await play(SIDES[0]), await play(SIDES[1])];
  const comparison = compareResults(real, memory);
  for (const step of comparison.differ) log(`${name}: ${step}: ${memory.get(step) ?? "it did not run"}`);
  const broken = comparison.uncounted.map((step) => `${name}: "${step}" fails before the real server: ${real.get(step)}`);
  return {
    line: `${name}: ${comparison.agreed.length} steps agree, ${comparison.differ.length} differ`,
    problems: [...broken, ...resultProblems(name, comparison, [])],
  };
}

/** Reads the lines `ok STEP` and `not ok STEP: REASON`. The last step is the end of the program; an example has no other. */
export function readSteps(output: string, code: number): Results {
  const results = new Map<string, string>();
  for (const [, not, step = "", reason] of output.matchAll(/^(not )?ok ([^:\n]+)(?:: (.*))?$/gm))
    results.set(step, not === undefined ? "passed" : `failed: ${reason ?? ""}`);
  return results.set("the program ends with 0", code === 0 ? "passed" : `failed: it ended with ${code}:\n${output.slice(-2000)}`);
}
