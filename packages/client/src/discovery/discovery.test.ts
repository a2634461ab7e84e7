import { type ApiRequest, fakeClock, isKindNotServed, type Transport } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { failure, json, type Reply } from "../../test/scripted-transport.ts";
import { createClient } from "../create-client.ts";
import { discovery, MISS_MS, REFRESH_MS } from "./discovery.ts";

const aggregated = (...groups: readonly object[]): object => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items: groups,
});
const group = (name: string, ...versions: readonly { version: string; kinds: readonly string[]; stale?: boolean }[]): object => ({
  metadata: { name },
  versions: versions.map(({ version, kinds, stale }) => ({
    version,
    freshness: stale === true ? "Stale" : "Current",
    resources: kinds.map((kind) => ({
      resource: `${kind.toLowerCase()}s`,
      responseKind: { group: "never read", version: "", kind },
      scope: kind.startsWith("Cluster") ? "Cluster" : "Namespaced",
      singularResource: kind.toLowerCase(),
      shortNames: [kind.slice(0, 1).toLowerCase()],
      verbs: ["get", "list"],
      subresources: [{ subresource: "status", verbs: ["get", "patch"] }],
    })),
  })),
});
const core = aggregated({ metadata: {}, versions: [{ version: "v1", freshness: "Current", resources: [] }] });

/** A server by path; what is not in it is not there. */
function setUp(pages: Readonly<Record<string, Reply>>) {
  const requests: ApiRequest[] = [];
  const served = { ...pages };
  const transport: Transport = {
    async request(request) {
      requests.push(request);
      const reply = served[request.path] ?? failure(404, "NotFound", "the server could not find the requested resource");
      const answer = typeof reply === "function" ? await reply(request) : reply;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: () => Promise.resolve(),
  };
  const clock = fakeClock();
  const client = createClient({ transport, retry: false });
  return { requests, served, clock, found: discovery(client, { clock }) };
}

const paths = (requests: readonly ApiRequest[]): readonly string[] => requests.map(({ path }) => path);
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: unknown) => error,
  );

