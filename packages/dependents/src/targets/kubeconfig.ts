/** The kubeconfig of a Secret that another person wrote: it is parsed without files and environment, and what code does not allow is refused. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigError, isConfigError } from "@treadle/client";
import { type KubeconfigFeature, kubeconfigText, type KubeconfigText } from "@treadle/client/unstable/kubeconfig";

/** A kubeconfig, or why it cannot be used. */
export type ReadKubeconfig =
  | { readonly type: "read"; readonly config: KubeconfigText; readonly secrets: readonly string[] }
  | { readonly type: "refused"; readonly message: string };

/** Real ones have some kilobytes. The parser of YAML is slow, and its time is taken from all objects. */
const MAX_CHARACTERS = 256 * 1024;

/** Reads the kubeconfig of Secrets. A Secret is parsed once, however many owners name it. */
export class KubeconfigReader {
  readonly #allowed: ReadonlySet<KubeconfigFeature>;
  readonly #read = new WeakMap<KubernetesObject, Map<string, ReadKubeconfig>>();

  constructor(allowed: readonly KubeconfigFeature[]) {
    this.#allowed = new Set(allowed);
  }

  /** @param key the key in the Secret. @defaultValue `kubeconfig`, else `value`, else the only key */
  read(secret: KubernetesObject, key: string | undefined): ReadKubeconfig {
    const id = key ?? "";
    const before = this.#read.get(secret) ?? new Map<string, ReadKubeconfig>();
    this.#read.set(secret, before);
    let found = before.get(id);
    if (found === undefined) before.set(id, (found = this.#parse(secret, key)));
    return found;
  }

  #parse(secret: KubernetesObject, given: string | undefined): ReadKubeconfig {
    const data = dataOf(secret);
    const key = given ?? keyIn(data);
    const { namespace, name } = secret.metadata;
    const title = `Secret ${namespace}/${name}`;
    if (key === undefined) return refused(`${title} has several keys and no "kubeconfig": put the kubeconfig in that key`);
    const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
    if (typeof encoded !== "string") return refused(`${title} has no key ${JSON.stringify(key)}: put the kubeconfig in that key`);
    if (encoded.length > (MAX_CHARACTERS * 4) / 3) return refused(`the kubeconfig in ${title} is longer than ${MAX_CHARACTERS / 1024} KiB`);
    const source = `the kubeconfig in ${title}, key ${JSON.stringify(key)}`;
    try {
      const config = kubeconfigText(Buffer.from(encoded, "base64").toString("utf8"), source);
      return this.#check(config, source);
    } catch (error) {
      if (isConfigError(error)) return refused(error.message);
      throw error;
    }
  }

  #check(config: KubeconfigText, source: string): ReadKubeconfig {
    const forbidden = config.uses.filter((feature) => !this.#allowed.has(feature));
    if (forbidden.length === 0) return { type: "read", config, secrets: secretsIn(config) };
    const { message } = new ConfigError({
      source,
      problem: `it uses ${forbidden.join(", ")}`,
      fix: "write server, certificate and credential into it as data, or allow it in the operator's code: targets({ allow })",
    });
    return refused(message);
  }
}

function dataOf(secret: KubernetesObject): Readonly<Record<string, unknown>> {
  const { data } = secret as { readonly data?: unknown };
  return typeof data === "object" && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
}

function keyIn(data: Readonly<Record<string, unknown>>): string | undefined {
  const keys = Object.keys(data);
  const usual = ["kubeconfig", "value"].find((key) => Object.hasOwn(data, key));
  return usual ?? (keys.length > 1 ? undefined : (keys[0] ?? "kubeconfig"));
}

/** Shorter values may be parts of any text. */
const MIN_SECRET = 4;

/** The credentials, and what names the server. */
function secretsIn({ inline, fields, server, serverName, proxyUrl }: KubeconfigText): readonly string[] {
  const user = (fields.user ?? {}) as Readonly<Record<string, unknown>>;
  const authorization = inline.headers?.["authorization"];
  const credentials = ["token", "password", "username", "client-key-data", "client-certificate-data"].map((field) => user[field]);
  const { host, hostname } = new URL(server);
  const all = [...credentials, inline.key, inline.cert, authorization, server, host, hostname, serverName, proxyUrl];
  const texts = all.filter((text): text is string => typeof text === "string" && text.length >= MIN_SECRET);
  // Longest first, so that a text that contains another one is hidden completely.
  return [...new Set(texts)].toSorted((a, b) => b.length - a.length);
}

function refused(message: string): ReadKubeconfig {
  return { type: "refused", message };
}
