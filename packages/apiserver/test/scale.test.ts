/** Owners of the replicas after writes of the subresource `scale`. `conformance/` compares them with the real server. */
import { describe, expect, test } from "vitest";
import { type Answer, harness, type Harness, type Json } from "./harness.ts";

const APPLY = { "content-type": "application/apply-patch+yaml" };
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const AT = `${DEPLOYMENTS}/a`;

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } };

function deployment(spec: Json): Json {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a" },
    spec: { selector: { matchLabels: { a: "b" } }, template, ...spec },
  };
}

interface Scaling extends Harness {
  scale(manager: string, replicas: number | undefined, query?: string): Promise<Answer>;
  owners(): Promise<readonly Json[]>;
}

/** Returns a server with an applied Deployment, whose replicas have no owner. */
async function scaling(): Promise<Scaling> {
  const made = harness({ resources: [] });
  await made.call("PATCH", `${AT}?fieldManager=creator`, deployment({}), APPLY);
  return {
    ...made,
    scale: (manager, replicas, query = "") => {
      const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas } };
      return made.call("PATCH", `${AT}/scale?fieldManager=${manager}${query}`, body, APPLY);
    },
    owners: async () =>
      (await made.call("GET", AT)).body["metadata"].managedFields.filter((entry: Json) => entry["subresource"] === "scale"),
  };
}

function owner(manager: string): Json {
  const fieldsV1 = { "f:spec": { "f:replicas": {} } };
  return { manager, operation: "Apply", apiVersion: "apps/v1", fieldsType: "FieldsV1", fieldsV1, subresource: "scale" };
}

describe("an apply of scale", () => {
  test("with force sets the replicas and owns them, in the version of the object and without a time", async () => {
    const { scale, owners, call } = await scaling();
    const { status, body } = await scale("one", 3, "&force=true");
    expect([status, body["kind"], body["spec"], body["metadata"].managedFields]).toEqual([200, "Scale", { replicas: 3 }, undefined]);
    expect((await call("GET", AT)).body["spec"].replicas).toBe(3);
    expect(await owners()).toEqual([owner("one")]);
  });

  test("conflicts with replicas without a manager, and with those of another manager", async () => {
    const { scale, owners } = await scaling();
    expect((await scale("one", 3)).body["details"].causes[0].message).toContain('"before-first-apply" with subresource "scale"');
    await scale("one", 3, "&force=true");
    const { status, body } = await scale("two", 4);
    expect([status, body["details"].causes[0].field]).toEqual([409, ".spec.replicas"]);
    expect(await owners()).toEqual([owner("one")]);
  });

  test("of the same number shares it, and a dry run changes nothing", async () => {
    const { scale, owners } = await scaling();
    await scale("one", 3, "&force=true");
    expect((await scale("one", 7, "&dryRun=All")).body["spec"]).toEqual({ replicas: 7 });
    expect(await owners()).toEqual([owner("one")]);
    await scale("two", 3);
    expect(await owners()).toEqual([owner("one"), owner("two")]);
  });

  test("conflicts with the manager that wrote the replicas of the object itself", async () => {
    const { scale, call } = await scaling();
    await call("PATCH", `${AT}?fieldManager=creator`, deployment({ replicas: 2 }), APPLY);
    expect((await scale("one", 3)).body["message"]).toBe('Apply failed with 1 conflict: conflict with "creator": .spec.replicas');
    await scale("one", 3, "&force=true");
    const rest = (await call("GET", AT)).body["metadata"].managedFields.find((entry: Json) => entry["manager"] === "creator");
    expect(rest["fieldsV1"]["f:spec"]).not.toHaveProperty("f:replicas");
  });
});

test("an update of the scale leaves replicas without an owner as they are", async () => {
  const { merge, owners, call } = await scaling();
  await merge(`${AT}/scale`, { spec: { replicas: 5 } });
  expect((await call("GET", AT)).body["spec"].replicas).toBe(5);
  expect(await owners()).toEqual([]);
});

describe("the table of a scale", () => {
  const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

  test("has the columns of kubectl, and the metadata of the object", async () => {
    const { call, scale } = await scaling();
    await scale("one", 3, "&force=true");
    const { status, body } = await call("GET", `${AT}/scale`, undefined, TABLE);
    expect([status, body["kind"]]).toEqual([200, "Table"]);
    expect(body["columnDefinitions"].map(({ name }: Json) => name)).toEqual(["Name", "Desired", "Available", "Age"]);
    expect(body["rows"]).toEqual([
      { cells: ["a", 3, 0, "0s"], object: expect.objectContaining({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" }) },
    ]);
  });

  test("has zero for a scale without replicas", async () => {
    const { call, scale } = await scaling();
    await scale("one", 0, "&force=true");
    expect((await call("GET", `${AT}/scale`, undefined, TABLE)).body["rows"][0].cells).toEqual(["a", 0, 0, "0s"]);
  });
});
