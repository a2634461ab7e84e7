/** layered() as desired of dependentApply: what a user of the operator sees when layers turn on and off. */
import "@treadle/testing/matchers";
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { Deployment } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { fakeWorld, startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentsOf, layered, onPods, version } from "../src/index.ts";

const WebApp = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "WebApp",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ version: z.string(), tracing: z.boolean().default(false), wanted: z.boolean().default(true) }),
  status: z.object({}),
});
type WebApp = ObjectOf<typeof WebApp>;

const findRegion = step(WebApp, { name: "find-region", do: (req) => req.next({ region: "eu" }) });

/** The newest shape of the Deployment. */
const baseline = ({ metadata: { name }, spec }: WebApp) => {
  if (!spec.wanted) return undefined;
  const labels = { app: name };
  const web = { name: "web", image: `web:${spec.version}`, args: ["--port=80"], ports: [{ containerPort: 80 }] };
  return { spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [web] } } } };
};

const web = dependentApply(WebApp, {
  name: "web",
  kind: Deployment,
  needs: [findRegion],
  readyWhen: () => true,
  desired: layered(baseline, [
    {
      name: "tracing",
      when: (app) => app.spec.tracing,
      merge: onPods({ containers: [{ name: "jaeger", image: "jaeger:1" }], volumes: [{ name: "spans", emptyDir: {} }] }),
    },
    {
      name: "old-flags",
      layer: "compat",
      when: version((app: WebApp) => app.spec.version, "<2"),
      merge: onPods({ containers: { web: { args: ["--listen=:80"] } } }),
    },
    { name: "region", layer: "overrides", merge: (draft, _app, { vars }) => void (draft.metadata = { labels: { region: vars.region } }) },
  ]),
});
const operator = handler(WebApp).step(conditions()).step(findRegion).step(web).build();

async function containersOf(cluster: TestCluster): Promise<readonly (readonly [name: string, args: readonly string[] | undefined])[]> {
  const live = await cluster.get(Deployment, "shop");
  return (live?.spec?.template.spec?.containers ?? []).map(({ name, args }) => [name, args] as const);
}

test("a layer that is turned off removes its fields, and no others", async () => {
  await using cluster = await startTestCluster();
  const op = await cluster.start(operator);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: { version: "1.9.0", tracing: true } });
  await op.settled();
  expect(await containersOf(cluster)).toEqual([
    ["web", ["--listen=:80"]],
    ["jaeger", undefined],
  ]);
  const live = await cluster.get(Deployment, "shop");
  expect(live?.metadata.labels).toMatchObject({ region: "eu" });
  expect(live?.spec?.template.spec?.volumes).toMatchObject([{ name: "spans" }]);

  await cluster.update(WebApp, "shop", (object) => {
    object.spec.tracing = false;
  });
  await op.settled();
  expect(await containersOf(cluster)).toEqual([["web", ["--listen=:80"]]]);
  expect((await cluster.get(Deployment, "shop"))?.spec?.template.spec?.volumes).toBeUndefined();

  await cluster.update(WebApp, "shop", (object) => {
    object.spec.version = "2.0.0-rc.1";
  });
  await op.settled();
  expect(await containersOf(cluster)).toEqual([["web", ["--port=80"]]]);

  await cluster.update(WebApp, "shop", (object) => {
    object.spec.wanted = false;
  });
  await op.settled();
  expect(await cluster.get(Deployment, "shop")).toBeUndefined();
});

test("a layered object that is as desired costs no request", async () => {
  const world = fakeWorld(operator, {
    objects: [{ apiVersion: "example.dev/v1", kind: "WebApp", metadata: { name: "shop" }, spec: { version: "1.0.0" } }],
  });
  await world.settled();
  world.requests.clear();
  for (let i = 0; i < 3; i++) expect(await world.pass("shop")).toContinue();
  expect(world.requests.length).toBe(0);
});

test.for([
  {
    name: "throws",
    merge: (): never => {
      throw new Error("boom");
    },
    want: `step "web": layer "broken" threw: boom`,
  },
  { name: "is async", merge: (): unknown => Promise.reject(new Error("later")), want: `layer "broken" returned a promise` },
  {
    name: "leaves a function",
    merge: (draft: { data?: unknown }): void => void (draft.data = () => "x"),
    want: `layer "broken" holds at data a function, which is not JSON`,
  },
])("a layer that $name is reported in the entry, with step and layer", async ({ merge, want }) => {
  const broken = dependentApply(WebApp, {
    name: "web",
    kind: Deployment,
    desired: layered({}, [{ name: "broken", merge: merge as () => void }]),
  });
  const world = fakeWorld(handler(WebApp).step(conditions()).step(broken).build(), {
    objects: [{ apiVersion: "example.dev/v1", kind: "WebApp", metadata: { name: "shop" }, spec: { version: "1.0.0" } }],
  });
  await world.pass("shop");
  const [entry] = dependentsOf((await world.get(WebApp, "shop")) ?? {});
  expect(entry).toMatchObject({ step: "web", type: "Failed", message: expect.stringContaining(want) });
});
