import { fakeClock } from "@treadle/apimachinery";
import { ConfigMap, Pod } from "@treadle/apimachinery/kinds";
import { one } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { Website } from "../test/reviews.ts";
import { deny } from "./admission/deny.ts";
import { review } from "./review.ts";
import { webhooks } from "./webhooks.ts";

const website = webhooks(Website, {
  on: ["CREATE", "UPDATE", "DELETE"],
  fill(spec, site) {
    spec.host ??= `${site.metadata.name}.example.com`;
  },
  problems(site, { old, warn, user, operation }) {
    if (operation === "DELETE" && user.username !== "ada") deny("only ada removes websites");
    if (site.spec.replicas > 5) warn("more than 5 replicas cost extra");
    return [
      ...(site.spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
      ...(old !== undefined && old.spec.host !== site.spec.host ? ["the host cannot change"] : []),
    ];
  },
});
const stored = { metadata: { name: "a" }, spec: { host: "a.example.com" } };

describe("review", () => {
  test("a created object has its defaults and what fill completed", async () => {
    expect(await review(website, { create: { metadata: { name: "a" }, spec: {} } })).toEqual({
      object: {
        apiVersion: "web.example.com/v1",
        kind: "Website",
        metadata: { name: "a", namespace: "default" },
        spec: { host: "a.example.com", replicas: 1 },
      },
      warnings: [],
      problems: [],
    });
  });

  test("an object that is refused has its problems and warnings", async () => {
    const { problems, warnings } = await review(website, { old: stored, update: { ...stored, spec: { host: "b", replicas: 11 } } });
    expect(problems).toEqual([{ path: "spec.replicas", message: "at most 10" }, "the host cannot change"]);
    expect(warnings).toEqual(["more than 5 replicas cost extra"]);
  });

  test("an update that leaves the spec as it was has no problems", async () => {
    const broken = { metadata: { name: "a" }, spec: { replicas: 99 } };
    const outcome = await review(website, { old: broken, update: { ...broken, metadata: { name: "a", labels: { team: "a" } } } });
    expect(outcome).toMatchObject({ object: { metadata: { labels: { team: "a" } } }, problems: [] });
  });

  test("an object that breaks its schema has the problems of the schema", async () => {
    const spec = { replicas: "many" } as unknown as { replicas: number };
    const { problems } = await review(website, { create: { metadata: { name: "a" }, spec } });
    expect(problems).toMatchObject([{ path: "spec.replicas" }]);
  });

  test("a denial has its message and code", async () => {
    expect(await review(website, { delete: stored })).toMatchObject({
      problems: [],
      denied: { message: "only ada removes websites", code: 403 },
    });
    expect(await review(website, { delete: stored, user: { username: "ada" } })).not.toHaveProperty("denied");
  });

  test("a failure of a function has the author's error as its cause", async () => {
    const boom = new Error("boom");
    const broken = webhooks(Website, { problems: () => Promise.reject(boom) });
    await expect(review(broken, { create: stored })).rejects.toMatchObject({ code: "ERR_FUNCTION_FAILED", cause: boom });
  });

  test("a function that never ends fails by the given clock", async () => {
    const clock = fakeClock();
    const pending = expect(
      review(webhooks(Website, { problems: () => new Promise(() => undefined) }), { create: stored, clock }),
    ).rejects.toMatchObject({ code: "ERR_DEADLINE" });
    await clock.advance(4_500);
    await pending;
  });

  test("reads have the given values, and one without a value is named", async () => {
    const limited = webhooks(Website, {
      reads: { limits: one(ConfigMap, () => ({ name: "limits" })) },
      problems: (site, { reads }) => (site.spec.replicas > Number(reads.limits?.data?.["max"]) ? ["too many"] : []),
    });
    const limits = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "limits" }, data: { max: "3" } };
    const create = { metadata: { name: "a" }, spec: { replicas: 4 } };
    expect((await review(limited, { create, reads: { limits } })).problems).toEqual(["too many"]);
    await expect(review(limited, { create })).rejects.toThrow('there is no value of the read "limits"');
  });

  test("a call of the client without one is named", async () => {
    const calling = webhooks(Website, {
      problems: async (_, { client }) => ((await client.get(ConfigMap, { name: "a" })) === undefined ? ["no"] : []),
    });
    await expect(review(calling, { create: stored })).rejects.toThrow("review.client.get: give a client");
  });

  test("an object of another version is refused", async () => {
    const create = { apiVersion: "web.example.com/v9", ...stored };
    await expect(review(website, { create })).rejects.toThrow("review: the object is a Website (web.example.com/v9)");
  });

  test("the given objects do not change", async () => {
    const create = Object.freeze({ metadata: Object.freeze({ name: "a" }), spec: Object.freeze({}) });
    await review(website, { create });
    expect(create).toEqual({ metadata: { name: "a" }, spec: {} });
  });

  test("a connection is reviewed by its options", async () => {
    const exec = webhooks(Pod, {
      on: ["CONNECT"],
      subresources: ["exec"],
      problems: (pod, { user }) => deny(`${user.username} may not enter ${pod.metadata.name}`),
    });
    const connect = { apiVersion: "v1", kind: "PodExecOptions", metadata: { name: "a" }, command: ["sh"] };
    expect(await review(exec, { connect, subresource: "exec", user: { username: "eve" } })).toMatchObject({
      denied: { message: "eve may not enter a" },
    });
  });
});
