import { ApiError, type ApiRequest, fakeClock } from "@treadle/apimachinery";
import { createClient } from "@treadle/client";
import { RetryAfterError } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import type { Manifest } from "../plan/member.ts";
import type { Cluster, RenderContext } from "../types.ts";
import { callRenderer, factsIn, isSameCluster } from "./cluster.ts";
import { ClusterFacts, clusterFactsOf, servedOf } from "./cluster-facts.ts";
import { edited } from "./edited.ts";
import { merged } from "./merged.ts";

const owner = { apiVersion: "t.treadle.dev/v1", kind: "Platform", metadata: { name: "a" } };
const context = { name: "a", namespace: "ns", reads: {}, vars: {} } as Omit<RenderContext, "cluster">;
const none: readonly Manifest[] = [];
const boom = new Error("boom");
const bye = new Error("bye");

interface Group {
  readonly name?: string;
  readonly kinds: readonly string[];
  readonly isStale?: boolean;
}

/** An API server with discovery, whose answers the test decides. */
function setUp(groups: Readonly<Record<string, Group>> = { v1: { kinds: ["ConfigMap"] }, "apps/v1": { kinds: ["Deployment"] } }) {
  const clock = fakeClock();
  const requests: string[] = [];
  const state = { groups, version: "v1.36.0", error: undefined as Error | undefined };
  const documentOf = (isCore: boolean): object => ({
    kind: "APIGroupDiscoveryList",
    items: Object.entries(state.groups)
      .filter(([apiVersion]) => apiVersion.includes("/") !== isCore)
      .map(([apiVersion, { kinds, isStale }]) => ({
        metadata: { name: isCore ? "" : apiVersion.split("/")[0] },
        versions: [
          {
            version: apiVersion.split("/").at(-1),
            freshness: isStale === true ? "Stale" : "Current",
            resources: kinds.map((kind) => ({ resource: `${kind}s`, responseKind: { kind }, scope: "Namespaced", verbs: [] })),
          },
        ],
      })),
  });
  const bodyOf = (path: string): object => (path === "/version" ? { gitVersion: state.version } : documentOf(path === "/api"));
  const client = createClient({
    clock,
    retry: false,
    transport: {
      async request({ path }: ApiRequest) {
        requests.push(path);
        if (state.error !== undefined) throw state.error;
        return { status: 200, headers: {}, body: JSON.stringify(bodyOf(path)) };
      },
      close: async () => undefined,
    },
  });
  const facts = new ClusterFacts(client, clock);
  const abort = new AbortController();
  const call = (renderer: (object: typeof owner, given: RenderContext) => unknown) =>
    callRenderer(renderer as () => readonly Manifest[], owner, context, { step: "stack", facts, signal: abort.signal });
  return { clock, requests, state, client, facts, abort, call };
}
const clusterOf =
  (use: (cluster: Cluster) => unknown) =>
  (_object: unknown, { cluster }: RenderContext) => (use(cluster), none);

