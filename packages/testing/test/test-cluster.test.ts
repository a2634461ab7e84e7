import "../src/matchers.ts";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError, type Condition, fakeClock } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { connect, createClient, httpTransport } from "@treadle/client";
import { kubeconfigText } from "@treadle/client/unstable/kubeconfig";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { secret, secretText, startTestCluster, type TestCluster } from "../src/index.ts";
import { checkStatusAfterEach } from "../src/matchers.ts";
import { primary, rw, RW } from "./rw.ts";

test("settled() waits for passes, their writes, and the passes that those trigger", async () => {
  await using cluster = await startTestCluster({ objects: [secret("in", { value: "17" })] });
  const op = await cluster.start(rw);
  await cluster.apply(primary("a"));
  await op.settled();
  expect(await cluster.get(RW, "a")).toBeReady();
  await cluster.update(Secret, "in", (object) => {
    object.data = { value: Buffer.from("4").toString("base64") };
  });
  await op.settled();
  expect(secretText(await cluster.get(Secret, "a-out"))).toEqual({ result: "4" });
  await cluster.delete(RW, "a");
  await op.settled();
  expect(await cluster.list(RW)).toEqual([]);
  expect(await cluster.get(Secret, "a-out")).toBeUndefined();
});

test("concurrent changes of one object are all stored", async () => {
  await using cluster = await startTestCluster({ objects: [secret("in", { value: "17" })] });
  const label = (name: string): Promise<unknown> =>
    cluster.update(Secret, "in", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, [name]: "yes" };
    });
  await Promise.all(["a", "b", "c"].map(label));
  expect((await cluster.get(Secret, "in"))?.metadata.labels).toEqual({ a: "yes", b: "yes", c: "yes" });
});

test("virtual time moves up to the horizon and costs no real time", { tags: ["memory"] }, async () => {
  const clock = fakeClock();
  const begin = clock.now();
  const polling = handler(RW)
    .step(step(RW, { name: "polling", do: (req) => void req.revisit(60_000, "poll") }))
    .build();
  await using cluster = await startTestCluster({ clock, objects: [primary("a")], kinds: [RW] });
  const op = await cluster.start(polling);
  await op.settled();
  expect(op.passes).toHaveLength(1);
  expect(clock.now()).toBe(begin);
  await op.settled({ horizonMs: 10 * 60_000 });
  expect(op.passes).toHaveLength(11);
});

test("an operator that waits indefinitely settles", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ objects: [primary("a")], kinds: [RW] });
  const op = await cluster.start(rw);
  await op.settled();
  expect(await cluster.get(RW, "a")).toHaveCondition("Ready", "False");
  expect(op.passes.length).toBeGreaterThan(5);
});

test("a timeout of settled() reports the running passes", { tags: ["memory"] }, async () => {
  const hanging = handler(RW)
    .step(step(RW, { name: "hanging", do: async (req) => void (await once(req.signal, "abort")) }))
    .build();
  await using cluster = await startTestCluster({ objects: [primary("a")], kinds: [RW] });
  const op = await cluster.start(hanging);
  await expect(op.settled({ timeoutMs: 200 })).rejects.toThrow(/not settled after 200 real ms .*1 running/);
  await op.settled({ horizonMs: 30_000 });
  expect(op.passes[0]).toMatchObject({ outcome: { type: "failed", step: "hanging" } });
});

