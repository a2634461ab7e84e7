/** The client's HTTP cases without a server: what goes over the wire, and what comes of the answers. */
import { kind, seededRandom, systemClock } from "@treadle/apimachinery";
import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Client, createClient, httpTransport } from "../src/index.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = { name: "a", namespace: "ns" };
const widget = { apiVersion: "example.dev/v1", kind: "Widget", metadata: ref };
const path = "/apis/example.dev/v1/namespaces/ns/widgets";
const server = "https://api.test";

let client: Client;
beforeAll(() => {
  // Waits are a hundred times shorter: what is waited for is tested with a fake clock elsewhere.
  const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };
  client = createClient({
    transport: httpTransport({ server, credentials: { headers: { authorization: "Bearer t" } } }),
    clock,
    random: seededRandom(1),
  });
});
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});
afterAll(async () => {
  await client.close();
  nock.restore();
});

describe("the content type", () => {
  test.for([
    { type: "application/merge-patch+json", call: () => client.patch(Widget, ref, { type: "merge", body: { a: 1 } }), body: { a: 1 } },
    {
      type: "application/json-patch+json",
      call: () => client.patch(Widget, ref, { type: "json", body: [{ op: "test", path: "/a", value: 1 }] }),
      body: [{ op: "test", path: "/a", value: 1 }],
    },
    {
      type: "application/apply-patch+yaml",
      call: () => client.apply(Widget, widget, { fieldManager: "me", force: true }),
      body: widget,
      query: "?fieldManager=me&force=true",
    },
  ] as readonly { type: string; call: () => Promise<unknown>; body: nock.RequestBodyMatcher; query?: string }[])(
    "$type",
    async ({ type, call, body, query = "" }) => {
      nock(server, { reqheaders: { "content-type": type, accept: "application/json", authorization: "Bearer t", "user-agent": "treadle" } })
        .patch(`${path}/a${query}`, body)
        .reply(200, widget);
      expect(await call()).toEqual(widget);
    },
  );

  test("is application/json for create and update", async () => {
    const reqheaders = { "content-type": "application/json" };
    nock(server, { reqheaders }).post(path, widget).reply(201, widget);
    nock(server, { reqheaders }).put(`${path}/a/status`, widget).reply(200, widget);
    expect(await client.create(Widget, widget)).toEqual(widget);
    expect(await client.update(Widget, widget, { subresource: "status" })).toEqual(widget);
  });

  test("is absent without a body", async () => {
    nock(server, { badheaders: ["content-type"] })
      .get(`${path}/a`)
      .reply(200, widget);
    expect(await client.get(Widget, ref)).toEqual(widget);
  });
});

describe("the error for", () => {
  const status = (code: number, reason: string, details?: object) => ({
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message: "no",
    reason,
    code,
    details,
  });

  test.for([
    {
      name: "a Status",
      code: 403,
      body: status(403, "Forbidden", { name: "a" }),
      error: { code: "ERR_FORBIDDEN", reason: "Forbidden", message: "cannot patch Widget ns/a: no" },
    },
    { name: "a conflict", code: 409, body: status(409, "Conflict", { name: "a" }), error: { code: "ERR_CONFLICT" } },
    { name: "an object that exists", code: 409, body: status(409, "AlreadyExists", { name: "a" }), error: { code: "ERR_ALREADY_EXISTS" } },
    {
      name: "an invalid object",
      code: 422,
      body: status(422, "Invalid", { name: "a", causes: [{ field: "spec.x", message: "bad" }] }),
      error: { code: "ERR_INVALID", causes: [{ field: "spec.x", message: "bad" }] },
    },
    { name: "a missing object", code: 404, body: status(404, "NotFound", { name: "a" }), error: { code: "ERR_NOT_FOUND" } },
    {
      name: "a kind not served",
      code: 404,
      body: "404 page not found\n",
      error: { code: "ERR_KIND_NOT_SERVED", message: "cannot patch Widget ns/a: the server answered 404: 404 page not found" },
    },
    {
      name: "an unsupported media type",
      code: 415,
      body: status(415, "UnsupportedMediaType"),
      error: { code: "ERR_UNSUPPORTED_MEDIA_TYPE" },
    },
    {
      name: "a proxy's page",
      code: 502,
      body: "<html>Bad Gateway</html>",
      error: { code: "ERR_SERVER", message: "cannot patch Widget ns/a: the server answered 502 without a message" },
    },
    { name: "a redirect", code: 302, body: "", error: { code: "ERR_OTHER", status: 302 } },
  ])("$name", async ({ code, body, error }) => {
    nock(server).patch(`${path}/a`).reply(code, body);
    await expect(client.patch(Widget, ref, { type: "merge", body: {} })).rejects.toMatchObject({
      name: "ApiError",
      status: code,
      ...error,
    });
  });
});

describe("retries", () => {
  test("503 with Retry-After is obeyed, for a write too", async () => {
    nock(server).post(path).reply(503, "busy", { "Retry-After": "1" });
    nock(server).post(path).reply(201, widget);
    expect(await client.create(Widget, widget)).toEqual(widget);
  });

  test("a read is repeated after a reset and a 500, a write is not", async () => {
    nock(server)
      .get(`${path}/a`)
      .replyWithError(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    nock(server).get(`${path}/a`).reply(500, "oops");
    nock(server).get(`${path}/a`).reply(200, widget);
    expect(await client.get(Widget, ref)).toEqual(widget);
    nock(server).put(`${path}/a`).reply(500, "oops");
    await expect(client.update(Widget, widget)).rejects.toMatchObject({ code: "ERR_SERVER" });
  });
});
