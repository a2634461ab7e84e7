/** checkRights of a step that asks for all rights: the rights of its run are checked in their place. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { handler, type ReqClient, type Step } from "@treadle/reconcile";
import { defineStep } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { checkRights, startTestCluster } from "../src/index.ts";
import { RW } from "./rw.ts";

const anything = defineStep(RW, {
  name: "anything",
  allRights: { because: "its kinds are known at run time only" },
  do: async (req) =>
    void (await (req as { readonly client: ReqClient }).client.apply(
      ConfigMap,
      { metadata: { name: "made" }, data: { a: "b" } },
      { existing: undefined },
    )),
}) as Step<RW>;
const built = handler(RW, { name: "any" }).step(anything).build();

test("the rights that replace all rights are checked as the others are", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [RW] });
  const runs = await checkRights(cluster, built, {
    insteadOfAll: [{ kind: ConfigMap, verbs: ["create", "patch"] }],
    async run({ namespaces: [namespace], until }) {
      await cluster.create(RW, { metadata: { name: "a", namespace }, spec: { inputSecret: "in" } });
      await until("it is made", async () => (await cluster.client.get(ConfigMap, { name: "made", namespace })) !== undefined);
    },
  });
  expect(runs.filter(({ without }) => without === undefined || without.includes("configmaps"))).toEqual([
    { without: undefined, failure: undefined },
    { without: "create configmaps", failure: "403 for apply configmaps" },
    { without: "patch configmaps", failure: "403 for apply configmaps" },
  ]);
});

test("all rights without rights in their place are refused, because no run could miss one", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [RW] });
  await expect(checkRights(cluster, built, { run: async () => undefined })).rejects.toThrow(
    'step "anything" asks for all rights, so that no right could be missed: name those that this run needs by insteadOfAll',
  );
});

test("an operator with all rights may use every kind", async () => {
  await using cluster = await startTestCluster({ kinds: [RW] });
  const operator = await cluster.start(built);
  await cluster.create(RW, { metadata: { name: "a", namespace: "default" }, spec: { inputSecret: "in" } });
  await cluster.settled();
  expect(await cluster.client.get(ConfigMap, { name: "made", namespace: "default" })).toMatchObject({ data: { a: "b" } });
  expect(operator.undeclared).toEqual([]);
});
