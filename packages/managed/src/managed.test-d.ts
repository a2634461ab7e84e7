import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { all, conditions, handler, one, step } from "@treadle/reconcile";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { managedSpec, managedStatus, managedTraits } from "./fragments.ts";
import { managed } from "./managed.ts";
import { provider, type Provider } from "./provider/provider.ts";
import { reference } from "./reference.ts";
import type { External, ManagedStep } from "./types.ts";

const common = { group: "e.dev", version: "v1", scope: "Namespaced" } as const;
const StoreConfig = defineResource({ ...common, kind: "StoreConfig", spec: z.object({ url: z.string() }), status: z.object({}) });
const Bucket = defineResource({
  ...managedTraits,
  ...common,
  kind: "Bucket",
  spec: z.object({ ...managedSpec, region: z.string().optional(), backup: z.string() }),
  status: z.object({ ...managedStatus, endpoint: z.string() }),
});
type Bucket = ObjectOf<typeof Bucket>;

interface Api {
  readonly get: (name: string) => Promise<Seen | undefined>;
}
interface Seen {
  readonly region: string;
  readonly size: number;
  readonly tags: Readonly<Record<string, string>>;
}
interface Want {
  readonly region: string | undefined;
  readonly size: number;
}

const store = provider(StoreConfig, {
  connect: async ({ config, secret }): Promise<Api> => {
    expectTypeOf(config.spec.url).toEqualTypeOf<string>();
    expectTypeOf(secret).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
    return { get: async () => undefined };
  },
});

const bucket = managed(Bucket, {
  name: "bucket",
  provider: store,
  reads: { login: one(Secret, (object) => object.spec.backup) },
  references: {
    backup: reference(Bucket, (object) => object.spec.backup),
    maybe: reference(Bucket, () => undefined, { optional: true }),
  },
  externalName: ({ metadata, spec, singular, object }) => {
    expectTypeOf(spec.region).toEqualTypeOf<string | undefined>();
    expectTypeOf(object).toEqualTypeOf<Bucket>();
    return `${singular}-${metadata.name}`;
  },
  observe: ({ api, name, signal, operation, reads, spec }) => {
    expectTypeOf(api).toEqualTypeOf<Api>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    expectTypeOf(operation).toEqualTypeOf<unknown>();
    expectTypeOf(reads.login).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
    expectTypeOf(spec.backup).toEqualTypeOf<string>();
    return api.get(name);
  },
  desired: ({ spec, references }) => {
    expectTypeOf(references).toEqualTypeOf<{ readonly backup: string; readonly maybe: string | undefined }>();
    const want: Want = { region: spec.region, size: references.backup.length };
    return want;
  },
  create: ({ api, want, token, references }) => {
    expectTypeOf(api).toEqualTypeOf<Api>();
    expectTypeOf(want.size).toEqualTypeOf<number>();
    expectTypeOf(token).toEqualTypeOf<string>();
    expectTypeOf(references.backup).toEqualTypeOf<string>();
    return { name: "x", anything: 7 };
  },
  recoverCreate: ({ token }) => (token === "" ? undefined : { name: token }),
  update: ({ changes, seen, want }) => {
    expectTypeOf(changes.size).toEqualTypeOf<number | undefined>();
    expectTypeOf(changes.region).toEqualTypeOf<string | undefined>();
    expectTypeOf(seen.tags).toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf(want.size).toEqualTypeOf<number>();
  },
  delete: ({ seen }) => {
    expectTypeOf(seen?.region).toEqualTypeOf<string | undefined>();
  },
  state: ({ size }) => (size > 1 ? { type: "Failed", message: "too big", terminal: true } : { type: "Available" }),
  status: ({ region }) => ({ endpoint: region }),
  connection: ({ region }) => ({ region, none: undefined }),
  lateInitialize: ({ region }) => ({ region }),
  redact: ["size"],
  pollMs: (state) => (state === "Available" ? 60_000 : 10_000),
  onChange: ({ verb, changes }) => {
    expectTypeOf(verb).toEqualTypeOf<"create" | "update" | "delete">();
    expectTypeOf(changes).toEqualTypeOf<Readonly<Record<string, unknown>> | undefined>();
  },
});

test("a managed step has the types of its kind, its name and its observation, in the options of any order after observe", () => {
  expectTypeOf(bucket).toEqualTypeOf<ManagedStep<Bucket, "bucket", Seen>>();
  expectTypeOf(store).toEqualTypeOf<Provider<Api>>();
});

test("later steps get the typed vars of a managed step, also from a group", () => {
  const later = step(Bucket, {
    name: "later",
    needs: [bucket],
    do: (req) => {
      expectTypeOf(req.vars.bucket).toEqualTypeOf<External<Seen>>();
      expectTypeOf(req.vars.bucket.seen?.size).toEqualTypeOf<number | undefined>();
    },
  });
  handler(Bucket).step(conditions()).step(bucket).step(later).build();
  handler(Bucket)
    .step(conditions())
    .step(all("both", [bucket]))
    .step(later)
    .build();
  // @ts-expect-error needs vars.bucket: place the step that provides it before this one
  handler(Bucket).step(conditions()).step(later);
});

test("a managed kind needs only a name, a provider, observe and desired", () => {
  const least = managed(Bucket, { name: "least", provider: store, observe: ({ api, name }) => api.get(name), desired: () => ({}) });
  expectTypeOf(least).toEqualTypeOf<ManagedStep<Bucket, "least", Seen>>();
});

test("observe may return its result at once, and undefined for an absence", () => {
  const at = managed(Bucket, {
    name: "at",
    provider: store,
    observe: ({ name }) => (name === "" ? undefined : { size: 1 }),
    desired: () => ({ size: 2 }),
    state: ({ size }) => (size === 1 ? "Available" : "Creating"),
  });
  expectTypeOf(at).toEqualTypeOf<ManagedStep<Bucket, "at", { size: number }>>();
  // @ts-expect-error observe must not return a text
  managed(Bucket, { name: "text", provider: store, observe: () => "there", desired: () => ({}) });
});

test("a managed step does not fit a handler of another kind", () => {
  // @ts-expect-error the step is for Buckets
  handler(StoreConfig).step(bucket);
});
