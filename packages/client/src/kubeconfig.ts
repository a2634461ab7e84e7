/**
 * Kubeconfig files. They are merged and checked as kubectl does: the first file wins for entries with the same name and for the
 * current context, and paths are relative to their file. The loader of `@kubernetes/client-node` is not used: it merges files
 * differently, its parse errors quote the file, and it loads a generated client of 837 modules (80 MB).
 */
import { readFile } from "node:fs/promises";
import type { Clock } from "@treadle/apimachinery";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import { isProxyUrl } from "./environment-proxy.ts";
import { type Fields, type KubeconfigEntry, textField } from "./kubeconfig-entry.ts";
import { userCredentials } from "./kubeconfig-user.ts";
import { shownUrl } from "./shown-url.ts";

interface Merged {
  readonly clusters: Map<string, KubeconfigEntry>;
  readonly users: Map<string, KubeconfigEntry>;
  readonly contexts: Map<string, KubeconfigEntry>;
  currentContext: string;
}

/** @throws ConfigError that names the file, the problem and the fix */
export async function kubeconfigConfig(
  files: readonly string[],
  options: { readonly context: string | undefined; readonly clock: Clock | undefined },
): Promise<ClusterConfig> {
  const merged: Merged = { clusters: new Map(), users: new Map(), contexts: new Map(), currentContext: "" };
  for (const file of files) merge(merged, file, await parse(file));
  const source = files.join(", ");
  const name = options.context ?? merged.currentContext;
  if (name === "")
    throw new ConfigError({
      source,
      problem: "it has no current-context",
      fix: `set one, or ask for ${listOf("context", merged.contexts)}`,
    });
  const context = find(merged.contexts, name, {
    source,
    what: "context",
    wantedBy: options.context === undefined ? "current-context" : "the caller",
  });
  const wantedBy = `context "${name}"`;
  const cluster = find(merged.clusters, textField(context, "cluster") ?? "", { source, what: "cluster", wantedBy });
  const userName = textField(context, "user") ?? "";
  const user = userName === "" ? undefined : find(merged.users, userName, { source, what: "user", wantedBy });

  const server = textField(cluster, "server") ?? "";
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new ConfigError({
      source: cluster.file,
      problem: `server of cluster "${cluster.name}" is ${JSON.stringify(shownUrl(server))}`,
      fix: "write it as https://host:port",
    });
  }
  const namespace = textField(context, "namespace");
  const serverName = textField(cluster, "tls-server-name");
  const proxyUrl = proxyOf(cluster);
  const isInsecure = cluster.fields["insecure-skip-tls-verify"] === true;
  const credentials = userCredentials({ user, cluster, isInsecure, clock: options.clock });
  return {
    source,
    context: name,
    server,
    ...(namespace === undefined ? {} : { namespace }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    isInsecure,
    credentials: await credentials,
  };
}

async function parse(file: string): Promise<Fields> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
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
  const fix = "a kubeconfig has clusters, users, contexts and current-context";
  if (text.trim() === "") throw new ConfigError({ source: file, problem: "the file is empty", fix });
  const parsed = await parseYaml(file, text);
  if (isFields(parsed)) return parsed;
  throw new ConfigError({ source: file, problem: "it is YAML, but not a kubeconfig", fix });
}

/** @throws ConfigError that names the line. It never repeats the parser's message, which quotes lines that may hold a token. */
async function parseYaml(file: string, text: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const refuse = (words: string, offset: number): never => {
    const problem = `it is not YAML (line ${lineCounter.linePos(offset).line}: ${words})`;
    throw new ConfigError({ source: file, problem, fix: "correct that line" });
  };
  // go-yaml, which kubectl uses, resolves merge keys (`<<`) as well.
  const document = parseDocument(text, { lineCounter, merge: true, prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) return refuse(error.code.toLowerCase().replaceAll("_", " "), error.pos[0]);
  try {
    return document.toJS();
  } catch {
    return refuse("an alias that cannot be resolved", 0);
  }
}

function merge(merged: Merged, file: string, parsed: Fields): void {
  const current = parsed["current-context"];
  if (merged.currentContext === "" && typeof current === "string") merged.currentContext = current;
  collect(merged.clusters, file, { list: parsed["clusters"], listName: "clusters", part: "cluster" });
  collect(merged.users, file, { list: parsed["users"], listName: "users", part: "user" });
  collect(merged.contexts, file, { list: parsed["contexts"], listName: "contexts", part: "context" });
}

function collect(
  into: Map<string, KubeconfigEntry>,
  file: string,
  given: { readonly list: unknown; readonly listName: string; readonly part: string },
): void {
  const { list, listName, part } = given;
  if (list === undefined || list === null) return;
  const refuse = (problem: string): never => {
    throw new ConfigError({ source: file, problem, fix: `each of ${listName} is { name: ..., ${part}: { ... } }` });
  };
  if (!Array.isArray(list)) return refuse(`${listName} is not a list`);
  for (const [index, entry] of (list as readonly unknown[]).entries()) {
    if (!isFields(entry) || typeof entry["name"] !== "string" || entry["name"] === "") return refuse(`${listName}[${index}] has no name`);
    // kubectl writes a user without credentials as null.
    const fields = entry[part] ?? {};
    if (!isFields(fields)) return refuse(`${part} of ${listName}[${index}] is not a mapping`);
    if (!into.has(entry["name"])) into.set(entry["name"], { file, name: entry["name"], fields });
  }
}

function find(
  entries: ReadonlyMap<string, KubeconfigEntry>,
  name: string,
  given: { readonly source: string; readonly what: string; readonly wantedBy: string },
): KubeconfigEntry {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  const { source, what, wantedBy } = given;
  const problem = name === "" ? `${wantedBy} names no ${what}` : `${what} "${name}", named by ${wantedBy}, is not in it`;
  throw new ConfigError({ source, problem, fix: `name ${listOf(what, entries)}` });
}

function listOf(what: string, entries: ReadonlyMap<string, KubeconfigEntry>): string {
  if (entries.size === 0) return `a ${what} (there is none)`;
  return `one of its ${what}s: ${[...entries.keys()].map((name) => `"${name}"`).join(", ")}`;
}

function proxyOf(cluster: KubeconfigEntry): string | undefined {
  const proxyUrl = textField(cluster, "proxy-url");
  if (proxyUrl === undefined || isProxyUrl(proxyUrl)) return proxyUrl;
  const problem = `proxy-url of cluster "${cluster.name}" is not the URL of a proxy`;
  throw new ConfigError({ source: cluster.file, problem, fix: "write it as http://host:port, https://host:port or socks5://host:port" });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
