/** Cleanups while a kind that the step owns is not served, or its watch is refused. */
import { kind, type Kind } from "@treadle/apimachinery";
import { conditions, handler, type Step } from "@treadle/reconcile";
import { defineExtension, defineStep, type RawDefinition, type ReconcilerEnv, servedVersionOf } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { FINALIZER, Widget, widget } from "./fixtures.ts";
import { startHarness } from "./harness.ts";

const ConfigMap = kind({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" });
const Lease = kind({ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases" });
const REF = { name: "a", namespace: "default" };
const REFUSED = "the operator may not watch it";

const keepers = defineExtension<object>({ name: "keepers" });

interface Row {
  readonly name: string;
  readonly given: Pick<RawDefinition, "cleanupChecksKinds"> & { readonly isOptional: boolean };
  readonly env: Pick<ReconcilerEnv, "isServed" | "refusalOf">;
  readonly want: { readonly type: string; readonly reason?: unknown };
  readonly cleaned: readonly string[];
  /** The requests of the cleanup. */
  readonly requests: readonly string[];
}

const notServed = { isServed: (of: Kind) => of.kind !== "Lease" };
const refused = { refusalOf: (of: Kind) => (of.kind === "Lease" ? REFUSED : undefined) };
const stored = ["PATCH widgets/a"];

test.for<Row>([
  {
    name: "all kinds are served",
    given: { isOptional: true, cleanupChecksKinds: true },
    env: {},
    want: { type: "done" },
    cleaned: ["ConfigMap: true", "Lease: true"],
    requests: stored,
  },
  {
    name: "a kind is not served",
    given: { isOptional: true },
    env: notServed,
    want: { type: "wait", reason: expect.stringContaining("the server has Lease as coordination.k8s.io/v1") },
    cleaned: [],
    requests: ["GET ", "GET "],
  },
  {
    name: "a kind is not served, and the step checks its kinds",
    given: { isOptional: true, cleanupChecksKinds: true },
    env: notServed,
    want: { type: "done" },
    cleaned: ["ConfigMap: true", "Lease: false"],
    requests: stored,
  },
  {
    name: "a kind without which the step does not run is not served, and the step checks its kinds",
    given: { isOptional: false, cleanupChecksKinds: true },
    env: notServed,
    want: { type: "wait" },
    cleaned: [],
    requests: ["GET ", "GET "],
  },
  {
    name: "a watch is refused",
    given: { isOptional: true },
    env: refused,
    want: { type: "wait", reason: REFUSED },
    cleaned: [],
    requests: [],
  },
  {
    name: "a watch is refused, and the step checks its kinds",
    given: { isOptional: true, cleanupChecksKinds: true },
    env: refused,
    want: { type: "done" },
    cleaned: ["ConfigMap: true", `Lease: false, ${REFUSED}`],
    requests: stored,
  },
])("a cleanup while $name ends as $want.type", async ({ given: { isOptional, ...given }, env, want, cleaned, requests }) => {
  const harness = await startHarness([Widget]);
  const seen: string[] = [];
  const keeping = defineStep(Widget, {
    name: "keeping",
    owns: [ConfigMap, isOptional ? { kind: Lease, ifNotServed: "skip" } : Lease],
    refersFrom: [],
    uses: [keepers.use({})],
    ...given,
    cleanup(req) {
      const pass = keepers.of(req);
      for (const each of [ConfigMap, Lease]) {
        const refusal = pass.refusalOf(each);
        seen.push(`${each.kind}: ${pass.isServed(each)}${refusal === undefined ? "" : `, ${refusal}`}`);
      }
    },
  }) as Step<Widget>;
  await harness.user.create(Widget, widget({ finalizers: [FINALIZER] }));
  await harness.user.delete(Widget, REF);
  const operator = harness.operator(handler(Widget).step(conditions()).step(keeping).build(), env);
  expect((await operator.pass("default/a")).outcome).toMatchObject(want);
  expect(seen).toEqual(cleaned);
  expect(harness.requests.filter((request) => !request.endsWith("/status"))).toEqual(requests);
});

test("a cleanup that checks its kinds finds out whether objects of a kind that is not served may be left", async () => {
  const harness = await startHarness([Widget]);
  const signal = new AbortController().signal;
  expect(await servedVersionOf(harness.user, Lease, signal)).toBe("coordination.k8s.io/v1");
  expect(await servedVersionOf(harness.user, { ...Lease, group: "gone.example.com" }, signal)).toBeUndefined();
});
