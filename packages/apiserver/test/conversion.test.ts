/** CRDs with several versions and a conversion webhook. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { harness, type Harness, type Json, widgetCrd } from "./harness.ts";
import { type Say, serveWebhook, type WebhookServer } from "./webhook-server.ts";

const V1 = "/apis/example.com/v1/namespaces/default/widgets";
const V2 = "/apis/example.com/v2/namespaces/default/widgets";

let server: WebhookServer;
let one: Harness;
let broken: ((review: Json) => ReturnType<Say>) | undefined;

/** v1 has `spec.size`, v2 has `spec.dimensions.width`. */
function convert(object: Json, desired: string): Json {
  const { spec = {}, ...rest } = object;
  const width = spec.dimensions?.width ?? spec.size;
  return { ...rest, apiVersion: desired, spec: desired.endsWith("v2") ? { dimensions: { width } } : { size: width } };
}

beforeEach(async () => {
  broken = undefined;
  server = await serveWebhook((review) => {
    if (broken !== undefined) return broken(review);
    const { request, apiVersion, kind } = review;
    const convertedObjects = request.objects.map((object: Json) => convert(object, request.desiredAPIVersion));
    return { raw: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } }) };
  });
  const version = (name: string, storage: boolean, spec: object): object => ({
    name,
    storage,
    served: true,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: spec }, status: { type: "object", properties: { phase: { type: "string" } } } },
      },
    },
  });
  const crd = widgetCrd(
    undefined,
    {},
    {
      versions: [
        version("v1", true, { size: { type: "integer" } }),
        version("v2", false, { dimensions: { type: "object", properties: { width: { type: "integer" } } } }),
      ],
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: server.url, caBundle: server.ca }, conversionReviewVersions: ["v1"] },
      },
    },
  );
  one = harness({ resources: [crd] });
});
afterEach(() => server.close());

const v1 = (name: string, size: number): Json => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec: { size } });
const v2 = (name: string, width: number): Json => ({
  apiVersion: "example.com/v2",
  kind: "Widget",
  metadata: { name },
  spec: { dimensions: { width } },
});

test("objects stored in one version are read in the other, with one webhook call for a list", async () => {
  for (let i = 0; i < 5; i++) await one.call("POST", V1, v1(`a${i}`, i));
  expect(server.asked).toHaveLength(0);
  const { body } = await one.call("GET", V2);
  expect(body["items"].map((item: Json) => item["spec"].dimensions.width)).toEqual([0, 1, 2, 3, 4]);
  expect(server.asked).toHaveLength(1);
  expect(server.asked[0]?.["request"].desiredAPIVersion).toBe("example.com/v2");
  await one.call("GET", `${V2}/a0`);
  expect(server.asked).toHaveLength(1);
});

test("an object written in the other version is stored in the storage version, and answered as it was written", async () => {
  const { status, body } = await one.call("POST", V2, v2("a", 7));
  expect({ status, spec: body["spec"] }).toEqual({ status: 201, spec: { dimensions: { width: 7 } } });
  expect((await one.call("GET", `${V1}/a`)).body).toMatchObject({ apiVersion: "example.com/v1", spec: { size: 7 } });
});

test("updates, patches, applies, the status and deletions work in the other version", async () => {
  await one.call("POST", V1, v1("a", 1));
  const { body } = await one.call("GET", `${V2}/a`);
  expect((await one.call("PUT", `${V2}/a`, { ...body, spec: { dimensions: { width: 2 } } })).body["spec"]).toEqual({
    dimensions: { width: 2 },
  });
  expect((await one.merge(`${V2}/a`, { spec: { dimensions: { width: 3 } } })).body["metadata"].generation).toBe(3);
  expect((await one.merge(`${V2}/a/status`, { status: { phase: "Up" } })).body["status"]).toEqual({ phase: "Up" });
  const headers = { "content-type": "application/apply-patch+yaml" };
  expect((await one.call("PATCH", `${V2}/a?fieldManager=x&force=true`, v2("a", 4), headers)).body["spec"]).toEqual({
    dimensions: { width: 4 },
  });
  expect((await one.call("GET", `${V1}/a`)).body).toMatchObject({ spec: { size: 4 }, status: { phase: "Up" } });
  await one.merge(`${V2}/a`, { metadata: { finalizers: ["example.com/x"] } });
  expect((await one.call("DELETE", `${V2}/a`)).body).toMatchObject({
    spec: { dimensions: { width: 4 } },
    metadata: { deletionTimestamp: expect.any(String) },
  });
});

test("an apply that drops a field keeps its others, also beside a manager of another version", async () => {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const apply = async (manager: string, path: string, body: Json): Promise<Json> =>
    (await one.call("PATCH", `${path}/a?fieldManager=${manager}&force=true`, body, headers)).body;
  const labelled = (object: Json, labels: Json): Json => ({ ...object, metadata: { ...object["metadata"], labels } });
  await apply("ops", V1, labelled(v1("a", 1), { ops: "1" }));
  await apply("dev", V2, labelled(v2("a", 2), { dev: "1" }));
  const { spec, metadata } = await apply("dev", V2, v2("a", 3));
  expect({ spec, labels: metadata.labels }).toEqual({ spec: { dimensions: { width: 3 } }, labels: { ops: "1" } });
  expect((await one.call("GET", `${V1}/a`)).body["spec"]).toEqual({ size: 3 });
});

