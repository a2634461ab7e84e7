/** Objects in a Namespace of the set wait for it, so that its failure is the one that is reported. */
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { object } from "../../src/index.ts";
import { condition, settled } from "./platforms.ts";

test("an object in a Namespace of the set that cannot be applied is not applied, and the Namespace is named", async () => {
  const world = await settled({
    objects: () => [
      object(Namespace, { metadata: { name: "sys", labels: { "not a label": "x" } } }),
      object(ConfigMap, { metadata: { name: "inside", namespace: "sys" } }),
    ],
  });
  expect(await condition(world)).toMatchObject({ reason: "Error", message: expect.stringContaining("Namespace sys") });
  expect((await condition(world))?.message).not.toContain("inside");
  expect(world.requests.filter({ kind: ConfigMap, verb: ["apply", "create", "patch"] })).toEqual([]);
});
