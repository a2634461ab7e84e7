import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { bodyFor, testEnv, Website, website } from "../../test/reviews.ts";
import { settledOf, webhooks, type Webhooks } from "../webhooks.ts";
import { answerAdmission } from "./answer.ts";

test.for<{ name: string; type?: "mutate" | "validate"; of: Webhooks }>([
  { name: "problems", of: webhooks(Website, { problems: () => [] }) },
  { name: "problems with a promise", of: webhooks(Website, { problems: async () => await Promise.resolve([]) }) },
  { name: "problems that reads the signal", of: webhooks(Website, { problems: (_, { signal }) => (signal.aborted ? ["late"] : []) }) },
  { name: "fill", type: "mutate", of: webhooks(Website, { fill: (spec) => void (spec.host = "a.example.com") }) },
])("a review answered by $name is released by a collection of young objects", async ({ type = "validate", of }) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void; // what the flag gives
  const env = testEnv();
  const text = JSON.stringify(
    bodyFor(of, { object: website({ paths: Array.from({ length: 1_000 }, (_, at) => `/${at}${"x".repeat(90)}`) }) }),
  );
  // Objects that survive two such collections are old.
  const usedAfter = async (reviews: number): Promise<number> => {
    for (let at = 0; at < reviews; at++) await answerAdmission(settledOf(of), type, JSON.parse(text), env);
    for (let at = 0; at < 3; at++) collect({ type: "minor" });
    return process.memoryUsage().heapUsed;
  };
  collect(); // Otherwise V8 may do it between the two measurements.
  const before = await usedAfter(20);
  const grownBytes = (await usedAfter(100)) - before;
  expect(grownBytes / text.length, "the reviews that are still in memory").toBeLessThan(20);
});
