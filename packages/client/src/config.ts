/**
 * Where the cluster is and who we are there. Looked for in kubectl's order; the environment is read when called, never
 * at import:
 *  1. `kubeconfig` of the options;
 *  2. the files in `KUBECONFIG`;
 *  3. `~/.kube/config`, if it exists;
 *  4. the service account of the pod (in-cluster).
 * A cluster without a proxy of its own is reached through that of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
 */
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Clock } from "@treadle/apimachinery";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import { environmentProxy } from "./environment-proxy.ts";
import { inClusterConfig, isInCluster, SERVICE_ACCOUNT_DIRECTORY } from "./in-cluster.ts";

export interface LoadConfigOptions {
  /** Path of a kubeconfig file; nothing else is looked at then. */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig. @defaultValue its `current-context` */
  readonly context?: string;
  /** @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the pod's service account is mounted. @defaultValue `/var/run/secrets/kubernetes.io/serviceaccount` */
  readonly serviceAccountDirectory?: string;
  /** @defaultValue the system's */
  readonly clock?: Clock;
}

/** @throws ConfigError that names what was looked at, what is wrong with it and how to put it right. */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const env = options.env ?? process.env;
  const config = await findConfig(options, env);
  const proxyUrl = config.proxyUrl ?? environmentProxy(config.server, env);
  return proxyUrl === undefined ? config : { ...config, proxyUrl };
}

async function findConfig(options: LoadConfigOptions, env: Readonly<Record<string, string | undefined>>): Promise<ClusterConfig> {
  if (options.kubeconfig !== undefined) return fromFiles([options.kubeconfig], options);

  const named = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  if (named.length > 0) {
    const files = await existing(named);
    if (files.length > 0) return fromFiles(files, options);
    const fix = "correct or unset KUBECONFIG";
    throw new ConfigError({
      source: `KUBECONFIG=${named.join(delimiter)}`,
      problem: "none of its files exists",
      fix,
      code: "ERR_CONFIG_NOT_FOUND",
    });
  }

  const home = join(env["HOME"] || env["USERPROFILE"] || homedir(), ".kube", "config");
  if ((await existing([home])).length > 0) return fromFiles([home], options);

  if (isInCluster(env))
    return inClusterConfig({ env, directory: options.serviceAccountDirectory ?? SERVICE_ACCOUNT_DIRECTORY, clock: options.clock });
  throw new ConfigError({
    code: "ERR_CONFIG_NOT_FOUND",
    source: "the cluster configuration",
    problem: `there is none: KUBECONFIG is not set, ${home} does not exist, and KUBERNETES_SERVICE_HOST is not set, so this is no pod`,
    fix: "set KUBECONFIG to a kubeconfig file, or run in a cluster",
  });
}

async function fromFiles(files: readonly string[], options: LoadConfigOptions): Promise<ClusterConfig> {
  // Only a program outside a cluster pays for the YAML parser.
  const { kubeconfigConfig } = await import("./kubeconfig.ts");
  return kubeconfigConfig(files, { context: options.context, clock: options.clock });
}

async function existing(files: readonly string[]): Promise<string[]> {
  const checks = await Promise.all(
    files.map((file) =>
      access(file).then(
        () => true,
        // What exists and cannot be read is reported by who reads it.
        (error: unknown) => !(error instanceof Error && "code" in error && error.code === "ENOENT"),
      ),
    ),
  );
  return files.filter((_, index) => checks[index]);
}
