/**
 * Versions that are too old, in virtual time.
 *
 * @module-tag memory
 */
import { describe, expect, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { CONFIG_MAPS, configMap, harness, type Harness, type Json, seen, WIDGETS, widget, widgetCrd } from "./harness.ts";

const INTERVAL_MS = 300_000;
const EVENTS = "/api/v1/namespaces/default/events";

function versionOf({ body }: { readonly body: Json }): string {
  return String(body["metadata"].resourceVersion);
}

async function exactly({ call }: Harness, path: string, version: string): Promise<Json> {
  const { status, body } = await call("GET", `${path}?resourceVersion=${version}&resourceVersionMatch=Exact`);
  return { status, message: body["message"], names: body["items"]?.map((item: Json) => item["metadata"].name) };
}

const TOO_OLD = { status: 410, message: "The resourceVersion for the provided list is too old." };

describe("with compactions", () => {
  test("a list of exactly one version is possible for one interval, and expires in the next", async () => {
    const given = harness({ compactionIntervalMs: INTERVAL_MS });
    const { call, clock } = given;
    await clock.advance(1);
    const old = versionOf(await call("POST", CONFIG_MAPS, configMap("a")));
    await call("POST", CONFIG_MAPS, configMap("b"));
    await clock.advance(INTERVAL_MS);
    expect(await exactly(given, CONFIG_MAPS, old)).toMatchObject({ status: 200, names: ["a"] });
    await clock.advance(INTERVAL_MS);
    expect(await exactly(given, CONFIG_MAPS, old)).toMatchObject(TOO_OLD);
  });

  test("an expired version is refused for each kind, also for one without a change and one that was never read", async () => {
    const given = harness({ compactionIntervalMs: INTERVAL_MS });
    const { call, clock } = given;
    const old = versionOf(await call("POST", WIDGETS, widget("a")));
    await call("GET", CONFIG_MAPS);
    await call("POST", WIDGETS, widget("b"));
    await clock.advance(2 * INTERVAL_MS);
    for (const path of [WIDGETS, CONFIG_MAPS, "/api/v1/secrets"]) expect(await exactly(given, path, old)).toMatchObject(TOO_OLD);
  });

  test("the newest version does not expire in an idle server", async () => {
    const given = harness({ compactionIntervalMs: INTERVAL_MS });
    const { call, clock, watch } = given;
    const newest = versionOf(await call("POST", CONFIG_MAPS, configMap("a")));
    await clock.advance(100 * INTERVAL_MS);
    expect(await exactly(given, CONFIG_MAPS, newest)).toMatchObject({ status: 200, names: ["a"] });
    const watching = await watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${newest}`);
    await call("POST", CONFIG_MAPS, configMap("b"));
    expect(seen(await watching.take())).toEqual(["ADDED b"]);
  });

  test("an expired page has a token that continues with the current objects", async () => {
    const { call, clock } = harness({ compactionIntervalMs: INTERVAL_MS });
    for (const name of ["a", "b", "c"]) await call("POST", CONFIG_MAPS, configMap(name));
    const { body } = await call("GET", `${CONFIG_MAPS}?limit=1`);
    await call("DELETE", `${CONFIG_MAPS}/b`);
    await clock.advance(2 * INTERVAL_MS);
    const expired = await call("GET", `${CONFIG_MAPS}?limit=1&continue=${body["metadata"].continue}`);
    expect(expired).toMatchObject({ status: 410, body: { reason: "Expired" } });
    const next = await call("GET", `${CONFIG_MAPS}?limit=1&continue=${expired.body["metadata"].continue}`);
    expect(next.body["items"].map((item: Json) => item["metadata"].name)).toEqual(["c"]);
  });

  test("a watch continues from an old version while the watch cache has it, and gets 410 later", async () => {
    const { call, clock, watch, merge } = harness({ compactionIntervalMs: INTERVAL_MS });
    const old = versionOf(await call("POST", CONFIG_MAPS, configMap("a")));
    await call("POST", CONFIG_MAPS, configMap("b"));
    await clock.advance(10 * INTERVAL_MS);
    const early = await watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${old}`);
    expect(seen(await early.take())).toEqual(["ADDED b"]);
    for (let count = 0; count < 100; count++) await merge(`${CONFIG_MAPS}/a`, { data: { count: String(count) } });
    const late = await watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${old}`);
    const [event, ...more] = await late.take();
    expect(event).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(event?.["object"].message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
    expect(more).toEqual([]);
    expect(late.hasEnded()).toBe(true);
  });

  test("a watch of events, which have no watch cache, gets 410 as soon as lists do", async () => {
    const { call, clock, watch } = harness({ compactionIntervalMs: INTERVAL_MS });
    const old = versionOf(await call("POST", EVENTS, { metadata: { name: "a" }, involvedObject: { namespace: "default" } }));
    await call("POST", CONFIG_MAPS, configMap("a"));
    await clock.advance(2 * INTERVAL_MS);
    const watching = await watch(`${EVENTS}?watch=true&resourceVersion=${old}`);
    const message = "The resourceVersion for the provided watch is too old.";
    expect(await watching.take()).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired", message } }]);
  });

  test("they end with the server", async () => {
    const { clock, server } = harness({ compactionIntervalMs: INTERVAL_MS });
    await clock.advance(INTERVAL_MS);
    await server.close();
    expect(clock.nextDue()).toBeUndefined();
  });

  test.for([-1, Number.NaN, Number.POSITIVE_INFINITY])("an interval of %d is refused", (compactionIntervalMs) => {
    expect(() => createApiServer({ compactionIntervalMs })).toThrow(RangeError);
  });
});

test("without compactions no version expires with the time", async () => {
  const given = harness();
  const { call, clock, watch } = given;
  const old = versionOf(await call("POST", CONFIG_MAPS, configMap("a")));
  await call("POST", CONFIG_MAPS, configMap("b"));
  await clock.advance(1000 * INTERVAL_MS);
  expect(await exactly(given, CONFIG_MAPS, old)).toMatchObject({ status: 200, names: ["a"] });
  expect(seen(await (await watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${old}`)).take())).toEqual(["ADDED b"]);
});

describe("a changed definition", () => {
  const open = { schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } };

  test("ends the history of watches of its kind only, and lists of older versions stay possible", async () => {
    const given = harness();
    const { call, watch, server } = given;
    const old = versionOf(await call("POST", WIDGETS, widget("a")));
    await call("POST", WIDGETS, widget("b"));
    await call("POST", CONFIG_MAPS, configMap("c"));
    server.install(widgetCrd(undefined, open));
    const watching = await watch(`${WIDGETS}?watch=true&resourceVersion=${old}`);
    expect(await watching.take()).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
    expect(seen(await (await watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${old}`)).take())).toEqual(["ADDED c"]);
    expect(await exactly(given, WIDGETS, old)).toMatchObject({ status: 200, names: ["a"] });
  });

  test("lets a watch continue from a list after the change", async () => {
    const { call, watch, server } = harness();
    server.install(widgetCrd(undefined, open));
    const { body } = await call("GET", WIDGETS);
    await call("POST", WIDGETS, widget("a"));
    const watching = await watch(`${WIDGETS}?watch=true&resourceVersion=${body["metadata"].resourceVersion}`);
    expect(seen(await watching.take())).toEqual(["ADDED a"]);
  });
});
