/**
 * The story of a new user, as a part of `npm run smoke`: in a new project, change a field under `treadle dev`, generate, build, apply, run the
 * built operator with the token of its ServiceAccount, explain a broken object, delete everything. The server is in memory, and demands
 * rights. With KUBEBUILDER_ASSETS the story runs again on a real control plane, and with `--kubeconfig FILE` on that cluster.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startControlPlane } from "@treadle-workspace/tools/controlplane";
import { capture } from "./run.ts";
import { root } from "./workspaces.ts";

/** Of the machine, without installs, as the issue of the command demands. */
const BUDGET_S = 60;
/** From an edit to the operator that has it. On an idle machine it is under 2 s. */
const EDIT_LIMIT_S = 10;
const OPERATOR = "website-operator";

/** Tells the story in `project`, which `treadle new operator website-operator` made in `newMs`. @throws Error with the output of what failed */
export async function smokeStory(project: string, newMs: number): Promise<void> {
  copyFileSync(join(root, "tools", "src", "story-client.ts"), join(project, "story-client.ts"));
  const onBoth = performance.now();
  await changeUnderDev(project);
  await run(project, "npm", "run", "generate");
  await run(project, "npm", "run", "generate", "--", "--check");
  await run(project, "npx", "treadle", "check", "src/main.ts");
  await run(project, "npm", "run", "build");
  const commonMs = newMs + performance.now() - onBoth;
  for (const server of servers()) {
    const startedMs = performance.now();
    await using cluster = await server.start(project);
    const readyMs = performance.now();
    await inCluster(project, cluster);
    const storyS = (commonMs + performance.now() - readyMs) / 1_000;
    console.log(
      `smoke: the story of a new user on ${server.about} took ${storyS.toFixed(1)} s (the server ${((readyMs - startedMs) / 1_000).toFixed(1)} s)`,
    );
    if (storyS > BUDGET_S) throw new Error(`smoke: the story took ${storyS.toFixed(1)} s; it may take ${BUDGET_S} s`);
  }
  rmSync(join(project, "story-client.ts"));
}

/** A field is added while `treadle dev` runs. The object in the cluster gets it. */
async function changeUnderDev(project: string): Promise<void> {
  await using dev = started(project, "npx", ["treadle", "dev", "src/main.ts", "-o", "json"], process.env);
  await dev.line(/"type":"pass".*"type":"Ready","status":"True"/, "a ready Website");
  const startedMs = performance.now();
  edit(join(project, "src", "website.ts"), "replicas: z.int32", 'port: z.int32().default(8080).describe("Port"),\n    replicas: z.int32');
  edit(join(project, "src", "website-handler.ts"), "spec: { image, replicas }", "spec: { image, replicas, port }");
  edit(join(project, "src", "website-handler.ts"), "containerPort: 8080", "containerPort: port");
  edit(join(project, "deploy", "samples", "website.yaml"), "spec:\n", "spec:\n  port: 9090\n");
  await dev.line(/"type":"pass".*"operation":"updated","object":\{"kind":"Deployment"/, "a write of the Deployment after the edit");
  const editS = (performance.now() - startedMs) / 1_000;
  console.log(`smoke: treadle dev brought an edit to the cluster in ${editS.toFixed(1)} s`);
  if (editS > EDIT_LIMIT_S) throw new Error(`smoke: an edit took ${editS.toFixed(1)} s under treadle dev; it may take ${EDIT_LIMIT_S} s`);
}

/** From the manifests to an empty cluster. */
async function inCluster(project: string, { kubeconfig, runsPods }: Cluster): Promise<void> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const client = async (...args: readonly string[]): Promise<string> =>
    await must(project, env, process.execPath, ["story-client.ts", ...args]);
  const operatorConfig = join(project, "operator.kubeconfig");
  await client("apply", "deploy/base");
  await client("token", `${OPERATOR}-system`, OPERATOR, operatorConfig);
  // Away from node_modules, as in the image.
  const away = join(project, "..", "built");
  rmSync(away, { recursive: true, force: true });
  mkdirSync(away);
  cpSync(join(project, "dist"), join(away, "operator"), { recursive: true });
  {
    const ports = { TREADLE_PROBES_PORT: "0", TREADLE_METRICS_PORT: "0" };
    const own = { PATH: "/usr/bin:/bin", HOME: away, KUBECONFIG: operatorConfig, ...ports };
    await using operator = started(away, process.execPath, ["operator/main.mjs"], own);
    await client("apply", "deploy/samples");
    await client("wait", "deployments.apps", "sample", '"containerPort":9090');
    if (runsPods) await client("wait", "websites.website.example.com", "sample", '"type":"Ready","status":"True"');
    await brokenObject(project, env, client);
    await client("delete", "deploy/samples");
    await client("gone", "deployments.apps", "sample");
    await operator.end("SIGTERM", 0);
    if (/forbidden/.test(operator.log())) throw new Error(`smoke: the operator lacks a right:\n${operator.log()}`);
  }
  await client("delete", "deploy/base");
}

