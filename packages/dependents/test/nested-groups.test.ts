/** dependentApplyAll() inside all(): build() accepts what a pass can run, and both use one order. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { all, conditions, handler, step } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentApplyAll } from "../src/index.ts";
import { configMap, entries, merge, page, said, Site, site } from "./sites.ts";

const node = (name: string, more: object = {}) => page({ name, objectName: name, desired: { data: { name } }, ...more });

test("a dependency in another group decides the order of both groups, and of their cleanups", async () => {
  const base = node("base", { readyWhen: (live: ConfigMap) => live.data?.["broken"] === undefined || "base is broken" });
  const web = node("web", { dependsOn: [base] });
  const list = handler(Site)
    .step(conditions())
    .step(all("app", [dependentApplyAll("front", [web, node("assets")]), dependentApplyAll("back", [base, node("cache")])]));
  const world = fakeWorld(list.build(), { objects: [site(), configMap("unrelated", {})] });
  const writes: string[] = [];
  world.onRequest(({ verb, name }) => {
    if (verb === "apply" || verb === "delete") writes.push(`${verb} ${name}`);
  });
  await world.settled();
  expect(writes).toEqual(["apply base", "apply cache", "apply web", "apply assets"]);
  expect(await world.get(Site, "a")).toBeReady();

  await world.update(ConfigMap, "base", (object) => merge(object, { data: { broken: "1" } }));
  await world.settled();
  expect(await said(world)).toContain("web Pending/WaitingForDependency");
  expect(await entries(world)).toContainEqual(expect.objectContaining({ name: "web", message: "waiting for base" }));
  expect(await said(world), "a part that does not depend on it goes on").toContain("assets Ready");

  writes.length = 0;
  await world.delete(Site, "a");
  await world.settled();
  expect(writes.indexOf("delete web")).toBeLessThan(writes.indexOf("delete base"));
  expect(await world.get(Site, "a")).toBeUndefined();
});

test("dependsOn is an order in all(), too", async () => {
  const base = node("base");
  const web = node("web", { dependsOn: [base] });
  const world = fakeWorld(
    handler(Site)
      .step(conditions())
      .step(all("app", [web, base]))
      .build(),
    { objects: [site()] },
  );
  await world.settled();
  expect(await said(world)).toEqual(["web Ready", "base Ready"]);
});

test("an ordinary provider in a group that is not done keeps its consumer from running, with an entry that names it", async () => {
  const find = step(Site, {
    name: "find",
    do: (req) => (req.object.spec.wanted === false ? req.wait("no region", 1_000) : req.next({ region: "eu" })),
  });
  const map = page({
    name: "map",
    objectName: "map",
    needs: [find],
    desired: (_: Site, { vars }: never) => ({ data: { region: vars["region"] } }),
  } as never);
  const world = fakeWorld(
    handler(Site)
      .step(conditions())
      .step(all("app", [map as never, find]))
      .build(),
    { objects: [site()] },
  );
  await world.settled();
  expect(await world.get(ConfigMap, "map")).toMatchObject({ data: { region: "eu" } });
  await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
  await world.settled();
  expect(await world.get(ConfigMap, "map"), "its desired state is not known, so it stays").toMatchObject({ data: { region: "eu" } });
  expect(await entries(world)).toMatchObject([{ reason: "WaitingForDependency", message: "waiting for find" }]);
});

test("groups whose dependents depend on each other in both directions are a problem of build()", () => {
  const [a, b] = [node("a"), node("b")];
  const list = handler(Site)
    .step(conditions())
    .step(
      all("app", [
        dependentApplyAll("one", [a, node("c", { dependsOn: [b] })]),
        dependentApplyAll("two", [b, node("d", { dependsOn: [a] })]),
      ]),
    );
  expect(() => list.build()).toThrow(
    'all("app"): its parts depend on each other in a circle: "one" on "two" on "one": put the parts of the groups into one group',
  );
});
