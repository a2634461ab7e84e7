/** Connections in virtual time: the target is a server in memory, without a socket. */
import { type ApiRequest, type FakeClock, fakeClock, ownerLabels, type Transport } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { ConnectionError, createClient } from "@treadle/client";
import { expect, test } from "vitest";
import { isTargetError } from "../../src/targets/index.ts";
import { type Targets, type TargetsOptions, targetsWith } from "../../src/targets/targets.ts";
import type { TargetConnection, TargetWatchHold } from "../../src/targets/types.ts";
import { connected, kubeconfig, kubeconfigOf, secretWith, servicesOf, tenant } from "./fixture.ts";

const NEVER = new AbortController().signal;
const ref = { name: "a", namespace: "default" };

interface World {
  readonly clock: FakeClock;
  readonly server: ApiServer;
  readonly clusters: Targets;
  readonly services: ReturnType<typeof servicesOf>;
  /** The requests that reached the target. */
  readonly sent: string[];
  /** Ends of transports. */
  readonly closed: string[];
  /** What the target does with a request: answers, or something else. */
  answer: (request: ApiRequest, next: Transport) => Promise<Awaited<ReturnType<Transport["request"]>>>;
  connect(token?: string, name?: string): TargetConnection;
}

function world(options: TargetsOptions = {}, as?: { readonly user: string; readonly groups?: readonly string[] }): World {
  const clock = fakeClock();
  const server = createApiServer({ clock, ...(as === undefined ? {} : { authorization: "RBAC" as const }) });
  const sent: string[] = [];
  const closed: string[] = [];
  const services = servicesOf({ clock });
  const clusters = targetsWith(options, {
    transport: (config) => {
      const next = server.transport(as === undefined ? {} : { as });
      return {
        request: async (request) => {
          sent.push(`${request.method} ${request.path.split("?")[0]}`);
          return made.answer(request, next);
        },
        close: async () => {
          closed.push(config.server);
          await next.close();
        },
      };
    },
  });
  const made: World = {
    clock,
    server,
    clusters,
    services,
    sent,
    closed,
    answer: (request, next) => next.request(request),
    connect(token = "t", name = "tenant") {
      const secret = secretWith(kubeconfigOf({ server: "https://a.test" }, { token }));
      return connected(clusters.target({ kubeconfig }), { ...services, name }, { secret }).connection;
    },
  };
  return made;
}

function holdOf(name: string, wake: (cause: string) => void = () => undefined, namespaces = ["default"]): TargetWatchHold {
  return { key: `uid-${name}/tenant`, ownerLabels: ownerLabels(tenant(name), "tenant"), namespaces, wake };
}

const minute = 60_000;

test("100 owners with one kubeconfig have one connection", () => {
  const { connect } = world();
  const connections = Array.from({ length: 100 }, () => connect());
  expect(new Set(connections).size).toBe(1);
});

test("two sets share a connection and its watches", () => {
  const { connect } = world();
  expect(connect("t", "one").watches).toBe(connect("t", "two").watches);
  expect(connect("t", "one").client).not.toBe(connect("t", "two").client);
});

test("a connection is closed 15 minutes after its last hold", async () => {
  const { clock, connect, closed } = world();
  const connection = connect();
  connection.hold("a");
  connection.hold("b");
  await clock.advance(60 * minute);
  connection.release("a");
  await clock.advance(60 * minute);
  expect(closed).toEqual([]);
  connection.release("b");
  await clock.advance(14 * minute);
  expect(closed).toEqual([]);
  await clock.advance(2 * minute);
  expect(closed).toEqual(["https://a.test"]);
  expect(connect()).not.toBe(connection);
});

test("a connection of a settled owner stays open for days", async () => {
  const { clock, connect, closed } = world();
  connect().hold("a");
  await clock.advance(3 * 24 * 60 * minute);
  expect(closed).toEqual([]);
});

test("all connections are closed at the end of the operator, and no timer is left", async () => {
  const { clock, connect, closed, services } = world();
  connect("t").hold("a");
  connect("u").watches.hold(ConfigMap, holdOf("a"));
  await clock.advance(1);
  await services[Symbol.asyncDispose]();
  expect(closed).toHaveLength(2);
  await clock.advance(60 * minute);
  expect(clock.nextDue()).toBeUndefined();
});

