/** What Ready and the author's own status say of several dependents. */
import "@treadle/testing/matchers";
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentApplyAll, type DependentState, dependentsOf, worstDependent } from "../src/index.ts";

const Site = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({}),
  status: z.object({ summary: z.string().optional() }),
});
type Site = ObjectOf<typeof Site>;
const site = { apiVersion: "example.dev/v1", kind: "Site", metadata: { name: "a" }, spec: {} };

const part = (name: string, type: string) =>
  dependentApply(Site, {
    name,
    kind: ConfigMap,
    objectName: name,
    desired: {},
    status: (): DependentState => ({ type, reason: `Is${type}`, message: `${name} is ${type}` }),
  });

const ORDERS = [
  ["Unknown", "Pending", "Failed"],
  ["Failed", "Pending", "Unknown"],
  ["Pending", "Unknown", "Failed"],
];

test.for(ORDERS)("Ready reports the worst dependent in any order: %s, %s, %s", async (types) => {
  const parts = types.map((type) => part(type.toLowerCase(), type));
  const world = fakeWorld(handler(Site).step(conditions()).step(dependentApplyAll("parts", parts)).build(), { objects: [site] });
  await world.settled();
  const owner = await world.get(Site, "a");
  expect(owner).toHaveCondition("Ready", { status: "False", reason: "IsFailed" });
  expect(worstDependent(dependentsOf(owner ?? {}))?.type).toBe("Failed");
});

test.for([
  ["Unknown", "Pending"],
  ["Pending", "Unknown"],
])("Ready reports Pending before Unknown: %s, %s", async (types) => {
  const parts = types.map((type) => part(type.toLowerCase(), type));
  const world = fakeWorld(handler(Site).step(conditions()).step(dependentApplyAll("parts", parts)).build(), { objects: [site] });
  await world.settled();
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown", reason: "IsPending" });
});

test("a post sees the entries of its own pass, so that a status computed from them is not stale", async () => {
  let isReady = false;
  const page = dependentApply(Site, {
    name: "page",
    kind: ConfigMap,
    objectName: "page",
    desired: {},
    readyWhen: (live) => isReady || (live.data?.["ready"] === "yes" ? true : "not yet"),
  });
  const summary = step(Site, {
    name: "summary",
    post(req) {
      req.status.summary = dependentsOf(req.object)
        .map(({ step: name, type }) => `${name} ${type}`)
        .join();
    },
  });
  const world = fakeWorld(handler(Site).step(conditions()).step(page).step(summary).build(), { objects: [site] });
  await world.settled();
  const summaryOf = async (): Promise<string | undefined> => ((await world.get(Site, "a")) as Site | undefined)?.status?.summary;
  expect(await summaryOf()).toBe("page Pending");
  isReady = true;
  await world.update(ConfigMap, "page", (object) => void (object.data = { ready: "yes" }));
  await world.settled();
  expect(await summaryOf()).toBe("page Ready");
});

test("a later step sees the condition of a dependent as this pass has found it", async () => {
  const page = dependentApply(Site, { name: "page", kind: ConfigMap, objectName: "page", desired: {}, conditions: ["PageReady"] });
  const seen: (string | undefined)[] = [];
  const look = step(Site, { name: "look", do: (req) => void seen.push(req.conditions.of(page, "PageReady")?.status) });
  const world = fakeWorld(handler(Site).step(conditions()).step(page).step(look).build(), { objects: [site] });
  await world.pass("a");
  expect(seen).toEqual(["True"]);
});
