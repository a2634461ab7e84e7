/** Types of kinds that other projects define; compiled by tsconfig.check.json, never run. */
import { expectTypeOf } from "vitest";
import { kind, type Kind, type ObjectOf, type UntypedObject, type WriteOf } from "./kind.ts";
import type { ObjectMeta } from "./objects.ts";

interface CertificateSpec {
  secretName: string;
  dnsNames?: string[];
  issuerRef: { name: string; kind?: string };
}

const names = { group: "cert-manager.io", version: "v1", kind: "Certificate" } as const;
const Certificate = kind<{ spec: CertificateSpec; status?: { notAfter?: string } }>(names);
declare const certificate: ObjectOf<typeof Certificate>;

expectTypeOf(Certificate).toExtend<Kind>();
expectTypeOf(certificate.metadata).toEqualTypeOf<ObjectMeta>();
expectTypeOf(certificate.spec.dnsNames).toEqualTypeOf<readonly string[] | undefined>();
expectTypeOf(certificate.status?.notAfter).toEqualTypeOf<string | undefined>();
// @ts-expect-error read-only at any depth
certificate.spec.dnsNames?.push("a");

export const sent: WriteOf<typeof Certificate> = { metadata: { name: "c" }, spec: { secretName: "s", issuerRef: { name: "ca" } } };
// @ts-expect-error issuerRef is required
export const incomplete: WriteOf<typeof Certificate> = { metadata: { name: "c" }, spec: { secretName: "s" } };
// @ts-expect-error there is no dnsName
export const misspelled: WriteOf<typeof Certificate> = { ...sent, spec: { ...sent.spec, dnsName: ["a"] } };

// a whole object, as generators of types write it: the common fields are ours
const Whole = kind<{ apiVersion?: string; kind?: string; metadata?: { name?: string }; spec: CertificateSpec }>(names);
expectTypeOf<ObjectOf<typeof Whole>["metadata"]["name"]>().toEqualTypeOf<string>();
expectTypeOf<ObjectOf<typeof Whole>["spec"]["secretName"]>().toEqualTypeOf<string>();

// without a type, fields are unknown
expectTypeOf<ObjectOf<ReturnType<typeof untyped>>>().toEqualTypeOf<UntypedObject>();
function untyped(): Kind<UntypedObject, UntypedObject> {
  return kind(names);
}
