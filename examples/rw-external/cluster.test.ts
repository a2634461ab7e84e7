/** Users' stories. They run on the in-memory API server and, unchanged, on a real control plane. */
import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import { Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { rwExternal } from "./controller.ts";
import { RWExternal } from "./rw-external.ts";

const b64 = (text: string): string => Buffer.from(text).toString("base64");
const text = (secret: Secret | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));

const input = (dividend: number | string, divisor: number | string, name = "in") => ({
  metadata: { name },
  data: { dividend: b64(String(dividend)), divisor: b64(String(divisor)) },
});

const READY = { spec: { inputSecret: "in" } };

async function start(cluster: TestCluster): Promise<TestOperator> {
  return await cluster.start(rwExternal, { namespaces: ["default"] });
}

/** Starts an operator with one Ready object, `a`, and waits until it is idle. */
async function started(cluster: TestCluster): Promise<TestOperator> {
  await cluster.create(Secret, input(17, 5));
  await cluster.create(RWExternal, { metadata: { name: "a" }, ...READY });
  const op = await start(cluster);
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeReady();
  cluster.requests.clear();
  return op;
}

test("the output follows an input that is created, changed, deleted and created again", async () => {
  await using cluster = await startTestCluster();
  const op = await start(cluster);
  await cluster.create(RWExternal, { metadata: { name: "a" }, ...READY });
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toHaveCondition("InputReady", { status: "False", reason: "NotFound" });
  expect(await cluster.get(RWExternal, "a")).toHaveCondition("OutputReady", { status: "Unknown", reason: "NotReached" });

  await cluster.create(Secret, input(17, 5));
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeReady();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "3", remainder: "2" });

  await cluster.update(Secret, "in", (secret) => {
    secret.data = input(100, 7).data;
  });
  await op.settled();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "14", remainder: "2" });

  await cluster.delete(Secret, "in");
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toHaveCondition("Ready", { status: "False", reason: "NotFound" });
  // The last result stays for those who use it.
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "14", remainder: "2" });

  await cluster.create(Secret, input(9, 3));
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeReady();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "3", remainder: "0" });
});

test.for([
  { name: "a missing key", data: { dividend: b64("1") }, type: "InputReady", reason: "MissingKey" },
  { name: "no data", data: {}, type: "InputReady", reason: "MissingKey" },
  { name: "a word", data: { dividend: b64("hunter2"), divisor: b64("1") }, type: "InputReady", reason: "NotAnInteger" },
  { name: "garbage", data: { dividend: "AP/+wyg=", divisor: b64("1") }, type: "InputReady", reason: "NotAnInteger" },
  { name: "a divisor of 0", data: input(1, 0).data, type: "OutputReady", reason: "DivisionByZero" },
])("$name in the input is reported, and its fix needs no restart", async ({ data, type, reason }) => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.update(Secret, "in", (secret) => {
    secret.data = data;
  });
  await op.settled();
  const object = await cluster.get(RWExternal, "a");
  expect(object).toHaveCondition(type, { status: "False", reason, message: /Secret in has/ });
  expect(JSON.stringify(object)).not.toContain("hunter2");

  await cluster.update(Secret, "in", (secret) => {
    secret.data = input(8, 2).data;
  });
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeReady();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "4", remainder: "0" });
});

test("a foreign Secret with the name of the output is neither overwritten nor deleted", async () => {
  await using cluster = await startTestCluster();
  await cluster.create(Secret, { metadata: { name: "a" }, data: { password: b64("hunter2") } });
  await cluster.create(Secret, input(17, 5));
  const op = await start(cluster);
  await cluster.create(RWExternal, { metadata: { name: "a" }, ...READY });
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toHaveCondition("OutputReady", {
    status: "False",
    reason: "NotOurs",
    message: "Secret a is not ours: no controller owns it",
  });
  await cluster.delete(RWExternal, "a");
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeUndefined();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ password: "hunter2" });
});

test("an object whose output name was taken continues when the foreign Secret is deleted", async () => {
  await using cluster = await startTestCluster();
  await cluster.create(Secret, { metadata: { name: "a" } });
  await cluster.create(Secret, input(17, 5));
  const op = await start(cluster);
  await cluster.create(RWExternal, { metadata: { name: "a" }, ...READY });
  await op.settled();
  await cluster.delete(Secret, "a");
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeReady();
});

test("of two objects with one output the second waits, names the first, and takes over when the first is deleted", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.create(Secret, input(100, 7, "other"));
  await cluster.create(RWExternal, { metadata: { name: "b" }, spec: { inputSecret: "other", outputSecret: "a" } });
  await op.settled();
  expect(await cluster.get(RWExternal, "b")).toHaveCondition("OutputReady", {
    status: "False",
    reason: "NotOurs",
    message: /^Secret a is not ours: it belongs to RWExternal a /,
  });
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "3", remainder: "2" });

  await cluster.delete(RWExternal, "a");
  await op.settled();
  expect(await cluster.get(RWExternal, "b")).toBeReady();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "14", remainder: "2" });
});

test("two objects that swap their outputs both become Ready", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.create(Secret, input(100, 7, "other"));
  await cluster.create(RWExternal, { metadata: { name: "b" }, spec: { inputSecret: "other" } });
  await op.settled();
  for (const [name, outputSecret] of [
    ["a", "b"],
    ["b", "a"],
  ] as const)
    await cluster.update(RWExternal, name, (object) => {
      object.spec.outputSecret = outputSecret;
    });
  await op.settled();
  expect(text(await cluster.get(Secret, "b"))).toEqual({ quotient: "3", remainder: "2" });
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "14", remainder: "2" });
});