describe("an operator whose passes trigger passes", { tags: ["memory"] }, () => {
  // Its own write wakes it, for it reads what it wrote.
  const noisy = step(RW, {
    name: "noisy",
    permissions: [{ kind: Secret, verbs: ["create", "update"] }],
    reads: { live: one(Secret, () => "noise") },
    async do(req) {
      const { live } = req.reads;
      const data = { n: Buffer.from(String(Number(live?.metadata.resourceVersion ?? 0))).toString("base64") };
      if (live === undefined) await req.client.create(Secret, { metadata: { name: "noise" }, data });
      else await req.client.update(Secret, { ...live, data });
    },
  });
  const again = step(RW, {
    name: "again",
    permissions: [{ kind: Secret, verbs: ["create"] }],
    async do(req) {
      await req.client.create(Secret, { metadata: { generateName: "s-", namespace: "default" } });
      req.revisit(0, "once more");
    },
  });

  test.for([
    {
      name: "by what it writes",
      restless: noisy,
      why: /default\/a does not settle: 1000 passes at the same time, the last one ended "done"/,
    },
    { name: "by asking for another pass", restless: again, why: /default\/a does not settle: 1000 passes.*: once more/ },
  ])("is reported: $name", { timeout: 60_000 }, async ({ restless, why }) => {
    await using cluster = await startTestCluster({ objects: [primary("a")], kinds: [RW] });
    const op = await cluster.start(handler(RW).step(restless).build());
    await expect(op.settled()).rejects.toThrow(why);
  });

  test("is reported after the timeout in real time", async () => {
    await using cluster = await startTestCluster({ objects: [primary("a")], kinds: [RW], time: "real" });
    const op = await cluster.start(handler(RW).step(again).build());
    await expect(op.settled({ timeoutMs: 50 })).rejects.toThrow(/not settled after 50 real ms|does not settle/);
  });
});

test("many idle objects are not taken for a loop", async () => {
  const objects = Array.from({ length: 1_100 }, (_, i) => primary(`a${i}`));
  await using cluster = await startTestCluster({ objects, kinds: [RW] });
  const op = await cluster.start(
    handler(RW)
      .step(step(RW, { name: "idle", do() {} }))
      .build(),
  );
  await op.settled();
  expect(op.passes).toHaveLength(1_100);
});

describe("a cluster whose settled() timed out", { tags: ["memory"] }, () => {
  const hanging = handler(RW)
    .step(conditions())
    .step(step(RW, { name: "hanging", do: () => new Promise<void>(() => undefined) }))
    .build();

  test("ends without a second error", async () => {
    const cluster = await startTestCluster({ objects: [primary("a")], kinds: [RW] });
    const op = await cluster.start(hanging);
    await cluster.updateStatus(RW, "a", (object) => {
      (object as { status: unknown }).status = { observedGeneration: 99 };
    });
    await expect(op.settled({ timeoutMs: 50 })).rejects.toThrow("1 running");
    await expect(cluster.checkStatus()).rejects.toThrow("TREADLE0002");
    await expect(cluster[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  test("checks statuses again after a later settled()", async () => {
    const cluster = await startTestCluster({ objects: [primary("a")], kinds: [RW] });
    let isStuck = true;
    const op = await cluster.start(
      handler(RW)
        .step(step(RW, { name: "slow", do: async (req) => void (isStuck && (await once(req.signal, "abort"))) }))
        .build(),
    );
    await expect(op.settled({ timeoutMs: 50 })).rejects.toThrow("1 running");
    isStuck = false;
    await op.settled({ horizonMs: 60_000 });
    await cluster.updateStatus(RW, "a", (object) => {
      (object as { status: unknown }).status = { observedGeneration: 99 };
    });
    await expect(cluster[Symbol.asyncDispose]()).rejects.toThrow("TREADLE0002");
  });
});

test("requests of the operator are recorded, those of the user are not", async () => {
  await using cluster = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })], kinds: [RW] });
  const op = await cluster.start(rw);
  await op.settled();
  expect(cluster.requests.filter({ verb: "create", kind: Secret })).toMatchObject([{ namespace: "default", status: 201 }]);
  // Servers before 1.32 refuse a first one, which asks for the objects in the stream.
  expect(cluster.requests.filter({ verb: "watch", kind: RW }).filter(({ status }) => status === 200)).toHaveLength(1);
  cluster.requests.clear();
  await cluster.get(RW, "a");
  await cluster.create(Secret, secret("other"));
  await op.settled();
  expect(cluster.requests.filter()).toEqual([]);
});