test("a target that answers GET and hangs on PATCH takes one worker for 10 s a minute", async () => {
  const world_ = world();
  const { clock, connect, sent } = world_;
  const connection = connect();
  world_.answer = (request, next) =>
    request.method === "PATCH" ? new Promise((_, reject) => clock.after(10_000, () => reject(timeout()))) : next.request(request);
  const held: number[] = [];
  /** Runs passes of an owner until the time is over. */
  const run = async (key: string): Promise<void> => {
    while (clock.elapsed() < 600_000) {
      const woken = Promise.withResolvers<void>();
      const entry = connection.enter(key, woken.resolve);
      if (entry.type !== "entered") {
        await woken.promise;
        continue;
      }
      const began = clock.elapsed();
      await connection.client.apply(ConfigMap, { metadata: ref }, { fieldManager: "t" }).catch(() => undefined);
      held.push(clock.elapsed() - began);
      entry.slot.release();
    }
  };
  for (const key of ["a", "b", "c", "d"]) void run(key);
  await clock.advance(600_000);
  expect(Math.max(...held)).toBe(10_000);
  // Two at the start, then one after each probe.
  expect(held.length).toBeLessThan(16);
  expect(sent.filter((line) => line.startsWith("PATCH")).length).toBe(held.length);
  await world_.services[Symbol.asyncDispose]();
});

function timeout(): Error {
  return new ConnectionError({ code: "ERR_TIMEOUT", message: "10.0.0.1 did not answer" });
}

function refusal(): Error {
  const cause = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:6443"), { code: "ECONNREFUSED" });
  return new ConnectionError({ code: "ERR_UNREACHABLE", message: cause.message, cause });
}

test("nothing is sent to a target that is away, and owners are woken when it answers", async () => {
  const made = world();
  const { clock, connect, sent } = made;
  const connection = connect();
  made.answer = () => Promise.reject(refusal());
  const failed = connection.client.get(ConfigMap, ref).catch((caught: unknown) => caught);
  await clock.advance(200);
  const error = await failed;
  expect(isTargetError(error)).toBe(true);
  expect(String(error)).not.toContain("10.0.0.1");
  expect(sent).toHaveLength(1);
  const woken: string[] = [];
  expect(connection.enter("a", () => woken.push("a"))).toMatchObject({ type: "away", message: expect.stringContaining("ECONNREFUSED") });
  await expect(connection.client.get(ConfigMap, ref)).rejects.toSatisfy(isTargetError);
  await expect(connection.client.raw({ method: "GET", path: "/version", headers: {} }, { retry: false })).rejects.toSatisfy(isTargetError);
  expect(sent).toHaveLength(1);
  made.answer = (request, next) => next.request(request);
  await clock.advance(2_000);
  expect(woken).toEqual(["a"]);
  expect(sent.slice(1)).toEqual(["GET /api/v1/namespaces/kube-system"]);
});

test("a refused credential makes a target away", async () => {
  const made = world();
  const { connect } = made;
  made.answer = async () => ({ status: 401, headers: {}, body: "{}" });
  const connection = connect();
  await connection.client.get(ConfigMap, ref).catch(() => undefined);
  const entry = connection.enter("a", () => undefined);
  expect(entry).toMatchObject({ type: "away", message: expect.stringContaining("does not accept the credential") });
  expect(connect("rotated").enter("a", () => undefined).type).toBe("entered");
});

test("a failure of one request does not make a target away", async () => {
  const made = world();
  const connection = made.connect();
  made.answer = async (request, next) =>
    request.method === "PATCH"
      ? { status: 500, headers: {}, body: JSON.stringify({ kind: "Status", apiVersion: "v1", message: "webhook" }) }
      : next.request(request);
  await connection.client.apply(ConfigMap, { metadata: ref }, { fieldManager: "t", retry: false }).catch(() => undefined);
  await made.clock.advance(100);
  expect(connection.enter("a", () => undefined).type).toBe("entered");
  made.answer = async (request, next) => (request.method === "PATCH" ? { status: 403, headers: {}, body: "{}" } : next.request(request));
  await connection.client.apply(ConfigMap, { metadata: ref }, { fieldManager: "t" }).catch(() => undefined);
  expect(connection.enter("b", () => undefined).type).toBe("entered");
});

test("a read whose connection broke is sent twice, and a write once", async () => {
  const made = world();
  const { client } = made.connect();
  made.answer = () => Promise.reject(new ConnectionError({ code: "ERR_CONNECTION_LOST", message: "reset" }));
  await client.get(ConfigMap, ref).catch(() => undefined);
  await client.delete(ConfigMap, ref).catch(() => undefined);
  const path = "/api/v1/namespaces/default/configmaps/a";
  expect(made.sent.filter((line) => line.endsWith(path))).toEqual([`GET ${path}`, `GET ${path}`, `DELETE ${path}`]);
});

