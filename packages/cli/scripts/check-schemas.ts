/** The document of `treadle check`. */
import { z } from "zod";
import { CHANGE_IDS } from "../src/check/change-ids.ts";
import { header } from "./schema-parts.ts";

const found = {
  where: z.string().describe("The handler and step, or the CRD, its version and the path of the field."),
  message: z.string(),
  remedy: z.string().describe("What to do; empty where nothing has to be done."),
};

/** The document of `treadle check -o json`. */
export const checkReport = z
  .strictObject({
    ...header,
    kind: z.literal("CheckReport"),
    module: z.string().describe("As given."),
    problems: z.array(
      z.strictObject({
        id: z.string().describe("The rule. docs/cli/check.md lists them."),
        severity: z.enum(["error", "warning"]),
        ...found,
      }),
    ),
    changes: z
      .array(
        z.strictObject({
          id: z.enum(CHANGE_IDS),
          breaks: z.enum(["objects", "clients", "nothing"]),
          severity: z.enum(["error", "warning", "none"]),
          ...found,
        }),
      )
      .optional()
      .describe("The changes of the CRDs. Absent without an old version."),
  })
  .meta({ title: "CheckReport", description: "Problems of an operator, and changes of its CRDs: treadle check -o json" });
