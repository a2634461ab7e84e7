import { describe, expect, test } from "vitest";
import { harness, type Json, WIDGETS, widget } from "./harness.ts";

/** Returns the fields of each `manager/subresource`. */
function owners(object: Json): Record<string, unknown> {
  return Object.fromEntries(
    (object["metadata"].managedFields ?? []).map((entry: Json) => [
      entry["manager"] + (entry["subresource"] ? `/${entry["subresource"]}` : ""),
      entry["fieldsV1"],
    ]),
  );
}

describe("managedFields", () => {
  test("show that a creator owns the sent fields and the defaults", async () => {
    const { call } = harness();
    const { body } = await call(
      "POST",
      WIDGETS,
      widget("a", { metadata: { labels: { a: "b" }, finalizers: ["x.y/z"] }, spec: { tags: ["t"] } }),
      { "user-agent": "kubectl/1.32 (linux)" },
    );
    expect(body["metadata"].managedFields).toEqual([
      {
        manager: "kubectl",
        operation: "Update",
        apiVersion: "example.com/v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:finalizers": { ".": {}, 'v:"x.y/z"': {} }, "f:labels": { ".": {}, "f:a": {} } },
          "f:spec": { ".": {}, "f:mode": {}, "f:tags": { ".": {}, 'v:"t"': {} } },
        },
      },
    ]);
  });

  test("show that a changed field moves to its new manager, and a removed one has none", async () => {
    const { call, merge, clock } = harness();
    await call("POST", `${WIDGETS}?fieldManager=one`, widget("a", { metadata: { labels: { a: "b", c: "d" } } }));
    await clock.advance(5000);
    const moved = await merge(`${WIDGETS}/a?fieldManager=two`, { spec: { size: 2 }, metadata: { labels: { c: null } } });
    expect(owners(moved.body)).toEqual({
      one: { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": { ".": {}, "f:mode": {} } },
      two: { "f:spec": { "f:size": {} } },
    });
    expect(moved.body["metadata"].managedFields.map((entry: Json) => entry["time"])).toEqual([
      "2026-01-01T00:00:00Z",
      "2026-01-01T00:00:05Z",
    ]);
    const back = await merge(`${WIDGETS}/a?fieldManager=one`, { spec: { size: 3 } });
    expect(Object.keys(owners(back.body))).toEqual(["one"]);
  });

  test("have an owner for each condition", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    const status = `${WIDGETS}/a/status`;
    await merge(`${status}?fieldManager=a`, { status: { conditions: [{ type: "A", status: "True" }] } });
    const { body } = await merge(`${status}?fieldManager=b`, {
      status: {
        conditions: [
          { type: "B", status: "True" },
          { type: "A", status: "True" },
        ],
      },
    });
    expect(owners(body)).toMatchObject({
      "a/status": { "f:status": { ".": {}, "f:conditions": { ".": {}, 'k:{"type":"A"}': { ".": {}, "f:status": {}, "f:type": {} } } } },
      "b/status": { "f:status": { "f:conditions": { 'k:{"type":"B"}': { ".": {}, "f:status": {}, "f:type": {} } } } },
    });
    const taken = await merge(`${status}?fieldManager=b`, {
      status: {
        conditions: [
          { type: "B", status: "True" },
          { type: "A", status: "False" },
        ],
      },
    });
    expect(owners(taken.body)["b/status"]).toMatchObject({ "f:status": { "f:conditions": { 'k:{"type":"A"}': { "f:status": {} } } } });
    expect(owners(taken.body)["a/status"]).toEqual({
      "f:status": { ".": {}, "f:conditions": { ".": {}, 'k:{"type":"A"}': { ".": {}, "f:type": {} } } },
    });
    const gone = await merge(`${status}?fieldManager=c`, { status: null });
    expect(Object.keys(owners(gone.body))).toEqual(["tester"]);
  });

  test("have one entry for each subresource of a manager", async () => {
    const { call, merge } = harness();
    await call("POST", `${WIDGETS}?fieldManager=m`, widget("a"));
    await merge(`${WIDGETS}/a/status?fieldManager=m`, { status: { phase: "x" } });
    const { body } = await merge(`${WIDGETS}/a?fieldManager=m`, { metadata: { annotations: { a: "b" } } });
    expect(Object.keys(owners(body)).toSorted()).toEqual(["m", "m/status"]);
  });

  test("are not changed by an empty list, are reset by one empty entry, and cannot be edited through a subresource", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    await merge(`${WIDGETS}/a/status`, { status: { phase: "x" } });
    const kept = await merge(`${WIDGETS}/a`, { metadata: { managedFields: [] } });
    expect(Object.keys(owners(kept.body))).toEqual(["tester", "tester/status"]);
    expect(Object.keys(owners((await merge(`${WIDGETS}/a/status`, { metadata: { managedFields: [{}] } })).body))).toHaveLength(2);
    const reset = await merge(`${WIDGETS}/a`, { metadata: { managedFields: [{}] } });
    expect(owners(reset.body)).toEqual({});
  });

  test.for([
    { query: `fieldManager=${"x".repeat(129)}`, says: "fieldManager: Too long: may not be more than 128 bytes" },
    { query: "fieldManager=a%00b", says: "fieldManager: Invalid value" },
  ])("refuses $query", async ({ query, says }) => {
    const { status, body } = await harness().call("POST", `${WIDGETS}?${query}`, widget("a"));
    expect(status).toBe(422);
    expect(body["message"]).toContain(says);
  });
});