test("a watch of the other version gets its events in order", async () => {
  await one.call("POST", V1, v1("a", 1));
  const watching = await one.watch(`${V2}?watch=true`);
  for (let i = 2; i < 5; i++)
    await one.call("PUT", `${V1}/a`, { ...v1("a", i), metadata: (await one.call("GET", `${V1}/a`)).body["metadata"] });
  const events: Json[] = [];
  await expect.poll(async () => events.push(...(await watching.take()))).toBe(4);
  expect(events.map(({ object }) => object.spec.dimensions.width)).toEqual([1, 2, 3, 4]);
  watching.stop();
});

test("a watch from the past converts deleted objects, and leaves no watch behind", async () => {
  const { metadata } = (await one.call("POST", V1, v1("a", 1))).body;
  await one.call("PUT", `${V1}/a`, { ...v1("a", 2), metadata });
  await one.call("DELETE", `${V1}/a`);
  const watching = await one.watch(`${V2}?watch=true&resourceVersion=${Number(metadata.resourceVersion) - 1}`);
  const events: Json[] = [];
  await expect.poll(async () => events.push(...(await watching.take()))).toBe(3);
  expect(events.map(({ type, object }) => [type, object.spec.dimensions.width])).toEqual([
    ["ADDED", 1],
    ["MODIFIED", 2],
    ["DELETED", 2],
  ]);
  expect(one.server.watchCount).toBe(1);
  watching.stop();
});

test.for([
  {
    name: "a failure",
    answer: ({ request, apiVersion, kind }: Json) => ({
      raw: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, result: { status: "Failure", message: "too wide" } } }),
    }),
    message: "conversion webhook for example.com/v1, Kind=Widget failed: too wide",
  },
  {
    name: "another name",
    answer: ({ request, apiVersion, kind }: Json) => ({
      raw: JSON.stringify({
        apiVersion,
        kind,
        response: {
          uid: request.uid,
          result: { status: "Success" },
          convertedObjects: [
            {
              ...request.objects[0],
              apiVersion: "example.com/v2",
              metadata: { name: "b", namespace: "default", uid: request.objects[0].metadata.uid },
            },
          ],
        },
      }),
    }),
    message: "conversion webhook for example.com/v1, Kind=Widget returned invalid object: must have the same name: a != b",
  },
  {
    name: "nothing",
    answer: ({ request, apiVersion, kind }: Json) => ({
      raw: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, result: { status: "Success" } } }),
    }),
    message: "conversion webhook for example.com/v1, Kind=Widget returned 0 objects, expected 1",
  },
])("a webhook that answers with $name fails the request, and only in that version", async ({ answer, message }) => {
  await one.call("POST", V1, v1("a", 1));
  broken = answer;
  const { status, body } = await one.call("GET", `${V2}/a`);
  expect({ status, message: body["message"] }).toEqual({ status: 500, message });
  expect(await one.call("GET", `${V1}/a`)).toMatchObject({ status: 200 });
  broken = undefined;
  expect(await one.call("GET", `${V2}/a`)).toMatchObject({ status: 200 });
});

test("a conversion may change labels, but no other metadata", async () => {
  await one.call("POST", V1, v1("a", 1));
  broken = ({ request, apiVersion, kind }) => {
    const convertedObjects = request.objects.map((object: Json) => {
      const converted = convert(object, request.desiredAPIVersion);
      return { ...converted, metadata: { ...converted["metadata"], labels: { from: "v1" }, finalizers: ["x/y"], generation: 99 } };
    });
    return { raw: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } }) };
  };
  const { metadata } = (await one.call("GET", `${V2}/a`)).body;
  expect(metadata).toMatchObject({ labels: { from: "v1" }, generation: 1 });
  expect(metadata.finalizers).toBeUndefined();
});

test("objects of an earlier storage version keep their fields, and are converted", async () => {
  await one.call("POST", V2, v2("a", 7));
  await one.call("POST", V1, v1("b", 8));
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
  const { body } = await one.call("GET", path);
  const versions = body["spec"].versions.map((version: Json) => ({ ...version, storage: version["name"] === "v2" }));
  expect(await one.call("PUT", path, { ...body, spec: { ...body["spec"], versions } })).toMatchObject({ status: 200 });
  const sizes = async (): Promise<unknown> => (await one.call("GET", V1)).body["items"].map((item: Json) => item["spec"].size);
  expect(await sizes()).toEqual([7, 8]);
  const { body: read } = await one.call("GET", `${V2}/a`);
  expect(read["spec"]).toEqual({ dimensions: { width: 7 } });
  // A write without a change stores the new version.
  expect(await one.call("PUT", `${V2}/a`, read)).toMatchObject({ status: 200 });
  expect(await sizes()).toEqual([7, 8]);
});
