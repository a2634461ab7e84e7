/** Answers of a kube-apiserver 1.36.3 (see `conformance/`) from which this server once differed. */
import { beforeEach, describe, expect, test } from "vitest";
import { type Answer, CONFIG_MAPS, configMap, type Harness, harness, WIDGETS, widget } from "./harness.ts";

const ALL = "/apis/example.com/v1/widgets";
const json = { "content-type": "application/json-patch+json" };
let given: Harness;
const call: Harness["call"] = (...request) => given.call(...request);

beforeEach(async () => {
  given = harness();
  await call("POST", WIDGETS, widget("a"));
});

function said({ status, body }: Answer): unknown {
  return [status, body["message"]];
}

describe("custom resources of all namespaces", () => {
  test.for<["GET" | "POST" | "PUT" | "PATCH" | "DELETE", string]>([
    ["DELETE", ALL],
    ["DELETE", `${ALL}/a`],
    ["POST", ALL],
    ["PUT", ALL],
    ["PATCH", ALL],
    ["GET", `${ALL}/a`],
  ])("%s %s is no path", async ([method, path]) => {
    const answer = await call(method, path, method === "GET" || method === "DELETE" ? undefined : widget("b"));
    expect([answer.status, answer.text]).toEqual([404, "404 page not found\n"]);
    expect((await call("GET", ALL)).body["items"]).toHaveLength(1);
  });

  test("built-in kinds of all namespaces can only be read, too", async () => {
    await call("POST", CONFIG_MAPS, configMap("a"));
    expect((await call("DELETE", "/api/v1/configmaps")).status).toBe(405);
    expect((await call("POST", "/api/v1/configmaps", configMap("b"))).status).toBe(405);
    expect((await call("GET", "/api/v1/configmaps")).body["items"]).toHaveLength(1);
  });
});

describe("paths and methods", () => {
  test("a custom resource can be posted to the path of an object, and the name in the body counts", async () => {
    expect(said(await call("POST", `${WIDGETS}/x`, widget("a")))).toEqual([409, 'widgets.example.com "a" already exists']);
    expect((await call("POST", `${WIDGETS}/x`, widget("b"))).status).toBe(201);
    expect((await call("GET", `${WIDGETS}/b`)).status).toBe(200);
  });

  test("a collection cannot be put or patched", async () => {
    expect(said(await call("PUT", WIDGETS, widget("a")))).toEqual([400, "name must be provided"]);
    expect(said(await given.merge(WIDGETS, {}))).toEqual([400, "name must be provided"]);
  });

  test("for custom resources a missing subresource is a missing object", async () => {
    const want = [404, 'widgets.example.com "a" not found'];
    expect(said(await call("GET", `${WIDGETS}/a/absent`))).toEqual(want);
    expect(said(await call("GET", `${WIDGETS}/a/scale`))).toEqual(want);
    const status = await call("GET", `${CONFIG_MAPS}/a/status`);
    expect(said(status)).toEqual([404, "the server could not find the requested resource"]);
  });

  test("the refusal of a wrong method of a built-in kind names nothing", async () => {
    const { status, body } = await call("POST", `${CONFIG_MAPS}/a`, configMap("a"));
    expect({ status, message: body["message"], details: body["details"] }).toEqual({
      status: 405,
      message: "the server does not allow this method on the requested resource",
      details: {},
    });
  });

  test("a watch with the old path works", async () => {
    const watching = await given.watch(WIDGETS.replace("/v1/", "/v1/watch/"));
    expect(await watching.take()).toMatchObject([{ type: "ADDED", object: { metadata: { name: "a" } } }]);
    watching.stop();
  });
});