describe("a renderer", () => {
  test("that reads nothing of the cluster is called once, and costs no request", async () => {
    const { call, requests } = setUp();
    let calls = 0;
    const result = await call((object, given) => {
      calls++;
      expect(object).toBe(owner);
      expect(given).toMatchObject(context);
      return [owner];
    });
    expect(result).toEqual({ objects: [owner], read: {} });
    expect([calls, requests]).toEqual([1, []]);
  });

  test.for<[string, (cluster: Cluster) => unknown, object, readonly string[]]>([
    ["the version", (cluster) => cluster.version, { version: "v1.36.0" }, ["/version"]],
    ["a served kind", ({ kinds }) => kinds.has("apps/v1", "Deployment"), { has: { "apps/v1/Deployment": true } }, ["/api", "/apis"]],
    ["a kind that is not served", ({ kinds }) => kinds.has("apps/v1", "Job"), { has: { "apps/v1/Job": false } }, ["/api", "/apis"]],
    ["API versions", ({ kinds }) => [kinds.has("v1"), kinds.has("apps")], { has: { apps: false, v1: true } }, ["/api", "/apis"]],
    ["all kinds", ({ kinds }) => kinds.all(), { all: expect.any(String) }, ["/api", "/apis"]],
    [
      "the version and a kind",
      ({ version, kinds: { has } }) => [version, has("v1")],
      { version: "v1.36.0", has: { v1: true } },
      ["/version", "/api", "/apis"],
    ],
  ])("that reads %s gets it, and the requests are only those that it needs", async ([, use, read, wanted]) => {
    const { call, requests } = setUp();
    expect((await call(clusterOf(use))).read).toEqual(read);
    expect(requests).toEqual(wanted);
    await call(clusterOf(use));
    expect(requests).toEqual(wanted);
  });

  test("gets all kinds and API versions, sorted", async () => {
    const { call } = setUp();
    const seen: unknown[] = [];
    await call(clusterOf(({ kinds }) => seen.push(kinds.all())));
    expect(seen).toEqual([["apps/v1", "apps/v1/Deployment", "v1", "v1/ConfigMap"]]);
  });

  test("that catches the exception of a fact is called again all the same", async () => {
    const { call } = setUp();
    const answers: unknown[] = [];
    const { objects, read } = await call(async (_object, { cluster }) => {
      let version = "unknown";
      try {
        version = cluster.version;
      } catch {
        answers.push("caught");
      }
      await Promise.resolve();
      answers.push(version);
      return [version];
    });
    expect(objects).toEqual(["v1.36.0"]);
    expect(read).toEqual({ version: "v1.36.0" });
    expect(answers).toEqual(["caught", "unknown", "v1.36.0"]);
  });

  test("of several parts reads through edited() and merged()", async () => {
    const { call, requests } = setUp();
    const version = edited([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }], (each, _object, { cluster }) => ({
      ...each,
      data: cluster.version,
    }));
    const { objects, read } = await call(
      merged(
        version,
        clusterOf(({ kinds }) => kinds.has("v1")),
      ),
    );
    expect(objects).toEqual([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: "v1.36.0" }]);
    expect(read).toEqual({ version: "v1.36.0", has: { v1: true } });
    expect(requests).toHaveLength(3);
  });

  test.for<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw boom;
      },
      'step "stack": objects threw: boom',
    ],
    ["rejects", () => Promise.reject(boom), 'step "stack": objects threw: boom'],
    [
      "throws a text",
      () => {
        throw "secret";
      },
      'step "stack": objects threw a string, not an error',
    ], // oxlint-disable-line no-throw-literal
    [
      "returns nothing",
      () => undefined,
      'step "stack": objects returned nothing, not a list: return a list of objects, or [] for no objects',
    ],
    [
      "resolves to nothing",
      async () => undefined,
      'step "stack": objects returned nothing, not a list: return a list of objects, or [] for no objects',
    ],
    [
      "returns one object",
      () => owner,
      'step "stack": objects returned an object, not a list: return a list of objects, or [] for no objects',
    ],
    [
      "asks for no kind",
      () => {
        throw boom;
      },
      'step "stack": objects threw: boom',
    ],
  ])("that %s is an error with the step", async ([, renderer, says]) => {
    await expect(setUp().call(renderer)).rejects.toThrow(says);
  });

  test("that throws keeps the cause, and errors that choose the retry stay themselves", async () => {
    const { call } = setUp();
    await expect(call(() => Promise.reject(boom))).rejects.toMatchObject({ cause: boom });
    const later = new RetryAfterError("later", 5_000);
    await expect(call(() => Promise.reject(later))).rejects.toBe(later);
  });

  test("that asks with something else than texts is an error", async () => {
    const { call } = setUp();
    const wrong = clusterOf(({ kinds }) => kinds.has({ kind: "Job" } as unknown as string));
    await expect(call(wrong)).rejects.toThrow(
      /step "stack": objects threw: cluster\.kinds\.has\(\) takes an API version and a kind as texts/,
    );
  });

  test("that hangs ends with the signal, and its late rejection is ignored", async () => {
    const { call, abort } = setUp();
    const { promise, reject } = Promise.withResolvers<never>();
    const result = call(() => promise);
    abort.abort(bye);
    await expect(result).rejects.toBe(bye);
    reject(boom);
  });

  test("is not called after the signal has ended", async () => {
    const { call, abort } = setUp();
    abort.abort(bye);
    let calls = 0;
    await expect(call(() => (calls++, none))).rejects.toBe(bye);
    expect(calls).toBe(0);
  });

  test("fails with the error of the request for a fact", async () => {
    const { call, state } = setUp();
    state.error = boom;
    await expect(call(clusterOf((cluster) => cluster.version))).rejects.toThrow(/\/version|version of the API server/);
  });
});

