/** No cluster is needed: the API server is in memory, and time moves when a test moves it. */
import "@treadle/testing/matchers";
import { checkRights, fakeReq, startTestCluster } from "@treadle/testing";
import { explore, type Scenario } from "@treadle/testing/explore";
import { Deployment } from "treadle/kinds";
import { expect, test } from "vitest";
import { deployment, report, templateKinds } from "./template-kind-handler.ts";
import { TemplateKind } from "./template-kind.ts";

test("the step deployment creates a Deployment with the replicas of the spec, and waits for it", async () => {
  const req = fakeReq(TemplateKind, { metadata: { name: "a" }, spec: { replicas: 2 } });
  expect(await req.run(deployment)).toWait();
  expect((await req.get(Deployment, "a"))?.spec?.replicas).toBe(2);
});

test("the step report writes the number of ready pods into the status", async () => {
  const req = fakeReq(TemplateKind, { metadata: { name: "a" }, spec: { replicas: 2 } });
  await req.run(report, { phase: "post", vars: { readyReplicas: 1 } });
  expect(req.status.readyReplicas).toBe(1);
});

test("a TemplateKind becomes ready with its Deployment, follows its spec, and a change by others is reverted", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(templateKinds);
  await cluster.create(TemplateKind, { metadata: { name: "a" }, spec: { replicas: 2 } });
  await cluster.settled();
  expect(await cluster.get(TemplateKind, "a")).toBeReady();
  expect((await cluster.get(TemplateKind, "a"))?.status?.readyReplicas).toBe(2);

  await cluster.update(Deployment, "a", (live) => void Object.assign(live.spec ?? {}, { replicas: 7 }));
  await cluster.settled();
  expect((await cluster.get(Deployment, "a"))?.spec?.replicas).toBe(2);

  await cluster.update(TemplateKind, "a", ({ spec }) => void (spec.replicas = 3));
  await cluster.settled();
  expect((await cluster.get(TemplateKind, "a"))?.status?.readyReplicas).toBe(3);

  await cluster.delete(TemplateKind, "a");
  await cluster.settled();
  expect(await cluster.get(Deployment, "a")).toBeUndefined();
});

test("the API server refuses a negative number of replicas", async () => {
  await using cluster = await startTestCluster({ kinds: [TemplateKind] });
  const created = cluster.create(TemplateKind, { metadata: { name: "a" }, spec: { replicas: -1 } });
  await expect(created).rejects.toMatchObject({ code: "ERR_INVALID" });
});

test("a TemplateKind reaches the same end after a crash, a lost answer and other faults at each point", { timeout: 120_000 }, async () => {
  const scenario: Scenario = {
    workloads: true,
    async run(cluster) {
      await cluster.create(TemplateKind, { metadata: { name: "a" }, spec: { replicas: 2 } });
      await cluster.settled();
      await cluster.update(TemplateKind, "a", ({ spec }) => void (spec.replicas = 1));
    },
  };
  // A part of the points, if all of them take longer.
  const { points } = await explore(templateKinds, scenario, { budgetMs: 10_000 });
  expect(points).toBeGreaterThan(5);
});

test("the operator needs each of its rights and no others", { timeout: 120_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [TemplateKind], workloads: true });
  const runs = await checkRights(cluster, templateKinds, {
    async run({ namespaces: [namespace], until }) {
      const key = `${namespace}/a`;
      await cluster.create(TemplateKind, { metadata: { name: "a", namespace }, spec: { replicas: 1 } });
      await until("the TemplateKind is ready", async () => {
        const { conditions = [] } = (await cluster.get(TemplateKind, key))?.status ?? {};
        return conditions.some(({ type, status }) => type === "Ready" && status === "True");
      });
      // The second change repeats an event, if there is one, which needs a right of its own.
      for (const replicas of [7, 8])
        for (const { metadata } of await cluster.list(Deployment, namespace)) {
          const changed = `${namespace}/${metadata.name}`;
          await cluster.update(Deployment, changed, (live) => void Object.assign(live.spec ?? {}, { replicas }));
          await until("the Deployment is reverted", async () => (await cluster.get(Deployment, changed))?.spec?.replicas === 1);
        }
      await cluster.delete(TemplateKind, key);
      await until("the TemplateKind is deleted", async () => (await cluster.get(TemplateKind, key)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
});
