/**
 * ResourceQuotas in admission: the recorded answers of a real server (`conformance/run.ts --record`), and what a real server
 * cannot show in time.
 */
import { readFileSync } from "node:fs";
import { fakeClock, seededRandom } from "@treadle/apimachinery";
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