test("a target that asks for a wait holds no worker", async () => {
  const made = world();
  const { client } = made.connect();
  made.answer = async () => ({ status: 429, headers: { "retry-after": "60" }, body: "{}" });
  const error: unknown = await client.get(ConfigMap, ref).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ status: 429, retryAfterMs: 60_000 });
  expect(made.sent).toHaveLength(1);
});

test("requests over the rate wait in place", async () => {
  const { clock, connect, sent } = world({ rate: { perSecond: 1, burst: 2 } });
  const { client } = connect();
  const all = Promise.all(Array.from({ length: 4 }, () => client.get(ConfigMap, ref)));
  await clock.advance(1);
  expect(sent).toHaveLength(2);
  await clock.advance(2_000);
  expect(sent).toHaveLength(4);
  await all;
});

test.for([
  { rate: { perSecond: 0, burst: 1 } },
  { rate: { perSecond: 1, burst: 0 } },
  { allow: ["tokenfile"] as never },
  { servers: ["https://a"] },
])("targets(%o) is a mistake in the code", (options) => {
  expect(() => targetsWith(options, {})).toThrow(TypeError);
});

test("the cluster id is asked for once, and again after the target was away", async () => {
  const made = world();
  const connection = made.connect();
  const id = await connection.clusterId(NEVER);
  expect(await connection.clusterId(NEVER)).toBe(id);
  expect(made.sent).toHaveLength(1);
  const live = await createClient({ transport: made.server.transport() }).get(Namespace, { name: "kube-system" });
  expect(id).toBe(live?.metadata.uid);
});

test("the cluster id of a credential that may not read kube-system is the digest of the server", async () => {
  const made = world({}, { user: "limited" });
  const { connection, identity } = connected(made.clusters.target({ kubeconfig }), made.services, {
    secret: secretWith(kubeconfigOf({ server: "https://a.test" })),
  });
  expect(await connection.clusterId(NEVER)).toBe(identity.serverDigest);
});

test("the cluster id of a target that fails is an error, and not another cluster", async () => {
  const made = world();
  made.answer = () => Promise.reject(refusal());
  const failed = made
    .connect()
    .clusterId(NEVER)
    .catch((caught: unknown) => caught);
  await made.clock.advance(200);
  expect(isTargetError(await failed)).toBe(true);
});

test("a credential for one namespace watches that namespace", async () => {
  const made = world({}, { user: "limited" });
  const admin = createClient({ transport: made.server.transport() });
  const raw = (path: string, body: object) =>
    admin.raw({ method: "POST", path, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  await raw(`${rbac}/roles`, { metadata: { name: "r" }, rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }] });
  await raw(`${rbac}/rolebindings`, {
    metadata: { name: "r" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "limited" }],
  });
  const { watches } = made.connect();
  const causes: string[] = [];
  const hold = (name: string, namespaces: string[]) =>
    watches.hold(
      ConfigMap,
      holdOf(name, (cause) => causes.push(cause), namespaces),
    );
  hold("a", ["default"]);
  await made.clock.advance(100);
  expect(causes).toHaveLength(1);
  expect(hold("a", ["default"]).type).toBe("pending");
  await made.clock.advance(100);
  expect(hold("a", ["default"]).type).toBe("synced");
  expect(hold("b", ["other"]).type).toBe("pending");
  await made.clock.advance(100);
  expect(hold("b", ["other"]).type).toBe("refused");
  expect(hold("a", ["default"]).type).toBe("synced");
  expect([watches.covers(ConfigMap, "default"), watches.covers(ConfigMap, "other"), watches.covers(ConfigMap, "*")]).toEqual([
    true,
    false,
    false,
  ]);
  await made.services[Symbol.asyncDispose]();
});

test("an event triggers a pass of its owner and of no other, and our own writes none", async () => {
  const made = world();
  const { watches, client } = made.connect();
  const woken: string[] = [];
  for (const name of ["a", "b"])
    watches.hold(
      ConfigMap,
      holdOf(name, (cause) => woken.push(`${name}: ${cause}`)),
    );
  await made.clock.advance(100);
  for (const name of ["a", "b"])
    watches.hold(
      ConfigMap,
      holdOf(name, (cause) => woken.push(`${name}: ${cause}`)),
    );
  woken.length = 0;
  const labels = ownerLabels(tenant("a"), "tenant");
  watches.observe(ConfigMap, await client.create(ConfigMap, { metadata: { ...ref, labels } }));
  expect(watches.cache.get(ConfigMap, ref)?.metadata.name).toBe("a");
  await made.clock.advance(100);
  expect(woken).toEqual([]);
  const other = createClient({ transport: made.server.transport() });
  await other.patch(ConfigMap, ref, { type: "merge", body: { data: { k: "drift" } } });
  await made.clock.advance(100);
  expect(woken).toEqual(["a: ConfigMap a was updated in the target cluster"]);
  await other.patch(ConfigMap, ref, { type: "merge", body: { metadata: { labels: ownerLabels(tenant("b"), "tenant") } } });
  await made.clock.advance(100);
  expect(woken.slice(1).toSorted()).toEqual([
    "a: ConfigMap a was updated in the target cluster",
    "b: ConfigMap a was updated in the target cluster",
  ]);
  await made.services[Symbol.asyncDispose]();
});

