/** The resource: a fleet of robots. The CRD of the kind Robot is in the folder. */
import { defineResource, kind, type ObjectOf, setStatus } from "treadle";
import { z } from "zod";

export const Fleet = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Fleet",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ robots: z.int32().min(0).max(1000).default(8), paused: z.boolean().default(false) }),
  status: z.object({ ...setStatus }),
});
export interface Fleet extends ObjectOf<typeof Fleet> {}

export const Robot = kind<{ spec: { task: string } }>({ group: "robots.treadle.dev", version: "v1", kind: "Robot" });
