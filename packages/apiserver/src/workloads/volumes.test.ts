import type { PersistentVolume, PersistentVolumeClaim } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { findVolume } from "./volumes.ts";

function claim(spec: object = {}): PersistentVolumeClaim {
  const resources = { requests: { storage: "2Gi" } };
  return { metadata: { name: "data", namespace: "a", uid: "1" }, spec: { accessModes: ["ReadWriteOnce"], resources, ...spec } } as never; // what is looked into
}

function volume(name: string, storage: string, spec: object = {}, phase = "Available"): PersistentVolume {
  const accessModes = ["ReadWriteOnce", "ReadOnlyMany"];
  return { metadata: { name }, spec: { accessModes, capacity: { storage }, ...spec }, status: { phase } } as never; // what is looked into
}

const toClaim = (uid?: string, name = "data"): object => ({ claimRef: { name, namespace: "a", uid } });

test.for([
  { reason: "the smallest that is large enough", volumes: [volume("a", "10Gi"), volume("b", "2048Mi"), volume("c", "1Gi")], want: "b" },
  {
    reason: "none that is not free",
    volumes: [volume("a", "2Gi", {}, "Released"), volume("b", "2Gi", toClaim("9", "other"))],
    want: undefined,
  },
  { reason: "one that is kept for it before all", volumes: [volume("a", "2Gi"), volume("b", "9Gi", toClaim())], want: "b" },
  { reason: "none that is kept for one of before", volumes: [volume("a", "2Gi", toClaim("0"))], want: undefined },
  { reason: "none of another class", volumes: [volume("a", "2Gi", { storageClassName: "fast" })], want: undefined },
  { reason: "none of another mode", volumes: [volume("a", "2Gi", { volumeMode: "Block" })], want: undefined },
])("a claim takes $reason", ({ volumes, want }) => {
  expect(findVolume(claim(), volumes)?.metadata.name).toBe(want);
});

test("a claim gets the volume that it names, and no volume with fewer access modes", () => {
  const volumes = [volume("a", "2Gi"), volume("b", "9Gi")];
  expect(findVolume(claim({ volumeName: "b" }), volumes)?.metadata.name).toBe("b");
  expect(findVolume(claim({ accessModes: ["ReadWriteMany"] }), volumes)).toBeUndefined();
});
