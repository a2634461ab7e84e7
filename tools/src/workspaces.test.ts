import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, workspaces } from "./workspaces.ts";

test("turbo builds every package and every example (CARD-13)", () => {
  const { tasks }: { tasks: Record<string, unknown> } = JSON.parse(readFileSync(join(root, "turbo.json"), "utf8"));
  expect(tasks["build"]).toMatchObject({ dependsOn: ["^build"], outputs: expect.arrayContaining(["dist/**"]) });
  const unbuilt = workspaces(root, ["packages/*", "examples/*"]).filter(({ manifest }) => manifest.scripts?.["build"] === undefined);
  expect(unbuilt.map(({ dir }) => dir)).toEqual([]);
});

test("the root tsconfig.json builds every package", () => {
  const { references }: { references: { path: string }[] } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  expect(references.map(({ path }) => path).toSorted()).toEqual(workspaces(root, ["packages/*"]).map(({ dir }) => dir));
});
