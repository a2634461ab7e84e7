import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { type EventContent, EventCorrelator } from "./event-correlator.ts";

function content(message: string, more: Partial<EventContent> = {}): EventContent {
  return {
    involvedObject: { kind: "Pod", namespace: "default", name: "web", uid: "1", apiVersion: "v1" },
    type: "Normal",
    reason: "Pulled",
    message,
    source: { component: "kubelet", host: "node-1" },
    reportingComponent: "kubelet",
    reportingInstance: "node-1",
    ...more,
  };
}

function correlator(): { readonly clock: ReturnType<typeof fakeClock>; see(given: EventContent): string } {
  const clock = fakeClock();
  const made = new EventCorrelator(clock);
  let names = 0;
  const see = (given: EventContent): string => {
    const next = made.correlate(given, () => `e${++names}`);
    return next === undefined ? "dropped" : `${next.name} x${next.count} ${next.content.message}`;
  };
  return { clock, see };
}

test("the same event raises the count of the first one", async () => {
  const { clock, see } = correlator();
  expect(see(content("a"))).toBe("e1 x1 a");
  await clock.advance(1_000);
  expect(see(content("a"))).toBe("e1 x2 a");
  expect(see(content("b"))).toBe("e2 x1 b");
  expect(see(content("a", { type: "Warning" })), "another type").toBe("e3 x1 a");
});

test("the tenth similar event within ten minutes and the later ones are one event", async () => {
  const { clock, see } = correlator();
  for (let number = 1; number < 10; number++) see(content(`pod ${number}`));
  expect(see(content("pod 10"))).toBe("e10 x1 (combined from similar events): pod 10");
  expect(see(content("pod 11"))).toBe("e10 x2 (combined from similar events): pod 11");
  await clock.advance(600_001);
  expect(see(content("pod 12"))).toBe("e11 x1 pod 12");
});

test("an object has 25 events at once and then one in five minutes", async () => {
  const { clock, see } = correlator();
  for (let number = 1; number <= 25; number++) expect(see(content("a"))).not.toBe("dropped");
  expect(see(content("a"))).toBe("dropped");
  expect(see(content("a", { involvedObject: { kind: "Pod", name: "other" } }))).not.toBe("dropped");
  await clock.advance(300_000);
  // The events that were dropped are counted.
  expect(see(content("a"))).toBe("e1 x27 a");
  expect(see(content("a"))).toBe("dropped");
});
