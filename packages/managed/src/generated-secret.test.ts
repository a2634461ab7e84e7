/** Secrets with random values. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { dependentsOf } from "@treadle/dependents";
import { conditions, handler, type Handler, one, step } from "@treadle/reconcile";
import { fakeWorld, type FakeWorld, secretText, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { generatedSecret, generatedSecretName, type GeneratedSecretOptions } from "./generated-secret.ts";

const User = defineResource({
  group: "store.example.com",
  version: "v1",
  kind: "User",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ secret: z.string().optional(), round: z.int32().optional() }),
  status: z.object({ seen: z.string() }),
});
type User = ObjectOf<typeof User>;

const user = { apiVersion: "store.example.com/v1", kind: "User", metadata: { name: "u" }, spec: {} };

/** A handler whose second step reads the Secret, as a managed step does. */
function handlerOf(options: Partial<GeneratedSecretOptions<User>>): Handler<User> {
  const login = step(User, {
    name: "login",
    reads: { secret: one(Secret, (object) => generatedSecretName(object)) },
    do(req) {
      req.status.seen = Buffer.from(req.reads.secret?.data?.["password"] ?? "", "base64")
        .toString()
        .length.toString();
    },
  });
  const secret = generatedSecret(User, { keys: ["password"], ...options });
  return handler(User).step(conditions()).step(secret).step(login).build();
}

function world(options: Partial<GeneratedSecretOptions<User>>, objects: readonly object[] = [user]): FakeWorld {
  return fakeWorld(handlerOf(options), { objects });
}

async function values(of: Pick<FakeWorld, "get">, name = "u-user-generated"): Promise<Readonly<Record<string, string>> | undefined> {
  const live = await of.get(Secret, name);
  return live === undefined ? undefined : secretText(live);
}

test("the Secret has a random value for each key, which the next step sees in the same pass", async () => {
  const first = world({ keys: ["password", "token"], labels: { app: "x" } });
  await first.pass("default/u");
  expect((await first.get(User, "u"))?.status?.seen).toBe("32");
  await first.settled();
  const { password, token } = (await values(first)) ?? {};
  expect(password).toMatch(/^[A-Za-z2-9]{32}$/);
  expect(token).not.toBe(password);
  const other = world({});
  await other.settled();
  expect((await values(other))?.["password"]).not.toBe(password);
  expect((await first.get(Secret, "u-user-generated"))?.metadata.labels).toMatchObject({ app: "x" });
});

test("the values stay in later passes, without a request", async () => {
  const first = world({});
  await first.settled();
  const before = await values(first);
  first.requests.clear();
  await first.pass("default/u");
  expect(first.requests.filter()).toEqual([]);
  await first.update(User, "u", ({ spec }) => void (spec.round = 1));
  await first.settled();
  expect(await values(first)).toEqual(before);
});

test("in the next process a new key is added, a removed key disappears, and the other values stay", async () => {
  await using cluster = await startTestCluster({ kinds: [User], objects: [user] });
  const first = await cluster.start(handlerOf({ keys: ["password", "old"] }));
  await first.settled();
  const before = await values(cluster);
  await first.stop();
  const next = await cluster.start(handlerOf({ keys: ["password", "new"] }));
  await next.settled();
  const after = await values(cluster);
  expect(Object.keys(after ?? {}).toSorted()).toEqual(["new", "password"]);
  expect(after?.["password"]).toBe(before?.["password"]);
});

test("a value that a user sets stays", async () => {
  const first = world({});
  await first.settled();
  await first.update(Secret, "u-user-generated", (secret) => void (secret.data = { password: Buffer.from("mine").toString("base64") }));
  await first.settled();
  expect(await values(first)).toEqual({ password: "mine" });
});

test("a deleted Secret is made again with a new value", async () => {
  const first = world({});
  await first.settled();
  const before = await values(first);
  await first.delete(Secret, "u-user-generated");
  await first.settled();
  expect(await values(first)).toBeDefined();
  expect(await values(first)).not.toEqual(before);
});

test("a Secret that moves keeps its values", async () => {
  const first = world({ objectName: ({ spec }) => spec.secret ?? "a" });
  await first.settled();
  const before = await values(first, "a");
  await first.update(User, "u", ({ spec }) => void (spec.secret = "b"));
  await first.settled();
  expect(await values(first, "b")).toEqual(before);
  expect(await values(first, "a")).toBeUndefined();
});

test("a Secret of another owner is neither changed nor used", async () => {
  const foreign = { apiVersion: "v1", kind: "Secret", metadata: { name: "u-user-generated" }, data: { password: "eA==" } };
  const first = world({ keys: ["password", "token"] }, [user, foreign]);
  await first.settled();
  expect(await values(first)).toEqual({ password: "x" });
  expect(dependentsOf((await first.get(User, "u")) as User)).toMatchObject([{ type: "Failed", reason: "NotOurs" }]);
});

test("a generated value is in no log, event or status", async () => {
  const first = world({});
  await first.settled();
  const password = (await values(first))?.["password"] ?? "unset";
  expect(JSON.stringify([first.logs, first.events, await first.get(User, "u")])).not.toContain(password);
});

test.for<{ name: string; options: Partial<GeneratedSecretOptions<User>>; want: string }>([
  { name: "no keys", options: { keys: [] }, want: "at least one key" },
  { name: "an invalid key", options: { keys: ["a/b"] }, want: `"a/b" is not a key of a Secret` },
  { name: "a short value", options: { length: 5 }, want: "29 random bits: at least 64" },
  { name: "one character", options: { alphabet: "aaaa" }, want: "with 1 characters gives 0 random bits" },
  { name: "a length that is no number", options: { length: Number.NaN }, want: "gives 0 random bits" },
  { name: "a huge value", options: { length: 1_000_000 }, want: "at most 4096 characters" },
])("generatedSecret() refuses $name", ({ options, want }) => {
  expect(() => generatedSecret(User, { keys: ["password"], ...options })).toThrow(want);
});
