/** Configurations that lead to another server, and the time in which a new CA does not sign yet. */
import { afterEach, expect, test } from "vitest";
import { Secret } from "@treadle/apimachinery/kinds";
import type { Target } from "../../src/certificates/target.ts";
import { failingCall, servedBy } from "./reader.ts";
import { deploy, KINDS, type Rig, rig, SECRET, TARGETS } from "./rig.ts";

const open: Rig[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

async function world(): Promise<Rig> {
  const made = await rig({});
  open.push(made);
  await deploy(made.client);
  return made;
}

const service = { name: "website-operator", namespace: "ops", port: 443, path: "/x" };

/** The targets of a server that was started with this Service. */
const calledBy = (name: string): readonly Target[] =>
  TARGETS.map((target) => {
    const path = target.type === "crd" ? "/convert" : "/x";
    const address = { service: { ...service, name, path } };
    const entries = target.type === "crd" ? [""] : target.entries;
    return { ...target, addresses: Object.fromEntries(entries.map((entry) => [entry, address])) };
  });

test("a server with another Service than the configurations is not ready, names both, and does not write its CA", async () => {
  const one = await world();
  const { certificates, logs } = one.start("a", { targets: calledBy("other") });
  await one.settle();
  const difference =
    "ValidatingWebhookConfiguration website-operator sends a.example.com to Service ops/website-operator, port 443, path /x instead of Service ops/other, port 443, path /x: start webhookServer and webhookManifests with the same service or url, and apply the manifests";
  expect(certificates.failure()).toContain(difference);
  expect(certificates.failure()).toContain("CustomResourceDefinition websites.example.com sends conversions to Service");
  expect(logs.join()).toContain(difference);
  const live = await one.client.get(KINDS.validating, { name: "website-operator" });
  expect(live?.webhooks?.[0]?.clientConfig.caBundle).toBeUndefined();
});

test("a server with the Service of the configurations is ready", async () => {
  const one = await world();
  const { certificates } = one.start("a", { targets: calledBy("website-operator") });
  await one.settle();
  expect(certificates.failure()).toBeUndefined();
  expect(certificates.problem()).toBeUndefined();
  expect(await failingCall(one)).toBeUndefined();
});

test("while a new CA does not sign yet, the problem says that it is there and when it signs", async () => {
  const one = await world();
  const first = one.start("a");
  await one.settle();
  await first.certificates.stop();
  await one.client.delete(Secret, SECRET);
  const second = one.start("b");
  await one.settle();
  expect(servedBy(second.certificates)).toBeUndefined();
  const titles = ["MutatingWebhookConfiguration website-operator", "ValidatingWebhookConfiguration website-operator"];
  const waiting = [...titles, "CustomResourceDefinition websites.example.com"].map(
    (title) => `${title} contains the operator's new CA: the certificate by it is issued at 2026-01-01T00:00:30.000Z`,
  );
  expect(second.certificates.problem()).toBe([...waiting, "there is no serving certificate yet"].join("; "));
  await one.advance(30_000);
  expect(second.certificates.problem()).toBeUndefined();
});
