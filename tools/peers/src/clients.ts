/** Clients in other languages before both servers, by scripts of our own. Each step of a script prints one line. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../../src/run.ts";
import type { Outcome } from "./informer.ts";
import { compareResults, resultProblems, type Results } from "./results.ts";
import { type Side, SIDES, startServers } from "./servers.ts";

const sources = join(import.meta.dirname, "../clients");

interface Client {
  readonly name: string;
  /** Builds or installs into the folder, and returns the command line of the script. */
  readonly prepare: (dir: string) => Promise<readonly [string, ...string[]]>;
}

const CLIENTS: readonly Client[] = [
  { name: "kubernetes (Python)", prepare: (dir) => python(dir, "kubernetes_client.py") },
  { name: "fabric8 (Java)", prepare: (dir) => java(dir, "clients.Fabric8") },
];

/** Runs each script before both servers. `dir` keeps what was installed. */
export async function compareClients(dir: string, log: (line: string) => void): Promise<Outcome> {
  await using servers = await startServers({ controllers: [], log });
  const problems: string[] = [];
  const lines: string[] = [];
  for (const { name, prepare } of CLIENTS) {
    const [command, ...args] = await prepare(dir);
    const play = async (side: Side): Promise<Results> => {
      const env = { ...process.env, KUBECONFIG: servers.kubeconfigs[side] };
      const { code, output } = await capture(command, args, { env });
      if (code !== 0) problems.push(`${name}: the script ended with ${code} before the ${side} server:\n${output.slice(-2000)}`);
      return readSteps(output);
    };
    const [real, memory] = [await play(SIDES[0]), await play(SIDES[1])];
    const comparison = compareResults(real, memory);
    for (const step of comparison.differ) log(`${name}: ${step}: ${memory.get(step) ?? "it did not run"}`);
    for (const step of comparison.uncounted) problems.push(`${name}: "${step}" fails before the real server: ${real.get(step)}`);
    problems.push(...resultProblems(name, comparison, []));
    lines.push(`${name}: ${comparison.agreed.length} steps agree, ${comparison.differ.length} differ`);
  }
  return { line: lines.join("\n"), problems };
}

/** Reads the lines `ok STEP` and `not ok STEP: REASON`. */
export function readSteps(output: string): Results {
  const results = new Map<string, string>();
  for (const [, not, step = "", reason] of output.matchAll(/^(not )?ok ([^:\n]+)(?:: (.*))?$/gm))
    results.set(step, not === undefined ? "passed" : `failed: ${reason ?? ""}`);
  return results;
}

async function python(dir: string, script: string): Promise<readonly [string, ...string[]]> {
  const venv = join(dir, "clients-python");
  const program = join(venv, "bin/python");
  if (!existsSync(program)) await must("python3", "-m", "venv", venv);
  await must(program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", join(sources, "python/requirements.txt"));
  return [program, join(sources, "python", script)];
}

async function java(dir: string, main: string): Promise<readonly [string, ...string[]]> {
  const target = join(dir, "clients-java");
  mkdirSync(target, { recursive: true });
  const pom = join(sources, "java/pom.xml");
  await must("mvn", "-q", "-B", "-f", pom, `-Dclients.target=${target}`, "compile", "dependency:copy-dependencies");
  return ["java", "-Dkubernetes.certs.client.key.algo=EC", "-cp", `${join(target, "classes")}:${join(target, "dependency/*")}`, main];
}

async function must(program: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await capture(program, args);
  if (code !== 0) throw new Error(`cannot prepare a client: ${program} ${args.join(" ")} ended with ${code}\n${output.slice(-2000)}`);
}
