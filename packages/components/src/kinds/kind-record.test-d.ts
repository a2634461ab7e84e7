/** Types of kind records; compiled by tsconfig.check.json, never run. */
import { type Condition, kind } from "@treadle/apimachinery";
import { Deployment } from "@treadle/apimachinery/kinds";
import { expectTypeOf } from "vitest";
import type { AnyKindRecord, Grade, KindRecord } from "./kind-record.ts";
import { recordOf } from "./record-of.ts";

const Certificate = kind<{
  readonly spec: { readonly secretName: string };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly notAfter?: string };
}>({ group: "cert-manager.io", version: "v1", kind: "Certificate" });

export const certificate: KindRecord<typeof Certificate> = {
  kind: Certificate,
  category: "integration",
  state: ({ status }, { previous }) => {
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const message = ready?.message ?? "the certificate has not been issued yet";
    if (ready?.status === "True") return { reason: "Operational", message: `it expires at ${status?.notAfter ?? "an unknown time"}` };
    // A certificate that was in operation is not renewed.
    return { reason: previous === "Operational" ? "OperationFailing" : "OperationPending", message };
  },
  grace: ({ status }) => (status?.notAfter === undefined ? "Down" : "Degraded"),
  immutable: ["spec.secretName"],
};

// records of several kinds fit one list
export const custom: readonly AnyKindRecord[] = [certificate, { kind: Deployment, category: "static" }];
expectTypeOf(recordOf(Certificate, [certificate])).toEqualTypeOf<AnyKindRecord>();
expectTypeOf<ReturnType<NonNullable<AnyKindRecord["grace"]>>>().toEqualTypeOf<Grade>();

// the object is that of the kind
export const deployment: KindRecord<typeof Deployment> = {
  kind: Deployment,
  category: "workload",
  state: (live, facts) => {
    expectTypeOf(live.spec?.replicas).toEqualTypeOf<number | undefined>();
    expectTypeOf(facts.changed).toEqualTypeOf<readonly string[]>();
    // @ts-expect-error no such field
    void live.spec?.replica;
    return { reason: "Healthy", message: "" };
  },
};

// @ts-expect-error a reason of the closed list
export const otherWord: KindRecord = { kind: Deployment, category: "workload", state: () => ({ reason: "Fine", message: "" }) };
// @ts-expect-error one of four categories
export const otherCategory: KindRecord = { kind: Deployment, category: "job" };
// @ts-expect-error a grade
export const otherGrade: KindRecord = { kind: Deployment, category: "workload", grace: () => "Failing" };
// @ts-expect-error an object, computed before any pass
export const otherMerge: KindRecord = { kind: Deployment, category: "workload", suspend: { merge: "replicas" } };
// @ts-expect-error functions of a record answer at once
export const later: KindRecord = { kind: Deployment, category: "workload", isSuspended: async () => true };
// @ts-expect-error another kind
export const anotherKind: KindRecord<typeof Deployment> = { kind: Certificate, category: "workload" };
