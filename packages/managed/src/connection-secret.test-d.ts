import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { conditions, handler, step } from "@treadle/reconcile";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { connectionSecret } from "./connection-secret.ts";
import type { ManagedStep } from "./types.ts";

const Bucket = defineResource({
  group: "e.dev",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ secret: z.string() }),
});
type Bucket = ObjectOf<typeof Bucket>;
declare const bucket: ManagedStep<Bucket, "bucket", { readonly endpoint: string }>;

test("a connection Secret stands after its managed step, and its functions get the object", () => {
  const secret = connectionSecret(bucket, {
    objectName: (object) => {
      expectTypeOf(object).toEqualTypeOf<Bucket>();
      return object.spec.secret;
    },
  });
  handler(Bucket).step(conditions()).step(bucket).step(secret).build();
  // @ts-expect-error needs vars.bucket: place the step that provides it before this one
  handler(Bucket).step(conditions()).step(secret);
});

test("misuse of a connection Secret is a compile error", () => {
  // @ts-expect-error not a managed step
  connectionSecret(step(Bucket, { name: "other" }));
  // @ts-expect-error there is no such option
  connectionSecret(bucket, { name: "x" });
});
