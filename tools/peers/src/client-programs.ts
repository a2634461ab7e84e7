/** The clients of the suite: where their programs are, and how they are built or installed. */
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { obtainPrograms } from "../../programs/src/obtain.ts";
import { capture } from "../../src/run.ts";
import { root } from "../../src/workspaces.ts";
import { build } from "./go.ts";

const sources = join(import.meta.dirname, "../clients");

/** The CRDs of the examples, which both servers have from the start. */
export const CRDS: string = join(sources, "crds");

/** How a prepared client is started. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Client {
  readonly name: string;
  /** The file of an example in the documentation, from the root of the workspace. */
  readonly example?: string;
  /** Builds or installs into the folder. */
  readonly prepare: (dir: string) => Promise<Program>;
}

const pythonExample = join(sources, "python/widget_operator.py");
const goExample = join(sources, "example/widget_test.go");
const javaExample = join(sources, "java/src/main/java/example/WidgetOperator.java");

export const CLIENTS: readonly Client[] = [
  { name: "kubernetes (Python)", prepare: (dir) => python(dir, join(sources, "python/kubernetes_client.py")) },
  { name: "kubernetes, cluster (Python)", prepare: (dir) => python(dir, join(sources, "python/kubernetes_cluster.py")) },
  { name: "lightkube (Python)", prepare: (dir) => python(dir, join(sources, "python/lightkube_client.py")) },
  { name: "kr8s (Python)", prepare: (dir) => python(dir, join(sources, "python/kr8s_client.py")) },
  { name: "kopf (Python)", example: relative(root, pythonExample), prepare: (dir) => python(dir, pythonExample) },
  { name: "Helm", prepare: helm },
  { name: "fabric8 (Java)", prepare: (dir) => java(dir, "clients.Fabric8") },
  { name: "fabric8, cluster (Java)", prepare: (dir) => java(dir, "clients.Fabric8Cluster") },
  { name: "JOSDK (Java)", example: relative(root, javaExample), prepare: (dir) => java(dir, "example.WidgetOperator") },
  { name: "controller-runtime (Go)", example: relative(root, goExample), prepare: go },
  { name: "client-node (JavaScript)", prepare: (dir) => node(dir, "client-node.mjs") },
  { name: "fluent-client (JavaScript)", prepare: (dir) => node(dir, "fluent-client.mjs") },
  { name: "kube-rs (Rust)", prepare: rust },
];

async function python(dir: string, ...args: readonly string[]): Promise<Program> {
  const venv = join(dir, "clients-python");
  const command = join(venv, "bin/python");
  if (!existsSync(command)) await must("python3", "-m", "venv", venv);
  await must(command, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", join(sources, "python/requirements.txt"));
  return { command, args, env: { PYTHONDONTWRITEBYTECODE: "1" } };
}

async function helm(dir: string): Promise<Program> {
  const { variables } = await obtainPrograms();
  const program = await python(dir, join(sources, "python/helm_cli.py"), join(sources, "helm/chart"));
  return { ...program, env: { ...program.env, TREADLE_HELM: variables["TREADLE_HELM"] ?? "" } };
}

async function java(dir: string, main: string): Promise<Program> {
  const target = join(dir, "clients-java");
  mkdirSync(target, { recursive: true });
  const pom = join(sources, "java/pom.xml");
  await must("mvn", "-q", "-B", "-f", pom, `-Dclients.target=${target}`, "compile", "dependency:copy-dependencies");
  // fabric8 takes a key of the kubeconfig for an RSA key. That of the real server is of a curve.
  const args = ["-Dkubernetes.certs.client.key.algo=EC", "-cp", `${join(target, "classes")}:${join(target, "dependency/*")}`, main];
  return { command: "java", args };
}

async function go(dir: string): Promise<Program> {
  const command = join(dir, "clients-go.test");
  await build("clients", "./example", command);
  return { command, args: [] };
}

/** Programs find their packages beside themselves, so they are copied to where the packages are installed. */
async function node(dir: string, file: string): Promise<Program> {
  const target = join(dir, "clients-node");
  cpSync(join(sources, "node"), target, { recursive: true });
  await must("npm", "ci", "--prefix", target, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
  return { command: process.execPath, args: [join(target, file)] };
}

async function rust(dir: string): Promise<Program> {
  const target = join(dir, "clients-rust");
  await must("cargo", "build", "--quiet", "--locked", "--manifest-path", join(sources, "rust/Cargo.toml"), "--target-dir", target);
  return { command: join(target, "debug/kube-client"), args: [] };
}

async function must(program: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await capture(program, args);
  if (code !== 0) throw new Error(`cannot prepare a client: ${program} ${args.join(" ")} ended with ${code}\n${output.slice(-2000)}`);
}
