import { expect, test } from "vitest";
import { bind } from "./binding.ts";
import { Capability } from "./capability.ts";
import type { Requirement } from "./component.ts";

const capability = (name: string, spec: Partial<Capability["spec"]> = {}): Capability => ({
  apiVersion: "examples.treadle.dev/v1",
  kind: "Capability",
  metadata: { name, namespace: "shop" },
  spec: { category: "database", type: "postgresql", ...spec },
});
const required = (given: Partial<Requirement> = {}): Requirement => ({ name: "db", category: "database", type: "postgresql", ...given });

test.for([
  { name: "the only one that fits", given: required(), want: "orders" },
  { name: "one in other letters", given: required({ category: "Database", type: "PostgreSQL" }), want: "orders" },
  { name: "that of boundTo among several", given: required({ type: "mysql", boundTo: "b" }), want: "b" },
  { name: "that of an earlier pass among several", given: required({ type: "mysql" }), earlier: "a", want: "a" },
  { name: "the only one with the version", given: required({ type: "redis", version: "7" }), want: "seven" },
])("a requirement is bound to $name", ({ given, earlier, want }) => {
  const all = [
    capability("orders"),
    capability("a", { type: "mysql" }),
    capability("b", { type: "mysql" }),
    capability("six", { type: "redis", version: "6" }),
    capability("seven", { type: "redis", version: "7" }),
  ];
  const binding = bind(given, all, earlier);
  expect(binding.type === "bound" ? binding.capability.metadata.name : binding).toBe(want);
});

test.for([
  {
    name: "without a candidate lists those of the namespace",
    given: required({ version: "18" }),
    want: {
      reason: "NoCapability",
      message:
        "no Capability fits requires[db]; database/postgresql 18 is required, and the namespace has a (database/mysql), b (database/mysql)",
    },
  },
  {
    name: "with several candidates asks for boundTo",
    given: required({ type: "mysql" }),
    want: { reason: "SeveralCapabilities", message: "several Capabilities fit requires[db]: a, b; set boundTo to one of them" },
  },
  {
    name: "whose boundTo does not exist is refused",
    given: required({ type: "mysql", boundTo: "c" }),
    want: {
      reason: "NotMatching",
      message:
        'requires[db].boundTo is "c", but it does not exist; database/mysql is required, and the namespace has a (database/mysql), b (database/mysql)',
    },
  },
  {
    name: "whose boundTo is of another type is refused",
    given: required({ boundTo: "a" }),
    want: {
      reason: "NotMatching",
      message:
        'requires[db].boundTo is "a", but it is database/mysql; database/postgresql is required, and the namespace has a (database/mysql), b (database/mysql)',
    },
  },
])("a requirement $name", ({ given, want }) => {
  const all = [capability("b", { type: "mysql" }), capability("a", { type: "mysql" })];
  expect(bind(given, all, undefined)).toEqual({ type: "problem", ...want });
});

test("a requirement in an empty namespace is not bound, and an earlier binding to a deleted Capability ends", () => {
  const { metadata, ...body } = capability("orders");
  const deleted = { ...body, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  expect(bind(required(), [], "orders")).toMatchObject({ reason: "NoCapability", message: expect.stringContaining("no Capability") });
  expect(bind(required(), [deleted], "orders")).toMatchObject({ type: "problem", reason: "NoCapability" });
});
