/** The resource. One declaration gives the types, the CRD, the columns of `kubectl get` and the texts of `kubectl explain`. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const TemplateKind = defineResource({
  group: "group.template.dev",
  version: "v1alpha1",
  kind: "TemplateKind",
  plural: "templatekinds",
  scope: "Namespaced",
  description: "A web server with a number of replicas.",
  dependents: true,
  spec: z.object({
    image: z.string().default("nginxinc/nginx-unprivileged:1.29").describe("Image of the web server; it listens on port 8080"),
    replicas: z.int32().min(0).default(1).describe("Number of pods"),
  }),
  status: z.object({
    readyReplicas: z.int32().describe("Number of pods that are ready"),
  }),
  printerColumns: [
    { name: "Replicas", path: "spec.replicas" },
    { name: "Available", path: "status.readyReplicas" },
  ],
});
export interface TemplateKind extends ObjectOf<typeof TemplateKind> {}
