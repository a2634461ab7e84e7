/** Creates what a kube-apiserver creates for itself: the Service by which programs in a cluster find it, and the range of Services. */
import type { ApiServer } from "../api-server.ts";

/** Creates the Service `kubernetes` in the namespace `default`, for the server that listens at `url`, and the ServiceCIDR `kubernetes`. */
export async function createOwnService(server: ApiServer, url: string): Promise<void> {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      // The first address of the range belongs to this Service.
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: Number(new URL(url).port) }],
    },
  };
  await send(server, "POST", "/api/v1/namespaces/default/services", service);
  const range = {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: ["10.96.0.0/12"] },
  };
  const ranges = "/apis/networking.k8s.io/v1/servicecidrs";
  await send(server, "POST", ranges, range);
  const condition = { type: "Ready", status: "True", message: "Kubernetes Service CIDR is ready", reason: "" };
  const created = await server.handle({ method: "GET", path: `${ranges}/kubernetes`, headers: {} });
  const { metadata } = JSON.parse(created.body ?? "{}") as { readonly metadata: { readonly creationTimestamp: string } };
  const conditions = [{ ...condition, lastTransitionTime: metadata.creationTimestamp }];
  await send(server, "PUT", `${ranges}/kubernetes/status`, { ...range, status: { conditions } });
}

async function send(server: ApiServer, method: "POST" | "PUT", path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json", "user-agent": "kube-apiserver" };
  await server.handle({ method, path, headers, body: JSON.stringify(object) });
}
