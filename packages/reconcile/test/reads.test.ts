/** Reads that ask the server, as far as the engine alone decides: deadlines, shutdown, what is fixed for the pass. */
import { defineResource, kind } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, many, one, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { startHarness } from "./harness.ts";

const Widget = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({}),
  status: z.object({ text: z.string().optional() }),
});
const secret = { metadata: { name: "s", namespace: "default" }, data: { k: "dg==" } };
const widget = { metadata: { name: "w", namespace: "default" }, spec: {} };

async function world(): Promise<Awaited<ReturnType<typeof startHarness>>> {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget);
  await harness.user.create(Secret, secret);
  return harness;
}

const reading = step(Widget, {
  name: "read",
  timeoutMs: 1000,
  conditions: ["Read"],
  reads: { secret: one(Secret, () => "s") },
  do(req) {
    req.status.text = Object.keys(req.reads.secret?.data ?? {}).join();
    req.conditions.true("Read");
  },
});
const readingHandler = handler(Widget).step(conditions()).step(reading).build();

test("a fetch that does not end fails the step at its deadline, and the error says that it was the reads", async () => {
  const harness = await world();
  harness.intercept = (request, send) => (request.path.includes("/secrets/") ? new Promise(() => {}) : send());
  const running = harness.operator(readingHandler).pass("default/w");
  await harness.clock.advance(1000);
  expect((await running).error).toMatchObject({
    code: "ERR_STEP_TIMEOUT",
    message: 'step "read": what it reads for do did not arrive from the server within 1 s',
  });
});

test("a fetch that is running when the operator stops is not a failure", async () => {
  const harness = await world();
  const stop = new AbortController();
  harness.intercept = (request, send) => {
    if (!request.path.includes("/secrets/")) return send();
    stop.abort(new Error("stopped"));
    return new Promise(() => {});
  };
  const result = await harness.operator(readingHandler).pass("default/w", { signal: stop.signal });
  expect(result.error).toBeUndefined();
  expect(result.requeue).toEqual({ type: "none" });
});

test("what a step has read is the same in its post, whatever was written meanwhile; a live read is read anew", async () => {
  const harness = await world();
  const seen: unknown[] = [];
  const both = step(Widget, {
    name: "both",
    reads: { fixed: one(Secret, () => "s"), live: one(Secret, () => "s", { live: true }) },
    async do(req) {
      seen.push(req.reads.fixed?.data, req.reads.live?.data);
      await harness.user.patch(Secret, secret.metadata, { type: "merge", body: { data: { k: "bmV3" } } });
    },
    post: (req) => void seen.push(req.reads.fixed?.data, req.reads.live?.data),
  });
  await harness.operator(handler(Widget).step(both).build()).pass("default/w");
  expect(seen).toEqual([{ k: "dg==" }, { k: "dg==" }, { k: "dg==" }, { k: "bmV3" }]);
});

test("a live list takes the selector to the server, in the namespace of the primary", async () => {
  const harness = await world();
  await harness.user.create(ConfigMap, { metadata: { name: "m", namespace: "default", labels: { app: "a" } } });
  await harness.user.create(ConfigMap, { metadata: { name: "n", namespace: "default", labels: { app: "b" } } });
  let names: string[] = [];
  const listing = step(Widget, {
    name: "list",
    reads: { maps: many(ConfigMap, () => ({ matchLabels: { app: "a" } }), { live: true }) },
    do(req) {
      names = req.reads.maps.map(({ metadata }) => metadata.name);
    },
  });
  await harness.operator(handler(Widget).step(listing).build()).pass("default/w");
  expect(names).toEqual(["m"]);
});

test("a live read of a kind that is not served makes its step wait", async () => {
  const harness = await world();
  const Absent = kind({ group: "t.treadle.dev", version: "v1", kind: "Absent" });
  const live = step(Widget, { name: "live", reads: { it: one(Absent, () => "x", { watch: false }) }, do() {} });
  const { outcome } = await harness.operator(handler(Widget).step(conditions()).step(live).build()).pass("default/w");
  expect(outcome).toMatchObject({ type: "wait", reason: expect.stringContaining("Absent (t.treadle.dev/v1) is not installed") });
});

test("a fetch that is refused fails the step, and the next pass asks again", async () => {
  const harness = await world();
  harness.intercept = async (request, send) =>
    request.path.includes("/secrets/")
      ? {
          status: 403,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            kind: "Status",
            apiVersion: "v1",
            status: "Failure",
            reason: "Forbidden",
            code: 403,
            message: 'secrets "s" is forbidden',
          }),
        }
      : await send();
  const operator = harness.operator(readingHandler);
  const { outcome } = await operator.pass("default/w");
  expect(outcome).toMatchObject({ type: "failed", step: "read" });
  harness.intercept = undefined;
  await operator.pass("default/w");
  expect(await harness.user.get(Widget, widget.metadata)).toMatchObject({ status: { text: "k" } });
});

test("a fetched object is let go when no read names it any more", async () => {
  const harness = await world();
  let name: string | undefined = "s";
  const following = step(Widget, { name: "follow", reads: { secret: one(Secret, () => name) }, do() {} });
  const operator = harness.operator(handler(Widget).step(following).build());
  await operator.pass("default/w");
  await operator.pass("default/w");
  expect(harness.requests.filter((request) => request === "GET secrets/s")).toHaveLength(1);
  name = undefined;
  await operator.pass("default/w");
  name = "s";
  await operator.pass("default/w");
  expect(harness.requests.filter((request) => request === "GET secrets/s")).toHaveLength(2);
});
