/** The document of `treadle generate`. */
import { z } from "zod";
import { header } from "./schema-parts.ts";

/** The document of `treadle generate -o json` and `treadle generate types -o json`. */
export const generatedFiles = z
  .strictObject({
    ...header,
    kind: z.literal("GeneratedFiles"),
    folder: z.string().describe("As given."),
    isCheck: z.boolean().describe("Whether nothing was written."),
    isCurrent: z.boolean().describe("Whether the files were up to date before."),
    files: z
      .array(
        z.strictObject({
          path: z.string().describe("In the folder."),
          state: z
            .enum(["stale", "missing", "superfluous", "current", "kept", "foreign"])
            .describe(
              "Before the command: stale: other content; missing: did not exist; superfluous: generated, and no longer given; kept: belongs to the " +
                "user; foreign: has the name of a generated file, and was not generated.",
            ),
          isAccepted: z.boolean().describe("Whether a check accepts the state."),
        }),
      )
      .describe("Sorted by path."),
    notes: z.array(z.string()).describe("What could not be known, and what to do."),
  })
  .meta({ title: "GeneratedFiles", description: "What was generated: treadle generate -o json" });
