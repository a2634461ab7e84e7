/**
 * Kubeconfig files. They are merged and checked as kubectl does: the first file wins for entries with the same name and for the
 * current context, and paths are relative to their file. The loader of `@kubernetes/client-node` is not used: it merges files
 * differently, its parse errors quote the file, and it loads a generated client of 837 modules (80 MB).
 */
import { readFile } from "node:fs/promises";
import type { Clock } from "@treadle/apimachinery";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import { merge, noEntries, parseKubeconfig, select } from "./kubeconfig-parts.ts";
import { userCredentials } from "./kubeconfig-user.ts";

/** @throws ConfigError that names the file, the problem and the fix */
export async function kubeconfigConfig(
  files: readonly string[],
  options: { readonly context: string | undefined; readonly clock: Clock | undefined },
): Promise<ClusterConfig> {
  const merged = noEntries();
  for (const file of files) merge(merged, file, parseKubeconfig(file, await textOf(file)));
  const source = files.join(", ");
  const selected = select(merged, { source, context: options.context, showsNames: true });
  const { context, cluster, user, server, namespace, serverName, proxyUrl, isInsecure } = selected;
  const credentials = userCredentials({ user, cluster, isInsecure, clock: options.clock });
  return {
    source,
    context,
    server,
    ...(namespace === undefined ? {} : { namespace }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    isInsecure,
    credentials: await credentials,
  };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const problem = isMissing ? "the file does not exist" : `the file cannot be read (${String((cause as { code?: unknown }).code)})`;
    throw new ConfigError({
      source: file,
      problem,
      fix: "check the path",
      code: isMissing ? "ERR_CONFIG_NOT_FOUND" : "ERR_CONFIG_INVALID",
      cause,
    });
  }
}
