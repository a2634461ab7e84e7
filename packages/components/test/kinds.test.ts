/** A record of a kind of another project, in the option `kinds`. */
import "@treadle/testing/matchers";
import { defineResource, kind } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import { dependentApply } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { component } from "../src/component.ts";
import type { KindRecord } from "../src/kinds/kind-record.ts";

const Site = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({}),
  status: z.object({}),
});

interface CertificateFields {
  readonly spec: object;
  readonly status?: {
    readonly failedIssuanceAttempts?: number;
    readonly notAfter?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
const Certificate = kind<CertificateFields>({ group: "cert-manager.io", version: "v1", kind: "Certificate" });

const certificateRecord: KindRecord<typeof Certificate> = {
  kind: Certificate,
  category: "integration",
  state: (live) => {
    const { type, message } = health(live);
    if (type === "Ready") return { reason: "Operational", message };
    const attempts = live.status?.failedIssuanceAttempts ?? 0;
    if (attempts === 0) return { reason: "OperationPending", message };
    return { reason: "OperationFailing", message: `${attempts} attempts have failed` };
  },
  grace: (live) => (live.status?.notAfter === undefined ? "Down" : "Degraded"),
};

const sites = handler(Site)
  .step(conditions())
  .step(
    component(Site, {
      name: "ingress",
      condition: "IngressReady",
      graceMs: 60_000,
      kinds: [certificateRecord],
      resources: [dependentApply(Site, { name: "certificate", kind: Certificate, desired: { spec: {} } })],
    }),
  )
  .build();

test("the record of a Certificate gives the reasons and the grade of its component", async () => {
  const world = fakeWorld(sites, { objects: [{ apiVersion: "test.treadle.dev/v1", kind: "Site", metadata: { name: "site" }, spec: {} }] });
  await world.settled();
  const shows = async (status: CertificateFields["status"], reason: string): Promise<void> => {
    await world.updateStatus(Certificate, "site", (live) => void Object.assign(live, { status }));
    await world.settled();
    expect(await world.get(Site, "site")).toHaveCondition("IngressReady", { reason });
  };
  const issuing = [{ type: "Ready", status: "False" }];
  await shows({ conditions: issuing }, "OperationPending");
  await shows({ conditions: issuing, failedIssuanceAttempts: 2 }, "OperationFailing");
  await shows({ conditions: [{ type: "Ready", status: "True" }] }, "Operational");
  await shows({ conditions: issuing, notAfter: "2026-02-01T00:00:00Z" }, "OperationPending");
  await world.advance(61_000);
  await world.settled();
  expect(await world.get(Site, "site")).toHaveCondition("IngressReady", { reason: "Degraded" });
});
