/** Parts of the documents of `-o json` that several of them have. */
import { z } from "zod";

export const object = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional().describe("Absent for a cluster-scoped object."),
  name: z.string(),
});
export const health = z.enum(["Ready", "Pending", "Failed", "Unknown"]);
export const time = z.iso.datetime();
export const unread = z.array(z.strictObject({ what: z.string(), why: z.string() })).describe("What could not be read.");
export const header = { apiVersion: z.literal("cli.treadle.dev/v1alpha1") };
