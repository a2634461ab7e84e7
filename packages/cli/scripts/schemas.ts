/** `node scripts/schemas.ts`: writes the JSON Schemas of the documents of `-o json`. Tests check the output by the same declarations. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { CHANGE_IDS } from "../src/check/change-ids.ts";
import { RELEASE_SCHEMAS } from "./release-schemas.ts";
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
const objectName = z.strictObject({
  kind: z.string(),
  name: z.string().describe("namespace/name, or the name of a cluster-scoped object."),
});
const ms = z.number().min(0);
const logged = { level: z.string(), text: z.string(), fields: z.record(z.string(), z.unknown()) };
const retryMs = ms.optional().describe("Time until the next attempt, in milliseconds; absent: an edit starts it.");
const pass = {
  type: z.literal("pass").describe("A pass of an object has ended. Passes that repeat the last one and change nothing are only counted."),
  controller: z.string(),
  object: objectName,
  cause: z.string().optional().describe("What started it; absent if it is not known."),
  outcome: z.string().describe("done, wait, stop, failed, gone or left."),
  durationMs: ms,
  steps: z.array(
    z.strictObject({
      step: z.string(),
      phase: z.enum(["gate", "do", "cleanup", "post"]),
      result: z.enum(["done", "wait", "stop", "failed"]),
      reason: z.string().optional(),
      durationMs: ms,
    }),
  ),
  writes: z
    .array(
      z.strictObject({
        operation: z.string().describe("created, updated or deleted."),
        object: objectName,
        paths: z.array(z.string()).describe("The fields, without their values."),
        step: z.string().optional().describe("Absent where the engine wrote."),
      }),
    )
    .describe("What the pass wrote."),
  conditions: z.array(z.strictObject({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() })),
  events: z.array(z.strictObject({ type: z.string(), reason: z.string(), note: z.string() })),
  lines: z.array(z.strictObject(logged)).describe("What the steps logged."),
  error: z.string().optional(),
  place: z.string().optional().describe("Where the error was made in the project, as in src/shop.ts:12:5."),
  nextMs: ms.optional().describe("Time until the next pass, in milliseconds, if the pass chose one."),
};

const dev = { ...header, kind: z.literal("DevEvent"), at: time };

/** One line of `treadle dev -o json`. */
export const devEvent = z
  .discriminatedUnion("type", [
    z.strictObject({
      ...dev,
      type: z.literal("cluster"),
      server: z.string().describe("Its URL, or how the flags name it."),
      isInMemory: z.boolean(),
      kubeconfig: z.string().optional().describe("The file for kubectl; absent for a cluster that flags name."),
    }),
    z.strictObject({
      ...dev,
      type: z.literal("loading").describe("A process of the operator is started."),
      module: z.string(),
      reason: z.enum(["start", "edit", "crash", "port"]).describe("port: the process before it uses a port that this one needs."),
      files: z.array(z.string()).describe("The files that were edited."),
    }),
    z.strictObject({
      ...dev,
      type: z.literal("applied"),
      what: z.enum(["crd", "sample"]),
      object: objectName,
      operation: z.enum(["created", "updated"]),
    }),
    z.strictObject({ ...dev, type: z.literal("refused").describe("A sample cannot be applied."), message: z.string() }),
    z.strictObject({
      ...dev,
      type: z.literal("started").describe("A process of the operator works."),
      handlers: z.array(z.string()),
      durationMs: ms.describe("Time since its start, in milliseconds."),
      pid: z.int().optional(),
    }),
    z.strictObject({
      ...dev,
      type: z.literal("failed").describe("A process of the operator could not start."),
      message: z.string(),
      isPreviousRunning: z.boolean().describe("Whether the previous operator keeps running."),
      retryMs,
    }),
    z.strictObject({
      ...dev,
      type: z.literal("ended").describe("The operator has ended by itself."),
      how: z.string().describe("As in: exit code 1."),
      message: z.string().optional(),
      retryMs,
    }),
    z.strictObject({ ...dev, ...pass }),
    z.strictObject({ ...dev, type: z.literal("quiet"), passes: z.int().min(1).describe("Passes that changed nothing.") }),
    z.strictObject({ ...dev, type: z.literal("log").describe("A line of the log that belongs to no pass."), ...logged }),
    z.strictObject({
      ...dev,
      type: z.literal("output").describe("The program printed a line."),
      stream: z.enum(["stdout", "stderr"]),
      text: z.string(),
    }),
    z.strictObject({ ...dev, type: z.literal("note"), message: z.string() }),
    z.strictObject({ ...dev, type: z.literal("stopping") }),
  ])
  .meta({ title: "DevEvent", description: "What happens to an operator while it is edited: one line of treadle dev -o json" });

/** Returns the text of each file in `schemas`. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const text = (schema: z.ZodType): string => `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), undefined, 2)}\n`;
  return new Map([
    ["check-report.json", text(checkReport)],
    ["dev-event.json", text(devEvent)],
    ["explanation.json", text(explanation)],
    ["generated-files.json", text(generatedFiles)],
    ["object-tree.json", text(objectTree)],
    ["pipeline-graph.json", text(pipelineGraph)],
    ...Object.entries(RELEASE_SCHEMAS).map(([name, schema]) => [name, text(schema)] as const),
  ]);
}

if (import.meta.main) for (const [name, text] of schemaFiles()) writeFileSync(join(import.meta.dirname, "..", "schemas", name), text);
