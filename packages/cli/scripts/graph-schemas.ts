/** The document of `treadle graph`. */
import { z } from "zod";
import { header } from "./schema-parts.ts";

const kindName = z.strictObject({ apiVersion: z.string(), kind: z.string() });
const ifNotServed = z.enum(["wait", "skip"]).describe("What happens while the server does not serve the kind.");
const form = z.enum(["whole", "metadata"]);

const pipelineStep = z
  .strictObject({
    name: z.string(),
    phases: z.array(z.enum(["gate", "do", "cleanup", "release", "post"])),
    conditions: z.array(z.strictObject({ type: z.string(), counts: z.boolean().describe("Whether Ready counts it.") })),
    needs: z
      .array(
        z.strictObject({
          step: z.string(),
          isOptional: z.boolean(),
          vars: z.array(z.string()).describe("Empty: the names exist in types only."),
        }),
      )
      .describe("The steps whose vars the step uses."),
    gives: z.array(z.string()).describe("The vars that the step hands over late or not at all."),
    after: z.array(z.string()).describe("The steps that an extension puts before it, such as those in dependsOn."),
    reads: z.array(
      z.strictObject({
        name: z.string(),
        kind: kindName,
        type: z.enum(["one", "many", "several", "owned"]),
        source: z.enum(["cache", "fetch", "live"]),
        isMetadata: z.boolean(),
        ifNotServed,
        watches: form.optional().describe("Absent: a change triggers no pass."),
        through: z.string().optional().describe("The read whose object names the object; absent: the primary names it."),
      }),
    ),
    owns: z.array(z.strictObject({ kind: kindName, ifNotServed })),
    facts: z
      .array(z.strictObject({ extension: z.string(), type: z.string(), name: z.string().optional(), kinds: z.array(kindName) }))
      .describe("What packages on top of the engine say of the step: dependents, components, sets, external resources."),
    writes: z.array(z.enum(["labels", "annotations", "spec"])),
    events: z.array(z.string()),
    hasState: z.boolean(),
    finalizer: z.enum(["before-do", "on-demand"]).optional().describe("Absent without a cleanup."),
    get parts() {
      return z
        .strictObject({ maker: z.string(), concurrency: z.int().min(1), steps: z.array(pipelineStep) })
        .optional()
        .describe("The parts of a composite.");
    },
  })
  .meta({ id: "PipelineStep" });

/** The document of `treadle graph -o json`. */
export const pipelineGraph = z
  .strictObject({
    ...header,
    kind: z.literal("PipelineGraph"),
    module: z.string().describe("As given."),
    handlers: z.array(
      z.strictObject({
        name: z.string(),
        kind: kindName,
        finalizer: z.string().optional().describe("Absent if no step has a cleanup."),
        computesReady: z.boolean(),
        steps: z.array(pipelineStep),
        watches: z.array(
          z.strictObject({
            kind: kindName,
            form,
            by: z.enum(["map", "refs", "label", "owner", "owned"]),
            label: z.string().optional(),
          }),
        ),
      }),
    ),
  })
  .meta({ title: "PipelineGraph", description: "The pipelines of an operator: treadle graph -o json" });
