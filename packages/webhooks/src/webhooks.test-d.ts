/** Types of webhooks; compiled by tsconfig.check.json, never run. */
import { defineResource, type KubernetesObject, kind, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Pod, Secret } from "@treadle/apimachinery/kinds";
import { conditions, defaults, handler, many, one, type Problem, validate } from "@treadle/reconcile";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { deny } from "./admission/deny.ts";
import { review } from "./review.ts";
import type { DraftOf, Review } from "./types.ts";
import { type Webhooks, webhooks } from "./webhooks.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().default(1),
        tls: z.object({ issuer: z.string() }).optional(),
      }),
      status: z.object({ url: z.string() }),
    },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});
interface Website extends ObjectOf<typeof Website> {}

// the example of the docs
const rules = {
  problems: (site: Website) => (site.spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
};
const website = webhooks(Website, {
  fill(spec, site) {
    expectTypeOf(spec.host).toEqualTypeOf<string | undefined>();
    spec.host ??= `${site.metadata.name}.example.com`;
  },
  problems(site, { old, warn }) {
    expectTypeOf(site).toEqualTypeOf<ObjectOf<typeof Website>>();
    expectTypeOf(old).toEqualTypeOf<ObjectOf<typeof Website> | undefined>();
    if (site.spec.replicas > 5) warn("more than 5 replicas cost extra");
    return [...rules.problems(site), ...(old && old.spec.host !== site.spec.host ? [{ path: "spec.host", message: "cannot change" }] : [])];
  },
  convert: {
    v1alpha1: {
      up: ({ spec }) => ({ spec: { host: spec.domain, replicas: spec.size } }),
      down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
    },
  },
});
webhooks(Pod, {
  on: ["CREATE"],
  objectSelector: { matchLabels: { team: "a" } },
  failurePolicy: "Ignore",
  fill(spec) {
    spec.priorityClassName ??= "low";
  },
});

// one function serves the steps and the webhooks
const completion = {
  fill(spec: { host?: string | undefined; replicas: number }, site: Website) {
    spec.host ??= site.metadata.name;
  },
};
handler(Website).step(conditions()).step(defaults(Website, completion)).step(validate(Website, rules));
webhooks(Website, { ...completion, ...rules, convert: "none" });

// a function that takes the review does not fit the steps
const reviewing = {
  fill(spec: { host?: string | undefined }, _: Website, { user }: Review<Website>) {
    spec.host ??= user.username;
  },
  problems: (_: Website, { user }: Review<Website>) => (user.username === "ada" ? [] : ["only ada"]),
};
webhooks(Website, { ...reviewing, convert: "none" });
// @ts-expect-error a step has no review
defaults(Website, reviewing);
// @ts-expect-error a step has no review
validate(Website, reviewing);

// the draft
expectTypeOf<DraftOf<KubernetesObject & { readonly spec: { readonly a: 1 } }, false>>().toEqualTypeOf<{ a: 1 }>();
expectTypeOf<DraftOf<ObjectOf<typeof Pod>, false>["containers"]>().toHaveProperty("push");
expectTypeOf<DraftOf<ObjectOf<typeof Pod>, true>>().toHaveProperty("metadata");
expectTypeOf<DraftOf<ObjectOf<typeof ConfigMap>, false>>().toHaveProperty("data");
expectTypeOf<DraftOf<ObjectOf<typeof Secret>, false>["metadata"]>().toHaveProperty("labels");
expectTypeOf<DraftOf<ObjectOf<typeof Website>, true>>().not.toHaveProperty("status");
const Untyped = kind({ group: "x.example.com", version: "v1", kind: "Untyped" });
expectTypeOf<DraftOf<ObjectOf<typeof Untyped>, false>>().toEqualTypeOf<Record<string, unknown>>();
webhooks(kind<{ spec?: { size: number } }>({ group: "x.example.com", version: "v1", kind: "Thing" }), {
  fill(spec) {
    spec.size = 1;
  },
});
webhooks(Website, {
  convert: "none",
  whole: true,
  fill(site) {
    site.metadata.labels = { team: "a" };
  },
});

// @ts-expect-error a returned spec would be lost
webhooks(Website, { convert: "none", fill: (spec) => ({ ...spec, host: "a" }) });
// @ts-expect-error a returned spec would be lost
webhooks(Website, { convert: "none", fill: async (spec) => await Promise.resolve(spec) });

webhooks(Website, {
  convert: "none",
  fill(spec) {
    // @ts-expect-error there is no such field
    spec.hosts = "a";
    // @ts-expect-error the field has another type
    spec.replicas = "1";
  },
  problems(site) {
    // @ts-expect-error objects of a review are read-only
    site.spec.replicas = 1;
    return [];
  },
});
// @ts-expect-error a problem has a path and a message
webhooks(Website, { convert: "none", problems: () => [{ field: "spec.host", message: "no" }] });
// @ts-expect-error problems are a list
webhooks(Website, { convert: "none", problems: () => "no" });

// reads are typed as in a step
webhooks(Website, {
  convert: "none",
  reads: { limits: one(ConfigMap, () => ({ name: "limits" })), pods: many(Pod, () => ({ matchLabels: { app: "a" } })) },
  async problems(_, { reads, signal, client }) {
    expectTypeOf(reads.limits).toEqualTypeOf<ObjectOf<typeof ConfigMap> | undefined>();
    // @ts-expect-error the read is not declared
    void reads.others;
    await client.get(Pod, { name: "a" }, { signal });
    return reads.pods.map(({ metadata }) => metadata.name);
  },
});

// @ts-expect-error versions that are not converted lose fields: it says how they are converted
webhooks(Website, { problems: () => [] });
webhooks(Website, { problems: () => [], convert: "none" });
webhooks(Website, {
  convert: {
    v1alpha1: {
      // @ts-expect-error metadata is not converted by authors
      up: ({ spec, metadata }) => ({ metadata, spec: { host: spec.domain, replicas: spec.size } }),
      down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
    },
  },
});

// deny ends a function
expectTypeOf(deny).returns.toEqualTypeOf<never>();

// review()
const outcome = await review(website, { create: { metadata: { name: "a" }, spec: {} } });
expectTypeOf(outcome.object).toEqualTypeOf<ObjectOf<typeof Website>>();
expectTypeOf(outcome.problems).toEqualTypeOf<readonly Problem[]>();
expectTypeOf(outcome.warnings).toEqualTypeOf<readonly string[]>();
await review(website, { old: outcome.object, update: { ...outcome.object, spec: { replicas: 2 } }, isDryRun: true });
// @ts-expect-error the field has another type
await review(website, { create: { metadata: { name: "a" }, spec: { replicas: "1" } } });

// review() of an object of another version
await review(website, { create: { apiVersion: "web.example.com/v1alpha1", metadata: { name: "a" }, spec: { domain: "a" } } });
// @ts-expect-error the other version has no such field
await review(website, { create: { apiVersion: "web.example.com/v1alpha1", metadata: { name: "a" }, spec: { issuer: "a" } } });
// @ts-expect-error without its version it would be an object of the hub
await review(website, { create: { metadata: { name: "a" }, spec: { domain: "a" } } });

// review() needs the values of the declared reads
const limited = webhooks(Website, {
  convert: "none",
  reads: { limits: one(ConfigMap, () => ({ name: "limits" })) },
  problems: (_, { reads }) => (reads.limits === undefined ? ["no limits"] : []),
});
const create = { metadata: { name: "a" }, spec: {} };
await review(limited, { create, reads: { limits: undefined } });
await review(limited, { create, reads: { limits: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "limits" } } } });
// @ts-expect-error the values are missing
await review(limited, { create });
// @ts-expect-error the value is of another kind
await review(limited, { create, reads: { limits: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "limits" }, data: 1 } } });
const any: readonly Webhooks[] = [website, limited];
void any;
