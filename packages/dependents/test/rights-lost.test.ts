/** Rights that are taken from a running operator, and given back: the object says what is missing, and no restart is needed. */
import "@treadle/testing/matchers";
import { ApiError } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { page, Site } from "./sites.ts";

const saysOf = async (cluster: TestCluster): Promise<Record<string, readonly [string, string, string]>> =>
  Object.fromEntries(
    ((await cluster.get(Site, "a"))?.status?.conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      [status, reason, message],
    ]),
  );

const reading = step(Site, {
  name: "reading",
  conditions: ["Read"],
  reads: { secret: one(Secret, () => "s") },
  do(req) {
    req.status.seen = Buffer.from(req.reads.secret?.data?.["k"] ?? "", "base64").toString();
    req.conditions.true("Read");
  },
});
const other = step(Site, {
  name: "other",
  conditions: ["Other"],
  reads: { map: one(ConfigMap, () => "m") },
  do: (req) => req.conditions.true("Other", "Seen", req.reads.map?.data?.["k"] ?? ""),
});
const secret = (value: string): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  data: { k: Buffer.from(value).toString("base64") },
});

describe.for([
  { status: 403, reason: "Forbidden", want: "the operator may not watch secrets: allow list and watch of them to its service account" },
  { status: 401, reason: "Unauthorized", want: "the server does not accept the operator's credentials for watch of secrets: renew them" },
])("the watch of a kind is answered with $status", ({ status, reason, want }) => {
  test("steps that read it wait and say so, the others go on; it resumes when the watch works again", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ kinds: [Site], objects: [secret("old")] });
    const op = await cluster.start(handler(Site).step(conditions()).step(other).step(reading).build());
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeReady();

    const giveBack = cluster.onRequest(({ resource, verb }) => {
      if (resource === "secrets" && (verb === "list" || verb === "watch")) throw new ApiError({ status, reason, message: "no" });
    });
    await cluster.advance(900_000); // Until the open watch has ended.
    expect(await saysOf(cluster)).toMatchObject({
      Ready: [expect.not.stringMatching("True"), "Forbidden", expect.stringContaining(want)],
      Read: [expect.not.stringMatching("True"), "Forbidden", expect.stringContaining(want)],
      Other: ["True", "Seen", ""],
    });
    await cluster.create(ConfigMap, { metadata: { name: "m" }, data: { k: "new" } });
    await cluster.advance(1_000);
    expect((await saysOf(cluster))["Other"]).toEqual(["True", "Seen", "new"]);

    await cluster.apply(secret("new"));
    giveBack();
    await cluster.advance(60_000);
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeReady();
    expect((await cluster.get(Site, "a"))?.status?.seen).toBe("new");
    expect(op.logs.filter(({ text }) => text === "Secret is watched again")).toHaveLength(1);
  });
});

test("an owner whose dependents are not watched any more is not let go before they can be seen", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ kinds: [Site] });
  const op = await cluster.start(handler(Site).step(conditions()).step(page()).build());
  await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
  await op.settled();
  const giveBack = cluster.onRequest(({ resource }) => {
    if (resource === "configmaps") throw new ApiError({ status: 403, reason: "Forbidden", message: "no" });
  });
  await cluster.advance(900_000);
  await cluster.delete(Site, "a");
  await cluster.advance(60_000);
  expect((await saysOf(cluster))["Ready"]).toEqual(["False", "Deleting", expect.stringContaining("may not watch configmaps")]);
  giveBack();
  await cluster.advance(120_000);
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(await cluster.list(ConfigMap)).toEqual([]);
});

test("a write that is refused for an hour is tried again within two minutes of the right", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ kinds: [Site] });
  const giveBack = cluster.onRequest(({ resource, verb }) => {
    if (resource === "configmaps" && (verb === "create" || verb === "apply" || verb === "patch"))
      throw new ApiError({ status: 403, reason: "Forbidden", message: "no" });
  });
  await cluster.start(handler(Site).step(conditions()).step(page()).build());
  await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
  await cluster.advance(3_600_000);
  expect((await saysOf(cluster))["Ready"]).toEqual([expect.not.stringMatching("True"), "Forbidden", expect.stringContaining("no")]);
  giveBack();
  await cluster.advance(120_000);
  expect(await cluster.get(Site, "a")).toBeReady();
});
