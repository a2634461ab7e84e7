/** Answers of a kube-apiserver 1.36.3 to bodies (see `conformance/`) from which this server once differed. */
import { beforeEach, expect, test } from "vitest";
import { type Answer, CONFIG_MAPS, configMap, type Harness, harness, WIDGETS, widget } from "./harness.ts";

let given: Harness;
const call: Harness["call"] = (...request) => given.call(...request);

beforeEach(async () => {
  given = harness();
  await call("POST", WIDGETS, widget("a"));
});

function said({ status, body }: Answer): unknown {
  return [status, body["message"]];
}

test("a body of a built-in kind needs neither kind nor apiVersion, one of a custom kind needs both", async () => {
  expect((await call("POST", CONFIG_MAPS, { metadata: { name: "c" } })).body).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  const { apiVersion: _, ...noVersion } = widget("b");
  expect(said(await call("POST", WIDGETS, noVersion))).toEqual([
    400,
    "the API version in the data () does not match the expected API version (example.com/v1)",
  ]);
  expect(said(await call("POST", WIDGETS, '{"apiVersion":"example.com/v1"}'))).toEqual([
    400,
    'the object provided is unrecognized (must be of type Widget): Object \'Kind\' is missing in \'{"apiVersion":"example.com/v1"}\' ({"apiVersion":"example.com/v1" ...)',
  ]);
  expect((await call("POST", WIDGETS, { ...widget("b"), kind: "Gizmo" })).body).toMatchObject({
    code: 422,
    details: { kind: "Gizmo" },
    message: 'Gizmo.example.com "b" is invalid: kind: Invalid value: "Gizmo": must be Widget',
  });
});

test("duplicate members are reported or refused, as fieldValidation asks", async () => {
  const body = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"b"},"spec":{"size":1,"size":2,"odd":3}}';
  const warned = await call("POST", `${WIDGETS}?dryRun=All`, body);
  expect([warned.body["spec"].size, warned.headers["warning"]]).toEqual([
    2,
    '299 - "duplicate field \\"spec.size\\"", 299 - "unknown field \\"spec.odd\\""',
  ]);
  expect((await call("POST", `${WIDGETS}?dryRun=All&fieldValidation=Ignore`, body)).headers).not.toHaveProperty("warning");
  expect(said(await call("POST", `${WIDGETS}?fieldValidation=Strict`, body))).toEqual([
    400,
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.size", unknown field "spec.odd"',
  ]);
  const patched = await given.merge(`${WIDGETS}/a?dryRun=All`, '{"spec":{"size":2,"size":3}}');
  expect(patched.headers["warning"]).toBe('299 - "duplicate field \\"spec.size\\""');
});

test.for<[string, object, string]>([
  [WIDGETS, widget("b", { metadata: { labels: { a: 1 } } }), "number into Go struct field ObjectMeta.labels of type string"],
  [
    CONFIG_MAPS,
    configMap("b", { metadata: { labels: { a: 1 } } }),
    "number into Go struct field ObjectMeta.metadata.labels of type string",
  ],
  [WIDGETS, widget("b", { metadata: { uid: 5 } }), "number into Go struct field ObjectMeta.uid of type types.UID"],
  [WIDGETS, widget("b", { metadata: { generation: 1.5 } }), "number 1.5 into Go struct field ObjectMeta.generation of type int64"],
  [
    WIDGETS,
    widget("b", { metadata: { ownerReferences: [{ name: 5 }] } }),
    "number into Go struct field OwnerReference.ownerReferences.name of type string",
  ],
  [WIDGETS, { ...widget("b"), metadata: 5 }, "number into Go value of type v1.ObjectMeta"],
  [CONFIG_MAPS, { metadata: 5 }, "number into Go struct field ConfigMap.metadata of type v1.ObjectMeta"],
])("%s: metadata of a wrong type, %j", async ([path, body, text]) => {
  const { status, body: answer } = await call("POST", path, body);
  expect([status, answer["message"].replace(/.*json: cannot unmarshal /, "")]).toEqual([400, text]);
});

test("a YAML body is YAML 1.1 without times, and a dot is a name", async () => {
  const yaml = "metadata: {name: y1}\nrevision: 1\ndata: {a: 2026-01-01T00:00:00Z, .: yes, b: 1:30, b: 0x10}\n";
  const { body } = await call("POST", "/apis/apps/v1/namespaces/default/controllerrevisions", yaml, { "content-type": "application/yaml" });
  expect(body["data"]).toEqual({ a: "2026-01-01T00:00:00Z", ".": true, b: 16 });
  const { text } = await call("GET", `${WIDGETS}/a`, undefined, { accept: "application/yaml" });
  expect(text).toMatch(/creationTimestamp: "/);
});
