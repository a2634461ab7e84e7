/**
 * Credential plugins: the programs in `exec` of a kubeconfig's user (client.authentication.k8s.io). A plugin has no standard input
 * and must finish within a minute, since an operator has no user who could answer questions.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Clock } from "@treadle/apimachinery";
import { ConfigError } from "./config-error.ts";
import { cached, type Credentials, type CredentialSource, REREAD_MS } from "./credentials.ts";
import { type Fields, type KubeconfigEntry, pathField, textField } from "./kubeconfig-entry.ts";
import { parseJson } from "./answer.ts";
import { isFields } from "./status.ts";

/** Maximum time of a plugin or auth provider: enough for a login service, and shorter than the timeout of a call. */
const CREDENTIALS_DEADLINE_MS = 60_000;
/** Maximum output. Credentials have a few kilobytes. */
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

interface Plugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Value of `KUBERNETES_EXEC_INFO`. */
  readonly info: () => Promise<string>;
  readonly hint: string | undefined;
}

/**
 * The credentials that a user's plugin prints. The plugin runs again before they expire, and when the server refuses them.
 * @throws ConfigError for a malformed `exec`. The source throws it for a plugin that fails, prints no credentials or takes
 * longer than a minute.
 */
export function execCredentials(user: KubeconfigEntry, cluster: KubeconfigEntry, clock: Clock): CredentialSource {
  const plugin = pluginOf(user, cluster);
  let held: { readonly credentials: Credentials; readonly expiresAtMs: number } | undefined;
  return cached(async ({ renew }) => {
    // The result is cached for that long.
    if (held !== undefined && !renew && clock.now() < held.expiresAtMs - REREAD_MS) return held.credentials;
    try {
      held = read(await run(plugin, clock), plugin);
    } catch (cause) {
      const { problem, fix } = explain(cause, plugin);
      // Not kept as the cause, since the output of a plugin may hold a token.
      throw new ConfigError({ source: user.file, problem: `no credentials for user "${user.name}": ${problem}`, fix });
    }
    return held.credentials;
  }, clock);
}

/** Rejects when `work` takes longer than the deadline, and calls `end` then. */
export async function withDeadline<T>(clock: Clock, work: Promise<T>, end: () => void = () => {}): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = clock.after(CREDENTIALS_DEADLINE_MS, () => {
    end();
    late.reject(new Error(`it did not finish within ${CREDENTIALS_DEADLINE_MS / 1000} s`));
  });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}

function pluginOf(user: KubeconfigEntry, cluster: KubeconfigEntry): Plugin {
  const refuse = (problem: string, fix: string): never => {
    throw new ConfigError({ source: user.file, problem: `${problem} of user "${user.name}"`, fix });
  };
  const { exec } = user.fields;
  if (!isFields(exec)) return refuse("exec is not a mapping in the entry", "write exec: { apiVersion: ..., command: ... }");
  const entry: KubeconfigEntry = { ...user, fields: exec };
  const named = textField(entry, "command");
  if (named === undefined) return refuse("there is no command in exec", "name the credential plugin");
  if (exec["interactiveMode"] === "Always")
    return refuse("interactiveMode is Always in exec", "use a plugin without questions: an operator has no terminal");
  const args: unknown = exec["args"] ?? [];
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    return refuse("args is not a list of strings in exec", "put each in quotes");
  const given: unknown = exec["env"] ?? [];
  const isPair = (pair: unknown): boolean => isFields(pair) && typeof pair["name"] === "string" && typeof pair["value"] === "string";
  if (!Array.isArray(given) || !given.every(isPair))
    return refuse("env is not a list of names and values in exec", "write env: [{ name: ..., value: ... }]");
  const env = Object.fromEntries((given as readonly { name: string; value: string }[]).map(({ name, value }) => [name, value]));
  return {
    command: (named.includes("/") ? pathField(entry, "command") : undefined) ?? named,
    args,
    env,
    info: () => execInfo(exec, cluster),
    hint: textField(entry, "installHint"),
  };
}

