/** Built-in shapes in a spec, as users meet them. The tests run on the in-memory API server and, unchanged, on a real control plane. */

import "@treadle/testing/matchers";
import { setTimeout as delay } from "node:timers/promises";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { conditions, defineResource, dependentApply, handler, isInvalid } from "treadle";
import { Deployment } from "treadle/kinds";
import { podTemplateSpec } from "treadle/schemas";
import { expect, test } from "vitest";
import { z } from "zod";
import { CronJob, shapesResource } from "./shapes.ts";

const job = {
  metadata: { labels: { app: "job" }, annotations: { note: "job" }, finalizers: ["example.com/job"] },
  spec: {
    template: {
      metadata: { labels: { app: "pod" }, annotations: { note: "pod" }, finalizers: ["example.com/pod"] },
      spec: {
        restartPolicy: "OnFailure",
        containers: [{ name: "c", image: "busybox", args: ["date"], resources: { limits: { cpu: "500m", memory: "64Mi" } } }],
        volumes: [
          {
            name: "scratch",
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { labels: { app: "claim" }, annotations: { note: "claim" }, finalizers: ["example.com/claim"] },
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            },
          },
        ],
      },
    },
  },
};
const cronJob = { metadata: { name: "a" }, spec: { schedule: "* * * * *", jobTemplate: job } };

test("labels, annotations and finalizers of an embedded template survive a create, an update and an apply", async () => {
  await using cluster = await startTestCluster({ kinds: [CronJob] });
  await cluster.install(CronJob);
  expect((await cluster.create(CronJob, cronJob)).spec.jobTemplate).toEqual(job);
  const updated = await cluster.update(CronJob, "a", (object) => {
    object.spec.schedule = "0 * * * *";
  });
  expect(updated.spec.jobTemplate).toEqual(job);
  const applied = { apiVersion: "batch.tutorial.kubebuilder.io/v1", kind: "CronJob", ...cronJob };
  const { spec } = await cluster.client.apply(CronJob, { ...applied, metadata: { name: "b", namespace: "default" } });
  expect(spec.jobTemplate).toEqual(job);
});

test.for([
  { name: "a template without containers", spec: { template: { spec: {} } }, path: "spec.jobTemplate.spec.template.spec.containers" },
  {
    name: "a container without a name",
    spec: { template: { spec: { containers: [{ image: "i" }] } } },
    path: "spec.jobTemplate.spec.template.spec.containers[0].name",
  },
  {
    name: "a policy that does not exist",
    spec: { template: { spec: { containers: [{ name: "c" }], restartPolicy: "Sometimes" } } },
    path: "spec.jobTemplate.spec.template.spec.restartPolicy",
  },
  {
    name: "two containers of one name",
    spec: { template: { spec: { containers: [{ name: "c" }, { name: "c" }] } } },
    path: "spec.jobTemplate.spec.template.spec.containers[1]",
  },
  {
    name: "a fraction as a number",
    spec: { template: { spec: { containers: [{ name: "c", resources: { limits: { cpu: 0.5 } } }] } } },
    path: "spec.jobTemplate.spec.template.spec.containers[0].resources.limits.cpu",
  },
])("the server refuses $name, and the error has the path", async ({ spec, path }) => {
  await using cluster = await startTestCluster({ kinds: [CronJob] });
  await cluster.install(CronJob);
  const given = { metadata: { name: "a", namespace: "default" }, spec: { schedule: "* * * * *", jobTemplate: { spec } } };
  const error = await cluster.client.create(CronJob, given as never).catch((reason: unknown) => reason); // The compiler refuses it, too.
  expect(isInvalid(error)).toBe(true);
  expect(String(error)).toContain(path);
});

test("a field of a template that is null counts as absent", async () => {
  await using cluster = await startTestCluster({ kinds: [CronJob] });
  await cluster.install(CronJob);
  const template = { spec: { containers: [{ name: "c" }], nodeSelector: null } };
  const given = { metadata: { name: "a", namespace: "default" }, spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } };
  const { spec } = await cluster.client.create(CronJob, given as never); // The compiler refuses the null.
  expect(spec.jobTemplate.spec?.template.spec).toEqual({ containers: [{ name: "c" }] });
});