describe("deletion", () => {
  const gone = async (name: string): Promise<boolean> => (await call("GET", `${WIDGETS}/${name}`)).status === 404;

  test("with a body ignores the query", async () => {
    expect((await call("DELETE", `${WIDGETS}/a?dryRun=All&propagationPolicy=Odd`, {})).status).toBe(200);
    expect(await gone("a")).toBe(true);
  });

  test.for<[unknown, string]>([
    [
      { kind: "Widget", apiVersion: "example.com/v1" },
      'no kind "Widget" is registered for version "example.com/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [{ kind: "Widget" }, 'no kind "Widget" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"'],
    [{ dryRun: "All" }, "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string"],
    [{ preconditions: { uid: 5 } }, "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID"],
    ["{", "couldn't get version/kind; json parse error: unexpected end of JSON input"],
  ])("options %j delete nothing", async ([body, message]) => {
    expect(said(await call("DELETE", `${WIDGETS}/a`, body))).toEqual([400, message]);
    expect(await gone("a")).toBe(false);
  });

  test("in a dry run shows deletionTimestamp, and does not store it", async () => {
    const { body } = await call("DELETE", `${WIDGETS}/a?dryRun=All&propagationPolicy=Foreground`);
    expect(body["metadata"]).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0, finalizers: ["foregroundDeletion"] });
    expect(body["metadata"].deletionTimestamp).toBeDefined();
    const { metadata } = (await call("GET", `${WIDGETS}/a`)).body;
    expect(metadata.resourceVersion).toBe(body["metadata"].resourceVersion);
    expect([metadata.generation, metadata.deletionTimestamp, metadata.finalizers]).toEqual([1, undefined, undefined]);
  });

  test("keeps the name until it is complete, and a refused create reports that", async () => {
    await call("POST", WIDGETS, widget("f", { metadata: { finalizers: ["a.b/c"] } }));
    await call("DELETE", `${WIDGETS}/f`);
    expect(said(await call("POST", WIDGETS, widget("f")))).toEqual([
      409,
      'object is being deleted: widgets.example.com "f" already exists',
    ]);
  });

  test("of namespaces and CRDs has no grace period, and does not count as a change", async () => {
    await call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    const { metadata } = (await call("DELETE", "/api/v1/namespaces/n")).body;
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(metadata).not.toHaveProperty("deletionGracePeriodSeconds");
  });
});

describe("updates", () => {
  test("need a name in the body", async () => {
    const message = "the name of the object (a based on URL) was undeterminable: name must be provided";
    expect(said(await call("PUT", `${WIDGETS}/a`, { ...widget("a"), metadata: {} }))).toEqual([400, message]);
    expect(said(await given.merge(`${WIDGETS}/a`, { metadata: { name: null } }))).toEqual([400, message]);
  });

  test.for<[string, number, string]>([
    ["x", 500, 'strconv.ParseUint: parsing "x": invalid syntax'],
    ["0", 422, 'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update'],
  ])("resourceVersion %j", async ([resourceVersion, status, message]) => {
    expect(said(await call("PUT", `${WIDGETS}/a`, widget("a", { metadata: { resourceVersion } })))).toEqual([status, message]);
    expect(said(await given.merge(`${WIDGETS}/a`, { metadata: { resourceVersion } }))).toEqual([status, message]);
  });

  test("with another uid are a conflict", async () => {
    const { metadata } = (await call("GET", `${WIDGETS}/a`)).body;
    const body = widget("a", { metadata: { uid: "other", resourceVersion: metadata.resourceVersion } });
    expect(said(await call("PUT", `${WIDGETS}/a`, body))).toEqual([
      409,
      'Operation cannot be fulfilled on widgets.example.com "a": StorageError: invalid object, Code: 4, Key: /registry/example.com/widgets/default/a, ' +
        `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${metadata.uid}`,
    ]);
  });
});

