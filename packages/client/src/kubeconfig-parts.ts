/**
 * The parts of a kubeconfig without access to files: it is parsed, merged with others, and the entries of one context are selected.
 * Errors name the source, the problem and the fix, and never quote a value that may be a credential.
 */
import { createRequire } from "node:module";
import type * as yaml from "yaml";
import { ConfigError } from "./config-error.ts";
import { isProxyUrl } from "./environment-proxy.ts";
import { type Fields, type KubeconfigEntry, textField } from "./kubeconfig-entry.ts";
import { shownUrl } from "./shown-url.ts";

/** The entries of one or several kubeconfigs. The first entry of a name wins. */
export interface Merged {
  readonly clusters: Map<string, KubeconfigEntry>;
  readonly users: Map<string, KubeconfigEntry>;
  readonly contexts: Map<string, KubeconfigEntry>;
  currentContext: string;
}

/** What a context selects. */
export interface Selected {
  readonly context: string;
  readonly cluster: KubeconfigEntry;
  /** The user; `undefined`: the context names none, so requests are anonymous. */
  readonly user: KubeconfigEntry | undefined;
  readonly server: string;
  readonly namespace: string | undefined;
  readonly serverName: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly isInsecure: boolean;
}

/** How entries are selected. */
export interface Selection {
  readonly source: string;
  /** The context. @defaultValue the current context */
  readonly context: string | undefined;
  /** Whether errors name entries and servers. False for a text that other people wrote. */
  readonly showsNames: boolean;
}

/** Returns a collection without entries. */
export function noEntries(): Merged {
  return { clusters: new Map(), users: new Map(), contexts: new Map(), currentContext: "" };
}

/** Parses one kubeconfig. @throws ConfigError that names the line, without a quote of it */
export function parseKubeconfig(source: string, text: string): Fields {
  const fix = "a kubeconfig has clusters, users, contexts and current-context";
  if (text.trim() === "") throw new ConfigError({ source, problem: "the file is empty", fix });
  const parsed = parseYaml(source, text);
  if (isFields(parsed)) return parsed;
  throw new ConfigError({ source, problem: "it is YAML, but not a kubeconfig", fix });
}

/** Adds the entries of a kubeconfig. @throws ConfigError for an entry of a wrong form */
export function merge(merged: Merged, file: string, parsed: Fields): void {
  const current = parsed["current-context"];
  if (merged.currentContext === "" && typeof current === "string") merged.currentContext = current;
  collect(merged.clusters, file, { list: parsed["clusters"], listName: "clusters", part: "cluster" });
  collect(merged.users, file, { list: parsed["users"], listName: "users", part: "user" });
  collect(merged.contexts, file, { list: parsed["contexts"], listName: "contexts", part: "context" });
}

/** Selects the entries of a context. @throws ConfigError for an entry that does not exist, and for a server that is not a URL */
export function select(merged: Merged, selection: Selection): Selected {
  const { source, showsNames } = selection;
  const name = selection.context ?? merged.currentContext;
  if (name === "")
    throw new ConfigError({
      source,
      problem: "it has no current-context",
      fix: showsNames ? `set one, or ask for ${listOf("context", merged.contexts)}` : "set one",
    });
  const context = find(merged.contexts, name, {
    ...selection,
    what: "context",
    wantedBy: selection.context === undefined ? "current-context" : "the caller",
  });
  const wantedBy = showsNames ? `context "${name}"` : "the current context";
  const cluster = find(merged.clusters, textField(context, "cluster") ?? "", { ...selection, what: "cluster", wantedBy });
  const userName = textField(context, "user") ?? "";
  const user = userName === "" ? undefined : find(merged.users, userName, { ...selection, what: "user", wantedBy });
  return {
    context: name,
    cluster,
    user,
    server: serverOf(cluster, showsNames),
    namespace: textField(context, "namespace"),
    serverName: textField(cluster, "tls-server-name"),
    proxyUrl: proxyOf(cluster),
    isInsecure: cluster.fields["insecure-skip-tls-verify"] === true,
  };
}

function serverOf(cluster: KubeconfigEntry, showsNames: boolean): string {
  const server = textField(cluster, "server") ?? "";
  if (/^https?:\/\//.test(server) && URL.canParse(server)) return server;
  throw new ConfigError({
    source: cluster.file,
    problem: `server of cluster "${cluster.name}" is ${showsNames ? JSON.stringify(shownUrl(server)) : "not a URL of a server"}`,
    fix: "write it as https://host:port",
  });
}

/** @throws ConfigError that names the line. It never repeats the parser's message, which quotes lines that may hold a token. */
function parseYaml(file: string, text: string): unknown {
  // Loaded here, because an operator in a cluster has no kubeconfig.
  const { LineCounter, parseDocument } = createRequire(import.meta.url)("yaml") as typeof yaml;
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

/** Returns the entry of a name. Its name is replaced where errors must not show it. */
function find(
  entries: ReadonlyMap<string, KubeconfigEntry>,
  name: string,
  given: Selection & { readonly what: string; readonly wantedBy: string },
): KubeconfigEntry {
  const { source, what, wantedBy, showsNames } = given;
  const entry = entries.get(name);
  if (entry !== undefined) return showsNames ? entry : { ...entry, name: `the ${what}`, isText: true };
  if (name === "") throw new ConfigError({ source, problem: `${wantedBy} names no ${what}`, fix: fixOf(given, entries) });
  const named = showsNames ? `${what} "${name}", named by ${wantedBy},` : `the ${what} that ${wantedBy} names`;
  throw new ConfigError({ source, problem: `${named} is not in it`, fix: fixOf(given, entries) });
}

function fixOf({ what, showsNames }: Selection & { readonly what: string }, entries: ReadonlyMap<string, KubeconfigEntry>): string {
  return showsNames ? `name ${listOf(what, entries)}` : `name a ${what} of the kubeconfig`;
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
