/** Refusals and defaults that depend on other stored objects, reviews in other representations, health. */
import type { Json, Scenario } from "../session.ts";

const pod = (name: string, resources: Json, spec: Json = {}): Json => ({
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "app", resources }], ...spec },
});
const review = {
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  spec: { nonResourceAttributes: { path: "/", verb: "get" } },
};

export const allocations: readonly Scenario[] = [
  {
    name: "limit ranges",
    run: async ({ namespace, send, quietly }) => {
      const root = `/api/v1/namespaces/${namespace}`;
      await quietly("POST", `${root}/serviceaccounts`, { body: { metadata: { name: "default" } } });
      const limits = [
        { type: "Container", default: { cpu: "500m", memory: "1Gi" }, defaultRequest: { cpu: "100m" }, min: { cpu: "50m" } },
        { type: "Pod", max: { memory: "2Gi" } },
        { type: "PersistentVolumeClaim", max: { storage: "1Gi" }, min: { storage: "1Mi" } },
      ];
      await send("limits", "POST", `${root}/limitranges`, { body: { metadata: { name: "l" }, spec: { limits } } });
      await send("with defaults", "POST", `${root}/pods`, { body: pod("defaults", {}) });
      await send("with some of them", "POST", `${root}/pods`, { body: pod("some", { limits: { cpu: "1" } }) });
      await send("too little", "POST", `${root}/pods`, { body: pod("little", { requests: { cpu: "10m" } }) });
      await send("a limit that is too low", "POST", `${root}/pods`, {
        body: pod("low", { requests: { cpu: "10m" }, limits: { cpu: "20m" } }),
      });
      const containers = ["a", "b"].map((name) => ({ name, image: "app", resources: { limits: { memory: "1500Mi" } } }));
      await send("too much together", "POST", `${root}/pods`, { body: pod("much", {}, { containers }) });
      await send("too much in a dry run", "POST", `${root}/pods`, { query: "dryRun=All", body: pod("much", {}, { containers }) });
      for (const storage of ["2Gi", "1k"])
        await send(`a claim of ${storage}`, "POST", `${root}/persistentvolumeclaims`, {
          body: {
            metadata: { name: `c-${storage.toLowerCase()}` },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
          },
        });
    },
  },
  {
    name: "ports on nodes",
    run: async ({ namespace, send }) => {
      const path = `/api/v1/namespaces/${namespace}/services`;
      const service = (name: string, port: Json): Json => ({
        metadata: { name },
        spec: { type: "NodePort", ports: [{ port: 80, ...port }] },
      });
      await send("below the range", "POST", path, { body: service("a", { nodePort: 80 }) });
      await send("above the range", "POST", path, { body: service("a", { nodePort: 40_000 }) });
      const { spec } = await send("of the server's choice", "POST", `${path}?dryRun=All`, { body: service("dry", { nodePort: 30_001 }) });
      const nodePort = spec?.ports?.[0]?.nodePort;
      await send("in the range", "POST", path, { body: service("a", { nodePort }) });
      await send("taken", "POST", path, { body: service("b", { nodePort }) });
      await send("taken, in a dry run", "POST", `${path}?dryRun=All`, { body: service("b", { nodePort }) });
      await send("of another protocol", "POST", path, { body: service("c", { nodePort, protocol: "UDP" }) });
      const headers = { "content-type": "application/merge-patch+json" };
      await send("moved out of the range", "PATCH", `${path}/a`, { body: { spec: { ports: [{ port: 80, nodePort: 80 }] } }, headers });
      await send("it goes, in a dry run", "DELETE", `${path}/a?dryRun=All`);
      await send("it goes", "DELETE", `${path}/a`);
    },
  },
  {
    name: "reviews and health",
    run: async ({ send }) => {
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      for (const as of ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"])
        await send(`a review as ${as}`, "POST", path, {
          body: review,
          headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` },
        });
      for (const at of [
        "/livez?verbose",
        "/readyz?verbose",
        "/healthz?verbose&exclude=etcd&exclude=none",
        "/livez/etcd",
        "/livez/none",
        "/readyz/",
      ])
        await send(at, "GET", at);
    },
  },
];
