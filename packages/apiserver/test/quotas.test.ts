/**
 * ResourceQuotas in admission: the recorded answers of a real server (`conformance/run.ts --record`), and what a real server
 * cannot show in time.
 */
import { readFileSync } from "node:fs";
import { fakeClock, seededRandom } from "@treadle/apimachinery";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { recordDigests } from "./conformance/answer-digests.ts";
import { quotas } from "./conformance/scenarios/quotas.ts";
import { CONFIG_MAPS, configMap, type Harness, harness } from "./harness.ts";
import { requests, template } from "./workloads/scenario.ts";

const QUOTAS = "/api/v1/namespaces/default/resourcequotas";

async function limited(hard: object, used: object): Promise<Harness> {
  const given = harness();
  await given.call("POST", QUOTAS, { metadata: { name: "q" }, spec: { hard } });
  await given.merge(`${QUOTAS}/q/status`, { status: { hard, used } });
  return given;
}

async function used(given: Harness): Promise<unknown> {
  return (await given.call("GET", `${QUOTAS}/q`)).body["status"].used;
}

test("the answers to writes that quotas limit are those of the real server", async () => {
  const golden = readFileSync(new URL("fixtures/quotas-golden.txt", import.meta.url), "utf8")
    .trim()
    .split("\n");
  expect(golden.length).toBeGreaterThan(50);
  const server = createApiServer();
  try {
    const given = (await recordDigests(quotas, server.transport(), "golden")).trim().split("\n");
    expect(given).toEqual(golden);
  } finally {
    await server.close();
  }
});

test("a quota without a status limits nothing", async () => {
  const given = harness();
  await given.call("POST", QUOTAS, { metadata: { name: "q" }, spec: { hard: { configmaps: "0" } } });
  expect((await given.call("POST", CONFIG_MAPS, configMap("a"))).status).toBe(201);
});

test("a refused create, a dry run and a create of an existing object use nothing", async () => {
  const given = await limited({ configmaps: "2" }, { configmaps: "0" });
  expect((await given.call("POST", CONFIG_MAPS, configMap("a"))).status).toBe(201);
  expect((await given.call("POST", `${CONFIG_MAPS}?dryRun=All`, configMap("b"))).status).toBe(201);
  expect((await given.call("POST", CONFIG_MAPS, configMap("Bad_Name"))).status).toBe(422);
  expect((await given.call("POST", CONFIG_MAPS, configMap("a"))).status).toBe(409);
  expect(await used(given)).toEqual({ configmaps: "1" });
});

test("each of several quotas of a namespace limits, and other namespaces do not count", async () => {
  const given = await limited({ configmaps: "5" }, { configmaps: "0" });
  await given.call("POST", QUOTAS, { metadata: { name: "r" }, spec: { hard: { "count/configmaps": "1" } } });
  await given.merge(`${QUOTAS}/r/status`, { status: { hard: { "count/configmaps": "1" }, used: { "count/configmaps": "0" } } });
  await given.call("POST", "/api/v1/namespaces", { metadata: { name: "other" } });
  expect((await given.call("POST", "/api/v1/namespaces/other/configmaps", { metadata: { name: "x" } })).status).toBe(201);
  expect((await given.call("POST", CONFIG_MAPS, configMap("a"))).status).toBe(201);
  const refused = await given.call("POST", CONFIG_MAPS, configMap("b"));
  expect(refused.body["message"]).toBe(
    'configmaps "b" is forbidden: exceeded quota: r, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1',
  );
  expect(await used(given)).toEqual({ configmaps: "1" });
});

test("concurrent creates do not exceed a quota", async () => {
  const given = await limited({ configmaps: "5" }, { configmaps: "0" });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => given.call("POST", CONFIG_MAPS, configMap(`c${index}`))));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(await used(given)).toEqual({ configmaps: "5" });
});

test("a Deployment gets the rest of its pods when a quota grows", async () => {
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(1), workloads: true });
  onTestFinished(() => server.close());
  const { create, merge, get } = requests(server.transport(), "default");
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await server.settled();
      await clock.advance(1000);
    }
    await server.settled();
  };
  await create("resourcequotas", { metadata: { name: "q" }, spec: { hard: { pods: "2" } } });
  await server.settled();
  const spec = { replicas: 4, selector: { matchLabels: { app: "web" } }, template: template("web") };
  await create("deployments", { metadata: { name: "web" }, spec });
  await pass(10);
  expect((await get("deployments", "web"))["status"]).toMatchObject({ availableReplicas: 2, replicas: 2 });
  await merge("resourcequotas", "q", { spec: { hard: { pods: "4" } } });
  await pass(60);
  expect((await get("deployments", "web"))["status"]).toMatchObject({ availableReplicas: 4 });
  expect((await get("resourcequotas", "q"))["status"]).toEqual({ hard: { pods: "4" }, used: { pods: "4" } });
});

