/**
 * The configuration in a pod: the service account that kubelet mounts. Token and CA rotate, so they are read again every minute.
 */
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Clock } from "@treadle/apimachinery";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import { fileCredentials } from "./credentials.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Directory where kubelet mounts the service account. */
export const SERVICE_ACCOUNT_DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

export function isInCluster(env: Environment): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"] && env["KUBERNETES_SERVICE_PORT"]);
}

/** @throws ConfigError when the pod has no service account token. */
export async function inClusterConfig(given: {
  readonly env: Environment;
  readonly directory: string;
  readonly clock: Clock | undefined;
}): Promise<ClusterConfig> {
  const { env, directory, clock } = given;
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const credentials = fileCredentials({ tokenFile: join(directory, "token"), caFile: join(directory, "ca.crt") }, clock);
  try {
    await credentials({ renew: false });
  } catch (cause) {
    const problem = cause instanceof ConfigError ? `${cause.source}: ${cause.problem}` : String(cause);
    const fix = "mount the service account (automountServiceAccountToken of the pod and of its ServiceAccount)";
    throw new ConfigError({ source: "the in-cluster configuration", problem, fix, cause });
  }
  const namespace = await readFile(join(directory, "namespace"), "utf8").then(
    (text) => text.trim(),
    // The file may be missing.
    () => "",
  );
  return {
    source: "in-cluster",
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${env["KUBERNETES_SERVICE_PORT"]}`,
    ...(namespace === "" ? {} : { namespace }),
    credentials,
  };
}
