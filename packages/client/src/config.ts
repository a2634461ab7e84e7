/**
 * Finds the configuration of the cluster, in kubectl's order. The environment is read by the call, never at import:
 *  1. `kubeconfig` of the options;
 *  2. the files in `KUBECONFIG`;
 *  3. `~/.kube/config`, if it exists;
 *  4. the service account of the pod (in-cluster).
 * Without `proxy-url` in the kubeconfig, the environment names the proxy (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
 */
import { access } from "node:fs/promises";
import { delimiter } from "node:path";
import type { Clock } from "@treadle/apimachinery";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import { environmentProxy } from "./environment-proxy.ts";
import { homeKubeconfig, namedKubeconfigs } from "./kubeconfig-files.ts";
import { inClusterConfig, isInCluster, SERVICE_ACCOUNT_DIRECTORY } from "./in-cluster.ts";

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions {
  /** Path of a kubeconfig file. No other place is searched then. */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig. @defaultValue its `current-context` */
  readonly context?: string;
  /** Environment variables. @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Directory of the pod's service account. @defaultValue `/var/run/secrets/kubernetes.io/serviceaccount` */
  readonly serviceAccountDirectory?: string;
  /** Clock for the ages of credentials. @defaultValue the system's */
  readonly clock?: Clock;
}

/** Finds the configuration of the cluster. @throws ConfigError that names the searched places, the problem and the fix */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const env = options.env ?? process.env;
  const config = await findConfig(options, env);
  const proxyUrl = config.proxyUrl ?? environmentProxy(config.server, env);
  return proxyUrl === undefined ? config : { ...config, proxyUrl };
}

async function findConfig(options: LoadConfigOptions, env: Readonly<Record<string, string | undefined>>): Promise<ClusterConfig> {
  if (options.kubeconfig !== undefined) return fromFiles([options.kubeconfig], options);

  const named = namedKubeconfigs(env);
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

  const home = homeKubeconfig(env);
  if ((await existing([home])).length > 0) return fromFiles([home], options);

  if (isInCluster(env))
    return inClusterConfig({ env, directory: options.serviceAccountDirectory ?? SERVICE_ACCOUNT_DIRECTORY, clock: options.clock });
  throw new ConfigError({
    code: "ERR_CONFIG_NOT_FOUND",
    source: "the cluster configuration",
    problem: `it was not found: KUBECONFIG is not set, ${home} does not exist, and KUBERNETES_SERVICE_HOST is not set, so this is not a pod`,
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
        // A file that cannot be read is reported by its reader.
        (error: unknown) => !(error instanceof Error && "code" in error && error.code === "ENOENT"),
      ),
    ),
  );
  return files.filter((_, index) => checks[index]);
}
