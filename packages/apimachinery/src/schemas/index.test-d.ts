/** Types of the schemas of built-in shapes; compiled by tsconfig.check.json, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { defineResource } from "../define-resource.ts";
import type { ObjectOf, WriteOf } from "../kind.ts";
import type { Deployment, Job } from "../kinds.ts";
import { containerPort, jobTemplateSpec, podSpec, podTemplateSpec, quantity, secretKeySelector } from "./index.ts";

const Web = defineResource({
  group: "examples.treadle.dev",
  version: "v1",
  kind: "Web",
  scope: "Namespaced",
  spec: z.object({ template: podTemplateSpec(), job: jobTemplateSpec().optional(), port: containerPort(), password: secretKeySelector() }),
  printerColumns: [{ name: "Node", path: "spec.template.spec.nodeName" }],
});
declare const web: ObjectOf<typeof Web>;
declare const deployment: Deployment;

// the type of the spec is that of the built-in type
const { template, job } = web.spec;
expectTypeOf(template.spec?.containers[0]?.image).toEqualTypeOf<string | undefined>();
expectTypeOf(template.spec?.volumes?.[0]?.emptyDir?.sizeLimit).toEqualTypeOf<string | undefined>();
expectTypeOf(template.spec?.containers[0]?.livenessProbe?.httpGet?.port).toEqualTypeOf<string | number | undefined>();
expectTypeOf(template.metadata?.labels).toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
expectTypeOf(job?.spec?.template.spec?.restartPolicy).toEqualTypeOf<string | undefined>();

// it can be used where the built-in kind wants it, without a cast
export const copied: WriteOf<typeof import("../kinds.ts").Deployment> = {
  metadata: { name: "d" },
  spec: { selector: { matchLabels: { a: "b" } }, template },
};
export const made: Pick<Job, "spec"> = job?.spec === undefined ? {} : { spec: job.spec };
expectTypeOf(deployment.spec?.template.spec).toExtend<(typeof template)["spec"]>();

// a default is there when the server returns the object, and may be absent when a client sends it
expectTypeOf(web.spec.port.protocol).toEqualTypeOf<string>();
expectTypeOf(web.spec.password.name).toEqualTypeOf<string>();
expectTypeOf<z.input<ReturnType<typeof containerPort>>["protocol"]>().toEqualTypeOf<string | undefined>();
expectTypeOf<z.output<ReturnType<typeof containerPort>>["protocol"]>().toEqualTypeOf<string>();
expectTypeOf<z.output<ReturnType<typeof quantity>>>().toEqualTypeOf<string | number>();
export const sent: WriteOf<typeof Web> = {
  metadata: { name: "w" },
  spec: { template: { spec: { containers: [{ name: "c" }] } }, port: { containerPort: 80 }, password: { key: "k" } },
};

export const misspelled: WriteOf<typeof Web> = {
  metadata: { name: "w" },
  // @ts-expect-error a container has no field `img`
  spec: { ...sent.spec, template: { spec: { containers: [{ name: "c", img: "i" }] } } },
};
// @ts-expect-error a container has a name
export const nameless: z.input<ReturnType<typeof podSpec>> = { containers: [{ image: "i" }] };
// @ts-expect-error the server keeps no uid in the metadata of a template
void template.metadata?.uid;
// @ts-expect-error read-only at any depth
template.spec?.containers.push({ name: "x" });

// a part of a shape, and a shape with more
const overlay = podSpec().partial({ containers: true }).extend({ extra: z.string() });
expectTypeOf<z.output<typeof overlay>["extra"]>().toEqualTypeOf<string>();
expectTypeOf<undefined>().toExtend<z.output<typeof overlay>["containers"]>();
// @ts-expect-error a pod has no such field
podSpec().pick({ containres: true });
