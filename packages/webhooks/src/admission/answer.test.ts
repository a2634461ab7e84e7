import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Pod, Secret } from "@treadle/apimachinery/kinds";
import { one } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { answered, failed, untyped } from "../../test/asking.ts";
import { bodyFor, patchIn, testEnv, Website, website } from "../../test/reviews.ts";
import type { Review } from "../types.ts";
import { settledOf, webhooks, type Webhooks } from "../webhooks.ts";
import { answerAdmission } from "./answer.ts";
import { deny } from "./deny.ts";

const refusing = untyped({ on: ["CREATE", "UPDATE", "DELETE", "CONNECT"], problems: () => ["no"] });

describe("a body that is no review", () => {
  const valid = bodyFor(refusing, { object: website() });
  const without = (name: string): object => ({ ...valid, request: { ...valid.request, [name]: undefined } });
  const withRequest = (request: object): object => ({ ...valid, request: { ...valid.request, ...request } });
  test.for<{ name: string; body: unknown; want: string }>([
    { name: "no body", body: undefined, want: "the body is not a JSON object" },
    { name: "a list", body: [], want: "the body is not a JSON object" },
    { name: "another kind", body: { ...valid, kind: "Pod" }, want: 'kind is "Pod"' },
    {
      name: "a review of v1beta1",
      body: { ...valid, apiVersion: "admission.k8s.io/v1beta1" },
      want: `apiVersion is "admission.k8s.io/v1beta1". Set admissionReviewVersions: ["v1"]`,
    },
    { name: "a ConversionReview", body: { ...valid, kind: "ConversionReview" }, want: 'kind is "ConversionReview"' },
    { name: "no request", body: { ...valid, request: null }, want: "it has no request" },
    { name: "no uid", body: without("uid"), want: "request.uid is missing" },
    { name: "an empty uid", body: withRequest({ uid: "" }), want: "request.uid is missing" },
    { name: "an unknown operation", body: withRequest({ operation: "PATCH" }), want: 'request.operation is "PATCH"' },
    {
      name: "another resource",
      body: withRequest({ resource: { group: "", version: "v1", resource: "pods" } }),
      want: '"pods" of group ""',
    },
    {
      name: "another kind of object",
      body: withRequest({ kind: { group: "web.example.com", version: "v1", kind: "WebsiteList" } }),
      want: 'request.kind is "WebsiteList"',
    },
    {
      name: "an unknown version",
      body: withRequest({ kind: { group: "web.example.com", version: "v9", kind: "Website" } }),
      want: 'the object has version "v9". Register the webhook for web.example.com/v1 with matchPolicy: Equivalent',
    },
    { name: "no user", body: without("userInfo"), want: "request.userInfo is missing" },
    { name: "no object", body: without("object"), want: "request.object is missing" },
    { name: "an object that is a list", body: withRequest({ object: [] }), want: "request.object is missing" },
    { name: "an object without kind", body: withRequest({ object: { metadata: {} } }), want: "request.object has no apiVersion and kind" },
    {
      name: "an object without metadata",
      body: withRequest({ object: { apiVersion: "web.example.com/v1", kind: "Website" } }),
      want: "request.object has no metadata",
    },
    { name: "an update without the old object", body: withRequest({ operation: "UPDATE" }), want: "request.oldObject is missing" },
    { name: "a deletion without the old object", body: withRequest({ operation: "DELETE" }), want: "request.oldObject is missing" },
    { name: "a long text in place of a kind", body: { ...valid, kind: "x".repeat(10_000) }, want: `kind is "${"x".repeat(63)}"` },
  ])("$name is HTTP 400", async ({ body, want }) => {
    const env = testEnv();
    const thrown: unknown = await answerAdmission(settledOf(refusing), "validate", body, env).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      name: "CallError",
      status: 400,
      code: "ERR_INVALID_REVIEW",
      message: expect.stringContaining(want) as string,
    });
    expect(env.lines, "the caller logs it").toEqual([]);
  });
});

