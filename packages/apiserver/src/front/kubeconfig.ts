/** Makes the text of a kubeconfig for one server. */

export interface KubeconfigOptions {
  readonly url: string;
  readonly caPem?: string;
  readonly token?: string;
  readonly client?: { readonly certPem: string; readonly keyPem: string };
}

/** Name of the cluster, the user and the context. */
export const KUBECONFIG_NAME = "treadle";

/** Returns a kubeconfig with one context. It is JSON, which is valid YAML too, so no text needs quoting rules. */
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
