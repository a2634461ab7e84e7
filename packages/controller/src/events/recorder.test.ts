/** What the recorder keeps while a server is away. */
import { getEventListeners } from "node:events";
import { ApiError, fakeClock, seededRandom } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { EventRecorder } from "./recorder.ts";

test("pauses between attempts leave nothing behind", async () => {
  const clock = fakeClock();
  const signals = new Set<AbortSignal>();
  const refuse = async (...[, , options]: readonly unknown[]): Promise<never> => {
    signals.add((options as { readonly signal: AbortSignal }).signal);
    throw new ApiError({ message: "away", status: 503 });
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const client = { create: refuse, patch: refuse };
  const recorder = new EventRecorder({ client, clock, random: seededRandom(1), log, instance: "i", count() {}, onChange() {} });
  const about = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default", uid: "u" } };
  recorder.record("c", about, { type: "Normal", reason: "Stored", note: "it is stored", action: "Store" });
  await clock.advance(60_000);
  expect([...signals].map((signal) => getEventListeners(signal, "abort").length)).toEqual([1]);
  await recorder.stop(0);
});
