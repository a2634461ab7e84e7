/** The options of dependentApply() beside `target`. */
import { expect, test } from "vitest";
import { dependentApply } from "../../src/index.ts";
import type { Target } from "../../src/targets/types.ts";
import { fakeTarget } from "./fake-target.ts";
import { ConfigMap, Tenant } from "./tenants.ts";

const target = fakeTarget<Tenant>(new Map(), { secretOf: ({ spec }) => spec.secret });
const make = (options: object) => () =>
  dependentApply(Tenant, { name: "settings", kind: ConfigMap, desired: {}, target, ...options } as never);

test.each([
  [{ ownership: "reference" }, /cannot refer to its owner/],
  [{ owned: false }, /leave out owned: false/],
  [{ created: false }, /created: false/],
  [{ finalizer: "on-demand" }, /leave out finalizer/],
  [{ target: {} as Target<Tenant> }, /clusters.target\(\)/],
])("dependentApply refuses %o", (options, message) => {
  expect(make(options)).toThrow(message);
});

test("dependentApply accepts label ownership and reads beside a target", () => {
  expect(make({ ownership: "label", reads: {} })).not.toThrow();
});
