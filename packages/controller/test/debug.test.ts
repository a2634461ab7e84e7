/** `/debug`, over real sockets. */
import { request } from "node:http";
import { handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { createManager } from "../src/index.ts";
import { startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const outcomes = step(Widget, {
  name: "outcomes",
  do(req) {
    if (req.object.metadata.name === "fails") throw new Error("no route to postgres://app:hunter2@db");
    return req.wait("later", 60_000);
  },
});

async function debugged(options: Partial<WorldOptions> = {}): Promise<World> {
  return await startWorld({ handlers: [handler(Widget, { name: "w" }).step(outcomes).build()], debug: { port: 0 }, ...options });
}

/** By `node:http`, since `fetch` does not let a Host be set. */
async function get(world: World, path: string, headers: Readonly<Record<string, string>> = {}): Promise<readonly [number, string]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly [number, string]>();
  request(`${world.manager.addresses.debug?.url}${path}`, { headers }, (response) => {
    let body = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    response.on("end", () => resolve([response.statusCode ?? 0, body])).on("error", reject);
  })
    .on("error", reject)
    .end();
  return await promise;
}
const json = async (world: World, path: string): Promise<unknown> => JSON.parse((await get(world, path))[1]) as unknown;

test("/debug is off by default", async () => {
  expect((await startWorld({ handlers: [] })).manager.addresses.debug).toBeUndefined();
});

test("/debug shows queues, caches and failures, without secrets", async () => {
  const world = await debugged();
  for (const name of ["waits", "fails"]) await world.user.create(Widget, widget(name));
  await world.settled();
  expect(await json(world, "/debug/status")).toMatchObject({ state: "running", process: { pid: process.pid } });
  expect(await json(world, "/debug/queues")).toMatchObject([
    {
      name: "w",
      delayed: 2,
      keys: { running: [], queued: [], delayed: [{ key: "default/fails" }, { key: "default/waits", inMs: 60_000 }] },
    },
  ]);
  expect(await json(world, "/debug/informers")).toMatchObject([
    { kind: "Widget.test.treadle.dev", hasSynced: true, objects: 2, estimatedBytes: expect.any(Number) },
  ]);
  const [, errors] = await get(world, "/debug/errors");
  expect(JSON.parse(errors)).toMatchObject([{ controller: "w", object: "default/fails", step: "outcomes" }]);
  expect(errors).not.toContain("hunter2");
  expect((await get(world, "/debug/"))[1]).toContain("/debug/heap: a heap snapshot");
  for (const path of ["/", "/debug/nothing", "/debug/constructor", "/debug/status/x", "/healthz"])
    expect((await get(world, path))[0], path).toBe(404);
});

test("the newest hundred failures are kept", async () => {
  const world = await debugged();
  await world.user.create(Widget, widget("fails"));
  await world.settled();
  while (world.passes.length < 105) await world.clock.advance(1_000_000);
  await world.settled();
  const errors = (await json(world, "/debug/errors")) as { readonly reconcileID: string }[];
  expect(errors).toHaveLength(100);
  expect(errors[0]?.reconcileID).toBe(world.reports.at(-1)?.reconcileID);
});

test("a heap snapshot and a CPU profile come in the formats of the developer tools", { tags: ["long"], timeout: 60_000 }, async () => {
  const world = await debugged();
  const [status, profile] = await get(world, "/debug/profile?seconds=0.05");
  expect([status, Object.keys(JSON.parse(profile) as object)]).toEqual([200, expect.arrayContaining(["nodes", "samples", "timeDeltas"])]);
  const [, heap] = await get(world, "/debug/heap");
  expect(heap.startsWith('{"snapshot":{"meta":')).toBe(true);
  expect(heap.trimEnd().endsWith("}")).toBe(true);
});

test("one profile at a time, of a minute at most; a stop ends it", async () => {
  const world = await debugged();
  for (const seconds of ["0", "-1", "61", "soon", ""]) expect((await get(world, `/debug/profile?seconds=${seconds}`))[0]).toBe(400);
  const long = get(world, "/debug/profile?seconds=60").catch(() => "cut off");
  await expect.poll(() => world.logs.some(({ text }) => text === "a CPU profile is being made"), { timeout: 20_000 }).toBe(true);
  expect((await get(world, "/debug/profile?seconds=1"))[0]).toBe(409);
  await world.manager.stop();
  await long;
});

test.for<Readonly<Record<string, string>>>([
  { host: "evil.example:6060" },
  { origin: "https://evil.example" },
  { "sec-fetch-site": "cross-site" },
])("a browser that another page has sent is refused: %j", async (headers) => {
  const world = await debugged();
  expect((await get(world, "/debug/status", headers))[0]).toBe(403);
});

test.for(["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example"])("/debug is not served on %s", (host) => {
  expect(() => createManager({ debug: { host } })).toThrow(/loopback only/);
});
