/**
 * Creates what controllers put into each namespace of a cluster: the ServiceAccount `default` and the ConfigMap with the
 * authority of the server.
 */
import { isObject } from "../internal/json.ts";
import { objectAt, textAt } from "../internal/read.ts";
import type { ApiServer } from "../api-server.ts";

const ACCOUNT = "default";
const AUTHORITY = "kube-root-ca.crt";

/**
 * Keeps these objects in each namespace, also in new ones, until the returned function is called. Deleted or changed objects
 * are restored.
 */
export async function furnishNamespaces(server: ApiServer, caPem: string): Promise<() => void> {
  const end = new AbortController();
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: ACCOUNT } };
  const authority = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: AUTHORITY }, data: { "ca.crt": caPem } };
  const createAll = async (namespace: string): Promise<void> => {
    await send(server, "POST", pathOf(namespace, "serviceaccounts"), account);
    await send(server, "POST", pathOf(namespace, "configmaps"), authority);
  };
  await follow(server, "/api/v1/namespaces", end.signal, async (type, object) => {
    if (type === "ADDED") await createAll(textAt(object, "metadata", "name"));
  });
  await follow(server, `/api/v1/serviceaccounts?fieldSelector=metadata.name%3D${ACCOUNT}`, end.signal, async (type, object) => {
    if (type === "DELETED") await send(server, "POST", pathOf(textAt(object, "metadata", "namespace"), "serviceaccounts"), account);
  });
  await follow(server, `/api/v1/configmaps?fieldSelector=metadata.name%3D${AUTHORITY}`, end.signal, async (type, object) => {
    const path = pathOf(textAt(object, "metadata", "namespace"), "configmaps");
    if (type === "DELETED") await send(server, "POST", path, authority);
    const isOurs = textAt(object, "data", "ca.crt") === caPem && Object.keys(objectAt(object, "data")).length === 1;
    if (type === "MODIFIED" && !isOurs) await send(server, "PUT", `${path}/${AUTHORITY}`, authority);
  });
  return () => end.abort();
}

/** Handles each event of a watch, one after the other. */
async function follow(
  server: ApiServer,
  path: string,
  signal: AbortSignal,
  tell: (type: string, object: unknown) => Promise<void>,
): Promise<void> {
  const url = `${path}${path.includes("?") ? "&" : "?"}watch=true`;
  const response = await server.handle({ method: "GET", path: url, headers: {}, stream: true, signal });
  if (response.stream === undefined) throw new Error(`the watch of ${path} was answered with ${response.status}: ${response.body}`);
  const { stream } = response;
  // Runs until the watch ends. `handle` never rejects.
  void (async () => {
    for await (const line of stream) {
      const event: unknown = JSON.parse(line);
      if (isObject(event)) await tell(String(event["type"]), event["object"]);
    }
  })();
}

function pathOf(namespace: string, plural: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

/** Sends a write and ignores a refusal: an existing object stays as it is, and a namespace that is being deleted accepts none. */
async function send(server: ApiServer, method: "POST" | "PUT", path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json", "user-agent": "kube-controller-manager" };
  await server.handle({ method, path, headers, body: JSON.stringify(object) });
}
