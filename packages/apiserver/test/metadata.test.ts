/** Metadata that clients send in unusual ways. `conformance/scenarios/metadata.ts` compares the answers with the real ones. */
import { beforeEach, describe, expect, test } from "vitest";
import { CONFIG_MAPS, configMap, type Harness, harness, type Json, widget, widgetCrd, WIDGETS } from "./harness.ts";

const U1 = "11111111-2222-3333-4444-555555555555";
const U2 = "21111111-2222-3333-4444-555555555555";
const owner = (uid: string, more: Json = {}): Json => ({ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...more });

let made: Harness;
beforeEach(() => {
  made = harness();
});

describe("repeated owner references", () => {
  const repeated = (when: string, uids: string): string =>
    `299 - ".metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}"`;

  test("of a new object are stored once, with a warning", async () => {
    const references = [owner(U1), owner(U2), owner(U1), owner(U1, { blockOwnerDeletion: true })];
    const { status, headers, body } = await made.call("POST", CONFIG_MAPS, configMap("a", { metadata: { ownerReferences: references } }));
    expect([status, headers["warning"]]).toEqual([201, repeated("", U1)]);
    expect(body["metadata"].ownerReferences).toEqual([owner(U1), owner(U2), owner(U1, { blockOwnerDeletion: true })]);
  });

  test("of a patch are stored once, with another warning", async () => {
    await made.call("POST", WIDGETS, widget("a"));
    const { headers, body } = await made.merge(`${WIDGETS}/a`, {
      metadata: { ownerReferences: [owner(U1), owner(U1), owner(U2), owner(U2)] },
    });
    expect(headers["warning"]).toBe(repeated(" after mutating admission happens", `${U1}, ${U2}`));
    expect(body["metadata"].ownerReferences).toEqual([owner(U1), owner(U2)]);
  });
});

describe("finalizers without a domain", () => {
  const short = (name: string, path = ""): string =>
    `299 - "metadata.finalizers: \\"${name}\\": prefer a domain-qualified finalizer name ${path}to avoid accidental conflicts with other finalizer writers"`;

  test("bring a warning when a custom resource gets them", async () => {
    const created = await made.call("POST", WIDGETS, widget("a", { metadata: { finalizers: ["short", "example.com/a", "orphan"] } }));
    expect([created.status, created.headers["warning"]]).toEqual([201, short("short")]);
    expect((await made.merge(`${WIDGETS}/a`, { metadata: { labels: { a: "b" } } })).headers["warning"]).toBeUndefined();
    const patched = await made.merge(`${WIDGETS}/a`, { metadata: { finalizers: ["short", "new", "dot.ted"] } });
    expect(patched.headers["warning"]).toBe(`${short("dot.ted", "including a path (/) ")}, ${short("new")}`);
  });

  test("are refused for a built-in kind", async () => {
    const { status, headers } = await made.call("POST", CONFIG_MAPS, configMap("a", { metadata: { finalizers: ["short"] } }));
    expect([status, headers["warning"]]).toEqual([422, undefined]);
  });
});

describe("a generation that a client sends", () => {
  const generationOf = async (method: "POST" | "PUT", path: string, body: Json): Promise<unknown> =>
    (await made.call(method, path, body)).body["metadata"].generation;

  test("is stored with a new object of a kind without generations, and then stays", async () => {
    expect(await generationOf("POST", CONFIG_MAPS, configMap("a", { metadata: { generation: 5 } }))).toBe(5);
    expect(await generationOf("PUT", `${CONFIG_MAPS}/a`, configMap("a", { metadata: { generation: 7 }, data: { a: "b" } }))).toBe(5);
    expect(await generationOf("PUT", `${CONFIG_MAPS}/a`, configMap("a", { data: { a: "c" } }))).toBe(5);
  });

  test("is ignored in an update of an object without one, and for a kind with generations", async () => {
    await made.call("POST", CONFIG_MAPS, configMap("a"));
    expect(
      await generationOf("PUT", `${CONFIG_MAPS}/a`, configMap("a", { metadata: { generation: 7 }, data: { a: "b" } })),
    ).toBeUndefined();
    expect(await generationOf("POST", WIDGETS, widget("a", { metadata: { generation: 5 } }))).toBe(1);
  });

  test("is refused below 0", async () => {
    const { status, body } = await made.call("POST", CONFIG_MAPS, configMap("a", { metadata: { generation: -4 } }));
    expect([status, body["message"]]).toEqual([
      422,
      'ConfigMap "a" is invalid: metadata.generation: Invalid value: -4: must be greater than or equal to 0',
    ]);
  });
});

describe("the format of a number in a CRD", () => {
  const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";

  test.for([
    { type: "integer", known: ["int32", "int64"], unknown: ["float", "double", "int16"] },
    { type: "number", known: ["float", "double"], unknown: ["int32", "int64", "int16"] },
    { type: "string", known: ["date-time"], unknown: ["int32", "int64", "float", "double"] },
  ] as const)("brings a warning only if it is not one of $type", async ({ type, known, unknown }) => {
    const warningOf = async (format: string): Promise<string | undefined> => {
      const { metadata: _, ...crd } = widgetCrd({
        type: "object",
        properties: { spec: { type: "object", properties: { a: { type, format } } } },
      });
      const names = { plural: "things", kind: "Thing", listKind: "ThingList", singular: "thing" };
      const thing = { ...crd, metadata: { name: "things.example.com" }, spec: { ...crd.spec, names } };
      const { status, headers } = await made.call("POST", DEFINITIONS, thing);
      expect(status).toBe(201);
      return headers["warning"];
    };
    for (const format of known) expect(await warningOf(format)).toBeUndefined();
    for (const format of unknown) expect(await warningOf(format)).toBe(`299 - "unrecognized format \\"${format}\\""`);
  });
});
