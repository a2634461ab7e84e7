/**
 * The credentials of a kubeconfig's user and cluster: values, files (read again every minute), credential plugins (`exec`) and
 * auth providers (OIDC), which `@kubernetes/client-node` runs.
 */
import { type Clock, systemClock } from "@treadle/apimachinery";
import type { User } from "@kubernetes/client-node";
import { ConfigError } from "./config-error.ts";
import { cached, type Credentials, type CredentialSource, fileCredentials } from "./credentials.ts";
import { execCredentials, withDeadline } from "./exec-plugin.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { type KubeconfigEntry, pathField, textField } from "./kubeconfig-entry.ts";
import { isFields } from "./status.ts";

interface Given {
  readonly user: KubeconfigEntry | undefined;
  readonly cluster: KubeconfigEntry;
  readonly isInsecure: boolean;
  readonly clock: Clock | undefined;
}

/** The credentials in the entries themselves. @throws ConfigError for data that is not base64 */
export function inlineCredentials({ user, cluster, isInsecure }: Omit<Given, "clock">): Credentials {
  return {
    headers: user === undefined ? {} : headersOf(user),
    ...optional("ca", isInsecure ? undefined : pemField(cluster, "certificate-authority-data")),
    ...optional("cert", user && pemField(user, "client-certificate-data")),
    ...optional("key", user && pemField(user, "client-key-data")),
    origins: {
      ...dataOrigin("ca", cluster, "certificate-authority-data"),
      ...(user && dataOrigin("cert", user, "client-certificate-data")),
      ...(user && dataOrigin("token", user, "token")),
    },
  };
}

/** @throws ConfigError for data that is not base64, for unreadable files, and for a certificate without a key */
export async function userCredentials(given: Given): Promise<CredentialSource> {
  const { user, cluster, isInsecure, clock = systemClock } = given;
  const inline = inlineCredentials(given);
  // Inline data wins over a file; a token file wins over an inline token (client-go `clientcmd`).
  const files = fileCredentials(
    {
      ...optional("caFile", isInsecure || inline.ca !== undefined ? undefined : pathField(cluster, "certificate-authority")),
      ...optional("certFile", user && inline.cert === undefined ? pathField(user, "client-certificate") : undefined),
      ...optional("keyFile", user && inline.key === undefined ? pathField(user, "client-key") : undefined),
      ...optional("tokenFile", user && pathField(user, "tokenFile")),
    },
    clock,
  );
  const plugin = user === undefined ? undefined : pluginCredentials(user, cluster, clock);
  requirePair(user, join(inline, await files({ renew: false })));
  return async (options) => join(inline, await files(options), plugin === undefined ? {} : await plugin(options));
}

/** @throws ConfigError for a certificate without a key, and for a key without a certificate */
export function requirePair(user: KubeconfigEntry | undefined, { cert, key }: Credentials): void {
  if (user === undefined || (cert === undefined) === (key === undefined)) return;
  const [has, lacks] = cert === undefined ? ["client-key", "client-certificate"] : ["client-certificate", "client-key"];
  throw new ConfigError({
    source: user.file,
    problem: `user "${user.name}" has a ${has} and no ${lacks}`,
    fix: `add ${lacks} or ${lacks}-data`,
  });
}

function join(...parts: readonly Credentials[]): Credentials {
  return {
    ...Object.assign({}, ...parts),
    headers: Object.assign({}, ...parts.map((part) => part.headers)),
    origins: Object.assign({}, ...parts.map((part) => part.origins)),
  };
}

function dataOrigin(what: "ca" | "cert" | "token", entry: KubeconfigEntry, field: string): Credentials["origins"] {
  return textField(entry, field) === undefined ? {} : { [what]: `${field} of "${entry.name}" in ${entry.file}` };
}

function headersOf(user: KubeconfigEntry): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  const token = textField(user, "token");
  const name = textField(user, "username");
  if (token !== undefined) headers["authorization"] = `Bearer ${token.trim()}`;
  else if (name !== undefined)
    headers["authorization"] = `Basic ${Buffer.from(`${name}:${textField(user, "password") ?? ""}`).toString("base64")}`;
  return { ...headers, ...impersonationOf(user) };
}

