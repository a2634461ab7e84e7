/** The documents of the commands that look at objects. */
import { z } from "zod";
import { header, health, object, time, unread } from "./schema-parts.ts";

const relation = z
  .enum(["root", "owned", "dependent", "named", "mentioned"])
  .describe(
    "How the object belongs to the one above: root: it is the named object; owned: by an owner reference or a label; dependent: by an entry of status.dependents; named: in a spec or a status; mentioned: in a condition.",
  );
const reason = z.strictObject({
  code: z.string().describe("For programs. docs/cli/explain.md lists the codes; another word is the reason of a condition."),
  object,
  message: z.string(),
});

/** The document of `treadle explain -o json`. */
export const explanation = z
  .strictObject({
    ...header,
    kind: z.literal("Explanation"),
    object,
    isReady: z.boolean(),
    health,
    since: time.optional().describe("When the health last changed; absent if the object does not tell."),
    summary: z.string().describe("One sentence that names the cause."),
    cause: reason.optional().describe("Absent for an object that is ready."),
    notReady: z
      .array(
        z.strictObject({
          object,
          depth: z.int().min(0).describe("Steps from the named object, which has 0."),
          relation,
          step: z.string().optional().describe("The step that keeps it, for the relation dependent."),
          health,
          reason: z.string(),
          message: z.string(),
          since: time.optional(),
        }),
      )
      .max(20)
      .describe("The objects that are not ready, parents before children."),
    others: z.array(reason).max(5).describe("Other problems that were found."),
    lastError: z
      .strictObject({
        message: z.string(),
        object,
        source: z.string().describe("event, or the type of a condition."),
        at: time.optional(),
        count: z.int().min(1),
      })
      .optional(),
    nextAttempt: z
      .strictObject({ text: z.string(), at: time.optional() })
      .optional()
      .describe("When something tries again; absent if it is not known."),
    advice: z.array(z.string()).describe("What a person can do, the most useful first."),
    unread,
  })
  .meta({ title: "Explanation", description: "Why an object is not ready: treadle explain -o json" });

const node = z
  .strictObject({
    object,
    relation,
    step: z.string().optional().describe("The step or component that keeps it, for the relation dependent."),
    health,
    reason: z.string(),
    message: z.string(),
    since: time.optional(),
    get children() {
      return z.array(node);
    },
  })
  .meta({ id: "TreeObject" });

/** The document of `treadle tree -o json`. */
export const objectTree = z
  .strictObject({
    ...header,
    kind: z.literal("ObjectTree"),
    object: node,
    owners: z.array(node).describe("The owners of the object, the nearest first."),
    unread,
  })
  .meta({ title: "ObjectTree", description: "What belongs to an object: treadle tree -o json" });
