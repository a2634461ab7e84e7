/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state. */
import { explore } from "@treadle/testing/explore";
import { Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { rwExternal } from "./controller.ts";
import { RWExternal } from "./rw-external.ts";

const b64 = (text: string): string => Buffer.from(text).toString("base64");
const division = (dividend: number, divisor: number) => ({ dividend: b64(String(dividend)), divisor: b64(String(divisor)) });

test("an RWExternal reaches the same end state after every single fault", { tags: ["memory", "long"], timeout: 600_000 }, async () => {
  const { summary, points, byType } = await explore(
    rwExternal,
    {
      async run(cluster) {
        await cluster.create(RWExternal, { metadata: { name: "a" }, spec: { inputSecret: "in" } });
        await cluster.settled();
        await cluster.create(Secret, { metadata: { name: "in" }, data: division(17, 5) });
        await cluster.settled();
        await cluster.update(Secret, "in", (secret) => {
          secret.data = division(100, 7);
        });
        await cluster.update(RWExternal, "a", (object) => {
          object.spec.outputSecret = "moved";
        });
        await cluster.settled();
        await cluster.create(RWExternal, { metadata: { name: "b" }, spec: { inputSecret: "in" } });
        await cluster.settled();
        await cluster.delete(RWExternal, "b");
      },
    },
    { namespaces: ["default"] },
  );
  console.info(`rw-external: ${summary}`);
  expect(points).toBeGreaterThan(50);
  expect(byType.skip.points).toBeGreaterThan(0);
});
