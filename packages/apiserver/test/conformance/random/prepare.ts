/** Prepares a server for random sequences: creates the CRD and a namespace. */
import type { ApiRequest, Transport } from "@treadle/apimachinery";
import { BLOB_CRD } from "./kinds.ts";

/** Creates them and waits until they are served. @throws Error when the server refuses one of them */
export async function prepare(transport: Transport, namespace: string): Promise<void> {
  const post = async (path: string, body: unknown): Promise<number> =>
    (await send(transport, { method: "POST", path, body: JSON.stringify(body) })).status;
  const created = await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", BLOB_CRD);
  if (created !== 201 && created !== 409) throw new Error(`the CRD is refused with ${created}`);
  const status = await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  if (status !== 201) throw new Error(`the namespace is refused with ${status}`);
  for (let tries = 0; tries < 100; tries++) {
    const path = `/apis/random.treadle.dev/v2/namespaces/${namespace}/blobs`;
    if ((await send(transport, { method: "GET", path })).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the CRD is stored, but not served after ten seconds");
}

async function send(
  transport: Transport,
  { method, path, body }: { readonly method: ApiRequest["method"]; readonly path: string; readonly body?: string },
): Promise<{ readonly status: number }> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  return transport.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
}