test("a CRD with every shape is accepted, and the server fills in the defaults of list keys", async () => {
  const Shapes = shapesResource();
  await using cluster = await startTestCluster({ kinds: [Shapes] });
  await cluster.install(Shapes);
  const spec = {
    podTemplateSpec: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", ports: [{ containerPort: 80 }] }] } },
    quantity: 1,
    intOrString: "25%",
    resourceRequirements: { limits: { cpu: 2, memory: "1Gi" } },
    envVar: { name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
    labelSelector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
    servicePort: { port: 80, targetPort: "http" },
    objectMeta: { finalizers: ["example.com/x"] },
  };
  const stored = await cluster.client.apply(Shapes, { metadata: { name: "a", namespace: "default" }, spec });
  expect(stored).toMatchObject({
    spec: {
      ...spec,
      podTemplateSpec: { metadata: { labels: { a: "b" } }, spec: { containers: [{ ports: [{ containerPort: 80, protocol: "TCP" }] }] } },
      servicePort: { port: 80, targetPort: "http", protocol: "TCP" },
    },
  });
});

test("the OpenAPI of the server has the descriptions and enums that kubectl explain prints", async () => {
  await using cluster = await startTestCluster({ kinds: [CronJob] });
  await cluster.install(CronJob);
  const containers = await explained(cluster, ["spec", "jobTemplate", "spec", "template", "spec", "containers"]);
  expect(containers?.description).toContain("List of containers belonging to the pod.");
  const policy = await explained(cluster, ["spec", "jobTemplate", "spec", "template", "spec", "restartPolicy"]);
  expect(policy).toMatchObject({ type: "string", enum: ["Always", "Never", "OnFailure"] });
  expect(await explained(cluster, ["spec", "jobTemplate"])).toMatchObject({
    description: "jobTemplate defines the job that will be created when executing a CronJob.",
  });
});

const Web = defineResource({
  group: "shapes.treadle.dev",
  version: "v1",
  kind: "Web",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ template: podTemplateSpec({ descriptions: false }) }),
});
const deployment = dependentApply(Web, {
  name: "web",
  kind: Deployment,
  objectName: (web) => web.metadata.name,
  desired: ({ spec, metadata }) => ({ spec: { selector: { matchLabels: { app: metadata.name } }, template: spec.template } }),
  readyWhen: () => true,
});
const webs = handler(Web).step(conditions()).step(deployment).build();

test("an operator that copies a template with quantities as numbers writes its Deployment once", async () => {
  await using cluster = await startTestCluster();
  const op = await cluster.start(webs);
  const resources = { limits: { cpu: 1, memory: "1024Mi" } };
  await cluster.apply({
    apiVersion: "shapes.treadle.dev/v1",
    kind: "Web",
    metadata: { name: "a" },
    spec: { template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i", resources }] } } },
  });
  await op.settled();
  expect(await cluster.get(Web, "a")).toBeReady();
  const [container] = (await cluster.get(Deployment, "a"))?.spec?.template.spec?.containers ?? [];
  expect(container?.resources?.limits).toEqual({ cpu: "1", memory: "1Gi" });

  cluster.requests.clear();
  await cluster.update(Deployment, "a", (object) => {
    object.metadata.annotations = { ...object.metadata.annotations, note: "mine" };
  });
  await op.settled();
  expect(cluster.requests.filter({ kind: Deployment, verb: ["apply", "patch", "update"] })).toEqual([]);
});

interface Explained {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Explained>>;
  readonly items?: Explained;
}

/** The schema of a field in the server's OpenAPI, where a real server publishes it some seconds after the CRD. */
async function explained(cluster: TestCluster, fields: readonly string[]): Promise<Explained | undefined> {
  const path = "/openapi/v3/apis/batch.tutorial.kubebuilder.io/v1";
  for (let attempt = 0; attempt < 200; attempt++) {
    const { status, body } = await cluster.client.raw({ method: "GET", path, headers: {} });
    const found = status === 200 && body !== undefined ? schemaIn(body, fields) : undefined;
    if (found !== undefined) return found;
    await delay(100); // only on a real server
  }
  return undefined;
}

function schemaIn(document: string, fields: readonly string[]): Explained | undefined {
  const { components } = JSON.parse(document) as { readonly components?: { readonly schemas?: Readonly<Record<string, Explained>> } };
  const [root] = Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) => (name.endsWith(".CronJob") ? [schema] : []));
  return fields.reduce<Explained | undefined>((schema, field) => (schema?.items ?? schema)?.properties?.[field], root);
}
