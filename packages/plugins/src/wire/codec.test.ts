import { expect, test } from "vitest";
import { decodeAnswer, decodeDescription, encodePlan } from "./codec.ts";
import { repeatedIn } from "./texts.ts";

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const dependent = { id: "a", object: json({ apiVersion: "v1", kind: "Secret" }), config: null, state: null };
const secretOf = (stringData: object) => json({ apiVersion: "v1", kind: "Secret", stringData });
const state = { type: "Ready", reason: "Ready", message: "", attributes: [] };
const dependents = (...list: object[]) => ({ answer: "dependents", dependents: { dependents: list } });

test.for([
  { name: "no answer", given: {}, message: "it has no answer" },
  { name: "empty problems", given: { problems: { problems: [] } }, message: "problems is empty" },
  {
    name: "a problem without a message",
    given: { problems: { problems: [{ path: "spec", message: "" }] } },
    message: "problems[0].message is empty",
  },
  { name: "an error without a code", given: { error: { code: "", message: "m", terminal: false } }, message: `error.code is ""` },
  { name: "an empty id", given: dependents({ ...dependent, id: "" }), message: "dependents[0].id is empty" },
  { name: "a long id", given: dependents({ ...dependent, id: "a".repeat(254) }), message: "dependents[0].id is too long" },
  { name: "two equal ids", given: dependents(dependent, dependent), message: `dependents has "a" twice` },
  { name: "no object", given: dependents({ ...dependent, object: Buffer.alloc(0) }), message: "dependents[0].object is empty" },
  {
    name: "bytes that are not JSON",
    given: dependents({ ...dependent, object: Buffer.from("{") }),
    message: "is not a JSON object in UTF-8",
  },
  {
    name: "bytes that are not UTF-8",
    given: dependents({ ...dependent, object: Buffer.from([0x22, 0xff, 0x22]) }),
    message: "is not a JSON object in UTF-8",
  },
  { name: "a list", given: dependents({ ...dependent, object: json([]) }), message: "is not a JSON object in UTF-8" },
  { name: "no kind", given: dependents({ ...dependent, object: json({ apiVersion: "v1" }) }), message: "has no kind" },
  {
    name: "a number as apiVersion",
    given: dependents({ ...dependent, object: json({ apiVersion: 1, kind: "A" }) }),
    message: "has no apiVersion",
  },
  {
    name: "an apiVersion without a group",
    given: dependents({ ...dependent, object: json({ apiVersion: "/v1", kind: "A" }) }),
    message: `has the apiVersion "/v1"`,
  },
  {
    name: "an apiVersion of three parts",
    given: dependents({ ...dependent, object: json({ apiVersion: "a/b/c", kind: "A" }) }),
    message: `has the apiVersion "a/b/c"`,
  },
  {
    name: "an object of more than 1.5 MiB",
    given: dependents({ ...dependent, object: json({ apiVersion: "v1", kind: "A", a: "x".repeat(1.5 * 1024 * 1024) }) }),
    message: "dependents[0].object has 1572901 bytes",
  },
  {
    name: "an object of more than 50,000 values",
    given: dependents({ ...dependent, object: json({ apiVersion: "v1", kind: "A", a: Array.from({ length: 50_000 }, () => []) }) }),
    message: "dependents[0].object has more than 50000 values",
  },
  {
    name: "more than 100,000 values in its objects",
    given: dependents(
      ...["a", "b", "c"].map((id) => ({ ...dependent, id, object: json({ apiVersion: "v1", kind: "A", a: Array(40_000).fill(0) }) })),
    ),
    message: "dependents has objects that together have more than 100000 values",
  },
  {
    name: "a number that is not finite",
    given: dependents({ ...dependent, object: Buffer.from(`{"apiVersion":"v1","kind":"A","a":[-1e999]}`) }),
    message: "dependents[0].object has a number that is too large",
  },
  ...[
    { name: "labels that are a text", metadata: { labels: "a=b" }, field: "labels" },
    { name: "labels that are a list", metadata: { labels: ["a"] }, field: "labels" },
    { name: "annotations that are a text", metadata: { annotations: "a" }, field: "annotations" },
    { name: "a number as annotation", metadata: { annotations: { a: "b", c: 1 } }, field: "annotations" },
  ].map(({ name, metadata, field }) => ({
    name,
    given: dependents({ ...dependent, object: json({ apiVersion: "v1", kind: "A", metadata }) }),
    message: `dependents[0].object has metadata.${field} that are no texts`,
  })),
  {
    name: "33 attributes of a state",
    given: dependents({ ...dependent, state: { ...state, attributes: Array(33).fill({ name: "a", value: "b" }) } }),
    message: "dependents[0].state.attributes has more than 32 attributes",
  },
  {
    name: "states of more than 256 KiB",
    given: dependents(
      ...Array.from({ length: 20 }, (_, nth) => ({
        ...dependent,
        id: `a${nth}`,
        state: { ...state, attributes: Array(32).fill({ name: "a", value: "b".repeat(500) }) },
      })),
    ),
    message: "dependents has states of more than 256 KiB together",
  },
  {
    name: "a Secret whose data is a text",
    given: dependents({ ...dependent, object: json({ apiVersion: "v1", kind: "Secret", data: "x".repeat(1_000_000) }) }),
    message: "dependents has a Secret whose data is no object",
  },
  {
    name: "Secrets of more than 1 MiB",
    given: dependents(...["a", "b"].map((id) => ({ ...dependent, id, object: secretOf({ key: id.repeat(600_000) }) }))),
    message: "dependents has Secrets with more than 1000 values or 1 MiB",
  },
  {
    name: "more than 1,000 values in Secrets",
    given: dependents({ ...dependent, object: secretOf(Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, "v"]))) }),
    message: "dependents has Secrets with more than 1000 values or 1 MiB",
  },
  { name: "another state", given: dependents({ ...dependent, state: { ...state, type: "Fine" } }), message: `state.type is "Fine"` },
  {
    name: "a reason of two words",
    given: dependents({ ...dependent, state: { ...state, reason: "a b" } }),
    message: `state.reason is "a b"`,
  },
  {
    name: "an attribute without a name",
    given: dependents({ ...dependent, state: { ...state, attributes: [{ name: "", value: "x" }] } }),
    message: "attributes[0].name is empty",
  },
])("a plan with $name is not valid", ({ given, message }) => {
  expect(() => decodeAnswer(given)).toThrowError(expect.objectContaining({ message: expect.stringMatching(/; (set|give) /) }));
  expect(() => decodeAnswer(given)).toThrowError(message);
});

