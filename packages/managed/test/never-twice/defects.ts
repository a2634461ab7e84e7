/** The defects that are planted into copies of the source, one for each rule of "never twice, never lost". */
import type { Script } from "./script.ts";

/** A defect: a change of one line of a file in src/flow. */
export interface Defect {
  readonly rule: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A script that finds it. If it does not any more, scripts by chance are tried. */
  readonly script: Script;
}

export const DEFECTS: readonly Defect[] = [
  {
    rule: "the finalizer is taken before the first create",
    file: "create.ts",
    from: "if (allowed.delete) await req.holdFinalizer();",
    to: "",
    script: { nature: { author: "chosen" }, moves: ["pass", "pass"], incidents: [], late: [] },
  },
  {
    rule: "the record is stored before the call",
    file: "create.ts",
    from: "await req.checkpoint();",
    to: "",
    script: { nature: { author: "chosen" }, moves: ["pass", "pass"], incidents: [], late: [] },
  },
  {
    rule: "the token of a create is unique",
    file: "create.ts",
    from: "state.creates += 1;",
    to: "state.creates = 1;",
    script: {
      nature: { author: "chosen" },
      moves: ["pass", "wait", "pass", "other pass", "delete outside", "pass", "pass"],
      incidents: [],
      late: [],
    },
  },
  {
    rule: "an interrupted create is recovered before a new one",
    file: "identify.ts",
    from: "if (record !== undefined) return await byRecord(run, session, record);",
    to: "if (record?.name !== undefined) return await byRecord(run, session, record);",
    script: { nature: { author: "recovered" }, moves: ["pass", "pass"], incidents: [], late: [{ create: 0, part: 1, dies: false }] },
  },
  {
    rule: "a create that is not found may still have happened before two deadlines",
    file: "identify.ts",
    from: 'if (restMs <= 0) return { type: "nothing" };',
    to: 'return { type: "nothing" };',
    script: { nature: { author: "recovered" }, moves: ["pass", "pass"], incidents: [], late: [{ create: 0, part: 1, dies: false }] },
  },
  {
    rule: "one deadline is too early to say that nothing was created",
    file: "identify.ts",
    from: "return answeredMs === undefined ? startedMs + 2 * timeoutMs : answeredMs + graceMs;",
    to: "return answeredMs === undefined ? startedMs + timeoutMs : answeredMs + graceMs;",
    script: {
      nature: { author: "chosen" },
      moves: ["pass", "wait", "pass", "other pass", "pass", "pass"],
      incidents: [
        { at: 1, when: "before", what: "lost" },
        { at: 5, when: "after", what: "delete" },
      ],
      late: [{ create: 0, part: 0.6, dies: false }],
    },
  },
  {
    rule: "a create that is not found within two deadlines made nothing",
    file: "identify.ts",
    from: 'if (restMs <= 0) return { type: "nothing" };',
    to: "",
    script: { nature: { author: "recovered" }, moves: ["pass", "pass"], incidents: [{ at: 1, when: "after", what: "crash" }], late: [] },
  },
  {
    rule: "without recoverCreate the result of an interrupted create is not known",
    file: "identify.ts",
    from: 'if (definition.options.recoverCreate === undefined) return { type: "halted", halt: interrupted(run, record) };',
    to: 'if (definition.options.recoverCreate === undefined) return { type: "nothing" };',
    script: { nature: { author: "blind" }, moves: ["pass", "pass"], incidents: [], late: [{ create: 0, part: 1, dies: false }] },
  },
  {
    rule: "a refusal ends the record",
    file: "create.ts",
    from: "if (isRefusal(run, record, error)) return void delete state.record;",
    to: "",
    script: {
      nature: { author: "blind" },
      moves: ["pass", "pass"],
      incidents: [{ at: 2, when: "before", what: "429" }],
      late: [],
    },
  },
  {
    rule: "a refusal of a repeated call does not end the record",
    file: "create.ts",
    from: "if (record.isRepeated === true) return false;",
    to: "",
    script: {
      // The first attempt hangs in a dead process. The second one is refused, and the object is deleted.
      nature: { author: "chosen" },
      moves: ["pass", "pass", "delete", "pass", "wait long"],
      incidents: [{ at: 6, when: "before", what: "429" }],
      late: [{ create: 0, part: 1, dies: true }],
    },
  },
  {
    rule: "a status alone does not end the record where something can tell what happened",
    file: "create.ts",
    from: "return record.name === undefined && definition.options.recoverCreate === undefined && createdNothing(error);",
    to: "return createdNothing(error);",
    script: {
      nature: { author: "recovered" },
      moves: ["pass", "wait", "pass"],
      incidents: [{ at: 2, when: "after", what: "429" }],
      late: [],
    },
  },
  {
    rule: "a resource that is not visible within the grace time after its create exists",
    file: "do.ts",
    from: "req.now().getTime() < trustedFromMs(run)",
    to: "req.now().getTime() < 0",
    script: {
      nature: { author: "recovered", visibleAfterMs: 20000 },
      moves: ["pass", "wait", "pass", "other pass", "pass", "pass"],
      incidents: [{ at: 0, when: "before", what: "label" }],
      late: [],
    },
  },
  {
    rule: "a deletion waits for a resource that is not visible yet",
    file: "cleanup.ts",
    from: "seen === undefined && req.now().getTime() >= trustedFromMs(run)",
    to: "seen === undefined",
    script: {
      nature: { author: "chosen", visibleAfterMs: 20000 },
      moves: ["pass", "wait", "pass", "other pass", "delete", "pass", "pass"],
      incidents: [{ at: 0, when: "before", what: "crash" }],
      late: [],
    },
  },
  {
    rule: "a deletion waits for a create that was interrupted",
    file: "cleanup.ts",
    from: 'return result.type === "nothing" ? { type: "absent" } : result;',
    to: 'return { type: "absent" };',
    script: {
      nature: { author: "recovered" },
      moves: ["pass", "delete", "pass", "pass"],
      incidents: [],
      late: [{ create: 0, part: 1, dies: true }],
    },
  },
  {
    rule: "a deletion knows of a create that only the record names",
    file: "cleanup.ts",
    from: "return state.record !== undefined || state.name",
    to: "return state.name",
    script: {
      nature: { author: "chosen" },
      moves: ["pass", "delete", "pass"],
      incidents: [],
      late: [{ create: 0, part: 0.2, dies: true }],
    },
  },
  {
    rule: "a deletion is tried all the same",
    file: "cleanup.ts",
    from: "if (!isRunning) {",
    to: "if (!isRunning && seen !== undefined) {",
    script: {
      // It shows later than the grace time allows: only the attempt deletes it.
      nature: { author: "recovered", visibleAfterMs: 45_000 },
      moves: ["pass", "delete", "pass", "wait", "pass", "wait"],
      incidents: [],
      late: [],
    },
  },
  {
    rule: "the annotation is written after the record, not with it",
    file: "create.ts",
    from: "const record = begin(run, identity, name);",
    to: "const record = begin(run, identity, name); req.annotations[definition.names.annotation] = name;",
    script: { nature: { author: "chosen" }, moves: ["pass", "pass"], incidents: [{ at: 2, when: "before", what: "lost" }], late: [] },
  },
  {
    rule: "a crash between the two patches of a save leaves a resource that may not be visible yet",
    file: "identify.ts",
    from: "return record === undefined ? absentUntilMs : Math.max(absentUntilMs, decidedAtMs(definition, record));",
    to: "return absentUntilMs;",
    script: {
      nature: { author: "recovered", visibleAfterMs: 20_000 },
      moves: ["pass", "pass"],
      incidents: [{ at: 3, when: "after", what: "crash" }],
      late: [],
    },
  },
  {
    rule: "a repeated create leaves an earlier attempt that may still happen",
    file: "create.ts",
    from: "state.absentUntilMs = Math.max(state.absentUntilMs ?? 0, decidedAtMs(definition, identity.record));",
    to: "",
    script: {
      nature: { author: "chosen" },
      moves: ["pass", "pass", "wait", "delete", "pass", "pass"],
      incidents: [],
      late: [{ create: 0, part: 0.6, dies: true }],
    },
  },
];
