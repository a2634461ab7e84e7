/** An operator that records events gets exactly the rights that this takes. */
import { Event } from "@treadle/apimachinery/kinds";
import { handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { checkRights, startTestCluster } from "../src/index.ts";
import { RW } from "./rw.ts";

const telling = step(RW, {
  name: "telling",
  events: ["Seen"],
  do: (req) => req.event("Normal", "Seen", "it was seen"),
});

test("each right to write events is needed", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [RW] });
  const runs = await checkRights(cluster, handler(RW, { name: "telling" }).step(telling).build(), {
    async run({ namespaces: [namespace], until }) {
      const count = async (): Promise<number> => {
        const { items } = await cluster.client.list(Event, { namespace });
        return items.reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
      };
      await cluster.create(RW, { metadata: { name: "a", namespace }, spec: { inputSecret: "in" } });
      await until("it is told", async () => (await count()) === 1);
      await cluster.update(RW, `${namespace}/a`, (object) => void (object.spec.inputSecret = "other"));
      await until("it is counted", async () => (await count()) === 2);
    },
  });
  const ofEvents = runs.filter(({ without }) => without === undefined || without.includes("events"));
  expect(ofEvents.map(({ without, failure }) => [without, failure])).toEqual([
    [undefined, undefined],
    ["create events.events.k8s.io", "403 for create events"],
    ["patch events.events.k8s.io", "403 for patch events"],
  ]);
});
