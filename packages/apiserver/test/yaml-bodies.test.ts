/** Bodies in YAML. `conformance/scenarios/yaml-bodies.ts` compares the answers with the real ones. */
import { beforeEach, expect, test } from "vitest";
import { type Answer, CONFIG_MAPS, type Harness, harness, WIDGETS } from "./harness.ts";

const HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

let made: Harness;
beforeEach(() => {
  made = harness();
});

// The harness sends texts as they are.
async function create(text: string, query = ""): Promise<Answer> {
  return made.call("POST", `${CONFIG_MAPS}${query}`, text, { "content-type": "application/yaml" });
}

test.for([
  { name: "a second document", text: `${HEAD}---\nkind: [\n` },
  { name: "an end marker and anything after it", text: `${HEAD}...\nkind: [\n` },
  { name: "an object after one in braces", text: '{"kind":"ConfigMap","metadata":{"name":"a"}}\n{"kind":"Other"}' },
])("$name is ignored", async ({ text }) => {
  const { status, body } = await create(text);
  expect([status, body["metadata"]?.name]).toEqual([201, "a"]);
});

test("an empty first document is an empty object", async () => {
  expect((await create(`---\n---\n${HEAD}`)).body["message"]).toBe(
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  );
});

test.for([
  { name: "a value", text: `${HEAD}data:\n  a: x\n  a: z\n`, lines: ['line 7: key "a"'] },
  { name: "a value three times", text: `${HEAD}data: {a: x, a: z,\n  a: w}\n`, lines: ['line 5: key "a"', 'line 6: key "a"'] },
  { name: "a map, named by the line of its content", text: `${HEAD}metadata:\n  name: a\n`, lines: ['line 6: key "metadata"'] },
  { name: "a merged key", text: `${HEAD}  labels: &l {a: b}\n  annotations:\n    <<: *l\n    a: c\n`, lines: ['line 8: key "a"'] },
])("a repeated key brings a warning, and is refused with fieldValidation=Strict: $name", async ({ text, lines }) => {
  const problems = lines.map((line) => `${line} already set in map`);
  const strict = await create(text, "?fieldValidation=Strict");
  const cause = `yaml: unmarshal errors:\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
  const refused = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error';
  expect([strict.status, strict.body["message"]]).toEqual([400, `${refused}: ${cause}`]);
  expect((await create(text, "?fieldValidation=Ignore&dryRun=All")).headers["warning"]).toBeUndefined();
  const { status, headers } = await create(text);
  expect([status, headers["warning"]]).toEqual([201, problems.map((problem) => `299 - ${JSON.stringify(problem)}`).join(", ")]);
});

test("the last of repeated keys is stored, and a number and its text are two keys", async () => {
  const { headers, body } = await create(`${HEAD}data:\n  1: x\n  "1": z\n  a: w\n  a: v\n`);
  expect([body["data"], headers["warning"]]).toEqual([{ 1: "z", a: "v" }, '299 - "line 9: key \\"a\\" already set in map"']);
});

test("unknown fields follow the repeated keys, in the order of their names", async () => {
  const text = `zzz: 1\n${HEAD}  foo: 1\ndata: {a: x, a: z}\naaa: 1\n`;
  expect((await create(text, "?fieldValidation=Ignore&dryRun=All")).headers["warning"]).toBeUndefined();
  const { headers } = await create(text);
  const texts = ['line 7: key "a" already set in map', 'unknown field "aaa"', 'unknown field "metadata.foo"', 'unknown field "zzz"'];
  expect(headers["warning"]).toBe(texts.map((one) => `299 - ${JSON.stringify(one)}`).join(", "));
});

test("an applied configuration in braces may repeat a key", async () => {
  const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: x, a: z}}";
  const headers = { "content-type": "application/apply-patch+yaml" };
  const answer = await made.call("PATCH", `${CONFIG_MAPS}/a?fieldManager=one`, text, headers);
  expect([answer.status, answer.headers["warning"]]).toEqual([201, '299 - "line 1: key \\"a\\" already set in map"']);
});

test("a custom resource without a kind is refused with another text when fields are not checked", async () => {
  const messageOf = async (query: string): Promise<unknown> =>
    (await made.call("POST", `${WIDGETS}${query}`, "---\n", { "content-type": "application/yaml" })).body["message"];
  expect(await messageOf("")).toContain(
    "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '---\n'",
  );
  expect(await messageOf("?fieldValidation=Ignore")).toBe(
    "Widget in version \"v1\" cannot be handled as a Widget: Object 'Kind' is missing in 'null'",
  );
});