describe("problems", () => {
  const update = { operation: "UPDATE", object: website({ replicas: 2 }), oldObject: website() };
  const created = { object: website() };

  test("all problems are in one status, as the API server writes it", async () => {
    const of = untyped({ problems: () => [{ path: "spec.replicas", message: "at most 10" }, "no more websites today"] });
    expect(await answered(of, "validate", created)).toEqual({
      uid: "705ab4f5",
      allowed: false,
      status: {
        apiVersion: "v1",
        kind: "Status",
        metadata: {},
        status: "Failure",
        code: 422,
        reason: "Invalid",
        message: 'Website.web.example.com "a" is invalid: [spec.replicas: at most 10, no more websites today]',
        details: {
          name: "a",
          group: "web.example.com",
          kind: "Website",
          causes: [
            { reason: "FieldValueInvalid", field: "spec.replicas", message: "at most 10" },
            { reason: "FieldValueInvalid", message: "no more websites today" },
          ],
        },
      },
    });
  });

  test("a path that does not exist is shown as it is", async () => {
    const of = untyped({ problems: () => [{ path: "spec.nothing[7].at['all']", message: "strange" }] });
    const { status } = await answered(of, "validate", created);
    expect(status?.message).toBe(`Website.web.example.com "a" is invalid: spec.nothing[7].at['all']: strange`);
  });

  test("no problems accept the object", async () => {
    expect(await answered(untyped({ problems: () => Promise.resolve([]) }), "validate", created)).toEqual({
      uid: "705ab4f5",
      allowed: true,
    });
  });

  test.for<{ name: string; given: unknown; want: string }>([
    { name: "nothing", given: undefined, want: "problems returned undefined instead of a list" },
    { name: "a text", given: "no", want: "problems returned a string instead of a list" },
    { name: "a boolean", given: true, want: "problems returned a boolean instead of a list" },
    { name: "an iterator", given: new Set(["no"]).values(), want: "instead of a list" },
    { name: "a list with null", given: ["no", null], want: "entry 1 of problems is null" },
    { name: "a list with false", given: [false], want: "entry 0 of problems is a boolean" },
    { name: "a list with an error", given: [new Error("no")], want: "entry 0 of problems is an object without the texts path and message" },
    { name: "a list with holes", given: ["no", , "no"], want: "entry 1 of problems is undefined" }, // oxlint-disable-line no-sparse-arrays -- the case
    { name: "a list of lists", given: [["spec", "no"]], want: "entry 0 of problems is a list" },
  ])("a result that is $name is HTTP 500", async ({ given, want }) => {
    const error = await failed(untyped({ problems: () => given }), "validate", created);
    expect(error).toMatchObject({ status: 500, code: "ERR_NOT_PROBLEMS" });
    expect(error.message).toContain(want);
  });

  test.for<{ name: string; reason: string; given?: object; request: object; isAsked: boolean }>([
    { name: "a create", reason: "it can break rules", request: created, isAsked: true },
    { name: "a change of the spec", reason: "it can break rules", request: update, isAsked: true },
    {
      name: "an update that leaves the spec as it was",
      reason: "a new rule must not keep a user from a label",
      request: { ...update, object: website({ replicas: 1 }, { labels: { a: "b" } }) },
      isAsked: false,
    },
    {
      name: "the same with unchanged: true",
      reason: "the rules are over metadata",
      given: { unchanged: true },
      request: { ...update, object: website({ replicas: 1 }, { labels: { a: "b" } }) },
      isAsked: true,
    },
    {
      name: "an object that is being deleted",
      reason: "the operator must be able to remove its finalizer",
      given: { unchanged: true },
      request: { ...update, oldObject: website({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
      isAsked: false,
    },
    {
      name: "a create with a deletionTimestamp of the client",
      reason: "the field must be no way around the rules",
      request: { object: website({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
      isAsked: true,
    },
    { name: "a status write", reason: "the operator writes it", request: { ...update, subResource: "status" }, isAsked: false },
    {
      name: "a status write with every subresource",
      reason: "the operator writes it",
      given: { subresources: ["*"] },
      request: { ...update, subResource: "status" },
      isAsked: false,
    },
    {
      name: "a subresource that is not declared",
      reason: "the author does not expect it",
      request: { ...update, subResource: "scale" },
      isAsked: false,
    },
    {
      name: "a declared subresource",
      reason: "the author asked for it",
      given: { subresources: ["scale"] },
      request: { ...update, subResource: "scale", kind: { group: "autoscaling", version: "v1", kind: "Scale" } },
      isAsked: true,
    },
    {
      name: "a deletion without DELETE in on",
      reason: "the author does not expect it",
      request: { operation: "DELETE", oldObject: website() },
      isAsked: false,
    },
    {
      name: "a deletion with DELETE in on",
      reason: "the author asked for it",
      given: { on: ["DELETE"] },
      request: { operation: "DELETE", oldObject: website() },
      isAsked: true,
    },
  ])("$name: asked is $isAsked, because $reason", async ({ given, request, isAsked }) => {
    const of = untyped({ problems: () => ["no"], ...given });
    expect((await answered(of, "validate", request)).allowed).toBe(!isAsked);
  });

  test.for<{ name: string; of: Webhooks; object: KubernetesObject; old: KubernetesObject; subResource?: string; isAsked: boolean }>([
    {
      name: "an unchanged ConfigMap",
      of: untyped({ problems: () => ["no"] }, ConfigMap),
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      old: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      isAsked: true,
    },
    {
      name: "a Pod with an unchanged spec",
      of: untyped({ problems: () => ["no"] }, Pod),
      object: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: {} }, spec: {} } as KubernetesObject,
      old: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: {} } as KubernetesObject,
      isAsked: false,
    },
    {
      name: "the declared status of a Pod",
      of: untyped({ problems: () => ["no"], subresources: ["status"] }, Pod),
      object: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: {} } as KubernetesObject,
      old: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: {} } as KubernetesObject,
      subResource: "status",
      isAsked: true,
    },
  ])("$name is asked: $isAsked", async ({ of, object, old, subResource = "", isAsked }) => {
    expect((await answered(of, "validate", { operation: "UPDATE", object, oldObject: old, subResource })).allowed).toBe(!isAsked);
  });

  test("a function gets the old object, the user and the options", async () => {
    let seen: object = {};
    const of = untyped({
      problems: (given: unknown, review: Review<KubernetesObject>) => {
        const { object, old, operation, user, isDryRun, subresource, options, reads } = review;
        const isSame = given === object;
        seen = { object, old, operation, user, isDryRun, subresource, options, reads, isSame, now: review.now() };
        return [];
      },
    });
    await answered(of, "validate", {
      ...update,
      userInfo: { username: "ada", uid: "u", groups: ["dev"], extra: { scopes: ["a"] } },
      dryRun: true,
    });
    expect(seen).toEqual({
      object: update.object,
      old: update.oldObject,
      operation: "UPDATE",
      user: { username: "ada", uid: "u", groups: ["dev"], extra: { scopes: ["a"] } },
      isDryRun: true,
      subresource: "",
      options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
      reads: {},
      isSame: true,
      now: Date.UTC(2026, 0, 1),
    });
  });

  test("CONNECT gives the options of the connection, with the name of the object", async () => {
    const objects: unknown[] = [];
    const of = untyped({ on: ["CONNECT"], subresources: ["exec"], problems: (object: unknown) => (objects.push(object), []) }, Pod);
    const options = { apiVersion: "v1", kind: "PodExecOptions", command: ["sh"] };
    await answered(of, "validate", {
      operation: "CONNECT",
      subResource: "exec",
      object: options,
      kind: { group: "", version: "v1", kind: "PodExecOptions" },
    });
    expect(objects).toEqual([{ ...options, metadata: { name: "a", namespace: "ops" } }]);
  });
});

describe("a function that fails", () => {
  const throwing = (thrown: unknown): Webhooks =>
    untyped({
      problems: () => {
        throw thrown;
      },
    });
  const request = { object: website() };

  test("an error is HTTP 500 and one line of the log with user, object and uid", async () => {
    const env = testEnv();
    const boom = new Error("login failed: password=hunter2");
    const error = await failed(throwing(boom), "validate", request, env);
    const message = "cannot check Website ops/a: problems failed: Error: login failed: password=<redacted>";
    expect(error).toMatchObject({ status: 500, code: "ERR_FUNCTION_FAILED", message, cause: boom });
    expect(env.lines).toEqual([
      {
        level: "error",
        text: "review failed",
        data: {
          webhook: "websites.web.example.com",
          function: "problems",
          operation: "CREATE",
          object: "Website ops/a",
          user: "ada",
          uid: "705ab4f5",
          code: "ERR_FUNCTION_FAILED",
          error: message,
          stack: expect.stringContaining("answer.test.ts") as string,
        },
      },
    ]);
  });

  test.for<{ name: string; thrown: unknown; want: string }>([
    { name: "nothing", thrown: undefined, want: "a value of type undefined" },
    { name: "a text", thrown: "no", want: "a value of type string: no" },
    { name: "an object without prototype", thrown: Object.create(null), want: "a value of type object" },
    {
      name: "a Proxy that throws",
      thrown: new Proxy(new Error("x"), {
        get: () => {
          throw new Error("trap");
        },
        has: () => {
          throw new Error("trap");
        },
        getPrototypeOf: () => {
          throw new Error("trap");
        },
      }),
      want: "an error that cannot be shown",
    },
  ])("$name that is thrown is HTTP 500", async ({ thrown, want }) => {
    const error = await failed(throwing(thrown), "validate", request);
    expect(error).toMatchObject({ status: 500, code: "ERR_FUNCTION_FAILED" });
    expect(error.message).toContain(want);
  });

  test("a rejection is HTTP 500", async () => {
    expect(await failed(untyped({ problems: () => Promise.reject(new Error("boom")) }), "validate", request)).toMatchObject({
      code: "ERR_FUNCTION_FAILED",
    });
  });

  test("a list with rejected promises is HTTP 500, and no rejection is left unhandled", async () => {
    const late = async (): Promise<never> => await Promise.reject(new Error("late"));
    expect(await failed(untyped({ problems: () => ["no", late(), { path: "spec", message: late() }] }), "validate", request)).toMatchObject(
      {
        code: "ERR_NOT_PROBLEMS",
        message: expect.stringContaining("entry 1 of problems is a promise") as string,
      },
    );
  });

  test("a promise that never ends is HTTP 500 a tenth before the timeout", async () => {
    const env = testEnv();
    let signal: AbortSignal | undefined;
    const of = untyped({
      timeoutSeconds: 10,
      problems: (_: unknown, review: { signal: AbortSignal }) => ((signal = review.signal), new Promise(() => undefined)),
    });
    const pending = failed(of, "validate", request, env);
    await env.clock.advance(8_999);
    expect(signal?.aborted).toBe(false);
    await env.clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(await pending).toMatchObject({
      status: 500,
      code: "ERR_DEADLINE",
      message: expect.stringContaining("has not ended after 9000 ms") as string,
    });
    expect(env.lines.map(({ level }) => level)).toEqual(["error"]);
    expect(env.clock.nextDue(), "no timer is left").toBeUndefined();
  });

  test("a client that has left ends the review without an error in the log", async () => {
    const env = testEnv();
    const pending = failed(untyped({ problems: () => new Promise(() => undefined) }), "validate", request, env);
    env.leave();
    expect(await pending).toMatchObject({ status: 500, code: "ERR_ABORTED" });
    expect(env.lines.map(({ level }) => level)).toEqual(["debug"]);
    expect(env.clock.nextDue(), "no timer is left").toBeUndefined();
  });

  test("a synchronous function costs no timer", async () => {
    const env = testEnv();
    const timers: number[] = [];
    const clock = { ...env.clock, after: (ms: number, run: () => void) => (timers.push(ms), env.clock.after(ms, run)) };
    await answered(untyped({ problems: () => [] }), "validate", request, { ...env, clock });
    expect(timers).toEqual([]);
  });

  test.for<{ name: string; options: object; want: number | string }>([
    { name: "no code", options: {}, want: 403 },
    { name: "another code", options: { code: 409 }, want: 409 },
    { name: "a code of success", options: { code: 200 }, want: "ERR_FUNCTION_FAILED" },
    { name: "a code of the server", options: { code: 500 }, want: "ERR_FUNCTION_FAILED" },
  ])("deny with $name answers $want", async ({ options, want }) => {
    const of = untyped({ problems: () => deny("not in the freeze", options), fill: () => deny("not in the freeze", options) });
    if (typeof want === "string") return expect(await failed(of, "validate", request)).toMatchObject({ code: want });
    for (const type of ["mutate", "validate"] as const)
      expect(await answered(of, type, request)).toEqual({
        uid: "705ab4f5",
        allowed: false,
        status: {
          apiVersion: "v1",
          kind: "Status",
          metadata: {},
          status: "Failure",
          message: "not in the freeze",
          reason: want === 403 ? "Forbidden" : "Conflict",
          code: want,
        },
      });
    return;
  });

  test.for<{ name: string; request: object; problems: unknown; want: string | boolean }>([
    { name: "a dry run that never read isDryRun", request: { dryRun: true }, problems: () => [], want: "ERR_DRY_RUN_NOT_READ" },
    {
      name: "a dry run that read isDryRun",
      request: { dryRun: true },
      problems: (_: unknown, { isDryRun }: { isDryRun: boolean }) => (isDryRun ? [] : []),
      want: true,
    },
    { name: "a request that is no dry run", request: {}, problems: () => [], want: true },
    { name: "a dry run that is refused", request: { dryRun: true }, problems: () => ["no"], want: false },
  ])("with sideEffects NoneOnDryRun, $name gives $want", async ({ request: part, problems, want }) => {
    const of = untyped({ sideEffects: "NoneOnDryRun", problems });
    if (typeof want === "string") expect(await failed(of, "validate", { ...request, ...part })).toMatchObject({ code: want });
    else expect((await answered(of, "validate", { ...request, ...part })).allowed).toBe(want);
  });

  test("fill and problems read isDryRun each for itself", async () => {
    const of = untyped({
      sideEffects: "NoneOnDryRun",
      fill: (_: unknown, __: unknown, review: { isDryRun: boolean }) => void review.isDryRun,
      problems: () => [],
    });
    expect((await answered(of, "mutate", { ...request, dryRun: true })).allowed).toBe(true);
    expect(await failed(of, "validate", { ...request, dryRun: true })).toMatchObject({ code: "ERR_DRY_RUN_NOT_READ" });
  });

  test.for([
    { timeoutMs: 2_000, deadlineMs: 1_800, reason: "the API server waits less long than timeoutSeconds" },
    { timeoutMs: 30_000, deadlineMs: 4_500, reason: "timeoutSeconds is a promise of this program" },
  ])("a call with $timeoutMs ms ends after $deadlineMs ms", async ({ timeoutMs, deadlineMs, reason }) => {
    const env = testEnv({ timeoutMs });
    let signal: AbortSignal | undefined;
    const of = untyped({
      problems: (_: unknown, review: { signal: AbortSignal }) => ((signal = review.signal), new Promise(() => undefined)),
    });
    const pending = failed(of, "validate", request, env);
    await env.clock.advance(deadlineMs - 1);
    expect(signal?.aborted, reason).toBe(false);
    await env.clock.advance(1);
    expect(await pending).toMatchObject({ code: "ERR_DEADLINE" });
  });

  test("reads that never have values end at the deadline", async () => {
    const env = testEnv({ read: () => new Promise(() => undefined) });
    const of = webhooks(Website, { reads: { owner: one(ConfigMap, () => ({ name: "owner" })) }, problems: () => [] });
    const pending = failed(of, "validate", request, env);
    await env.clock.advance(4_500);
    expect(await pending).toMatchObject({ code: "ERR_READS_FAILED" });
  });

  test("reads are in the review", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" }, data: { max: "3" } };
    const of = webhooks(Website, {
      reads: { owner: one(ConfigMap, () => ({ name: "owner" })) },
      problems: (_, { reads }) => [`at most ${reads.owner?.data?.["max"] ?? "?"}`],
    });
    const { status } = await answered(of, "validate", request, testEnv({ read: () => Promise.resolve({ owner }) }));
    expect(status?.message).toContain("at most 3");
  });
});

