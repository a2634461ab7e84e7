/**
 * `health()` against kstatus. `objects.json` is written by hand. `answers.json` is what kstatus itself answers; record it again
 * after a change of the objects:
 *
 *     go -C tools/kstatus run . && biome format --write packages/apimachinery/test/kstatus
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Health, health } from "../../src/health/index.ts";
import { DIFFERENCES } from "./differences.ts";

interface Named {
  readonly name: string;
  readonly object: unknown;
}

interface Answer {
  readonly name: string;
  readonly digest: string;
  readonly status: "Current" | "InProgress" | "Failed" | "Terminating" | "Error";
  readonly reason?: string;
  readonly message: string;
}

const objects = read("objects.json") as readonly Named[];
const answers = read("answers.json") as readonly Answer[];

/** kstatus refuses an object with the wrong shape; `health()` answers. */
const SAME: Readonly<Record<Answer["status"], Health["type"]>> = {
  Current: "Ready",
  InProgress: "Pending",
  Terminating: "Pending",
  Failed: "Failed",
  Error: "Unknown",
};

describe("the table", () => {
  test("has at least 108 objects, each with its own name and a recorded answer", () => {
    expect(objects.length).toBeGreaterThanOrEqual(108);
    expect(new Set(objects.map(({ name }) => name)).size).toBe(objects.length);
    expect(answers.map(({ name }) => name)).toEqual(objects.map(({ name }) => name));
  });

  test("has an answer for each object as it is now", () => {
    const changed = objects.filter(({ object }, i) => digestOf(object) !== answers[i]?.digest).map(({ name }) => name);
    expect(changed, "record the answers again").toEqual([]);
  });

  test("lists a difference for existing objects, and once", () => {
    const listed = DIFFERENCES.flatMap((difference) => difference.objects);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((name) => !objects.some((each) => each.name === name))).toEqual([]);
  });
});

test.for(objects.map((each, i) => ({ ...each, answer: answers[i] as Answer })))("$name", ({ name, object, answer }) => {
  const found = health(object);
  const same = SAME[answer.status];
  const difference = DIFFERENCES.find((each) => each.objects.includes(name));
  expect(difference?.type, `the listed difference (${difference?.why}) is one`).not.toBe(same);
  expect(found, `${difference?.why ?? "as kstatus"}: ${answer.status} ${answer.reason ?? ""} ${answer.message}`).toMatchObject({
    type: difference?.type ?? same,
  });
});

test.for([
  ["Deployment past its progress deadline", { type: "Failed", reason: "ProgressDeadlineExceeded" }],
  ["Deployment with a replica failure", { type: "Failed", reason: "FailedCreate", message: "exceeded quota" }],
  ["Job that runs, with failed pods", { type: "Pending", reason: "Running", message: "0 of 1 pods succeeded, 1 run, 2 failed" }],
  ["Job that is suspended", { type: "Pending", reason: "Suspended" }],
  ["Job that failed", { type: "Failed", reason: "BackoffLimitExceeded" }],
  ["CronJob that is suspended", { type: "Ready", reason: "Suspended" }],
  ["PersistentVolumeClaim of phase Pending", { type: "Pending", reason: "Unbound" }],
  ["custom resource that is being deleted", { reason: "Deleting", message: "it is being deleted: it waits for example.dev/cleanup" }],
  ["HorizontalPodAutoscaler whose target has 0 replicas", { type: "Ready", reason: "ScalingDisabled" }],
] as const)("the verdict on a %s says why", ([name, want]) => {
  expect(health(objects.find((each) => each.name === name)?.object)).toMatchObject(want);
});

/** As in tools/kstatus/main.go. */
function digestOf(object: unknown): string {
  return createHash("sha256").update(JSON.stringify(object)).digest("hex").slice(0, 16);
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"));
}
