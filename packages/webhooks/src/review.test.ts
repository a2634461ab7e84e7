import { defineResource, fakeClock } from "@treadle/apimachinery";
import { ConfigMap, Pod } from "@treadle/apimachinery/kinds";
import { one } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Website } from "../test/reviews.ts";
import { deny } from "./admission/deny.ts";
import { converterOf } from "./conversion/converter.ts";
import { review, type ReviewedObject } from "./review.ts";
import { settledOf, webhooks } from "./webhooks.ts";

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
    const without = { create, reads: {} as { limits: undefined } };
    await expect(review(limited, without)).rejects.toThrow('there is no value of the read "limits"');
  });

  test("a call of the client without one is named", async () => {
    const calling = webhooks(Website, {
      problems: async (_, { client }) => ((await client.get(ConfigMap, { name: "a" })) === undefined ? ["no"] : []),
    });
    await expect(review(calling, { create: stored })).rejects.toThrow("review.client.get: give a client");
  });

  test("an object of an unknown version is refused", async () => {
    const create = { apiVersion: "web.example.com/v9", ...stored };
    const text = "review: the object is a Website (web.example.com/v9), and the webhooks know Website (web.example.com/v1)";
    await expect(review(website, { create })).rejects.toThrow(text);
  });

  test("an object of a kind of others is completed", async () => {
    const pods = webhooks(Pod, { fill: (spec) => void (spec.priorityClassName ??= "low") });
    const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "web", image: "nginx" }] } };
    const { object, problems } = await review(pods, { create: pod });
    expect([object.spec?.priorityClassName, problems]).toEqual(["low", []]);
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

describe("review of an object of another version", () => {
  const Site = defineResource({
    group: "web.example.com",
    kind: "Site",
    scope: "Namespaced",
    versions: {
      v1: { spec: z.object({ host: z.string().max(20).optional(), replicas: z.int32().default(1), issuer: z.string().optional() }) },
      v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().min(1).default(2) }) },
    },
  });
  const site = webhooks(Site, {
    fill(spec, { metadata }) {
      spec.host ??= `${metadata.name}.example.com`;
    },
    problems: ({ spec }, { old }) => (old !== undefined && old.spec.host !== spec.host ? ["the host cannot change"] : []),
    convert: {
      v1alpha1: {
        up: ({ spec }) => {
          if (spec.domain === "boom") throw new Error("boom");
          return { spec: { host: spec.domain, replicas: spec.size } };
        },
        down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
      },
    },
  });
  const apiVersion = "web.example.com/v1alpha1";
  const metadata = { name: "a" };

  test("it has the defaults of its version, and the functions see the hub", async () => {
    expect(await review(site, { create: { apiVersion, metadata, spec: {} } })).toEqual({
      object: {
        apiVersion: "web.example.com/v1",
        kind: "Site",
        metadata: { name: "a", namespace: "default" },
        spec: { host: "a.example.com", replicas: 2 },
      },
      problems: [],
      warnings: [],
    });
  });

  test("it is checked against the schema of the hub, which its version does not have", async () => {
    const create = { apiVersion, metadata, spec: { domain: "a-name-that-is-too-long.example.com" } };
    expect((await review(site, { create })).problems).toMatchObject([{ path: "spec.host" }]);
  });

  test("a rule of the schema that the stored object breaks as well refuses no update", async () => {
    const old = { metadata, spec: { host: "a-name-that-is-too-long.example.com", replicas: 1 } };
    const update = { apiVersion, metadata, spec: { domain: old.spec.host, size: 3 } };
    expect((await review(site, { old, update })).problems).toEqual([]);
  });

  test("an update is compared with a stored object of the hub", async () => {
    const old = { metadata, spec: { host: "a.example.com", replicas: 1 } };
    const update = { apiVersion, metadata, spec: { domain: "b.example.com", size: 1 } };
    expect((await review(site, { old, update })).problems).toEqual(["the host cannot change"]);
    expect((await review(site, { old: update, update: old })).problems).toEqual(["the host cannot change"]);
  });

  test("a field that its version lacks is restored from its annotation", async () => {
    const converter = converterOf(settledOf(site));
    const hub = { apiVersion: "web.example.com/v1", kind: "Site", metadata, spec: { host: "a", replicas: 1, issuer: "ca" } };
    const create = converter.convert(hub, apiVersion) as ReviewedObject<typeof Site>;
    const outcome = await review(site, { create });
    expect(outcome.object).toMatchObject({ metadata: { name: "a" }, spec: { host: "a", issuer: "ca" } });
    expect(outcome.object.metadata).not.toHaveProperty("annotations");
  });

  test("it is checked by the schema of its own version", async () => {
    const create = { apiVersion, metadata, spec: { size: 0 } };
    expect((await review(site, { create })).problems).toMatchObject([{ path: "spec.size" }]);
  });

  test("an up that throws is the error of a conversion", async () => {
    const create = { apiVersion, metadata, spec: { domain: "boom" } };
    await expect(review(site, { create })).rejects.toMatchObject({ code: "ERR_CONVERSION_FAILED" });
  });
});

test.for<{ name: string; request: object; want: string }>([
  { name: "nothing", request: {}, want: "review: the request has none of create, update, delete and connect: give one" },
  { name: "two", request: { create: stored, delete: stored }, want: "review: the request has create and delete of create, update" },
  { name: "an update without the stored object", request: { update: stored }, want: "give { old: object, update: object }" },
])("a request of $name is refused with what to do", async ({ request, want }) => {
  await expect(review(website, request as never)).rejects.toThrow(want);
});

const pathed = (path: string): Promise<unknown> =>
  review(webhooks(Website, { problems: () => [{ path, message: "no" }] }), { create: stored });

test.for(["spec.host", "metadata.labels[a.b/c]", "metadata.name", "", "spec"])("the path %s exists", async (path) => {
  expect(await pathed(path)).toMatchObject({ problems: [path === "" ? { message: "no" } : { path }] });
});

test.for(["spec.hots", "spec.host[0]", "host"])("the path %s is refused, because the kind does not have it", async (path) => {
  await expect(pathed(path)).rejects.toThrow(`review: problems names the path "${path}", which Website v1 does not have`);
});
