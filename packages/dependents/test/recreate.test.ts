/** The successor of an object that is recreated: the old object stays if the server would refuse the new one. */
import { defineResource, fakeClock, type ObjectOf } from "@treadle/apimachinery";
import { Job, Namespace } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply } from "../src/index.ts";
import { startHarness } from "./harness.ts";

const Run = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Run",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ image: z.string().default("one") }),
  status: z.object({}),
});
type Run = ObjectOf<typeof Run>;

const ref = { namespace: "ns", name: "a" };
const forbidden = (message: string) => ({ code: 403, reason: "Forbidden", message });

test.for([
  { name: "an admission webhook", answer: forbidden('admission webhook "policy" denied the request: x:two is not allowed'), isKept: true },
  {
    name: "an admission webhook with its own code",
    answer: { code: 400, reason: "BadRequest", message: 'admission webhook "policy" denied the request: no' },
    isKept: true,
  },
  {
    name: "a policy of the cluster",
    answer: forbidden("jobs.batch \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"),
    isKept: true,
  },
  {
    name: "a quota that the old object uses",
    answer: forbidden('jobs.batch "a" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1'),
    isKept: false,
  },
  {
    name: "a webhook that does not know dry runs",
    answer: { code: 400, reason: "BadRequest", message: 'admission webhook "w" does not support dry run' },
    isKept: false,
  },
])("the successor of an object is refused by $name: the object is kept is $isKept", async ({ answer, isKept }) => {
  const harness = await startHarness([Run, Job], fakeClock());
  await harness.user.create(Namespace, { metadata: { name: "ns" } });
  await harness.user.create(Run, { metadata: ref, spec: {} });
  const job = dependentApply(Run, {
    name: "job",
    kind: Job,
    onImmutable: "recreate",
    readyWhen: () => true,
    desired: ({ spec }) => ({
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: `x:${spec.image}` }] } } },
    }),
  });
  const op = harness.operator(handler(Run).step(conditions()).step(job).build());
  for (let i = 0; i < 3; i++) await op.pass("ns/a");
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", ...answer });
  harness.intercept = async ({ method, path }, send) =>
    method === "POST" && path.includes("/jobs") ? { status: answer.code, headers: {}, body } : await send();
  await harness.user.patch(Run, ref, { type: "merge", body: { spec: { image: "two" } } });
  for (let i = 0; i < 2; i++) await op.pass("ns/a");
  const after = await harness.user.get(Job, ref);
  expect(after !== undefined && after.metadata.deletionTimestamp === undefined).toBe(isKept);
});

test("an object whose desired state differs at each call is recreated with growing delays", async () => {
  const harness = await startHarness([Run, Job], fakeClock());
  await harness.user.create(Namespace, { metadata: { name: "ns" } });
  await harness.user.create(Run, { metadata: ref, spec: { image: "one" } });
  let calls = 0;
  const job = dependentApply(Run, {
    name: "job",
    kind: Job,
    onImmutable: "recreate",
    readyWhen: () => true,
    desired: () => ({ spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: `x:${calls++}` }] } } } }),
  });
  const op = harness.operator(handler(Run).step(conditions()).step(job).build());
  for (let i = 0; i < 100; i++) {
    await op.pass("ns/a");
    const live = await harness.user.get(Job, ref);
    if (live?.metadata.deletionTimestamp !== undefined)
      await harness.user.patch(Job, ref, { type: "merge", body: { metadata: { finalizers: null } } });
  }
  expect(harness.requests.filter((request) => request.startsWith("DELETE jobs")).length).toBeLessThan(25);
});
