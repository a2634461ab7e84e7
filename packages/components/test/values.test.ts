/** Values between components, and in components that cannot render a resource. */
import { ConfigMap, Job, Secret } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { component } from "../src/component.ts";
import { App, app, jobSpec, login, main, mainOf, page, secret, settled, told } from "./stage.ts";

const giver = page("giver", { gives: { host: (live: { readonly metadata: { readonly name?: string } }) => live.metadata.name } });
const taker = dependentApply(App, {
  name: "taker",
  kind: ConfigMap,
  objectName: "taker",
  needs: [giver] as never,
  desired: (_, { vars }) => ({ data: { host: (vars as { readonly host: string }).host } }),
});

test("a resource behind a block still gives the values of its object to other components", async () => {
  const second = component(App, { name: "second", condition: "SecondReady", resources: [taker] as never });
  const world = await settled([main([login(), giver]), second], { objects: [secret("login")] });
  expect((await world.get(ConfigMap, "taker"))?.data).toEqual({ host: "giver" });
  await world.delete(Secret, "login");
  await world.delete(ConfigMap, "taker");
  await world.settled();
  expect(await mainOf(world)).toMatch(/^False Blocked: login: /);
  expect((await world.get(ConfigMap, "taker"))?.data, "it is created again").toEqual({ host: "giver" });
  expect((await told(world))["SecondReady"]).toMatch(/^True Healthy/);
});

test("a complete Job whose values are missing does not hold up a suspension", { tags: ["memory"] }, async () => {
  const user = login();
  const job = dependentApply(App, {
    name: "job",
    kind: Job,
    objectName: "job",
    needs: [user],
    desired: (owner, { vars }) => ({ metadata: { annotations: { user: String(vars.user) } }, spec: jobSpec(owner) }),
  });
  await using cluster = await startTestCluster({ workloads: true, objects: [secret("login")] });
  await cluster.start(
    handler(App)
      .step(conditions())
      .step(main([user, job]) as never)
      .build(),
  );
  await cluster.apply(app());
  await cluster.settled();
  expect(await mainOf(cluster)).toMatch(/^True Completed/);
  await cluster.delete(Secret, "login");
  await cluster.update(App, "a", (owner) => void (owner.spec.suspended = true));
  await cluster.settled();
  expect(await mainOf(cluster)).toMatch(/^True Suspended/);
});