test("a message has no part of a Secret", () => {
  const secret = Buffer.from(`{"apiVersion":"v1","kind":"Secret","stringData":{"password":"hunter2"`);
  expect(() => decodeAnswer(dependents({ ...dependent, object: secret }))).toThrowError(
    expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
  );
});

test("a plan has objects, what is decided about them, and states", () => {
  const attributes = [{ name: "pod", value: "db-0" }];
  const given = dependents(
    { ...dependent, config: { owned: false, _owned: "owned" } },
    { ...dependent, id: "b", state: { ...state, attributes } },
    { ...dependent, id: "c", state },
  );
  const object = { apiVersion: "v1", kind: "Secret" };
  expect(decodeAnswer(given)).toEqual({
    type: "dependents",
    dependents: [
      { id: "a", object, config: { owned: false }, state: undefined },
      { id: "b", object, config: {}, state: { type: "Ready", reason: "Ready", message: "", attributes } },
      { id: "c", object, config: {}, state: { type: "Ready", reason: "Ready", message: "" } },
    ],
  });
});

test("an object with any field is an answer", () => {
  const object = { apiVersion: "v1", kind: "A", toString: 1, constructor: null };
  expect(decodeAnswer(dependents({ ...dependent, object: json(object) }))).toMatchObject({ dependents: [{ object }] });
});