describe("patches", () => {
  const patch = (...operations: readonly object[]): Promise<Answer> => call("PATCH", `${WIDGETS}/a`, operations, json);

  test("of an ordinary type cannot be forced", async () => {
    const answer = await given.merge(`${WIDGETS}/a?force=true`, { spec: { size: 2 } });
    expect(said(answer)).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ]);
  });

  test("with duplicate fields in a JSON patch give a warning", async () => {
    const answer = await call("PATCH", `${WIDGETS}/a`, '[{"op":"replace","path":"/spec/size","value":2,"value":3}]', json);
    expect([answer.body["spec"].size, answer.headers["warning"]]).toEqual([3, '299 - "json patch duplicate field \\"[0].value\\""']);
  });

  test("with replace set a missing member of an existing object, and nothing else that is missing", async () => {
    const answer = await patch({ op: "add", path: "/spec/tags", value: ["x"] }, { op: "replace", path: "/spec/mode", value: "fast" });
    expect(answer.body["spec"]).toEqual({ size: 1, mode: "fast", tags: ["x"] });
    expect((await patch({ op: "replace", path: "/metadata/labels", value: { a: "b" } })).body["metadata"].labels).toEqual({ a: "b" });
    expect((await patch({ op: "replace", path: "/spec/tags/1", value: "y" })).status).toBe(422);
    expect((await patch({ op: "replace", path: "/metadata/annotations/a", value: "b" })).status).toBe(422);
  });

  test("must result in an object", async () => {
    const header = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    const cause = `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${header}`;
    expect(said(await patch({ op: "replace", path: "", value: [] }))).toEqual([
      422,
      ` "" is invalid: patch: Invalid value: "[]": ${cause}`,
    ]);
    expect((await patch({ op: "replace", path: "", value: "x" })).body["details"]).toEqual({});
  });

  test.for<[string, string]>([
    ["[]", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
    ["null", "Invalid JSON Patch"],
    ['{"a":}', "error decoding patch: invalid character '}' looking for beginning of value"],
  ])("merge patch %s", async ([body, message]) => expect(said(await given.merge(`${WIDGETS}/a`, body))).toEqual([400, message]));
});

describe("texts", () => {
  test("of errors in the metadata of a custom resource are listed twice in the causes", async () => {
    await given.merge(`${WIDGETS}/a`, { metadata: { finalizers: ["a.b/c"] } });
    await call("DELETE", `${WIDGETS}/a`);
    const { details, message } = (await given.merge(`${WIDGETS}/a`, { metadata: { finalizers: ["a.b/c", "a.b/d"] } })).body;
    expect(details.causes).toHaveLength(2);
    expect(message).toBe(`Widget.example.com "a" is invalid: metadata.finalizers: ${details.causes[0].message}`);
  });

  test("of owner references are in the order of their struct", async () => {
    const owner = { uid: "1", name: "x", kind: "K", controller: true, apiVersion: "v1" };
    const { details } = (await call("POST", WIDGETS, widget("b", { metadata: { ownerReferences: [owner, { ...owner, uid: "2" }] } }))).body;
    const shown = (uid: string): string => `{"apiVersion":"v1","kind":"K","name":"x","uid":"${uid}","controller":true}`;
    expect(details.causes[0].message).toMatch(new RegExp(`^Invalid value: \\[${shown("1")},${shown("2")}\\]: Only one`));
  });

  test("of invisible characters are escaped", async () => {
    const { details } = (await given.merge(`${WIDGETS}/a?fieldManager=a%01b`, {})).body;
    expect(details.causes[0].message).toBe('Invalid value: "a\\x01b": invalid character U+0001 (at position 1)');
  });

  test("of an invalid token are those of the server", async () => {
    const cause = "continue key is not valid: illegal base64 data at input byte 0";
    expect(said(await call("GET", `${WIDGETS}?continue=x&limit=1`))).toEqual([400, `invalid continue token: ${cause}`]);
  });
});

describe("managedFields", () => {
  test("are no longer recorded after a reset", async () => {
    await given.merge(`${WIDGETS}/a`, { metadata: { managedFields: [{}] } });
    await given.merge(`${WIDGETS}/a`, { spec: { size: 5 } });
    expect((await call("GET", `${WIDGETS}/a`)).body["metadata"]).not.toHaveProperty("managedFields");
  });

  test("do not contain what the server adds to a namespace", async () => {
    const { metadata } = (await call("POST", "/api/v1/namespaces", { metadata: { name: "n" } })).body;
    expect(Object.keys(metadata.managedFields[0].fieldsV1)).toEqual(["f:metadata"]);
  });
});

