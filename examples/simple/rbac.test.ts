/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { simple } from "./controller.ts";
import { Simple } from "./simple.ts";

test("the Simple operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [Simple] });
  const runs = await checkRights(cluster, simple, {
    async run({ namespaces: [namespace], until }) {
      await cluster.create(Simple, { metadata: { name: "a", namespace }, spec: { dividend: 17, divisor: 5 } });
      await until("it is divided", async () => (await cluster.get(Simple, `${namespace}/a`))?.status?.quotient === 3);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(5);
});
