/** CRDs whose versions a webhook converts. */
import type { Json, Scenario } from "../session.ts";
import { type Say, serveWebhook } from "../../webhook-server.ts";

function convert(object: Json, desired: string): Json {
  const { spec = {}, ...rest } = object;
  const width = spec.dimensions?.width ?? spec.size;
  return { ...rest, apiVersion: desired, spec: desired.endsWith("v2") ? { dimensions: { width } } : { size: width } };
}

export const conversion: readonly Scenario[] = [
  {
    name: "conversion webhooks",
    async run({ namespace, send, quietly, watch }) {
      let result: Json = { status: "Success" };
      let change = (objects: readonly Json[]): readonly Json[] => objects;
      const say: Say = ({ request, apiVersion, kind }) => {
        const convertedObjects = change(request.objects.map((object: Json) => convert(object, request.desiredAPIVersion)));
        return { raw: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, result, convertedObjects } }) };
      };
      const server = await serveWebhook(say);
      const group = `${namespace}.example.com`;
      const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const version = (name: string, storage: boolean, spec: Json): Json => ({
        name,
        storage,
        served: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } } },
      });
      const crd = (webhook: unknown): Json => ({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `boxes.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { kind: "Box", plural: "boxes" },
          versions: [
            version("v1", true, { size: { type: "integer" } }),
            version("v2", false, { dimensions: { type: "object", properties: { width: { type: "integer" } } } }),
          ],
          conversion: { strategy: "Webhook", ...(webhook === undefined ? {} : { webhook }) },
        },
      });
      const clientConfig = { url: server.url, caBundle: server.ca };
      await send("without a webhook", "POST", crds, { body: crd(undefined) });
      await send("without versions", "POST", crds, { body: crd({ clientConfig }) });
      await send("without a client", "POST", crds, { body: crd({ conversionReviewVersions: ["v1"] }) });
      await send("with url and service", "POST", crds, {
        body: crd({ conversionReviewVersions: ["v1"], clientConfig: { ...clientConfig, service: { name: "x", namespace: "y" } } }),
      });
      await quietly("POST", crds, { body: crd({ clientConfig, conversionReviewVersions: ["v1"] }) });
      const [v1, v2] = ["v1", "v2"].map((name) => `/apis/${group}/${name}/namespaces/${namespace}/boxes`) as [string, string]; // two names
      for (let tries = 0; tries < 100 && (await quietly("GET", v2))["kind"] !== "BoxList"; tries++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      const box = (name: string, size: number): Json => ({ apiVersion: `${group}/v1`, kind: "Box", metadata: { name }, spec: { size } });
      const box2 = (name: string, width: number): Json => ({
        apiVersion: `${group}/v2`,
        kind: "Box",
        metadata: { name },
        spec: { dimensions: { width } },
      });
      await send("create", "POST", v1, { body: box("a", 1) });
      await send("get", "GET", `${v2}/a`);
      await send("create in the other version", "POST", v2, { body: box2("b", 2) });
      await send("dry create in the other version", "POST", v2, { body: box2("c", 2), query: "dryRun=All" });
      await send("get it", "GET", `${v1}/b`);
      await send("list", "GET", v2);
      await send("patch", "PATCH", `${v2}/a`, {
        body: { spec: { dimensions: { width: 5 } } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      await send("apply", "PATCH", `${v2}/a`, {
        body: box2("a", 6),
        query: "fieldManager=x&force=true",
        headers: { "content-type": "application/apply-patch+yaml" },
      });
      await watch("a watch", `${v2}?watch=true`, 3, () =>
        quietly("PATCH", `${v1}/a`, { body: { spec: { size: 7 } }, headers: { "content-type": "application/merge-patch+json" } }),
      );
      await send("delete", "DELETE", `${v2}/b`);
      await quietly("POST", v1, { body: box("late", 1) });
      result = { status: "Failure", message: "too wide" };
      await send("a failure", "GET", `${v2}/late`);
      await send("a failure of a create", "POST", v2, { body: box2("d", 1) });
      result = { status: "Failure" };
      await send("a failure without a reason", "GET", `${v2}/late`);
      result = { status: "Success" };
      change = () => [];
      await send("no objects", "GET", `${v2}/late`);
      change = (objects) => objects.map((object) => ({ ...object, metadata: { ...object["metadata"], name: "x" } }));
      await send("another name", "GET", `${v2}/late`);
      change = (objects) => objects.map((object) => ({ ...object, kind: "Crate" }));
      await send("another kind", "GET", `${v2}/late`);
      change = (objects) => objects.map((object) => ({ ...object, apiVersion: `${group}/v3` }));
      await send("another version", "GET", `${v2}/late`);
      change = (objects) =>
        objects.map((object) => ({ ...object, metadata: { ...object["metadata"], labels: { a: "b" }, finalizers: ["x/y"] } }));
      await send("other metadata", "GET", `${v2}/late`);
      change = (objects) => objects;
      await quietly("DELETE", `${crds}/boxes.${group}`);
      await server.close();
    },
  },
];
