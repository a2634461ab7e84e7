/** Jobs: success, failure, suspension and deletion. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

function job(behaviour: string | undefined, spec: Json = {}): Json {
  const { metadata, ...pod } = template("work", { spec: { restartPolicy: "Never" }, ...(behaviour === undefined ? {} : { behaviour }) });
  return { metadata: { name: "work" }, spec: { template: { metadata, ...pod }, ...spec } };
}

function has(condition: string): (objects: Objects) => boolean {
  return ({ jobs: [one] }) =>
    ((one?.["status"]?.conditions ?? []) as Json[]).some(({ type, status }) => type === condition && status === "True");
}

function active(count: number): (objects: Objects) => boolean {
  return ({ jobs: [one] }) => (one?.["status"]?.active ?? 0) === count && (one?.["status"]?.ready ?? 0) === count;
}

export const jobs: readonly Scenario[] = [
  { name: "job completes", run: simple(job(undefined), has("Complete")) },
  { name: "job completes three, two at a time", run: simple(job(undefined, { completions: 3, parallelism: 2 }), has("Complete")) },
  {
    name: "job runs",
    async run({ create, merge, settle, remove }) {
      await create("jobs", job("runs", { parallelism: 3, completions: 5 }));
      await settle("running", active(3));
      await merge("jobs", "work", { spec: { parallelism: 1 } });
      await settle("fewer", active(1));
      await remove("jobs", "work", "Background");
      await settle("deleted", ({ jobs: left, pods }) => left?.length === 0 && pods?.length === 0);
    },
  },
  { name: "job reaches its limit of failures", run: simple(job("exit-1", { backoffLimit: 1 }), has("Failed")) },
  { name: "job may not fail at all", run: simple(job("exit-1", { backoffLimit: 0 }), has("Failed")) },
  { name: "job exceeds its deadline", run: simple(job("runs", { activeDeadlineSeconds: 4 }), has("Failed")) },
  {
    name: "job is suspended and resumed",
    async run({ create, merge, settle }) {
      await create("jobs", job("runs", { suspend: true }));
      await settle("suspended from the start", has("Suspended"));
      await merge("jobs", "work", { spec: { suspend: false } });
      await settle("resumed", active(1));
      await merge("jobs", "work", { spec: { suspend: true } });
      await settle("suspended", (objects) => has("Suspended")(objects) && active(0)(objects));
    },
  },
  { name: "job is indexed", run: simple(job(undefined, { completions: 3, parallelism: 3, completionMode: "Indexed" }), has("Complete")) },
  {
    name: "job may fail once for an index",
    run: simple(job("exit-1", { completions: 2, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 0 }), has("Failed")),
  },
  {
    name: "job fails by a rule for exit codes",
    run: simple(
      job("exit-42", {
        backoffLimit: 6,
        podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [42] } }] },
      }),
      has("Failed"),
    ),
  },
  {
    name: "job succeeds by some of its indexes",
    run: simple(
      job(undefined, { completions: 3, parallelism: 1, completionMode: "Indexed", successPolicy: { rules: [{ succeededIndexes: "0" }] } }),
      has("Complete"),
    ),
  },
  {
    name: "job goes some seconds after its end",
    async run({ create, settle }) {
      await create("jobs", job(undefined, { ttlSecondsAfterFinished: 6 }));
      await settle("finished", has("Complete"));
      await settle("gone", ({ jobs: left, pods }) => left?.length === 0 && pods?.length === 0);
    },
  },
  {
    name: "job has any number of helpers",
    async run({ create, settle }) {
      await create("jobs", job(undefined, { parallelism: 2 }));
      await settle("finished", has("Complete"));
    },
  },
];

function simple(object: Json, until: (objects: Objects) => boolean): Scenario["run"] {
  return async ({ create, settle }) => {
    await create("jobs", object);
    await settle("settled", until);
  };
}
