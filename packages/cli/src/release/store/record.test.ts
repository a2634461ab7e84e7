import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { decoded, encoded, newRecord } from "./record.ts";

const ref = { namespace: "ops", name: "shop" };

test("a record is the same after it was stored", () => {
  const record = newRecord(ref, "web", "2026-01-01T00:00:00.000Z");
  expect(decoded(encoded(record, "the state"), "the state")).toEqual(record);
});

test("the uid of the owner follows from namespace and name, and has the form of a uid", () => {
  const uid = newRecord(ref, "web", "").object.metadata.uid ?? "";
  expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newRecord(ref, "other", "later").object.metadata.uid).toBe(uid);
  expect(newRecord({ ...ref, name: "ops" }, "web", "").object.metadata.uid).not.toBe(uid);
});

test("a record that no Secret can hold is refused with its size and what to do", () => {
  const record = { noise: randomBytes(1_500_000).toString("base64") };
  expect(() => encoded(record, "revision 1 of release ops/shop")).toThrow(
    /revision 1 of release ops\/shop takes 1\.4\d MiB .* Split the sources/,
  );
});

test.for([undefined, "", "bm8gZ3ppcA=="])("the data %j is refused with what it should be", (data) => {
  expect(() => decoded(data, "Secret ops/treadle-release.shop")).toThrow(
    /^Secret ops\/treadle-release.shop cannot be read: .*changed by hand/,
  );
});
