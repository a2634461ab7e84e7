/** Secrets are cached as metadata: a step that has not seen their content must not decide by it. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentApplyAll, type DependentStep, dependentsOf } from "../src/index.ts";

const Vault = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Vault",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ isReady: z.boolean().default(true), isOpen: z.boolean().default(true), wanted: z.boolean().default(true) }),
  status: z.object({}),
});
type Vault = ObjectOf<typeof Vault>;
const VAULT = { apiVersion: "example.dev/v1", kind: "Vault", metadata: { name: "a", namespace: "default" }, spec: {} };

const base = dependentApply(Vault, {
  name: "base",
  kind: ConfigMap,
  objectName: "base",
  desired: {},
  readyWhen: (_live, { spec }) => spec.isReady || "rolling",
});
const secretStep = (options: { readonly checkedForReadiness?: boolean; readonly dependsOn?: readonly DependentStep<Vault>[] } = {}) =>
  dependentApply(Vault, {
    name: "secret",
    kind: Secret,
    objectName: "secret",
    desired: { stringData: { password: "hunter22" } },
    ...options,
  });
const userOf = (secret: ReturnType<typeof secretStep>) =>
  dependentApply(Vault, {
    name: "user",
    kind: ConfigMap,
    objectName: "user",
    dependsOn: [secret],
    when: ({ spec }) => spec.wanted,
    desired: (_vault, { dependents }) => (dependents.secret?.data?.["password"] === undefined ? undefined : { data: { has: "password" } }),
  });
const handlerOf = (parts: readonly DependentStep<Vault>[]): AnyHandler =>
  handler(Vault).step(conditions()).step(dependentApplyAll("parts", parts)).build();
const change = async (world: FakeWorld, spec: Partial<Vault["spec"]>): Promise<void> => {
  await world.update(Vault, "a", (vault) => void Object.assign(vault.spec, spec));
  await world.settled();
};

test("an object that depends on a Secret stays while the Secret waits for another dependent", async () => {
  const secret = secretStep({ dependsOn: [base] });
  const world = fakeWorld(handlerOf([base, secret, userOf(secret)]), { objects: [VAULT] });
  await world.settled();
  const uid = (await world.get(ConfigMap, "user"))?.metadata.uid;
  expect(uid).toBeDefined();
  await change(world, { isReady: false });
  expect((await world.get(ConfigMap, "user"))?.metadata.uid).toBe(uid);
  await change(world, { wanted: false });
  expect(await world.get(ConfigMap, "user"), "its own predicate still decides").toBeUndefined();
});

test("an object that depends on the Secrets of each item stays while they wait for another dependent", async () => {
  const secrets = dependentApply(Vault, {
    name: "secrets",
    kind: Secret,
    each: () => [{ key: "x" }],
    dependsOn: [base],
    desired: { stringData: { password: "hunter22" } },
  });
  const user = dependentApply(Vault, {
    name: "user",
    kind: ConfigMap,
    objectName: "user",
    dependsOn: [secrets],
    desired: (_vault, { dependents }) => (dependents.secrets["x"]?.data === undefined ? undefined : { data: { has: "password" } }),
  });
  const world = fakeWorld(handlerOf([base, secrets, user]), { objects: [VAULT] });
  await world.settled();
  const uid = (await world.get(ConfigMap, "user"))?.metadata.uid;
  expect(uid).toBeDefined();
  await change(world, { isReady: false });
  expect((await world.get(ConfigMap, "user"))?.metadata.uid).toBe(uid);
});

test.for([
  { name: "that the owner waits for", checkedForReadiness: true },
  { name: "that the owner does not wait for", checkedForReadiness: false },
])("an object that depends on a Secret $name stays while the server does not return the Secret", async ({ checkedForReadiness }) => {
  const secret = secretStep({ checkedForReadiness });
  const built = handlerOf([secret, userOf(secret)]);
  await using cluster = await startTestCluster({ objects: [VAULT] });
  const first = await cluster.start(built);
  await first.settled();
  const uid = (await cluster.get(ConfigMap, "user"))?.metadata.uid;
  expect(uid).toBeDefined();
  await first.stop();
  cluster.faults.add({ on: { verb: "get", resource: "secrets" }, fault: { type: "serverError", status: 500 }, times: 30 });
  await (await cluster.start(built)).settled();
  expect((await cluster.get(ConfigMap, "user"))?.metadata.uid).toBe(uid);
});

test("readyWhen and status of a Secret that a pass does not reach do not judge its metadata", async () => {
  const gate = step(Vault, { name: "gate", do: (req) => (req.object.spec.isOpen ? req.next() : req.wait("closed")) });
  const secret = dependentApply(Vault, {
    name: "secret",
    kind: Secret,
    objectName: "secret",
    desired: { stringData: { password: "hunter22" } },
    readyWhen: (live) => live.data?.["password"] !== undefined || "it has no password",
    status: (entry, live) =>
      live !== undefined && live.data?.["password"] === undefined ? { ...entry, type: "Failed", reason: "NoPassword" } : entry,
  });
  const world = fakeWorld(handler(Vault).step(conditions()).step(gate).step(secret).build(), { objects: [VAULT] });
  await world.settled();
  await change(world, { isOpen: false });
  const entries = dependentsOf((await world.get(Vault, "a")) ?? {});
  expect(entries.map(({ type, reason, message }) => ({ type, reason, message }))).toEqual([
    { type: "Ready", reason: "Ready", message: "" },
  ]);
});