test("a watch of Secrets holds no contents", async () => {
  const made = world();
  const { watches, client } = made.connect();
  const labels = ownerLabels(tenant("a"), "tenant");
  await client.create(Secret, { metadata: { ...ref, labels }, stringData: { k: "top-secret" } });
  watches.hold(Secret, holdOf("a"));
  await made.clock.advance(100);
  expect(watches.hold(Secret, holdOf("a")).type).toBe("synced");
  watches.observe(Secret, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "b", namespace: "default", uid: "u", resourceVersion: "9", labels },
  });
  expect(JSON.stringify(watches.cache.list({ ...Secret, cachedAs: "metadata" } as typeof Secret))).not.toContain('"data":');
  await made.services[Symbol.asyncDispose]();
});

test("a watch without holders ends after a minute", async () => {
  const made = world();
  const { watches } = made.connect();
  watches.hold(ConfigMap, holdOf("a"));
  await made.clock.advance(100);
  watches.release("v1/ConfigMap", holdOf("a").key);
  expect(watches.covers(ConfigMap, "default")).toBe(true);
  await made.clock.advance(61_000);
  expect(watches.covers(ConfigMap, "default")).toBe(false);
  await made.services[Symbol.asyncDispose]();
});

test("released watches leave no informer and no timer", async () => {
  const made = world({}, { user: "limited" });
  const { watches } = made.connect();
  for (const namespace of ["one", "two"]) {
    watches.hold(
      ConfigMap,
      holdOf(namespace, () => undefined, [namespace]),
    );
    await made.clock.advance(100);
    watches.hold(
      ConfigMap,
      holdOf(namespace, () => undefined, [namespace]),
    );
    await made.clock.advance(100);
  }
  for (const namespace of ["one", "two"]) watches.release("v1/ConfigMap", holdOf(namespace).key);
  await made.clock.advance(120_000);
  made.sent.length = 0;
  await made.clock.advance(10 * minute);
  expect(made.sent).toEqual([]);
  await made.services[Symbol.asyncDispose]();
});

test("a kind that the target does not serve is not-served", async () => {
  const made = world();
  const { watches } = made.connect();
  const name = { apiVersion: "example.dev/v1", kind: "Widget" };
  watches.hold(name, holdOf("a"));
  await made.clock.advance(100);
  expect(watches.hold(name, holdOf("a")).type).toBe("not-served");
  await made.services[Symbol.asyncDispose]();
});

/** An answer that ends only when the request is aborted. */
function neverEnding({ signal }: ApiRequest): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
}

test.for([
  ["write", 10_000],
  ["read", 30_000],
] as const)("a target that sends its answer to a %s byte by byte is away after %i ms", async ([verb, ms]) => {
  const made = world();
  const { clock, connect } = made;
  const { client, enter } = connect();
  made.answer = neverEnding;
  const sent = verb === "read" ? client.get(ConfigMap, ref) : client.patch(ConfigMap, ref, { type: "merge", body: {} });
  let error: unknown;
  const ended = sent.catch((caught: unknown) => void (error = caught));
  await clock.advance(ms - 1);
  expect(error).toBeUndefined();
  await clock.advance(1);
  await ended;
  expect(error).toMatchObject({ code: "ERR_TIMEOUT" });
  expect(enter("a", () => undefined)).toMatchObject({ type: "away" });
});

test("a target that does not answer a pass until its deadline is away", async () => {
  const made = world();
  const { clock, connect } = made;
  const connection = connect();
  made.answer = neverEnding;
  const pass = new AbortController();
  const ended = connection.client.get(ConfigMap, ref, { signal: pass.signal }).catch((error: unknown) => error);
  await clock.advance(6_000);
  pass.abort(new Error("the deadline of the step"));
  await ended;
  expect(connection.enter("b", () => undefined)).toMatchObject({ type: "away" });
});
