import { expect, test } from "vitest";
import { type Entry, madeIn, type Target, textOf } from "./journal.ts";

const job: Target = {
  verb: "create",
  group: "batch",
  version: "v1",
  resource: "jobs",
  namespace: "default",
  name: undefined,
  subresource: undefined,
  path: "/apis/batch/v1/namespaces/default/jobs?fieldManager=me",
  body: { apiVersion: "batch/v1", kind: "Job", metadata: { generateName: "a-" } },
};
const dryRun: Target = { ...job, path: `${job.path}&dryRun=All` };
const written = (target: Target): Entry => ({ type: "write", number: 1, target, status: 201 });

test("a dry run creates no object, so it does not count as a repeated creation", () => {
  expect(madeIn([written(job), written(dryRun)])).toEqual(["Job default/a-*"]);
});

test("a report shows which writes are dry runs", () => {
  expect(textOf(job)).toBe("create jobs default/a-*");
  expect(textOf(dryRun)).toBe("create jobs default/a-*, a dry run");
});