describe("with aggregated discovery", () => {
  const pages = {
    "/api": json(200, core),
    "/apis": json(
      200,
      aggregated(group("example.dev", { version: "v2", kinds: ["Widget"] }, { version: "v1", kinds: ["Widget", "ClusterGear"] })),
    ),
  };

  test("two requests answer every lookup, and the first version that has the kind is preferred", async () => {
    const { found, requests } = setUp(pages);
    expect(requests).toEqual([]);
    const [widget, gear, old] = await Promise.all([
      found.kindOf({ group: "example.dev", kind: "Widget" }),
      found.kindOf({ group: "example.dev", kind: "ClusterGear" }),
      found.kindOf({ apiVersion: "example.dev/v1", kind: "Widget" }),
    ]);
    expect(widget).toEqual({
      group: "example.dev",
      version: "v2",
      kind: "Widget",
      plural: "widgets",
      scope: "Namespaced",
      singular: "widget",
      shortNames: ["w"],
      categories: [],
      verbs: ["get", "list"],
      subresources: [{ name: "status", verbs: ["get", "patch"] }],
    });
    expect(gear).toMatchObject({ version: "v1", scope: "Cluster" });
    expect(old).toMatchObject({ version: "v1", plural: "widgets" });
    expect(paths(requests)).toEqual(["/api", "/apis"]);
    expect(requests[1]?.headers["accept"]).toContain("APIGroupDiscoveryList");
  });

  test("a kind whose CRD was installed later is found by the first lookup", async () => {
    const { found, served, clock } = setUp(pages);
    await found.kindOf({ group: "example.dev", kind: "Widget" });
    served["/apis"] = json(200, aggregated(group("other.dev", { version: "v1", kinds: ["Late"] })));
    const late = found.kindOf({ apiVersion: "other.dev/v1", kind: "Late" });
    await clock.advance(REFRESH_MS);
    expect(await late).toMatchObject({ plural: "lates" });
  });

  test("unknown kinds cost one request for all simultaneous lookups, at most one a second", async () => {
    const { found, requests, clock } = setUp(pages);
    await found.kinds();
    const lookups = Array.from({ length: 50 }, (_, i) => failureOf(found.kindOf({ group: "none.dev", kind: `Kind${i % 5}` })));
    await clock.advance(REFRESH_MS - 1);
    expect(requests).toHaveLength(2);
    await clock.advance(1);
    for (const error of await Promise.all(lookups)) expect(error).toSatisfy(isKindNotServed);
    expect(requests).toHaveLength(4);
    await clock.advance(MISS_MS - 1);
    expect(await found.find({ group: "none.dev", kind: "Kind0" })).toBeUndefined();
    expect(requests).toHaveLength(4);
    await clock.advance(1);
    expect(await found.find({ group: "none.dev", kind: "Kind0" })).toBeUndefined();
    expect(requests).toHaveLength(6);
  });

  test("an old answer is confirmed by a conditional request", async () => {
    const { found, requests, served, clock } = setUp({
      "/api": (request) =>
        request.headers["if-none-match"] === '"1"' ? { status: 304, headers: {}, body: "" } : json(200, core, { etag: '"1"' }),
      "/apis": pages["/apis"],
    });
    await found.kindOf({ group: "example.dev", kind: "Widget" });
    served["/apis"] = json(200, aggregated(group("example.dev", { version: "v3", kinds: ["Widget"] })));
    await clock.advance(599_999);
    expect(await found.kindOf({ group: "example.dev", kind: "Widget" })).toMatchObject({ version: "v2" });
    await clock.advance(1);
    expect(await found.kindOf({ group: "example.dev", kind: "Widget" })).toMatchObject({ version: "v3" });
    expect(requests[2]?.headers["if-none-match"]).toBe('"1"');
    found.invalidate();
    served["/apis"] = pages["/apis"];
    const fresh = found.kindOf({ group: "example.dev", kind: "Widget" });
    await clock.advance(REFRESH_MS);
    expect(await fresh).toMatchObject({ version: "v2" });
  });

  test("versions whose server does not answer are reported as missing", async () => {
    const stale = group("example.dev", { version: "v2", kinds: ["Widget"], stale: true }, { version: "v1", kinds: [], stale: true });
    const { found } = setUp({ ...pages, "/apis": json(200, aggregated(stale)) });
    const missing: string[] = [];
    const kinds = await found.kinds({ onMissing: (apiVersion) => missing.push(apiVersion) });
    expect(kinds.map(({ kind }) => kind)).toEqual(["Widget"]);
    expect(missing).toEqual(["example.dev/v1"]);
  });

  test("the error for an unknown kind names the served versions and the aggregated server that does not answer", async () => {
    const stale = group("example.dev", { version: "v2", kinds: ["Widget"] }, { version: "v1", kinds: [], stale: true });
    const { found, clock } = setUp({ ...pages, "/apis": json(200, aggregated(stale)) });
    const error = failureOf(found.kindOf({ apiVersion: "example.dev/v3", kind: "Widget" }));
    await clock.advance(REFRESH_MS);
    expect(await error).toSatisfy(isKindNotServed);
    expect(String(await error)).toBe(
      "ApiError: cannot find the kind Widget (example.dev/v3): the server does not serve it; the server has it as example.dev/v2; the server behind example.dev/v1 does not answer",
    );
  });
});

