/** What controllers put into each namespace of a cluster: the service account `default` and the authority of the server. */
import type { ApiServer } from "../server.ts";

/** Furnishes every namespace, present and future, until the returned function is called. */
export async function furnishNamespaces(server: ApiServer, caPem: string): Promise<() => void> {
  const end = new AbortController();
  const response = await server.handle({
    method: "GET",
    path: "/api/v1/namespaces?watch=true",
    headers: {},
    stream: true,
    signal: end.signal,
  });
  if (response.stream === undefined) throw new Error(`the watch of namespaces was answered with ${response.status}: ${response.body}`);
  const { stream } = response;
  void (async () => {
    for await (const line of stream) {
      const { type, object } = JSON.parse(line) as {
        readonly type: string;
        readonly object: { readonly metadata: { readonly name: string } };
      }; // a watch event
      if (type === "ADDED") await furnish(server, object.metadata.name, caPem);
    }
  })();
  return () => end.abort();
}

/** What is there already stays as it is. */
async function furnish(server: ApiServer, namespace: string, caPem: string): Promise<void> {
  const objects = [
    { plural: "serviceaccounts", object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } } },
    {
      plural: "configmaps",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": caPem } },
    },
  ];
  for (const { plural, object } of objects) {
    const headers = { "content-type": "application/json", "user-agent": "kube-controller-manager" };
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${plural}`;
    await server.handle({ method: "POST", path, headers, body: JSON.stringify(object) });
  }
}
