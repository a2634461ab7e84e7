import type { KubernetesObject } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { eventObject, microTime, shownNote } from "./event-object.ts";

const note = { type: "Normal", reason: "Stored", note: "it is there", action: "store" } as const;
const reporter = { controller: "widgets.example.dev", instance: "pod-1" };

test("an event names its object, reason, reporter and time", () => {
  const about: KubernetesObject = {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion: "7" },
  };
  expect(eventObject(about, { reporter, note, atMs: 1_700_000_000_123, id: "abc" })).toEqual({
    metadata: { name: "a.abc", namespace: "ns" },
    eventTime: "2023-11-14T22:13:20.123000Z",
    type: "Normal",
    reason: "Stored",
    action: "store",
    note: "it is there",
    regarding: { apiVersion: "example.dev/v1", kind: "Widget", name: "a", namespace: "ns", uid: "u", resourceVersion: "7" },
    reportingController: "widgets.example.dev",
    reportingInstance: "pod-1",
  });
});

test("an event about a cluster-scoped object is in default; names stay within their limits", () => {
  const about: KubernetesObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n".repeat(253) } };
  const event = eventObject(about, { reporter: { ...reporter, instance: "i".repeat(200) }, note, atMs: 0, id: "abc" });
  expect(event.metadata.namespace).toBe("default");
  expect(event.metadata.name).toHaveLength(253);
  expect(event.metadata.name.endsWith(".abc")).toBe(true);
  expect(event.reportingInstance).toHaveLength(128);
});

describe("a note", () => {
  test("hides secrets", () => {
    expect(shownNote("cannot reach postgres://app:hunter2@db")).toBe("cannot reach postgres://app:<redacted>@db");
  });
  test.for(["x".repeat(5000), "é".repeat(900), "😀".repeat(400)])("is at most 1024 bytes, and no character is cut in two (%#)", (long) => {
    const shown = shownNote(long);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(shown)).toBeGreaterThan(1015);
    expect(shown).not.toContain("\uFFFD");
    expect(shown.endsWith("…")).toBe(true);
  });
});

test("times have microseconds", () => {
  expect(microTime(0)).toBe("1970-01-01T00:00:00.000000Z");
});
