/** The text of a kubeconfig for one server. */

export interface KubeconfigOptions {
  readonly url: string;
  readonly caPem?: string;
  readonly token?: string;
  readonly client?: { readonly certPem: string; readonly keyPem: string };
}

/** How cluster, user and context are named. */
export const KUBECONFIG_NAME = "treadle";

/** A kubeconfig with one context. JSON, which is YAML too, so that no text needs quoting rules of its own. */
export function kubeconfigText({ url, caPem, token, client }: KubeconfigOptions): string {
  const name = KUBECONFIG_NAME;
  const cluster = { server: url, ...(caPem === undefined ? {} : { "certificate-authority-data": base64(caPem) }) };
  const user = {
    ...(token === undefined ? {} : { token }),
    ...(client === undefined ? {} : { "client-certificate-data": base64(client.certPem), "client-key-data": base64(client.keyPem) }),
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