test("a fill that changes its second argument is told to change the draft", async () => {
  const of = untyped({ fill: (_: object, object: { spec: { host: string } }) => void (object.spec.host = "a") });
  const { message } = await failed(of, "mutate", { object: website({ replicas: 1 }) });
  expect(message).toContain("The objects of a review cannot be changed: fill changes its first argument, the draft");
});

describe("warnings", () => {
  const warned = async (texts: readonly unknown[]): Promise<readonly string[]> => {
    const of = untyped({ problems: (_: unknown, { warn }: { warn(text: unknown): void }) => (texts.forEach(warn), ["no"]) });
    return (await answered(of, "validate", { object: website() })).warnings ?? [];
  };

  test("a refusal has its warnings, each one once and on one line", async () => {
    expect(await warned(["a\nb", "a b", "", "c"])).toEqual(["a b", "c"]);
  });

  test("a warning is cut after 256 characters", async () => {
    expect(await warned(["x".repeat(256), "y".repeat(257)])).toEqual(["x".repeat(256), `${"y".repeat(255)}…`]);
  });

  test("a cut splits no character", async () => {
    expect(await warned([`${"x".repeat(254)}😀😀`])).toEqual([`${"x".repeat(254)}…`]);
  });

  test("all warnings together have at most 4,096 characters", async () => {
    const texts = await warned(Array.from({ length: 30 }, (_, i) => `${String(i).padStart(2, "0")}${"x".repeat(248)}`));
    expect(texts.join("").length).toBe(4_096);
    expect(texts.length).toBe(17);
  });

  test("a warning that is no text is HTTP 500", async () => {
    await expect(warned([7])).rejects.toMatchObject({ code: "ERR_FUNCTION_FAILED" });
  });

  test("fill warns once, though it is asked twice", async () => {
    const of = untyped({
      fill: (spec: { host?: string }, _: unknown, { warn }: { warn(text: string): void }) => {
        warn(spec.host === undefined ? "host is set" : "asked again");
        spec.host = "x";
      },
    });
    expect((await answered(of, "mutate", { object: website({}) })).warnings).toEqual(["host is set"]);
  });
});

