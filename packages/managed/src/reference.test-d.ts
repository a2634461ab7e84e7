import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { reference, type Reference, type References, type ReferencesOf } from "./reference.ts";

const Bucket = defineResource({ group: "e.dev", version: "v1", kind: "Bucket", scope: "Namespaced", spec: z.object({}) });
const Database = defineResource({
  group: "e.dev",
  version: "v1",
  kind: "Database",
  scope: "Namespaced",
  spec: z.object({ backup: z.string().optional(), tier: z.string() }),
});
type Database = ObjectOf<typeof Database>;

declare function takes<F extends References<Database>>(references: F): ReferencesOf<F>;

test("the object of a reference is that of the step, and optional gives undefined", () => {
  const names = takes({
    backup: reference(Bucket, (db) => db.spec.backup),
    maybe: reference(Bucket, (db) => ({ name: db.spec.tier, namespace: "x" }), { optional: true }),
    tier: reference(Bucket, { matchLabels: (db) => ({ tier: db.spec.tier }), matchController: true }, { resolve: "once" }),
    never: reference(Bucket, () => "b", { optional: false }),
  });
  expectTypeOf(names).toEqualTypeOf<{
    readonly backup: string;
    readonly maybe: string | undefined;
    readonly tier: string;
    readonly never: string;
  }>();
});

test("misuse of a reference is a compile error", () => {
  // @ts-expect-error the Database has no such field
  takes({ backup: reference(Bucket, (db) => db.spec.bucket) });
  // @ts-expect-error the labels are a function of the object
  reference(Bucket, { matchLabels: { tier: "gold" } });
  // @ts-expect-error not a name
  reference(Bucket, () => 1);
  // @ts-expect-error there is no such policy
  reference(Bucket, () => "b", { resolve: "never" });
  expectTypeOf(reference(Bucket, (db: Database) => db.spec.backup)).toEqualTypeOf<Reference<Database, string>>();
});
