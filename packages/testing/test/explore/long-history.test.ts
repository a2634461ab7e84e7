/** A process that starts with a state of long ago is shown all events since. Its passes meanwhile are no loop. */
import { controllerReference } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { explore, type Scenario } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { Thing } from "./planted/thing.ts";

const CHANGES = 400;

const NAMES = ["a", "b", "c", "d"];

/** Applies some ConfigMaps in each pass. The garbage collector deletes what is applied for a Thing that is gone. */
const applies: AnyHandler = handler(Thing)
  .step(conditions())
  .step(
    step(Thing, {
      name: "config",
      owns: [ConfigMap],
      async do(req) {
        const { metadata, spec } = req.object;
        const ownerReferences = [controllerReference(req.object)];
        const data = { size: String(spec.size) };
        for (const name of NAMES)
          await req.client.apply(
            ConfigMap,
            { metadata: { name, namespace: metadata.namespace, ownerReferences }, data },
            { existing: undefined },
          );
        req.status.size = spec.size;
      },
      cleanup() {}, // The last write removes the finalizer.
    }),
  )
  .build();

const SCENARIO: Scenario<unknown> = {
  async run(cluster) {
    await cluster.create(Thing, { metadata: { name: "a" }, spec: { size: 1 } });
    await cluster.settled();
    for (let size = 2; size <= CHANGES; size++) await cluster.update(Thing, "a", (thing) => void (thing.spec.size = size));
    await cluster.settled();
    await cluster.delete(Thing, "a");
  },
};

test("a process that sees a deleted object as it was many changes ago settles", async () => {
  const fromTheFirst: string[] = [];
  await explore(applies, SCENARIO, {
    points: ({ id }) => {
      if (/^crash-stale@\d+:1$/.test(id)) fromTheFirst.push(id);
      return id === "crash@0"; // The other points are not needed to know their ids.
    },
  });
  const { failures, points } = await explore(applies, SCENARIO, { replay: fromTheFirst.at(-1) ?? "" });
  expect(points).toBe(1);
  expect(failures).toEqual([]);
});
