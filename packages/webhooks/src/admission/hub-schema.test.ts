import { defineResource } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { z } from "zod";
import { answered, untyped } from "../../test/asking.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ host: z.string().regex(/^(a+)+$/), replicas: z.int32().max(10).default(1) }) },
    v1alpha1: { spec: z.object({ host: z.string(), replicas: z.int32().default(1) }) },
  },
});

const convert = { v1alpha1: { up: ({ spec }: { spec: object }) => ({ spec }), down: ({ spec }: { spec: object }) => ({ spec }) } };
const SLOW = `${"a".repeat(60)}!`;
const requestKind = { group: "web.example.com", version: "v1alpha1", kind: "Website" };
const website = (spec: object) => ({ apiVersion: "web.example.com/v1", kind: "Website", metadata: { name: "a", namespace: "ops" }, spec });
const TOO_SLOW = [{ reason: "FieldValueInvalid", field: "spec", message: "its texts take too long for the patterns of the schema" }];

test("a text of another version for which a pattern of the hub never ends is refused in time", async () => {
  const of = untyped({ convert, problems: () => [] }, Website);
  const { allowed, status } = await answered(of, "validate", { requestKind, object: website({ host: SLOW, replicas: 1 }) });
  expect(allowed).toBe(false);
  expect(status).toMatchObject({ code: 422, details: { causes: TOO_SLOW } });
});

test("a filled text for which a pattern of the hub never ends is refused in time", async () => {
  const of = untyped({ convert, fill: (spec: { host: string }) => void (spec.host = SLOW) }, Website);
  const { status } = await answered(of, "mutate", { requestKind, object: website({ host: "a", replicas: 1 }) });
  expect(status).toMatchObject({ code: 422, details: { causes: TOO_SLOW } });
});

test("a fill that fails for a text for which a pattern of the hub never ends is answered in time", async () => {
  const failing = (): never => {
    throw new TypeError("boom");
  };
  const { status } = await answered(untyped({ convert, fill: failing }, Website), "mutate", {
    object: website({ host: SLOW, replicas: 1 }),
  });
  expect(status).toMatchObject({ code: 422, details: { causes: TOO_SLOW } });
});

test("problems of a hub with patterns have their paths, without those of the stored object", async () => {
  const of = untyped({ convert, problems: () => [] }, Website);
  const { status } = await answered(of, "validate", { requestKind, object: website({ host: "b", replicas: 11 }) });
  expect(status).toMatchObject({ details: { causes: [{ field: "spec.host" }, { field: "spec.replicas" }] } });
  const update = { operation: "UPDATE", requestKind, oldObject: website({ host: "b", replicas: 1 }) };
  expect(await answered(of, "validate", { ...update, object: website({ host: "c", replicas: 1 }) })).toMatchObject({ allowed: true });
});
