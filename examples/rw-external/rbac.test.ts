/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, secret, secretText, startTestCluster } from "@treadle/testing";
import { rbacManifests } from "treadle";
import { Role, Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { rwExternal } from "./controller.ts";
import { RWExternal } from "./rw-external.ts";

test("the RWExternal operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [RWExternal] });
  const runs = await checkRights(cluster, rwExternal, {
    async run({ namespaces: [namespace], until }) {
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

test("a revoked right is named in the condition and in the log, and the operator continues when it is granted again", async () => {
  await using cluster = await startTestCluster({ time: "real" });
  const rbac = rbacManifests(rwExternal, { name: "rights", namespace: "default", namespaces: ["default"] });
  const op = await cluster.start(rwExternal, { namespaces: ["default"], rbac });
  await cluster.create(Secret, secret("in", { dividend: "17", divisor: "5" }));
  await cluster.create(RWExternal, { metadata: { name: "a" }, spec: { inputSecret: "in" } });
  await op.settled();
  const { rules = [] } = rbac.find(({ kind }) => kind === "Role") ?? {};
  const grant = async (granted: typeof rules): Promise<unknown> =>
    await cluster.client.patch(Role, { namespace: "default", name: "rights" }, { type: "merge", body: { rules: granted } });
  const ready = async () => (await cluster.get(RWExternal, "a"))?.status?.conditions?.find(({ type }) => type === "OutputReady");

  await grant(
    rules.map((rule) => ({
      ...rule,
      verbs: rule.resources.includes("secrets") ? rule.verbs.filter((verb) => verb !== "patch") : rule.verbs,
    })),
  );
  // The server learns of it by a watch of its own.
  let dividend = 20;
  const changed = async () => {
    const { data } = secret("in", { dividend: String(++dividend), divisor: "5" });
    await cluster.update(Secret, "in", (object) => void (object.data = data ?? {}));
    await op.settled();
    return (await ready())?.message ?? "";
  };
  await expect.poll(changed, { timeout: 20_000 }).toMatch(/cannot patch resource "secrets"/);
  expect((await ready())?.status).toBe("False");
  expect(JSON.stringify(op.logs)).toMatch(/cannot patch resource .{0,2}secrets/);

  await grant(rules);
  await expect.poll(async () => (await ready())?.status, { timeout: 60_000 }).toBe("True");
  expect(secretText(await cluster.get(Secret, "a"))["quotient"]).toBe(String(Math.trunc(dividend / 5)));
});
