/** The operator's rights are enough, and none is too many; on a real server only, for in memory nobody asks for rights. */
import { checkRights, secret, secretText, startTestCluster } from "@treadle/testing";
import { Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { rwExternal } from "./controller.ts";
import { RWExternal } from "./rw-external.ts";

test("each right is needed", { tags: ["real"] }, async () => {
  await using cluster = await startTestCluster({ kinds: [RWExternal] });
  const runs = await checkRights(cluster, rwExternal, {
    async story({ namespaces: [namespace], until }) {
      const output = async (): Promise<Record<string, string> | undefined> => {
        const stored = await cluster.get(Secret, `${namespace}/a`);
        return stored === undefined ? undefined : secretText(stored);
      };
      await cluster.create(Secret, secret(`${namespace}/in`, { dividend: "17", divisor: "5" }));
      await cluster.create(RWExternal, { metadata: { name: "a", namespace }, spec: { inputSecret: "in" } });
      await until("it is divided", async () => (await output())?.["quotient"] === "3");
      await cluster.delete(RWExternal, `${namespace}/a`);
      await until("the output is gone", async () => (await output()) === undefined);
      await until("the object is gone", async () => (await cluster.get(RWExternal, `${namespace}/a`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(13);
});
