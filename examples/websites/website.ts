/** A website in two versions. The first is stored, and is the hub. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  dependents: true,
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional().describe("Name under which the website is reached; by default that of the object in example.com"),
        replicas: z.int32().default(1),
        tls: z.object({ issuer: z.string() }).optional(),
      }),
    },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});
export interface Website extends ObjectOf<typeof Website> {}
