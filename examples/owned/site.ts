/** The resource: a Site with a text, and optionally a copy of it in another namespace. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: z.object({ text: z.string(), copyTo: z.string().optional().describe("Namespace of a copy") }),
  status: z.object({}),
});
export interface Site extends ObjectOf<typeof Site> {}

/** The persistent name of the handler. The owner label of its objects contains it. */
export const NAME = "sites.example.com";