test("several handlers run one after another and together in one cluster", async () => {
  const labels = handler(Secret)
    .step(
      step(Secret, {
        name: "label",
        writes: ["labels"],
        do(req) {
          req.labels["seen"] = "true";
        },
      }),
    )
    .build();
  await using cluster = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })], kinds: [RW] });
  const both = await cluster.start([rw, labels], { controller: { concurrency: 1 } });
  await both.settled();
  expect((await cluster.get(Secret, "a-out"))?.metadata.labels).toMatchObject({ seen: "true" });
  await both.stop();
  await both.stop();
  const again = await cluster.start(rw);
  await again.settled();
  expect(await cluster.get(RW, "a")).toBeReady();
});

test("objects of other namespaces than the watched ones get no pass", async () => {
  await using cluster = await startTestCluster({ kinds: [RW] });
  const op = await cluster.start(handler(RW).step(conditions()).build(), { namespaces: ["one"] });
  for (const namespace of ["one", "two"]) await cluster.create(RW, { metadata: { name: "a", namespace }, spec: { inputSecret: "x" } });
  await op.settled();
  expect(await cluster.get(RW, "one/a")).toBeReady();
  expect((await cluster.get(RW, "two/a"))?.status).toBeUndefined();
});

test("an operator with broken watches catches up within the horizon", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ kinds: [RW], objects: [primary("a")] });
  const op = await cluster.start(rw);
  await op.settled();
  let failures = 3;
  const heal = cluster.onRequest(({ verb, resource }) => {
    if (resource === "secrets" && verb === "watch" && failures-- > 0) throw new Error("the network is down");
  });
  cluster.server.compact();
  await cluster.advance(20 * 60_000); // the watches end by themselves at the latest after ten minutes
  await cluster.create(Secret, secret("in", { value: "17" }));
  await op.settled({ horizonMs: 10 * 60_000 });
  heal();
  expect(failures).toBeLessThan(0);
  expect(await cluster.get(RW, "a")).toBeReady();
});

test("an operator in real time over a socket behaves in the same way", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ time: "real", http: true, objects: [secret("in", { value: "17" })], kinds: [RW] });
  const op = await cluster.start(rw, { transport: "http" });
  await cluster.apply(primary("a"));
  await op.settled();
  expect(await cluster.get(RW, "a")).toBeReady();
  await cluster.delete(RW, "a");
  await op.settled({ horizonMs: 200 });
  expect(await cluster.get(RW, "a")).toBeUndefined();
});

test("a socket with virtual time is refused, as is a front without its option", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ http: true });
  await expect(cluster.start(rw, { transport: "http" })).rejects.toThrow(/time: "real"/);
  expect(() => cluster.kubeconfig).toThrow(/https: true/);
  const client = await connect({ config: { source: "test", server: cluster.url, credentials: () => ({}) } });
  expect((await client.list(Secret)).items).toEqual([]);
  await client.close();
});

test("a client connects with the kubeconfig of the cluster", async () => {
  await using cluster = await startTestCluster({ https: true, objects: [secret("in")] });
  const dir = await mkdtemp(join(tmpdir(), "treadle-testing-"));
  try {
    const kubeconfig = join(dir, "kubeconfig");
    await writeFile(kubeconfig, cluster.kubeconfig);
    const client = await connect({ kubeconfig });
    expect((await client.list(Secret)).items.map(({ metadata }) => metadata.name)).toEqual(["in"]);
    await client.close();
  } finally {
    await rm(dir, { recursive: true });
  }
});

test("requests by the kubeconfig of a cluster in memory are recorded, and observers answer them", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ https: true, objects: [secret("in")] });
  const { server, inline } = kubeconfigText(cluster.kubeconfig, "the kubeconfig");
  const client = createClient({ transport: httpTransport({ server, credentials: inline }), retry: false });
  await client.list(Secret);
  expect(cluster.requests.summary()).toMatchObject({ "list secrets": 1 });
  cluster.onRequest(({ resource }) => {
    if (resource === "secrets") throw new ApiError({ message: "not now", status: 503, reason: "ServiceUnavailable" });
  });
  await expect(client.list(Secret)).rejects.toMatchObject({ status: 503 });
  await client.close();
});