describe("a Secret", () => {
  const plain = "correct-horse-battery";
  const encoded = Buffer.from(plain).toString("base64");
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { key: encoded }, stringData: { pin: "staple-9" } };
  const shown = (value: unknown): string => JSON.stringify(value);

  test.for<{ name: string; problems: unknown }>([
    {
      name: "an error",
      problems: () => {
        throw new SyntaxError(`Unexpected token in "${plain.slice(0, 8)}..."`);
      },
    },
    {
      name: "a line of the log",
      problems: (_: unknown, { log }: { log: { info(data: object, text: string): void } }) => (log.info({ plain }, encoded), []),
    },
    { name: "a problem", problems: () => [`${plain} is weak`, { path: "data.key", message: `not ${encoded}` }, "not staple-9"] },
    { name: "a warning", problems: (_: unknown, { warn }: { warn(text: string): void }) => (warn(plain), []) },
    {
      name: "a warning that is cut within a value",
      problems: (_: unknown, { warn }: { warn(text: string): void }) => (warn(`${"x".repeat(245)} ${plain}`), []),
    },
    { name: "a denial", problems: () => deny(`never ${plain}`) },
    { name: "the path of a problem", problems: () => [{ path: plain, message: "no" }] },
  ])("$name shows no value of it", async ({ problems }) => {
    const env = testEnv();
    const of = untyped({ problems }, Secret);
    const answer = await answered(of, "validate", { object }, env).catch((error: unknown) => (error as Error).message);
    for (const value of [plain, encoded, plain.slice(0, 8), "staple-9"]) expect(shown([answer, env.lines])).not.toContain(value);
    expect(shown([answer, env.lines])).toMatch(/redacted|is left out/);
  });

  test("the contents of any kind that is cached as metadata are hidden", async () => {
    const Vault = { ...Website, cachedAs: "metadata" as const };
    const of = untyped({ problems: () => ["the host is topsecret.example.com"] }, Vault);
    const { status } = await answered(of, "validate", { object: website({ host: "topsecret.example.com" }) });
    expect(status?.message).toContain("the host is <redacted>");
  });

  test("fill and problems get the whole object of a kind that is cached as metadata", async () => {
    const Vault = { ...Website, cachedAs: "metadata" as const };
    const seen: unknown[] = [];
    const of = webhooks(Vault, {
      fill(spec, object) {
        seen.push(object.spec.host);
        spec.host = "b.example.com";
      },
      problems: (object, { old }) => [`${object.spec.host} and ${old?.spec.host}`],
    });
    const given = { operation: "UPDATE", object: website({ host: "a.example.com" }), oldObject: website({ host: "old.example.com" }) };
    expect(patchIn(await answered(of, "mutate", given))).toEqual([{ op: "replace", path: "/spec/host", value: "b.example.com" }]);
    expect(seen[0]).toBe("a.example.com");
    // They may use its contents, and answers hide them.
    expect((await answered(of, "validate", given)).status?.message).toContain("<redacted> and <redacted>");
  });

  test("a Secret among the reads is hidden", async () => {
    const of = webhooks(Website, { reads: { key: one(Secret, () => ({ name: "key" })) }, problems: () => [`not ${plain}`] });
    const { status } = await answered(of, "validate", { object: website() }, testEnv({ read: () => Promise.resolve({ key: object }) }));
    expect(status?.message).toContain("not <redacted>");
  });
});
