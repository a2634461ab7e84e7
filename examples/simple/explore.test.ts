/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state. */
import { explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { simple } from "./controller.ts";
import { Simple } from "./simple.ts";

test("a Simple reaches the same end state after every single fault", { tags: ["memory"], timeout: 600_000 }, async () => {
  const { summary, points } = await explore(simple, {
    async run(cluster) {
      await cluster.create(Simple, { metadata: { name: "a" }, spec: { dividend: 17, divisor: 5 } });
      await cluster.settled();
      await cluster.update(Simple, "a", (object) => {
        object.spec.divisor = 0;
      });
      await cluster.settled();
      await cluster.update(Simple, "a", (object) => {
        object.spec.divisor = 2;
      });
      await cluster.create(Simple, { metadata: { name: "b" }, spec: { dividend: 1, divisor: 0 } });
      await cluster.settled();
      await cluster.delete(Simple, "b");
    },
  });
  console.info(`simple: ${summary}`);
  expect(points).toBeGreaterThan(20);
});
