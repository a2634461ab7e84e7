/** Types of `defaults` and `validate`; compiled by tsconfig.check.json, never run. */
import { defineResource, type Mutable, type ObjectOf } from "@treadle/apimachinery";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { handler } from "../handler.ts";
import { conditions } from "./conditions.ts";
import { defaults, type DefaultsOptions, type SpecOf } from "./defaults.ts";
import { type Problem, validate, type ValidateOptions } from "./validate.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ host: z.string().optional(), replicas: z.int32().default(1), hosts: z.array(z.string()).optional() }) },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});
interface Website extends ObjectOf<typeof Website> {}

// functions that stand outside, with the types that the options use
const problems = (site: Website) => (site.spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []);
const fill = (spec: SpecOf<Website>, site: Website): void => {
  spec.host ??= `${site.metadata.name}.example.com`;
  spec.hosts?.push(spec.host);
};
expectTypeOf<SpecOf<Website>>().toEqualTypeOf<Mutable<Website["spec"]>>();
expectTypeOf<SpecOf<{ readonly data: string }>>().toEqualTypeOf<never>();
expectTypeOf(problems).returns.toExtend<readonly Problem[]>();
expectTypeOf({ problems }).toExtend<ValidateOptions<Website>>();
expectTypeOf({ fill }).toExtend<DefaultsOptions<Website>>();
handler(Website).step(conditions()).step(defaults(Website, { fill })).step(validate(Website, { problems })).build();

// texts and fields may be mixed
validate(Website, {
  problems: ({ spec }) => [...(spec.host === undefined ? ["no host"] : []), { path: "spec.host", message: "too long" }],
});

// @ts-expect-error a problem of a field has a message
validate(Website, { problems: () => [{ path: "spec.host" }] });
// @ts-expect-error the path is a text
validate(Website, { problems: () => [{ path: ["spec", "host"], message: "too long" }] });
// @ts-expect-error a promise would count as a valid object
validate(Website, { problems: async () => [] });
// @ts-expect-error a step has no second argument
validate(Website, { problems: (_site: Website, _review: { readonly old?: Website }) => [] });
// @ts-expect-error a step has no third argument
defaults(Website, { fill(_spec: SpecOf<Website>, _site: Website, _review: { readonly old?: Website }) {} });
// @ts-expect-error a promise would fill in the fields too late
defaults(Website, { fill: async (spec) => void (spec.host ??= await Promise.resolve("a")) });
// @ts-expect-error a returned spec would be lost
defaults(Website, { fill: (spec) => ({ ...spec, host: "a" }) });
// @ts-expect-error it is a field of v1alpha1
validate(Website, { problems: ({ spec }) => (spec.size > 10 ? ["too large"] : []) });
// the kind of another version has its own type
validate(Website.versions.v1alpha1, { problems: ({ spec }) => (spec.size > 10 ? ["too large"] : []) });