/** The information for a plugin: about the cluster, if `provideClusterInfo` is set, and about the input. */
async function execInfo(exec: Fields, cluster: KubeconfigEntry): Promise<string> {
  const spec = { interactive: false, ...(exec["provideClusterInfo"] === true ? { cluster: await clusterInfo(cluster) } : {}) };
  return JSON.stringify({ apiVersion: exec["apiVersion"], kind: "ExecCredential", spec });
}

/** Fields of a cluster that have the same name in the information for plugins. */
const CLUSTER_FIELDS = ["server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url"] as const;
/** Name of the extension of a cluster for plugins. */
const CONFIG = "client.authentication.k8s.io/exec";

async function clusterInfo(cluster: KubeconfigEntry): Promise<Fields> {
  const { extensions } = cluster.fields;
  const all: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const config = all.filter(isFields).find(({ name }) => name === CONFIG)?.["extension"];
  const caFile = cluster.fields["certificate-authority-data"] ? undefined : pathField(cluster, "certificate-authority");
  return {
    ...Object.fromEntries(CLUSTER_FIELDS.map((field) => [field, cluster.fields[field]])),
    ...(caFile === undefined ? {} : { "certificate-authority-data": (await readFile(caFile)).toString("base64") }),
    ...(config === undefined ? {} : { config }),
  };
}

async function run({ command, args, env, info }: Plugin, clock: Clock): Promise<string> {
  const told = { KUBERNETES_EXEC_INFO: await info() };
  const child = spawn(command, args, { env: { ...process.env, ...env, ...told }, stdio: ["ignore", "pipe", "pipe"] });
  const end = (): void => {
    child.kill("SIGKILL");
    // Child processes of the plugin may still hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  return withDeadline(clock, outputOf(child, end), end);
}

function outputOf(child: ChildProcessByStdio<null, Readable, Readable>, end: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    let words = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length <= MAX_OUTPUT_CHARACTERS) return;
      end();
      reject(new Error(`it printed more than ${MAX_OUTPUT_CHARACTERS} characters`));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (words.length < MAX_OUTPUT_CHARACTERS) words += text;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(words.trim() || `it ended with ${signal ?? `exit code ${code}`} without a message`));
    });
  });
}

/** The credentials in the output of a plugin. @throws Error for an output without credentials: calls would be anonymous */
function read(output: string, { command }: Plugin): { readonly credentials: Credentials; readonly expiresAtMs: number } {
  const printed = parseJson(output);
  if (printed === undefined) throw new Error(`the credential plugin "${command}" did not print JSON`);
  const status: unknown = isFields(printed) ? printed["status"] : undefined;
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = isFields(status) ? status : {};
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
  const hasPair = isText(cert) && isText(key);
  if (!isText(token) && !hasPair) {
    const fields = "status.token, or status.clientCertificateData with status.clientKeyData";
    throw new Error(`the credential plugin "${command}" printed no credentials (${fields}, as strings)`);
  }
  const origin = `the credential plugin "${command}"`;
  const expiresAtMs = expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(String(expirationTimestamp));
  const credentials = {
    ...(isText(token) ? { headers: { authorization: `Bearer ${token}` } } : {}),
    ...(hasPair ? { cert, key } : {}),
    origins: isText(token) ? { token: origin, ...(hasPair ? { cert: origin } : {}) } : { cert: origin },
  };
  return { credentials, expiresAtMs };
}

function explain(cause: unknown, { command, hint }: Plugin): { readonly problem: string; readonly fix: string } {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
    return { problem: `the credential plugin "${command}" does not exist`, fix: hint?.trim() || "install it or correct the path" };
  const text = (cause instanceof Error ? cause.message : String(cause)).slice(0, 500);
  return { problem: text, fix: `run "${command}" by hand to see its message, correct the user in the kubeconfig, or log in again` };
}
