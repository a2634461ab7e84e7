import type { KubernetesObject } from "@treadle/apimachinery";
import { expectTypeOf, test } from "vitest";
import type { ManagedOptions } from "../types.ts";
import { type FakeProvider, fakeProvider, type FakeSeen } from "./fake-provider.ts";

interface Bucket {
  readonly versioning: boolean;
  readonly quotaGb: number | undefined;
}
interface Want {
  readonly versioning: boolean;
  readonly quotaGb?: number | undefined;
}

declare const fake: FakeProvider<Bucket>;

test("the functions of a fake provider fit the options of managed()", () => {
  type Options = ManagedOptions<KubernetesObject, "bucket", undefined, {}, {}, FakeSeen<Bucket>, Want>;
  expectTypeOf(fake.functions).toExtend<Pick<Options, "observe" | "create" | "update" | "delete" | "recoverCreate" | "state">>();
});

test("a value that the resource does not have cannot be named", () => {
  // @ts-expect-error no such value
  fake.change("a", { region: "x" });
  expectTypeOf(fakeProvider({ defaults: { sizeGb: 1 } })).toEqualTypeOf<FakeProvider<{ sizeGb: number }>>();
});
