/** An operator from a chart, on the in-memory API server. */
import "@treadle/testing/matchers";
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { dependentSet, setStatus } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import { one } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { helm } from "../../src/index.ts";
import { folder } from "../folder.ts";
import { chartYaml } from "./chart-files.ts";

const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ greeting: z.string(), mode: z.string().default("ok") }),
  status: z.object({ ...setStatus }),
});
type Shop = ObjectOf<typeof Shop>;

const SECRET = "S3cretValue-71x";

const map = (name: string, more: string): string =>
  `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-${name}\n${more}`;
const hook = (when: string, deletion: string): string =>
  `  annotations: {"helm.sh/hook": "${when}", "helm.sh/hook-delete-policy": ${deletion}}\n`;

const CHART = {
  "Chart.yaml": chartYaml("shop"),
  "templates/all.yaml": [
    map("settings", "data:\n  greeting: {{ .Values.greeting }}\n  isUpgrade: {{ .Release.IsUpgrade | quote }}\n"),
    map("prepared", hook("pre-install,pre-upgrade", "hook-succeeded")),
    map("installed", hook("post-install", "before-hook-creation")),
    map("upgraded", hook("post-upgrade", "before-hook-creation")),
    map("kept", '  annotations: {"helm.sh/resource-policy": keep}\n'),
  ].join(""),
  "templates/mode.yaml":
    '{{ if eq .Values.mode "fail" }}{{ fail (printf "bad token %s" .Values.token) }}{{ end }}{{ if eq .Values.mode "hook" }}' +
    `${map("x", hook("pre-delete", "hook-succeeded"))}{{ end }}`,
};

function worldOf(chart: string): FakeWorld {
  const stack = dependentSet(Shop, {
    name: "stack",
    condition: "StackReady",
    kinds: [ConfigMap],
    reads: { token: one(Secret, () => "token") },
    objects: helm(chart, {
      values: ({ spec }: Shop, { reads }: { reads: { token: { data?: Record<string, string> } | undefined } }) => ({
        ...spec,
        token: Buffer.from(reads.token?.data?.["token"] ?? "", "base64").toString(),
      }),
    }),
  });
  return fakeWorld(handler(Shop).step(conditions()).step(stack).build(), {
    garbageCollection: true, // It ends the deletion of what is recreated.
    objects: [
      { apiVersion: "example.dev/v1", kind: "Shop", metadata: { name: "a" }, spec: { greeting: "hello" } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "token", namespace: "default" }, stringData: { token: SECRET } },
    ],
  });
}

const namesIn = async (world: FakeWorld): Promise<readonly string[]> =>
  (await world.list(ConfigMap, "default")).map(({ metadata }) => metadata.name).toSorted();
const conditionOf = async (world: FakeWorld) => (await world.get(Shop, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");
const change = async (world: FakeWorld, spec: Partial<Shop["spec"]>): Promise<void> => {
  await world.update(Shop, "a", (shop) => void Object.assign(shop.spec, spec));
  await world.settled();
};

test("an operator from a chart installs, upgrades, reports errors without secrets, and removes", async () => {
  const world = worldOf(folder(CHART));
  await world.settled();
  expect(await conditionOf(world)).toMatchObject({ status: "True", reason: "Ready" });
  expect(await namesIn(world)).toEqual(["a-installed", "a-kept", "a-settings"]);
  expect((await world.get(ConfigMap, "a-settings"))?.data).toEqual({ greeting: "hello", isUpgrade: "false" });
  const installed = (await world.get(ConfigMap, "a-installed"))?.metadata.uid;

  await change(world, { greeting: "good morning" });
  expect(await conditionOf(world)).toMatchObject({ status: "True", reason: "Ready" });
  expect(await namesIn(world)).toEqual(["a-installed", "a-kept", "a-settings", "a-upgraded"]);
  expect((await world.get(ConfigMap, "a-settings"))?.data).toEqual({ greeting: "good morning", isUpgrade: "true" });
  expect((await world.get(ConfigMap, "a-installed"))?.metadata.uid).toBe(installed);
  const upgraded = (await world.get(ConfigMap, "a-upgraded"))?.metadata.uid;

  await change(world, { mode: "fail", greeting: "never seen" });
  expect(await conditionOf(world)).toMatchObject({
    status: "False",
    message: expect.stringContaining("shop/templates/mode.yaml:1:34: bad token <redacted>"),
  });
  expect((await world.get(ConfigMap, "a-settings"))?.data).toMatchObject({ greeting: "good morning" });
  await change(world, { mode: "hook" });
  expect((await conditionOf(world))?.message).toContain("shop/templates/mode.yaml: the ConfigMap a-x is a hook for pre-delete");
  expect(JSON.stringify([await world.get(Shop, "a"), world.logs, world.passes])).not.toContain(SECRET);

  await change(world, { mode: "ok", greeting: "good evening" });
  expect(await conditionOf(world)).toMatchObject({ status: "True", reason: "Ready" });
  expect((await world.get(ConfigMap, "a-upgraded"))?.metadata.uid).not.toBe(upgraded);

  await world.delete(Shop, "a");
  await world.settled();
  expect(await world.get(Shop, "a")).toBeUndefined();
  expect(await namesIn(world)).toEqual(["a-kept"]);
});

test("the kind of a hook of upgrades is missed at the installation, and not at the first upgrade", async () => {
  const job = `---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n${hook("post-upgrade", "before-hook-creation")}`;
  const world = worldOf(folder({ ...CHART, "templates/job.yaml": job }));
  await world.settled();
  expect(await conditionOf(world)).toMatchObject({
    status: "False",
    message: expect.stringContaining(
      "shop/templates/job.yaml: the Job migrate is a hook of upgrades, and its kind is not in kinds: add Job (batch/v1) to kinds of the set",
    ),
  });
  expect(await namesIn(world)).toEqual([]);
});