test("an object with the most values is an answer, without labels or with texts", () => {
  const list = Array(49_995 - 1).fill(0);
  for (const metadata of [{ labels: null }, { annotations: { a: "b" } }]) {
    const object = { apiVersion: "v1", kind: "A", metadata, a: list.slice(2) };
    expect(decodeAnswer(dependents({ ...dependent, object: json(object) }))).toMatchObject({ dependents: [{ object }] });
  }
});

test("an empty plan is an answer", () => {
  expect(decodeAnswer(dependents())).toEqual({ type: "dependents", dependents: [] });
});

test("a request has its objects as JSON", () => {
  const owner = { apiVersion: "v1", kind: "A", metadata: { name: "ä" } };
  const message = encodePlan({ type: "t", version: "", owner, parameters: { a: 1 }, live: [{ id: "x", object: owner }] });
  expect(message).toEqual({
    type: "t",
    version: "",
    owner: json(owner),
    parameters: json({ a: 1 }),
    live: [{ id: "x", object: json(owner) }],
  });
});

const type = { name: "postgresql", versions: ["16"], parameterSchema: Buffer.alloc(0) };
const description = {
  name: "pg",
  version: "",
  category: "database",
  apiVersions: { oldest: "1.0", newest: "1.3" },
  types: [type],
  kinds: [{ group: "", version: "v1", kind: "Secret" }],
};

test.for<{ name: string; given: object; message: string }>([
  {
    name: "a schema of more than 50,000 values",
    given: { types: [{ ...type, parameterSchema: json({ enum: Array(50_000).fill(0) }) }] },
    message: "types[0].parameterSchema has more than 50000 values",
  },
  { name: "no name", given: { name: "" }, message: "name is empty" },
  { name: "no versions", given: { apiVersions: null }, message: "apiVersions are not set" },
  { name: "a bad version", given: { apiVersions: { oldest: "1.0", newest: "v2" } }, message: `apiVersions.newest is "v2"` },
  { name: "no category", given: { category: "" }, message: `category is ""` },
  { name: "a category that is no word", given: { category: "a/b" }, message: `category is "a/b"` },
  { name: "no types", given: { types: [] }, message: "types is empty" },
  {
    name: "1,001 types",
    given: { types: Array.from({ length: 1_001 }, (_, nth) => ({ ...type, name: `t${nth}` })) },
    message: "types has more than 1000 types",
  },
  { name: "two equal types", given: { types: [type, { ...type, name: "PostgreSQL" }] }, message: `types has "postgresql" twice` },
  {
    name: "a schema that is no object",
    given: { types: [{ ...type, parameterSchema: json(true) }] },
    message: "is not a JSON object in UTF-8",
  },
  {
    name: "a kind without a version",
    given: { kinds: [{ group: "", version: "", kind: "Secret" }] },
    message: "kinds[0].version is empty",
  },
  { name: "control characters in the name", given: { name: "pg\u001b[31m" }, message: "name has control characters" },
])("a description with $name is not valid", ({ given, message }) => {
  expect(() => decodeDescription({ ...description, ...given })).toThrowError(message);
});

test("a description has the schemas as objects, absent for an empty one", () => {
  const types = [type, { ...type, name: "mysql", parameterSchema: json({ type: "object" }) }];
  expect(decodeDescription({ ...description, types }).types).toEqual([
    { name: "postgresql", versions: ["16"], parameterSchema: undefined },
    { name: "mysql", versions: ["16"], parameterSchema: { type: "object" } },
  ]);
});

test("each id of a plan is compared once, also if there are very many", () => {
  let reads = 0;
  const ids = Array.from({ length: 1_000 }, (_, nth) => `id-${nth}`);
  const counted = new Proxy(ids, { get: (list, name) => ((reads += 1), Reflect.get(list, name)) });
  expect(repeatedIn(counted)).toBeUndefined();
  expect(reads).toBeLessThan(3_000);
  expect(repeatedIn([...ids, "id-7"])).toBe("id-7");
});
