/** A function of the author that is async by mistake: it is a failure of its step, and its rejection ends no process. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dependentsOf } from "../src/index.ts";
import { page, Site, site } from "./sites.ts";

let unhandled: unknown[];
const note = (error: unknown): void => void unhandled.push(error);
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

const late = async (): Promise<never> => {
  throw new Error("late");
};

test.for([
  "desired",
  "readyWhen",
  "status",
  "update",
  "each",
  "objectName",
  "namespace",
  "when",
  "orphanWhen",
  "includeWhen",
  "until",
] as const)("a rejected promise of %s is a failure of the step", async (option) => {
  const world = fakeWorld(
    handler(Site)
      .step(conditions())
      .step(page({ [option]: late } as never))
      .build(),
    { objects: [site()] },
  );
  await world.settled();
  await world.update(Site, "a", (object) => void (object.spec.text = "changed"));
  await world.settled();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
  const ready = (await world.get(Site, "a"))?.status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready).toMatchObject({ status: "False", message: expect.stringContaining(option === "status" ? "status must" : `${option} `) });
});

test("an update that returns a promise does not erase the object", async () => {
  const world = fakeWorld(
    handler(Site)
      .step(conditions())
      .step(page({ update: (async (live: object) => live) as never }))
      .build(),
    { objects: [site()] },
  );
  await world.settled();
  await world.update(Site, "a", (object) => void (object.spec.text = "changed"));
  await world.settled();
  expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  expect(dependentsOf((await world.get(Site, "a")) ?? {})[0]).toMatchObject({
    type: "Failed",
    message: expect.stringContaining("a promise"),
  });
});