/** @throws ConfigError for an impersonation without `as`: it would have other rights than the file says */
function impersonationOf(user: KubeconfigEntry): Record<string, string | readonly string[]> {
  const [as, uid] = [textField(user, "as"), textField(user, "as-uid")];
  const groups = stringsIn(user, "as-groups", user.fields["as-groups"]);
  const given = user.fields["as-user-extra"] ?? {};
  if (!isFields(given)) throw notStrings(user, "as-user-extra", "a mapping of lists");
  const extra = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, stringsIn(user, `as-user-extra.${key}`, value)]));
  if (as !== undefined) return impersonationHeaders({ user: as, groups, ...(uid === undefined ? {} : { uid }), extra });
  if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return {};
  throw new ConfigError({
    source: user.file,
    problem: `user "${user.name}" impersonates by as-groups, as-uid or as-user-extra, and names no user`,
    fix: "add `as`, or remove them",
  });
}

/** The list in a field. A wrong one is an error: without it an impersonation would have other rights than the file says. */
function stringsIn(user: KubeconfigEntry, field: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((text) => typeof text === "string")) return value;
  throw notStrings(user, field, "a list");
}

function notStrings(user: KubeconfigEntry, field: string, wanted: string): ConfigError {
  return new ConfigError({
    source: user.file,
    problem: `${field} of user "${user.name}" is not ${wanted} of strings`,
    fix: "write it as one, with quotes",
  });
}

/** The credentials of a plugin or auth provider; `undefined` when the user has neither. */
function pluginCredentials(user: KubeconfigEntry, cluster: KubeconfigEntry, clock: Clock): CredentialSource | undefined {
  if (user.fields["exec"]) return execCredentials(user, cluster, clock);
  if (!user.fields["auth-provider"]) return undefined;
  let config: Promise<{ applyToHTTPSOptions(options: object): Promise<void> }> | undefined;
  return cached(async ({ renew }) => {
    // KubeConfig caches what the provider gave until it expires, so a renewal needs a new one.
    if (config === undefined || renew) config = configWith(user, cluster);
    const options: { headers?: Record<string, string>; cert?: string | Buffer; key?: string | Buffer } = {};
    try {
      await withDeadline(clock, (await config).applyToHTTPSOptions(options));
      if (options.headers?.["Authorization"] === undefined && options.cert === undefined)
        throw new Error("its auth-provider returned none");
    } catch (cause) {
      const text = (cause instanceof Error ? cause.message : String(cause)).trim().slice(0, 500) || "it failed without a message";
      const problem = `no credentials for user "${user.name}": ${text}`;
      throw new ConfigError({ source: user.file, problem, fix: "correct the user in the kubeconfig, or log in again" });
    }
    const authorization = options.headers?.["Authorization"];
    return {
      ...(authorization === undefined ? {} : { headers: { authorization } }),
      ...optional("cert", options.cert?.toString()),
      ...optional("key", options.key?.toString()),
    };
  }, clock);
}

async function configWith(
  user: KubeconfigEntry,
  cluster: KubeconfigEntry,
): Promise<{ applyToHTTPSOptions(options: object): Promise<void> }> {
  // It loads 837 modules (80 MB), so only users of an auth provider pay for it.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const entry = { name: user.name, authProvider: user.fields["auth-provider"] } as User; // the fields as in the file
  const config = new KubeConfig();
  // Only the user matters. KubeConfig refuses an http server.
  config.loadFromClusterAndUser({ name: cluster.name, server: "https://unused", skipTLSVerify: false }, entry);
  return config;
}

function pemField(entry: KubeconfigEntry, field: string): string | undefined {
  const encoded = textField(entry, field)?.replace(/\s/g, "");
  if (encoded === undefined) return undefined;
  const pem = Buffer.from(encoded, "base64").toString("utf8");
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && pem.includes("-----BEGIN")) return pem;
  throw new ConfigError({
    source: entry.file,
    problem: `${field} of "${entry.name}" is not base64-encoded PEM`,
    fix: `encode it, or use ${field.replace("-data", "")} with a path`,
  });
}

/** `{ [key]: value }`, or `{}` without a value. */
function optional<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: string }; // TypeScript widens computed keys
}