test("marks that a user removes from the output are restored, so the output is still moved and deleted", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  const { labels, ownerReferences } = (await cluster.get(Secret, "a"))?.metadata ?? {};
  for (const member of ["labels", "ownerReferences"] as const) {
    await cluster.update(Secret, "a", (secret) => {
      delete secret.metadata[member];
    });
    await op.settled();
    expect((await cluster.get(Secret, "a"))?.metadata).toMatchObject({ labels, ownerReferences });
  }
});

test("the server refuses an invalid Secret name", async () => {
  await using cluster = await startTestCluster();
  await started(cluster);
  const change = cluster.update(RWExternal, "a", (object) => {
    object.spec.outputSecret = "a/b";
  });
  await expect(change).rejects.toMatchObject({ code: "ERR_INVALID" });
});

test("an output that a finalizer holds gets one delete request", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.update(Secret, "a", (secret) => {
    secret.metadata.finalizers = ["example.com/hold"];
  });
  await op.settled();
  cluster.requests.clear();
  await cluster.delete(RWExternal, "a");
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toHaveCondition("Ready", { status: "False", reason: "Deleting" });
  expect(cluster.requests.filter({ verb: "delete" })).toHaveLength(1);
  await cluster.update(Secret, "a", (secret) => {
    secret.metadata.finalizers = [];
  });
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeUndefined();
});

test("a deletion or change of the output is reverted, and foreign keys stay", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.delete(Secret, "a");
  await op.settled();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "3", remainder: "2" });

  await cluster.update(Secret, "a", (secret) => {
    secret.data = { quotient: b64("4"), remainder: b64("2"), note: b64("mine") };
  });
  await op.settled();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "3", remainder: "2", note: "mine" });
});

test("a renamed output moves, and the deletion of its owner deletes it and no foreign Secret", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.update(RWExternal, "a", (object) => {
    object.spec.outputSecret = "moved";
  });
  await op.settled();
  expect(await cluster.get(Secret, "a")).toBeUndefined();
  expect(text(await cluster.get(Secret, "moved"))).toEqual({ quotient: "3", remainder: "2" });
  expect((await cluster.get(RWExternal, "a"))?.status?.outputSecret).toBe("moved");

  await cluster.delete(RWExternal, "a");
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeUndefined();
  expect(await cluster.get(Secret, "moved")).toBeUndefined();
  expect(await cluster.get(Secret, "in")).toBeDefined();
});

test("a new spec.inputSecret is used, and changes of the old one start no pass", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.create(Secret, input(100, 7, "other"));
  await cluster.update(RWExternal, "a", (object) => {
    object.spec.inputSecret = "other";
  });
  await op.settled();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "14", remainder: "2" });

  const before = op.passes.length;
  await cluster.update(Secret, "in", (secret) => {
    secret.data = input(1, 1).data;
  });
  await op.settled();
  expect(op.passes.length).toBe(before);
});

test("an object whose output is its own input is refused", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.update(RWExternal, "a", (object) => {
    object.spec.inputSecret = "a";
  });
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toHaveCondition("Valid", {
    status: "False",
    message: "Secret a cannot be both input and output",
  });
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "3", remainder: "2" });
});

const CALLS = { verb: ["get", "create", "apply", "patch", "update", "delete"] } as const;

test("an object costs one request each for finalizer, input, output and status until it is Ready", async () => {
  await using cluster = await startTestCluster();
  const op = await start(cluster);
  await cluster.create(Secret, input(17, 5));
  await op.settled();
  cluster.requests.clear();
  await cluster.create(RWExternal, { metadata: { name: "a" }, ...READY });
  await op.settled();
  expect(await cluster.get(RWExternal, "a")).toBeReady();
  expect(cluster.requests.filter(CALLS).map(({ verb, resource, subresource = "" }) => [verb, resource, subresource])).toEqual([
    ["patch", "rwexternals", ""],
    ["get", "secrets", ""],
    ["apply", "secrets", ""],
    ["patch", "rwexternals", "status"],
  ]);
});

test("a changed input costs one GET and one apply, and an unchanged one costs nothing", async () => {
  await using cluster = await startTestCluster();
  const op = await started(cluster);
  await cluster.update(Secret, "in", (secret) => {
    secret.data = input(100, 7).data;
  });
  await op.settled();
  expect(text(await cluster.get(Secret, "a"))).toEqual({ quotient: "14", remainder: "2" });
  expect(cluster.requests.filter(CALLS).map(({ verb, resource }) => [verb, resource])).toEqual([
    ["get", "secrets"],
    ["apply", "secrets"],
  ]);

  cluster.requests.clear();
  await cluster.update(Secret, "in", (secret) => {
    secret.metadata.labels = { touched: "yes" };
  });
  await op.settled();
  // Another version of the same input: it has to be looked at, and there is nothing to write.
  expect(cluster.requests.filter(CALLS).map(({ verb, resource }) => [verb, resource])).toEqual([["get", "secrets"]]);

  cluster.requests.clear();
  await op.settled({ horizonMs: 60_000 });
  expect(cluster.requests.filter(CALLS)).toEqual([]);
});
