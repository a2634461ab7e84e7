/** The policy of missing namespaces: they are created where the operator may do it and the policies let it, and never deleted. */
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentsOf, object, type SetPolicies } from "../../src/index.ts";
import { HANDLER, Platform, platform, platforms } from "./platforms.ts";

interface Row {
  readonly operator: SetPolicies["missingNamespaces"];
  readonly resource: SetPolicies["missingNamespaces"];
  readonly kinds: "ConfigMap" | "ConfigMap, Namespace" | "any";
  readonly isThere: boolean;
}

/** One of so many cases is tried in `npm test` and on a real server: all of them take minutes there. */
const SHARE = 8;

const WORDS = [undefined, "create", "fail"] as const;
const ROWS: readonly Row[] = WORDS.flatMap((operator) =>
  WORDS.flatMap((resource) =>
    (["ConfigMap", "ConfigMap, Namespace", "any"] as const).flatMap((kinds) =>
      [true, false].map((isThere) => ({ operator, resource, kinds, isThere })),
    ),
  ),
);

/** Whether the namespace is created: the custom resource outweighs the operator, and the right outweighs both. */
const isCreated = ({ operator, resource, kinds }: Row): boolean => kinds !== "ConfigMap" && (resource ?? operator ?? "create") === "create";

test.for(ROWS)(
  "of the operator $operator, of the resource $resource, kinds $kinds, and the namespace exists: $isThere",
  { tags: ["part"] },
  async (row, { expect: check, part, skip }) => {
    const { operator: operators, resource, kinds, isThere } = row;
    skip(!part.has(JSON.stringify(row), SHARE), "not in this part");
    await using cluster = await startTestCluster({ objects: [platform()] });
    const namespace = `table-${operators ?? "none"}-${resource ?? "none"}-${kinds.length}-${isThere ? "there" : "missing"}`;
    if (isThere) await cluster.create(Namespace, { metadata: { name: namespace } });
    const operator = await cluster.start(
      platforms({
        kinds: kinds === "any" ? "any" : kinds === "ConfigMap" ? [ConfigMap] : [ConfigMap, Namespace],
        ...(operators === undefined ? {} : { defaults: { missingNamespaces: operators } }),
        ...(resource === undefined ? {} : { policies: () => ({ missingNamespaces: resource }) }),
        objects: () => [object(ConfigMap, { metadata: { name: "x", namespace } }), object(ConfigMap, { metadata: { name: "near" } })],
      }),
    );
    await operator.settled();
    const isApplied = isThere || isCreated(row);
    const owner = await cluster.get(Platform, "a");
    const found = owner?.status?.conditions?.find(({ type }) => type === "StackReady");
    check(await cluster.get(ConfigMap, "near")).toBeDefined();
    check((await cluster.get(ConfigMap, `${namespace}/x`)) !== undefined).toBe(isApplied);
    check(found?.reason).toBe(isApplied ? "Ready" : "Error");
    if (!isApplied) {
      check(found?.message).toMatch(new RegExp(`^cannot apply ConfigMap ${namespace}/x: .*namespaces "${namespace}" not found`));
      check(dependentsOf(owner ?? {}).find(({ name }) => name === "x")).toMatchObject({ type: "Failed", namespace });
    }
    await cluster.delete(Platform, "a");
    await operator.settled();
    check(await cluster.get(ConfigMap, `${namespace}/x`)).toBeUndefined();
    const left = await cluster.get(Namespace, namespace);
    check(left !== undefined).toBe(isApplied);
    check(Object.keys({ ...left?.metadata.labels, ...left?.metadata.annotations }).filter((key) => key.startsWith(HANDLER))).toEqual([]);
    check(left?.metadata.deletionTimestamp).toBeUndefined();
  },
);

test("the namespace of many objects is created once", async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
  const operator = await cluster.start(
    platforms({ objects: () => names.map((name) => object(ConfigMap, { metadata: { name, namespace: "table-many" } })) }),
  );
  await operator.settled();
  expect((await cluster.list(ConfigMap, "table-many")).filter(({ metadata }) => names.includes(metadata.name)).length).toBe(30);
  expect(cluster.requests.filter({ kind: Namespace, verb: "create" }).length).toBe(1);
});
