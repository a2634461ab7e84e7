/** What dependents look like after an operator died at any of its requests, before the server had it or after. */
import { defineResource, fakeClock, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { dependentApply, dependentApplyAll, dependentsOf } from "../src/index.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Crash, mortal } from "./crash.ts";
import { type Harness, startHarness } from "./harness.ts";

const Site = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ text: z.string(), name: z.string().optional() }),
});
const base = dependentApply(Site, {
  name: "base",
  kind: ConfigMap,
  objectName: ({ spec }) => `${spec.name ?? "first"}-base`,
  desired: ({ spec }) => ({ data: { text: spec.text } }),
});
const top = dependentApply(Site, {
  name: "top",
  kind: ConfigMap,
  dependsOn: [base],
  objectName: "top",
  desired: ({ spec }, { dependents }) => (spec.text === "none" ? undefined : { data: { of: dependents.base?.metadata.name ?? "" } }),
});
const sites = handler(Site)
  .step(conditions())
  .step(dependentApplyAll("parts", [base, top]))
  .build();

const REF = { namespace: "ns", name: "a" };

/** A life of a Site, in which the process dies at the given requests and another takes over; what there is at each rest. */
async function life(crashes: readonly Crash[]): Promise<{ readonly states: readonly unknown[]; readonly requests: number }> {
  const harness = await startHarness([Site], fakeClock());
  await harness.user.create(Namespace, { metadata: { name: "ns" } });
  const process = mortal(harness, crashes);
  let operator = harness.operator(sites);
  const states: unknown[] = [];
  const rest = async (): Promise<void> => {
    for (let i = 0; i < 12; i++) {
      await whileTimePasses(harness, operator.pass("ns/a"));
      if (!process.isDead) continue;
      process.restart();
      operator = harness.operator(sites);
    }
    states.push(await look(harness));
  };
  await harness.user.create(Site, { metadata: REF, spec: { text: "one" } });
  await rest();
  for (const spec of [{ text: "two", name: "second" }, { text: "none" }, { text: "three" }]) {
    await harness.user.patch(Site, REF, { type: "merge", body: { spec } });
    await rest();
  }
  await harness.user.delete(Site, REF);
  await rest();
  return { states, requests: harness.requests.length };
}

/** The client tries again what may be repeated, after a time. */
async function whileTimePasses({ clock }: Harness, pass: Promise<unknown>): Promise<void> {
  let isOver = false;
  void pass.finally(() => (isOver = true));
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver) return;
    await clock.advance(500);
  }
}

async function look({ user }: Harness): Promise<unknown> {
  const { items } = await user.list(ConfigMap, { namespace: "ns" });
  const site = (await user.get(Site, REF)) as KubernetesObject | undefined;
  return {
    maps: items.map(({ metadata, data }) => [metadata.name, data, metadata.managedFields?.length]),
    said: site === undefined ? "gone" : dependentsOf(site).map(({ step, name, type }) => `${step} ${name} ${type}`),
  };
}

/*
 * Invariants: however often the process dies, at each rest everything is as if it had lived, nothing is left behind at the
 * end, and no object has a second field manager.
 */
test.for(["before", "after"] as const)(
  "a process that dies %s any of its requests leaves its successor nothing but its work",
  { tags: ["part"] },
  async (when, { part }) => {
    const { states, requests } = await life([]);
    expect(states[0]).toEqual({
      maps: [
        ["first-base", { text: "one" }, 1],
        ["top", { of: "first-base" }, 1],
      ],
      said: ["base first-base Ready", "top top Ready"],
    });
    expect(states.at(-1)).toEqual({ maps: [], said: "gone" });
    for (let at = 0; at < requests; at++)
      if (part.has(`${when} ${at}`)) expect((await life([{ at, when }])).states, `request ${at} of ${requests}`).toEqual(states);
  },
);

test("parts that wait in a changing order back off, and the same part is named", async () => {
  const harness = await startHarness([Site], fakeClock());
  await harness.user.create(Namespace, { metadata: { name: "ns" } });
  await harness.user.create(Site, { metadata: REF, spec: { text: "one" } });
  const part = (name: string) => dependentApply(Site, { name, kind: ConfigMap, objectName: name, desired: {} });
  const built = handler(Site)
    .step(conditions())
    .step(dependentApplyAll("parts", [part("one"), part("two")]))
    .build();
  let slow = "one";
  harness.intercept = async (request, send) => {
    if (request.method !== "PATCH" || !request.path.includes("/configmaps/")) return await send();
    for (let turns = request.path.includes(`/${slow}`) ? 50 : 0; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
    // Somebody else was faster: each part waits until it sees what is there.
    const body = JSON.stringify({ kind: "Status", apiVersion: "v1", code: 409, reason: "Conflict", message: "it exists" });
    return { ...(await send()), status: 409, body } as Awaited<ReturnType<typeof send>>;
  };
  const operator = harness.operator(built);
  const seen: unknown[] = [];
  for (slow of ["one", "two", "one"]) {
    const { outcome, requeue } = await operator.pass("ns/a");
    seen.push([requeue.type === "after" && requeue.afterMs, "step" in outcome && outcome.step]);
    const { items } = await harness.user.list(ConfigMap, { namespace: "ns" });
    for (const { metadata } of items) await harness.user.delete(ConfigMap, metadata);
  }
  expect(seen).toEqual([
    [50, "one"],
    [100, "one"],
    [200, "one"],
  ]);
});