test("a status that breaks an invariant is reported at the end of the cluster", async () => {
  const cluster = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })], kinds: [RW] });
  const op = await cluster.start(rw);
  await op.settled();
  cluster.faults.add({ on: { kind: RW }, fault: "frozenWatch" }); // The operator does not see the change, so it stays.
  await cluster.updateStatus(RW, "a", (object) => {
    (object.status as { observedGeneration: number }).observedGeneration = 99;
  });
  await expect(cluster.checkStatus()).rejects.toThrow("TREADLE0002");
  await expect(cluster[Symbol.asyncDispose]()).rejects.toThrow("TREADLE0002");
  await expect(cluster.start(rw)).rejects.toThrow("was stopped");
});

test("a stopped operator is settled, whatever changes later", async () => {
  await using cluster = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })] });
  const op = await cluster.start(rw);
  await op.settled();
  const { length } = op.passes;
  await op.stop();
  await cluster.update(Secret, "in", (object) => {
    object.data = { value: Buffer.from("4").toString("base64") };
  });
  await cluster.settled();
  await op.settled();
  expect(op.passes).toHaveLength(length);
});

test("a status is not checked by the handler of a stopped operator, as in an upgrade that drops a condition", async () => {
  await using cluster = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })] });
  const old = await cluster.start(rw);
  await cluster.settled();
  await old.stop();
  // By the rules of the old handler Ready needs InputReady and OutputReady.
  await cluster.updateStatus(RW, "a", (object) => {
    (object.status as { conditions: readonly Condition[] }).conditions =
      object.status?.conditions?.filter(({ type }) => type === "Ready") ?? [];
  });
  await cluster.start(handler(RW).step(conditions()).build());
  await cluster.settled();
  await cluster.checkStatus();
});

test("the events of an operator name the object that they are about", async () => {
  await using cluster = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })] });
  const op = await cluster.start(rw);
  await op.settled();
  expect(op.events).toEqual([{ type: "Normal", reason: "Stored", note: "stored a-out", action: "store", object: "default/a" }]);
});

test("checkStatus: false turns off the check at the end of the cluster", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })], checkStatus: false });
  const op = await cluster.start(rw);
  await op.settled();
  cluster.faults.add({ on: { kind: RW }, fault: "frozenWatch" });
  await cluster.updateStatus(RW, "a", (object) => {
    (object.status as { observedGeneration: number }).observedGeneration = 99;
  });
});

describe("checkStatusAfterEach() checks after each test, also after a failed one", () => {
  const asked: string[] = [];
  let running = "";
  checkStatusAfterEach(() => ({ checkStatus: async () => void asked.push(running) }));

  test("first", () => {
    running = "first";
    expect(asked).toEqual([]);
    onTestFinished(() => expect(asked).toEqual(["first"]));
  });

  test.fails("second", () => {
    running = "second";
    throw new Error("boom");
  });

  afterAll(() => expect(asked).toEqual(["first", "second"]));
});

describe("checkStatusAfterEach() fails a test whose status breaks an invariant", () => {
  let cluster: TestCluster | undefined;
  let isBroken = false;
  checkStatusAfterEach(() => cluster);

  test("a test without a cluster checks nothing", () => {
    expect(cluster).toBeUndefined();
  });

  test.fails("a status ahead of its object fails the test", async () => {
    const mine = await startTestCluster({ objects: [primary("a"), secret("in", { value: "17" })], kinds: [RW] });
    cluster = mine;
    onTestFinished(() => mine.stop());
    const op = await mine.start(rw);
    await op.settled();
    mine.faults.add({ on: { kind: RW }, fault: "frozenWatch" }); // The operator does not see the change, so it stays.
    await mine.updateStatus(RW, "a", (object) => {
      (object.status as { observedGeneration: number }).observedGeneration = 99;
    });
    isBroken = true;
  });

  // Else the test above fails for another reason.
  afterAll(() => expect(isBroken).toBe(true));
});