test("a quota counts the objects of a CRD that is created after it", async () => {
  const { definition, ...given } = await withDefinition();
  expect((await given.get("resourcequotas", "q"))["status"]).toEqual({ hard: { "count/engines.example.com": "1" } });
  await given.create("customresourcedefinitions", definition);
  await given.server.settled();
  expect((await given.get("resourcequotas", "q"))["status"].used).toEqual({ "count/engines.example.com": "0" });
});

async function withDefinition(): Promise<
  ReturnType<typeof requests> & { readonly definition: object; readonly server: ReturnType<typeof createApiServer> }
> {
  const server = createApiServer({ clock: fakeClock(), workloads: true });
  onTestFinished(() => server.close());
  const given = requests(server.transport(), "default");
  await given.create("resourcequotas", { metadata: { name: "q" }, spec: { hard: { "count/engines.example.com": "1" } } });
  await server.settled();
  const definition = {
    metadata: { name: "engines.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "engines", kind: "Engine" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  return { ...given, definition, server };
}

/** A change of one of three pods or Services. */
const changes = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "c"),
    act: fc.constantFrom("pod", "guaranteed pod", "remove pod", "stop pod", "service", "node port", "remove service", "wait"),
  }),
  { minLength: 1, maxLength: 25 },
);

/** Whatever is created, changed and deleted, and in whatever order: what a quota says is used is what exists. */
test("the use of a quota is that of the objects which exist", { tags: ["part"] }, async ({ part }) => {
  await fc.assert(
    fc.asyncProperty(changes, async (sequence) => {
      const clock = fakeClock();
      const server = createApiServer({ clock, random: seededRandom(1), workloads: true });
      const { objects, ...stage } = requests(server.transport(), "default");
      const hard = { pods: "2", "count/pods": "3", "requests.cpu": "150m", services: "2", "services.nodeports": "1" };
      await stage.create("resourcequotas", { metadata: { name: "q" }, spec: { hard } });
      await server.settled();
      for (const { name, act } of sequence) await change(stage, name, act).catch(() => undefined);
      for (let second = 0; second < 120; second += 30) {
        await server.settled();
        await clock.advance(30_000);
      }
      await server.settled();
      const { pods, services, resourcequotas } = await objects();
      const running = pods.filter(({ status }) => status.phase !== "Failed" && status.phase !== "Succeeded");
      const cpus = running.filter(({ spec }) => spec.containers[0].resources.requests?.cpu === "100m").length;
      const counted = {
        pods: String(running.length),
        "count/pods": String(pods.length),
        "requests.cpu": cpus === 0 ? "0" : `${cpus * 100}m`,
        services: String(services.length),
        "services.nodeports": String(services.filter(({ spec }) => spec.type === "NodePort").length),
      };
      await server.close();
      expect(resourcequotas[0]?.["status"].used).toEqual(counted);
      expect([running.length <= 2, cpus <= 1]).toEqual([true, true]);

      async function change(to: typeof stage, one: string, what: string): Promise<unknown> {
        const resources = what === "guaranteed pod" ? { requests: { cpu: "100m" } } : { requests: { cpu: "0" } };
        const { metadata, spec } = template("work", { spec: { containers: [{ name: "main", image: "app", resources }] } });
        switch (what) {
          case "remove pod":
          case "remove service":
            return to.remove(what === "remove pod" ? "pods" : "services", one);
          case "stop pod":
            return to.merge("pods", one, { status: { phase: "Succeeded" } }, "status");
          case "wait":
            await server.settled();
            return clock.advance(2000);
          case "service":
          case "node port": {
            const type = what === "service" ? "ClusterIP" : "NodePort";
            const made = { metadata: { name: one }, spec: { type, ports: [{ port: 80 }] } };
            return to.create("services", made).catch(() => to.merge("services", one, { spec: { type } }));
          }
          default:
            return to.create("pods", { metadata: { ...metadata, name: one }, spec });
        }
      }
    }),
    part.runs(200),
  );
});