/** A port that cannot be. The first sentence of the explanation names it, and the object is well again when it is corrected. */
async function brokenObject(
  project: string,
  env: NodeJS.ProcessEnv,
  client: (...args: readonly string[]) => Promise<string>,
): Promise<void> {
  const sample = join(project, "deploy", "samples", "website.yaml");
  edit(sample, "port: 9090", "port: 90900");
  await client("apply", "deploy/samples");
  await client("wait", "websites.website.example.com", "sample", "containerPort");
  const { code, output } = await capture("npx", ["treadle", "explain", "website/sample", "--exit-code"], { cwd: project, env });
  const [sentence = ""] = output.split("\n");
  if (code !== 1 || !/is not ready.*containerPort/.test(sentence))
    throw new Error(`smoke: treadle explain of a broken object ended with ${code}, expected 1 and a sentence about its port:\n${output}`);
  const tree = await must(project, env, "npx", ["treadle", "tree", "website/sample"]);
  if (!tree.includes("Deployment sample")) throw new Error(`smoke: treadle tree shows no Deployment:\n${tree}`);
  edit(sample, "port: 90900", "port: 9090");
  await client("apply", "deploy/samples");
  await client("wait", "websites.website.example.com", "sample", '"observedGeneration":3');
}

interface Cluster extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Whether Deployments become available. */
  readonly runsPods: boolean;
}

interface Server {
  readonly about: string;
  start(project: string): Promise<Cluster>;
}

function servers(): readonly Server[] {
  const given = process.argv.indexOf("--kubeconfig");
  const kubeconfig = given < 0 ? undefined : process.argv[given + 1];
  if (given >= 0 && kubeconfig === undefined) throw new Error("smoke: --kubeconfig needs a file");
  const hasPlane = (process.env["KUBEBUILDER_ASSETS"] ?? "") !== "";
  return [
    { about: "the in-memory server", start: inMemory },
    ...(!hasPlane || kubeconfig !== undefined ? [] : [{ about: "a real control plane", start: controlPlane }]),
    ...(kubeconfig === undefined
      ? []
      : [
          {
            about: `the cluster of ${kubeconfig}`,
            start: async () => ({ kubeconfig, runsPods: false, [Symbol.asyncDispose]: async () => {} }),
          },
        ]),
  ];
}

async function inMemory(project: string): Promise<Cluster> {
  const kubeconfig = join(project, "memory.kubeconfig");
  const server = started(project, process.execPath, ["story-client.ts", "serve", kubeconfig], process.env);
  await server.line(/ready at/, "an in-memory server");
  return { kubeconfig, runsPods: true, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** It has no kubelet, so no pod runs. */
async function controlPlane(): Promise<Cluster> {
  const plane = await startControlPlane({ controllers: ["*"] });
  return { kubeconfig: plane.kubeconfigPath, runsPods: false, [Symbol.asyncDispose]: () => plane.stop() };
}

interface Started extends AsyncDisposable {
  log(): string;
  /** Resolves when a line of the output matches. @throws Error when the program ends before, or after a minute */
  line(pattern: RegExp, what: string): Promise<void>;
  end(signal: NodeJS.Signals, code: number): Promise<void>;
}

function started(cwd: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv): Started {
  // A group of its own: npx passes no signals to the program that it starts.
  const child: ChildProcess = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const closed = once(child, "close");
  let log = "";
  const seen = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null)
      createInterface({ input: stream }).on("line", (line) => {
        log += `${line}\n`;
        for (const look of seen) look();
      });
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
  };
  let readTo = 0;
  return {
    log: () => log,
    async line(pattern, what) {
      const found = new Promise<void>((resolve) => {
        const look = (): void => {
          for (let end = log.indexOf("\n", readTo); end >= 0; end = log.indexOf("\n", readTo)) {
            const line = log.slice(readTo, end);
            readTo = end + 1;
            if (!pattern.test(line)) continue;
            seen.delete(look);
            resolve();
            return;
          }
        };
        seen.add(look);
        look();
      });
      const over = AbortSignal.timeout(60_000);
      const ended = await Promise.race([found.then(() => false), closed.then(() => true), once(over, "abort").then(() => true)]);
      if (ended) throw new Error(`smoke: ${command} ${args.join(" ")} did not show ${what}:\n${log}`);
    },
    async end(signal, code) {
      signalGroup(signal);
      const [ended] = await closed;
      if (ended !== code) throw new Error(`smoke: ${command} ${args.join(" ")} ended with ${ended}, expected ${code}:\n${log}`);
    },
    async [Symbol.asyncDispose]() {
      signalGroup("SIGTERM");
      await closed;
    },
  };
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  if (!text.includes(from)) throw new Error(`smoke: ${file} has no ${JSON.stringify(from)}`);
  // In one step, as editors do: a watcher never sees half a file.
  writeFileSync(`${file}.new`, text.replace(from, to));
  renameSync(`${file}.new`, file);
}

const run = (cwd: string, command: string, ...args: readonly string[]): Promise<string> => must(cwd, process.env, command, args);

async function must(cwd: string, env: NodeJS.ProcessEnv, command: string, args: readonly string[]): Promise<string> {
  const { code, output } = await capture(command, args, { cwd, env });
  if (code !== 0) throw new Error(`smoke: ${command} ${args.join(" ")} ended with ${code}:\n${output}`);
  return output;
}
