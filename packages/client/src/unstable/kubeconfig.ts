/**
 * `@treadle/client/unstable/kubeconfig`: the places of kubeconfig files, and a kubeconfig as a text, such as the value of a Secret that another
 * person wrote. Nothing is read of the file system or the environment, and errors contain nothing of the text. Not for operators; it may change in any version.
 */
import { systemClock, type Clock } from "@treadle/apimachinery";
import type { Credentials, CredentialSource } from "../credentials.ts";
import { inlineCredentials, requirePair, userCredentials } from "../kubeconfig-user.ts";
import type { KubeconfigEntry } from "../kubeconfig-entry.ts";
import { merge, noEntries, parseKubeconfig, type Selected, select } from "../kubeconfig-parts.ts";

export { kubeconfigFiles } from "../kubeconfig-files.ts";

/** The parts of a kubeconfig that can reach beyond a server and a credential: programs, files, proxies, other users, no TLS. */
export const KUBECONFIG_FEATURES = [
  "exec",
  "auth-provider",
  "certificate-authority",
  "client-certificate",
  "client-key",
  "tokenFile",
  "proxy-url",
  "as",
  "as-uid",
  "as-groups",
  "as-user-extra",
  "http:",
  "insecure-skip-tls-verify",
] as const;

/** The name of a part of a kubeconfig that can reach beyond a server and a credential. */
export type KubeconfigFeature = (typeof KUBECONFIG_FEATURES)[number];

/** The current context of a kubeconfig. */
export interface KubeconfigText {
  /** The features that the context uses, in the order of {@link KUBECONFIG_FEATURES}. */
  readonly uses: readonly KubeconfigFeature[];
  /** Base URL of the server. */
  readonly server: string;
  /** Expected name in the server's certificate. */
  readonly serverName: string | undefined;
  /** URL of a proxy. */
  readonly proxyUrl: string | undefined;
  /** Whether any certificate of the server is accepted. */
  readonly isInsecure: boolean;
  /** The fields of the cluster and of the user that the context selects, for a digest. They contain credentials. */
  readonly fields: { readonly cluster: object; readonly user: object | undefined };
  /** The credentials in the text. */
  readonly inline: Credentials;
  /** Returns a source of the credentials. It runs programs and reads files where the context uses such features. */
  credentials(clock?: Clock): CredentialSource;
}

/**
 * Parses a kubeconfig and selects its current context. It runs nothing and reads no file.
 * @param source what errors call the text, such as `key "kubeconfig" of Secret a/b`
 * @throws ConfigError without contents of the text
 */
export function kubeconfigText(text: string, source: string): KubeconfigText {
  const merged = noEntries();
  merge(merged, source, parseKubeconfig(source, text));
  const selected = select(merged, { source, context: undefined, showsNames: false });
  const { cluster, user, server, serverName, proxyUrl, isInsecure } = selected;
  const uses = KUBECONFIG_FEATURES.filter((feature) => isUsed(feature, selected));
  const inline = inlineCredentials({ cluster, user, isInsecure });
  const isInline = !uses.some((feature) => OUTSIDE.has(feature));
  if (isInline) requirePair(user, inline);
  return {
    uses,
    server,
    serverName,
    proxyUrl,
    isInsecure,
    fields: { cluster: cluster.fields, user: user?.fields },
    inline,
    credentials: (clock = systemClock) => (isInline ? () => inline : lazy(() => userCredentials({ cluster, user, isInsecure, clock }))),
  };
}

/** The features whose credentials are not in the text. */
const OUTSIDE: ReadonlySet<KubeconfigFeature> = new Set([
  "exec",
  "auth-provider",
  "certificate-authority",
  "client-certificate",
  "client-key",
  "tokenFile",
]);

function isUsed(feature: KubeconfigFeature, { cluster, user, server, isInsecure }: Selected): boolean {
  if (feature === "http:") return !/^https:/i.test(server);
  if (feature === "insecure-skip-tls-verify") return isInsecure;
  const entry: KubeconfigEntry | undefined = feature === "proxy-url" || feature === "certificate-authority" ? cluster : user;
  const value = entry?.fields[feature];
  return value !== undefined && value !== null && value !== "";
}

/** Makes a source at its first use, and again after a failure. */
function lazy(make: () => Promise<CredentialSource>): CredentialSource {
  let source: Promise<CredentialSource> | undefined;
  return async (options) => {
    source ??= make().catch((error: unknown) => {
      source = undefined;
      throw error;
    });
    return (await source)(options);
  };
}
