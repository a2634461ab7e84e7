import { defineResource } from "@treadle/apimachinery";
import { ClusterRole, ConfigMap } from "@treadle/apimachinery/kinds";
import type { AnyHandler } from "@treadle/reconcile";
import { conditions, dependentApply, handler, step } from "treadle";
import { expect, test } from "vitest";
import { z } from "zod";
import { checkedProgram } from "../find.ts";
import { PIPELINE_RULES } from "./pipelines.ts";

const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({}),
  status: z.object({}),
});
const Old = defineResource({
  group: "example.dev",
  kind: "Shop",
  scope: "Namespaced",
  versions: { v1: { spec: z.object({}) }, v1beta1: { spec: z.object({}), deprecated: true } },
});

const config = step(Shop, { name: "config", owns: [ConfigMap], do: (req) => req.next() });
const roles = step(Shop, { name: "roles", owns: [ClusterRole], do: (req) => req.next() });
const cleaned = step(Shop, { name: "roles", owns: [ClusterRole], do: (req) => req.next(), cleanup: () => undefined });
const giver = dependentApply(Shop, { name: "giver", kind: ConfigMap, desired: {}, gives: { uid: ({ metadata }) => metadata.uid } });
const taker = step(Shop, { name: "taker", needs: [giver], do: (req) => req.next() });
const counted = step(Shop, { name: "counted", conditions: ["Stored"], do: (req) => req.next() });
const ignored = step(Shop, { name: "ignored", conditions: [{ type: "Stored", ready: "ignored" }], do: (req) => req.next() });
const slow = step(Shop, { name: "slow", timeoutMs: 300_000, do: (req) => req.next() });
const announced = step(Shop, { name: "announced", events: ["Created"], do: (req) => req.next() });

interface Case {
  readonly id: string;
  readonly bad: AnyHandler;
  readonly good: AnyHandler;
  readonly where: string;
  /** As the manager of the bad handler has it. */
  readonly events?: boolean;
}

const shops = handler(Shop).step(conditions());
const NAME = "shops.example.dev";

test.for<Case>([
  { id: "no-conditions", bad: handler(Shop).step(config).build(), good: shops.step(config).build(), where: NAME },
  { id: "ready-ignores-all", bad: shops.step(ignored).build(), good: shops.step(counted).build(), where: NAME },
  { id: "owned-not-removed", bad: shops.step(roles).build(), good: shops.step(cleaned).build(), where: `${NAME}, step roles` },
  { id: "gives-unused", bad: shops.step(giver).build(), good: shops.step(giver).step(taker).build(), where: `${NAME}, step giver` },
  {
    id: "timeout-without-effect",
    bad: shops.step(slow).build(),
    good: handler(Shop, { deadlines: { passMs: 400_000 } })
      .step(conditions())
      .step(slow)
      .build(),
    where: `${NAME}, step slow`,
  },
  {
    id: "deprecated-version",
    bad: handler(Old.versions.v1beta1).step(conditions()).build(),
    good: handler(Old.versions.v1).step(conditions()).build(),
    where: NAME,
  },
  {
    id: "events-switched-off",
    bad: shops.step(announced).build(),
    good: shops.step(config).build(),
    where: `${NAME}, step announced`,
    events: false,
  },
])("the rule $id finds its place, and accepts the corrected handler", ({ id, bad, good, where, events }) => {
  const found = (given: AnyHandler): readonly string[] => {
    const managers = [{ handlers: [given], runnables: [], namespaces: undefined, events }];
    const program = checkedProgram({ handlers: [given], runnables: [], managers });
    return PIPELINE_RULES.flatMap((rule) => rule.find(program).map((finding) => `${rule.id} ${finding.where}`));
  };
  expect(found(bad)).toEqual([`${id} ${where}`]);
  expect(found(good)).toEqual([]);
});

test("another handler of the kind may keep the conditions", () => {
  const handlers = [shops.step(config).build(), handler(Shop, { name: "other" }).step(cleaned).build()];
  const program = checkedProgram({ handlers, runnables: [], managers: [] });
  expect(PIPELINE_RULES.flatMap((rule) => rule.find(program))).toEqual([]);
});
