/** The kubeconfig of the operator's process, where flags of the command line choose another context or server than that of the files. */
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { isRecord, type Json, listAt, textAt, valueAt } from "../json.ts";

/** A file that was read. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** What the flags choose. */
export interface ChosenCluster {
  readonly context?: string | undefined;
  readonly server?: string | undefined;
}

/**
 * Returns a kubeconfig that goes in front of the others in `KUBECONFIG`: the first file decides about the current context. So no credentials
 * are copied. A kubeconfig of JSON is one of YAML, too.
 */
export function overlay(files: readonly KubeconfigFile[], { context, server }: ChosenCluster): string {
  const header = { apiVersion: "v1", kind: "Config" };
  if (server === undefined) return text({ ...header, "current-context": context });
  const found = files.map(({ path, text }) => ({ path, config: parse(text) as unknown }));
  const current = context ?? found.map(({ config }) => textAt(config, "current-context")).find((name) => name !== "") ?? "";
  const given = entryOf(found, "contexts", current);
  const cluster = entryOf(found, "clusters", textAt(given?.entry, "context", "cluster"));
  const fields = valueAt(given?.entry, "context");
  return text({
    ...header,
    "current-context": NAME,
    contexts: [{ name: NAME, context: { ...(isRecord(fields) ? fields : {}), cluster: NAME } }],
    clusters: [{ name: NAME, cluster: { ...(cluster === undefined ? {} : clusterFields(cluster)), server } }],
  });
}

const NAME = "treadle-dev";

interface Found {
  readonly path: string;
  readonly entry: Json;
}

function entryOf(files: readonly { readonly path: string; readonly config: unknown }[], list: string, name: string): Found | undefined {
  for (const { path, config } of files)
    for (const entry of listAt(config, list)) if (name !== "" && entry["name"] === name) return { path, entry };
  return undefined;
}

/** A path in a kubeconfig is relative to its file. */
function clusterFields({ path, entry }: Found): Json {
  const fields = valueAt(entry, "cluster");
  if (!isRecord(fields)) return {};
  const authority = fields["certificate-authority"];
  return typeof authority === "string" ? { ...fields, "certificate-authority": resolve(dirname(path), authority) } : fields;
}

function text(config: object): string {
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
