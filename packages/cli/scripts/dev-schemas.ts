/** The documents of `treadle dev`. */
import { z } from "zod";
import { header, time } from "./schema-parts.ts";

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