describe("without aggregated discovery", () => {
  const pages = {
    "/api": json(200, { kind: "APIVersions", versions: ["v1"] }),
    "/apis": json(200, {
      kind: "APIGroupList",
      groups: [
        { name: "example.dev", versions: [{ version: "v1" }, { version: "v2" }], preferredVersion: { version: "v2" } },
        { name: "broken.dev", versions: [{ version: "v1" }] },
      ],
    }),
    "/api/v1": json(200, {
      kind: "APIResourceList",
      resources: [
        { name: "pods", kind: "Pod", namespaced: true, verbs: ["get"], shortNames: ["po"] },
        { name: "pods/log", kind: "Pod", namespaced: true, verbs: ["get"] },
        { name: "nodes", kind: "Node", namespaced: false },
      ],
    }),
    "/apis/example.dev/v1": json(200, { kind: "APIResourceList", resources: [{ name: "gears", kind: "Gear", namespaced: true }] }),
    "/apis/example.dev/v2": json(200, { kind: "APIResourceList", resources: [] }),
    "/apis/broken.dev/v1": json(503, { kind: "Status", message: "the server is currently unable to handle the request" }),
  };

  test("only the needed versions are requested, once", async () => {
    const { found, requests } = setUp(pages);
    expect(await found.kindOf({ apiVersion: "v1", kind: "Pod" })).toMatchObject({
      plural: "pods",
      shortNames: ["po"],
      subresources: [{ name: "log", verbs: ["get"] }],
    });
    expect(await found.kindOf({ group: "", kind: "Node" })).toMatchObject({ scope: "Cluster" });
    expect(paths(requests)).toEqual(["/api", "/apis", "/api/v1"]);
    expect(await found.kindOf({ group: "example.dev", kind: "Gear" })).toMatchObject({ version: "v1" });
    expect(paths(requests).slice(3)).toEqual(["/apis/example.dev/v2", "/apis/example.dev/v1"]);
  });

  test("a group whose server is down fails its lookups, is requested again, and is not listed", async () => {
    const { found, served } = setUp(pages);
    const error = await failureOf(found.kindOf({ apiVersion: "broken.dev/v1", kind: "Thing" }));
    expect(error).toMatchObject({
      status: 503,
      message: expect.stringContaining("cannot discover what is served at /apis/broken.dev/v1: "),
    });
    const missing: string[] = [];
    const kinds = await found.kinds({ onMissing: (apiVersion) => missing.push(apiVersion) });
    expect(kinds.map(({ kind }) => kind)).toEqual(["Pod", "Node", "Gear"]);
    expect(missing).toEqual(["broken.dev/v1"]);
    served["/apis/broken.dev/v1"] = json(200, {
      kind: "APIResourceList",
      resources: [{ name: "things", kind: "Thing", namespaced: true }],
    });
    expect(await found.kindOf({ apiVersion: "broken.dev/v1", kind: "Thing" })).toMatchObject({ plural: "things" });
  });
});

test.for([
  { name: "a page that is not a discovery document", reply: json(200, { hello: "world" }), code: "ERR_INVALID_RESPONSE" },
  { name: "a page that is no JSON", reply: { status: 200, headers: {}, body: "<html>" }, code: "ERR_INVALID_RESPONSE" },
  { name: "a refusal", reply: failure(403, "Forbidden", "no"), code: "ERR_FORBIDDEN" },
])("$name is an error, and the next lookup sends a request again", async ({ reply, code }) => {
  const { found, served, clock } = setUp({ "/api": json(200, core), "/apis": reply });
  expect(await failureOf(found.kindOf({ group: "example.dev", kind: "Widget" }))).toMatchObject({ code });
  served["/apis"] = json(200, aggregated(group("example.dev", { version: "v1", kinds: ["Widget"] })));
  const again = found.kindOf({ group: "example.dev", kind: "Widget" });
  await clock.advance(REFRESH_MS);
  expect(await again).toMatchObject({ plural: "widgets" });
});

test("documents with arbitrary values never crash a lookup", async () => {
  for (const items of [
    null,
    7,
    [null, 7, {}],
    [{ metadata: 7, versions: {} }],
    [{ versions: [{ resources: [{}, { resource: "x" }, null] }] }],
  ]) {
    const { found, clock } = setUp({ "/api": json(200, core), "/apis": json(200, { kind: "APIGroupDiscoveryList", items }) });
    const error = failureOf(found.kindOf({ group: "", kind: "Widget" }));
    await clock.advance(REFRESH_MS);
    expect(await error).toSatisfy(isKindNotServed);
  }
  const { found } = setUp({});
  for (const name of [{ kind: "" }, { kind: "Widget" }, { apiVersion: 7, kind: "Widget" }, {}] as never[])
    await expect(found.kindOf(name)).rejects.toThrow(TypeError);
});

test("an aborted lookup ends, and the others get their answer", async () => {
  const answer = Promise.withResolvers<ReturnType<typeof json>>();
  const { found } = setUp({ "/api": json(200, core), "/apis": () => answer.promise });
  const controller = new AbortController();
  const aborted = failureOf(found.kindOf({ group: "example.dev", kind: "Widget" }, { signal: controller.signal }));
  const other = found.kindOf({ group: "example.dev", kind: "Widget" });
  const reason = new Error("boom");
  controller.abort(reason);
  expect(await aborted).toBe(reason);
  answer.resolve(json(200, aggregated(group("example.dev", { version: "v1", kinds: ["Widget"] }))));
  expect(await other).toMatchObject({ plural: "widgets" });
});