describe("the facts about a cluster", () => {
  const { signal } = new AbortController();

  test("are shared by all who ask at once, and by all of a client", async () => {
    const { facts, requests, client, clock } = setUp();
    const all = await Promise.all([
      facts.fetch(["version"], signal),
      facts.fetch(["version", "served"], signal),
      facts.fetch(["served"], signal),
    ]);
    expect(requests).toEqual(["/version", "/api", "/apis"]);
    expect(all[0].version).toBe("v1.36.0");
    expect(clusterFactsOf(client, clock)).toBe(clusterFactsOf(client, clock));
  });

  test("are requested again when they are older than ten minutes", async () => {
    const { facts, requests, state, clock } = setUp();
    await facts.fetch(["version"], signal);
    await clock.advance(599_999);
    expect(facts.peek().version).toBe("v1.36.0");
    state.version = "v1.37.0";
    await clock.advance(1);
    expect(facts.peek().version).toBeUndefined();
    expect((await facts.fetch(["version"], signal)).version).toBe("v1.37.0");
    expect(requests).toEqual(["/version", "/version"]);
  });

  test("count for another while when the server does not answer", async () => {
    const { facts, requests, state, clock } = setUp();
    await facts.fetch(["version", "served"], signal);
    await clock.advance(600_000);
    state.error = boom;
    const { version, served } = await facts.fetch(["version", "served"], signal);
    expect([version, served?.has("apps/v1/Deployment")]).toEqual(["v1.36.0", true]);
    const before = requests.length;
    expect(facts.peek().version).toBe("v1.36.0");
    await facts.fetch(["version", "served"], signal);
    expect(requests).toHaveLength(before);
    await clock.advance(10_000);
    expect(facts.peek()).toEqual({ version: undefined, served: undefined });
  });

  test("about kinds are requested again after an invalidation, also one during a request", async () => {
    const { facts, state, clock } = setUp();
    await facts.fetch(["version", "served"], signal);
    facts.invalidate();
    expect(facts.peek()).toEqual({ version: "v1.36.0", served: undefined });
    await clock.advance(1_000);
    const loading = facts.fetch(["served"], signal);
    facts.invalidate();
    await loading;
    expect(facts.peek().served).toBeUndefined();
    state.groups = { "new/v1": { kinds: ["New"] } };
    await clock.advance(1_000);
    expect((await facts.fetch(["served"], signal)).served?.all).toEqual(["new/v1", "new/v1/New"]);
  });

  test("do not lose the kinds of an aggregated server that does not answer", async () => {
    const { facts, state, clock } = setUp({ "metrics.k8s.io/v1beta1": { kinds: ["NodeMetrics"] } });
    const before = await facts.fetch(["served"], signal);
    state.groups = { "metrics.k8s.io/v1beta1": { kinds: [], isStale: true } };
    await clock.advance(600_000);
    const after = await facts.fetch(["served"], signal);
    expect(after.served?.all).toEqual(before.served?.all);
    expect(after.served?.has("metrics.k8s.io/v1beta1/PodMetrics")).toBe(false);
  });

  test("are not guessed for an aggregated server that never answered", async () => {
    const { call, facts } = setUp({ "metrics.k8s.io/v1beta1": { kinds: [], isStale: true } });
    const { served } = await facts.fetch(["served"], signal);
    expect(served?.has("metrics.k8s.io/v1beta1")).toBe(true);
    expect(served?.has("metrics.k8s.io/v1beta1/NodeMetrics")).toBeUndefined();
    await expect(call(clusterOf(({ kinds }) => kinds.has("metrics.k8s.io/v1beta1", "NodeMetrics")))).rejects.toThrow(
      'step "stack": objects threw: cannot tell whether the API server serves metrics.k8s.io/v1beta1/NodeMetrics: the server behind its API version does not answer',
    );
  });

  test.for<[string, { readonly status: number; readonly body?: string }, string]>([
    ["refuses", { status: 403 }, "cannot get the version of the API server: /version answered 403"],
    [
      "answers with text",
      { status: 200, body: "<html>" },
      "cannot get the version of the API server: /version answered without gitVersion",
    ],
    [
      "answers without a version",
      { status: 200, body: "null" },
      "cannot get the version of the API server: /version answered without gitVersion",
    ],
  ])("are an error when the server %s", async ([, answer, says]) => {
    const clock = fakeClock();
    const transport = { request: async () => ({ headers: {}, body: "", ...answer }), close: async () => undefined };
    const failing = new ClusterFacts(createClient({ clock, retry: false, transport }), clock).fetch(["version"], signal);
    await expect(failing).rejects.toThrow(says);
    if (answer.status === 403) await expect(failing).rejects.toBeInstanceOf(ApiError);
  });
});

describe("what a renderer read", () => {
  const served = servedOf(["v1", "v1/ConfigMap"], new Set(["metrics.k8s.io/v1beta1"]));
  const facts = { version: "v1.36.0", served };
  const unknown = { version: undefined, served: undefined };

  test.for<[string, Parameters<typeof isSameCluster>[0], Parameters<typeof isSameCluster>[1], boolean | undefined]>([
    ["nothing", {}, unknown, true],
    ["the same version", { version: "v1.36.0" }, facts, true],
    ["another version", { version: "v1.35.0" }, facts, false],
    ["a version that is not known now", { version: "v1.36.0" }, { ...unknown, served }, undefined],
    ["a kind that is still served", { has: { "v1/ConfigMap": true, "v1/Pod": false } }, facts, true],
    ["a kind that is served now", { has: { "v1/ConfigMap": false } }, facts, false],
    ["a kind of a server that does not answer", { has: { "metrics.k8s.io/v1beta1/NodeMetrics": true } }, facts, true],
    ["a kind that is not known now", { has: { "v1/Pod": false } }, unknown, undefined],
    ["all kinds", { all: served.digest }, facts, true],
    ["other kinds", { all: "x" }, facts, false],
    ["another version, and kinds that are not known now", { version: "v1.35.0", all: "x" }, { ...facts, served: undefined }, false],
  ])("is compared with the facts: %s", ([, reads, now, want]) => {
    expect(isSameCluster(reads, now)).toBe(want);
  });

  test("names the facts to request", () => {
    expect([...factsIn({})]).toEqual([]);
    expect([...factsIn({ version: "v1", has: {} })]).toEqual(["version", "served"]);
    expect([...factsIn({ all: "x" })]).toEqual(["served"]);
  });
});
