/** The client of a step for another cluster, and the reads that only a cleanup needs. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { expect, test } from "vitest";
import { handler, one, step, type AnyStep } from "../src/index.ts";
import { clientFor, defineStep } from "../src/unstable/engine.ts";
import { Widget, widget } from "./fixtures.ts";
import { startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

function otherCluster(): { readonly client: Client; readonly seen: string[] } {
  return { client: createClient({ transport: createApiServer().transport() }), seen: [] };
}

test("a client for another cluster writes there with the manager of the step, and reports what it wrote", async () => {
  const harness = await startHarness([Widget]);
  const other = otherCluster();
  const running = harness.operator(
    handler(Widget)
      .step(
        step(Widget, {
          name: "remote",
          async do(req) {
            const client = clientFor(req, {
              client: other.client,
              observe: (kind, { metadata }) => void other.seen.push(`${kind.kind} ${metadata.name}`),
              observeDelete: (kind, { name }) => void other.seen.push(`-${kind.kind} ${name}`),
            });
            await client.apply(ConfigMap, { metadata: { name: "one" }, data: { a: "b" } }, { existing: undefined });
            await client.delete(ConfigMap, "one");
            await client.apply(ConfigMap, { metadata: { name: "two" }, data: { c: "d" } }, { existing: undefined });
          },
        }),
      )
      .build(),
  );
  await harness.user.create(Widget, widget());
  expect(await running.pass(KEY)).toMatchObject({ outcome: { type: "done" } });
  const two = await other.client.get(ConfigMap, { namespace: "default", name: "two" });
  expect(two?.metadata.managedFields?.map(({ manager }) => manager)).toEqual([expect.stringMatching(/\/remote\//)]);
  expect(other.seen).toEqual(["ConfigMap one", "-ConfigMap one", "ConfigMap two"]);
  expect((await harness.user.list(ConfigMap, { namespace: "default" })).items).toEqual([]);
});

test("an object is not created in another cluster for an owner that was deleted and that the cache still shows", async () => {
  const harness = await startHarness([Widget]);
  const other = otherCluster();
  let passes = 0;
  const running = harness.operator(
    handler(Widget)
      .step(
        step(Widget, {
          name: "remote",
          async do(req) {
            passes += 1;
            // The first pass writes the finalizer, which proves that the owner exists.
            if (passes === 1) return;
            await harness.user.delete(Widget, REF);
            const client = clientFor(req, { client: other.client, observe: () => undefined, observeDelete: () => undefined });
            await client.apply(ConfigMap, { metadata: { name: "one" } }, { existing: undefined });
          },
          cleanup: () => undefined,
        }),
      )
      .build(),
  );
  const { metadata } = await harness.user.create(Widget, { ...widget(), metadata: { ...REF, finalizers: ["example.dev/other"] } } as never);
  expect(metadata.uid).toBeDefined();
  await running.pass(KEY);
  await running.pass(KEY);
  expect(passes).toBe(2);
  const { items } = await other.client.list(ConfigMap, { namespace: "default" });
  expect(items.map(({ metadata: { name } }) => name)).not.toContain("one");
});

test("a dry run writes nothing in another cluster, and each client of another cluster obeys the fence of the environment", async () => {
  const harness = await startHarness([Widget]);
  const other = otherCluster();
  const writing = handler(Widget)
    .step(
      step(Widget, {
        name: "remote",
        async do(req) {
          const client = clientFor(req, { client: other.client, observe: () => undefined, observeDelete: () => undefined });
          await client.create(ConfigMap, { metadata: { name: "one" } });
        },
      }),
    )
    .build();
  const stored = async (): Promise<readonly string[]> =>
    (await other.client.list(ConfigMap, { namespace: "default" })).items.map(({ metadata }) => metadata.name);
  await harness.user.create(Widget, widget());
  expect(await harness.operator(writing, { isDryRun: true }).pass(KEY)).toMatchObject({ outcome: { type: "done" } });
  expect(await stored()).not.toContain("one");
  const deposed = new Error("this process does not lead");
  const fenced = (client: Client): Client => ({ ...client, create: () => Promise.reject(deposed) });
  expect(await harness.operator(writing, { fenced }).pass(KEY)).toMatchObject({ outcome: { type: "failed" } });
  expect(await stored()).not.toContain("one");
});

test("a cleanup without reads gets those that cleanupReads names, and undefined for an object that does not exist", async () => {
  const harness = await startHarness([Widget]);
  const got: object[] = [];
  const made = defineStep(Widget, {
    name: "reading",
    reads: { secret: one(Secret, () => "key"), missing: one(Secret, () => "none"), unused: one(ConfigMap, () => "any") },
    cleanupReads: ["secret", "missing"],
    do: () => undefined,
    cleanup: (req) => {
      const { secret, ...others } = (req as { readonly reads: Readonly<Record<string, unknown>> }).reads;
      got.push({ secret: (secret as { readonly metadata: { readonly name: string } } | undefined)?.metadata.name, ...others });
    },
  }) as AnyStep;
  const running = harness.operator(
    handler(Widget)
      .step(made as never)
      .build(),
  );
  await harness.user.create(Secret, { metadata: { name: "key", namespace: "default" } });
  await harness.user.create(Widget, widget());
  await running.pass(KEY);
  await harness.user.delete(Widget, REF);
  await running.pass(KEY);
  expect(got).toEqual([{ secret: "key", missing: undefined }]);
});
