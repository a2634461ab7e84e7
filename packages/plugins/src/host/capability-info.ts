/** The kind that shows users which capabilities exist. */
import { defineResource, type ResourceOf } from "@treadle/apimachinery";
import { z } from "zod";

/** The schema of the spec of a {@link CapabilityInfo}. */
export type InfoSpec = z.ZodObject<{
  readonly category: z.ZodString;
  readonly type: z.ZodString;
}>;

/** The schema of the status of a {@link CapabilityInfo}. */
export type InfoStatus = z.ZodObject<{
  readonly versions: z.ZodArray<z.ZodString>;
  readonly plugin: z.ZodString;
  readonly pluginVersion: z.ZodString;
  readonly protocol: z.ZodString;
  readonly state: z.ZodString;
  readonly shadowed: z.ZodArray<z.ZodString>;
}>;

/** A capability that a plugin offers. The host writes one for each pair of category and type. Its CRD is `crdOf(CapabilityInfo)`. */
export const CapabilityInfo: ResourceOf<InfoSpec, InfoStatus> = defineResource({
  group: "plugins.treadle.dev",
  version: "v1alpha1",
  kind: "CapabilityInfo",
  plural: "capabilityinfos",
  scope: "Cluster",
  description: "A capability that a plugin of an operator offers. The operator writes it.",
  spec: z.object({ category: z.string(), type: z.string() }),
  status: z.object({
    versions: z.array(z.string()).describe("Versions that can be requested; empty: the type has no versions"),
    plugin: z.string().describe("Name of the plugin that serves"),
    pluginVersion: z.string().describe("Version of the plugin"),
    protocol: z.string().describe("How the plugin is connected"),
    state: z.string().describe("Ready, Starting, Away, CrashLoop or Refused"),
    shadowed: z.array(z.string()).describe("Other plugins that offer the same, each with its state"),
  }),
  printerColumns: [
    { name: "Plugin", type: "string", jsonPath: ".status.plugin" },
    { name: "Version", type: "string", jsonPath: ".status.pluginVersion" },
    { name: "State", type: "string", jsonPath: ".status.state" },
  ],
});