describe("a read", () => {
  test("with a version that is not a number is refused", async () => {
    const cause = 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax';
    expect(said(await call("GET", `${WIDGETS}?resourceVersion=x`))).toEqual([400, `invalid resource version: ${cause}`]);
    for (const path of [`${WIDGETS}/a?resourceVersion=x`, `${WIDGETS}?watch=true&resourceVersion=x`]) {
      const answer = await call("GET", path);
      expect(said(answer)).toEqual([500, cause]);
      expect(answer.body).not.toHaveProperty("reason");
    }
  });

  test("lists of custom resources have an empty continue token", async () => {
    expect((await call("GET", WIDGETS)).body["metadata"].continue).toBe("");
    expect((await call("GET", CONFIG_MAPS)).body["metadata"]).not.toHaveProperty("continue");
  });

  test("discovery", async () => {
    const { resources } = (await call("GET", "/apis/example.com/v1")).body;
    expect(resources[0].verbs).toEqual(["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]);
    const core = (await call("GET", "/api/v1")).body["resources"] as readonly { name: string; storageVersionHash: string }[];
    expect(core.find(({ name }) => name === "configmaps")?.storageVersionHash).toBe("qFsyl6wFWjQ=");
  });

  test("with media types that are not served is refused", async () => {
    const all = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    expect((await call("GET", WIDGETS, undefined, { accept: "text/html" })).body["message"]).toBe(
      `only the following media types are accepted: ${all}`,
    );
  });
});

describe("names", () => {
  test("are required for a namespace", async () => {
    expect(said(await call("POST", "/api/v1/namespaces", {}))).toEqual([
      422,
      'Namespace "" is invalid: metadata.name: Required value: name or generateName is required',
    ]);
  });

  test.for<[string, string]>([
    ["a.b", "must not contain dots"],
    ["n".repeat(64), "must be no more than 63 characters"],
  ])("of a namespace: %s", async ([name, problem]) => {
    const { body } = await call("POST", "/api/v1/namespaces", { metadata: { name } });
    expect(body["details"].causes[0].message).toBe(`Invalid value: "${name}": ${problem}`);
  });
});

test("health lists the checks, the excluded ones and the unknown ones", async () => {
  const lines = async (path: string): Promise<readonly string[]> => (await call("GET", path)).text?.split("\n") ?? [];
  expect(await lines("/livez")).toEqual(["ok"]);
  expect(await lines("/readyz?verbose")).toEqual(expect.arrayContaining(["[+]ping ok", "[+]shutdown ok", "readyz check passed"]));
  const some = await lines("/livez?verbose&exclude=etcd&exclude=none");
  expect(some).toEqual(expect.arrayContaining(["[+]etcd excluded: ok"]));
  expect(some.slice(-3)).toEqual(['warn: some health checks cannot be excluded: no matches for "none"', "livez check passed", ""]);
  expect(await lines("/livez/poststarthook/rbac/bootstrap-roles")).toEqual(["ok"]);
  expect((await call("GET", "/livez/shutdown")).status).toBe(404);
});

test("a review has metadata, but no table and no list", async () => {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { nonResourceAttributes: { path: "/", verb: "get" } },
  };
  const ask = (as: string): Promise<Answer> =>
    call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review, {
      accept: `application/json;as=${as};v=v1;g=meta.k8s.io`,
    });
  expect(said(await ask("Table"))).toEqual([
    406,
    "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  ]);
  expect((await ask("PartialObjectMetadata")).body).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
  expect(said(await ask("PartialObjectMetadataList"))).toEqual([
    406,
    "you requested PartialObjectMetadataList, but the requested object is not a list (*authorization.SelfSubjectAccessReview)",
  ]);
});

test("a deleted Service is shown with the version of its deletion, and in a dry run with its own", async () => {
  const path = "/api/v1/namespaces/default/services";
  const { body } = await call("POST", path, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } });
  const version = Number(body["metadata"].resourceVersion);
  expect((await call("DELETE", `${path}/a?dryRun=All`)).body["metadata"].resourceVersion).toBe(String(version));
  expect((await call("DELETE", `${path}/a`)).body["metadata"].resourceVersion).toBe(String(version + 1));
});
