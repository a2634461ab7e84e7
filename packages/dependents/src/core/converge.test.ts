/** The core on its own: contexts made by hand, against the in-memory API server. No handler, no pass, no step. */
import { defineResource, fakeClock, type KubernetesObject, keyOf, type Ref } from "@treadle/apimachinery";
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { unitManager } from "@treadle/reconcile/unstable/engine";
import type { Context, UnitInfo } from "./context.ts";
import { converge } from "./converge.ts";
import type { Inputs } from "./inputs.ts";
import { DependentsMemory } from "./memory.ts";
import type { Converged, Plan, Policy } from "./plan.ts";
import { release } from "./release.ts";
import { keptOf, NONE, remove } from "./remove.ts";

const Owner = defineResource({ group: "example.dev", version: "v1", kind: "Owner", scope: "Namespaced", spec: z.object({}) });
const HANDLER = "owners.example.dev";
const POLICY: Policy = {
  kind: ConfigMap,
  isOwned: true,
  isCreated: true,
  isUpdated: true,
  isWatched: true,
  adopt: "never",
  ownership: undefined,
  update: undefined,
  displayName: undefined,
  onImmutable: "fail",
  immutableFields: [],
};
const NO_INPUTS: Inputs = { vars: {}, reads: {}, dependents: {} };

let client: Client;
let owner: KubernetesObject;
let objects: readonly KubernetesObject[];
let warnings: string[];
const clock = fakeClock();

beforeEach(async () => {
  client = createClient({ transport: createApiServer({ clock, resources: [Owner] }).transport(), clock, fieldManager: "user" });
  await client.create(Namespace, { metadata: { name: "ns" } });
  owner = await client.create(Owner, { metadata: { name: "a", namespace: "ns" }, spec: {} });
  warnings = [];
  await look();
});

/** What the cache shows from now on. */
async function look(): Promise<void> {
  objects = (await client.list(ConfigMap, { namespace: "ns" })).items.map((item) => ({ ...item, apiVersion: "v1", kind: "ConfigMap" }));
}

function contextOf(unit: string, given: Partial<Context> = {}): Context {
  const { handlerName = HANDLER, units = [unitKeeping(unit, () => undefined)] } = given;
  const uid = owner.metadata.uid ?? "";
  return {
    unit,
    unitNoun: "unit",
    units,
    owner,
    ownerKind: Owner,
    handlerName,
    handlerNames: [handlerName],
    replacedManagers: [],
    client: {
      list: async (kind, options = {}) => (await client.list(kind, { namespace: "ns", ...(options as object) })).items,
      create: client.create,
      update: client.update,
      patch: (kind, ref, patch) => client.patch(kind, ref as Ref, patch),
      delete: async (kind, ref, options) => void (await client.delete(kind, ref as Ref, options)),
      apply: (kind, object, { existing, unit: as = unit, handlerName: name = handlerName }) => {
        const { metadata } = object as { readonly metadata: object };
        const guard = existing === undefined ? { resourceVersion: "1" } : { uid: (existing as KubernetesObject).metadata.uid };
        const body = { apiVersion: "v1", kind: "ConfigMap", ...object, metadata: { ...metadata, ...guard } };
        return client.apply(kind, body, { fieldManager: unitManager({ handlerName: name, unit: as, uid }), force: true });
      },
    },
    cache: {
      get: (kind, ref) => (kind.kind === "ConfigMap" ? objects.find(({ metadata }) => keyOf(metadata) === keyOf(ref)) : owner) as never,
      list: (kind, select = {}) => {
        const wanted = Object.entries(select.matchLabels ?? {});
        const all = kind.kind === "ConfigMap" ? objects : [owner];
        return all.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value)) as never;
      },
      covers: () => true,
    },
    memory: new DependentsMemory(),
    clock,
    log: { debug() {}, info() {}, warn: (_data, text) => void warnings.push(text), error() {} },
    claims: () => true,
    isSelected: () => true,
    requireKindGone: async () => undefined,
    ...given,
  };
}

function unitKeeping(unit: string, keeps: UnitInfo["keeps"]): UnitInfo {
  return { unit, keeps };
}

function planOf(name: string, given: Partial<Plan> = {}): Plan {
  const target = { namespace: "ns", name };
  return {
    policy: POLICY,
    target,
    live: objects.find(({ metadata }) => metadata.name === name),
    desired: () => ({ data: { text: "hello" } }),
    inputs: NO_INPUTS,
    readyWhen: undefined,
    refine: undefined,
    ...given,
  };
}

const said = ({ type, state }: Converged): string => `${type} ${state.reason}`;

describe("the operation of a converge", () => {
  test("is created, then unchanged, then updated with the paths of the changed fields", async () => {
    const context = contextOf("page");
    expect((await converge(context, planOf("x"))).operation).toEqual({ type: "created" });
    await look();
    expect((await converge(context, planOf("x"))).operation).toEqual({ type: "unchanged" });
    const desired = (): object => ({ metadata: { labels: { tier: "web" } }, data: { text: "bye", more: "1" } });
    const vars = { changed: true };
    expect((await converge(context, planOf("x", { desired, inputs: { ...NO_INPUTS, vars } }))).operation).toEqual({
      type: "updated",
      paths: ["data.text", "data.more", "metadata.labels.tier"],
    });
  });
});

describe("a settled object", () => {
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", uid: "u", resourceVersion: "1" } };
  const inputs: Inputs = {
    vars: { list: [1, { deep: "x" }] },
    reads: { one: secret, many: [secret], none: undefined },
    dependents: { base: secret },
  };
  const newer = { ...secret, metadata: { ...secret.metadata, resourceVersion: "2" } };

  /** The functions that are called when the third pass differs from the second one by `change`. */
  async function callsWith(
    change: (context: Context) => { readonly context?: Context; readonly inputs?: Inputs },
    answer: true | string = "not yet",
  ): Promise<readonly string[]> {
    const context = contextOf("page");
    const calls: string[] = [];
    const desired = (): object => {
      calls.push("desired");
      return { data: { text: "hello" } };
    };
    const readyWhen = (): true | string => {
      calls.push("readyWhen");
      return answer;
    };
    for (let i = 0; i < 2; i++) {
      await converge(context, planOf("x", { desired, readyWhen, inputs: structuredClone(inputs) }));
      await look();
    }
    expect(calls).toHaveLength(4);
    const { context: now = context, inputs: given = structuredClone(inputs) } = change(context);
    const converged = await converge(now, planOf("x", { desired, readyWhen, inputs: given }));
    expect(said(converged)).toBe(answer === true ? "there Ready" : "not yet NotReady");
    return calls.slice(4);
  }

  test("is not rendered again while nothing changes, and that it is ready is remembered", async () => {
    expect(await callsWith(() => ({}), true)).toEqual([]);
  });

  test("is asked for its readiness again if it was not ready, and is not rendered again", async () => {
    expect(await callsWith(() => ({}))).toEqual(["readyWhen"]);
  });

  const newOwner = (): KubernetesObject => ({ ...owner, metadata: { ...owner.metadata, resourceVersion: "999" } });
  test.for<{ name: string; change: Parameters<typeof callsWith>[0] }>([
    { name: "the owner", change: (context) => ({ context: { ...context, owner: newOwner() } }) },
    { name: "the names of the handler", change: (context) => ({ context: { ...context, handlerNames: [HANDLER, "former"] } }) },
    { name: "vars, deep inside", change: () => ({ inputs: { ...inputs, vars: { list: [1, { deep: "y" }] } } }) },
    { name: "vars, by one more", change: () => ({ inputs: { ...inputs, vars: { ...inputs.vars, more: undefined } } }) },
    { name: "vars that cannot be compared", change: () => ({ inputs: { ...inputs, vars: { list: [1, new Map()] } } }) },
    { name: "a read object", change: () => ({ inputs: { ...inputs, reads: { ...inputs.reads, one: newer } } }) },
    { name: "a read object, which appeared", change: () => ({ inputs: { ...inputs, reads: { ...inputs.reads, none: secret } } }) },
    { name: "one of many read objects", change: () => ({ inputs: { ...inputs, reads: { ...inputs.reads, many: [newer] } } }) },
    { name: "the number of read objects", change: () => ({ inputs: { ...inputs, reads: { ...inputs.reads, many: [] } } }) },
    { name: "an object that it depends on", change: () => ({ inputs: { ...inputs, dependents: { base: newer } } }) },
  ])("is rendered again when $name changed", async ({ change }) => {
    expect(await callsWith(change)).toEqual(["desired", "readyWhen"]);
  });

  test("is rendered again when vars are the same object with other contents", async () => {
    const context = contextOf("page");
    const vars = { text: "one" };
    const desired = (): object => ({ data: { text: vars.text } });
    for (let i = 0; i < 3; i++) {
      await converge(context, planOf("x", { desired, inputs: { ...NO_INPUTS, vars } }));
      await look();
    }
    vars.text = "two";
    expect((await converge(context, planOf("x", { desired, inputs: { ...NO_INPUTS, vars } }))).operation.type).toBe("updated");
  });

  test("is rendered again, and reverted, when the object changed", async () => {
    const context = contextOf("page");
    for (let i = 0; i < 3; i++) {
      await converge(context, planOf("x"));
      await look();
    }
    await client.patch(ConfigMap, { namespace: "ns", name: "x" }, { type: "merge", body: { data: { text: "drift" } } });
    await look();
    expect((await converge(context, planOf("x"))).operation).toEqual({ type: "updated", paths: ["data.text"] });
  });
});

test("100 objects of one unit that are written in one pass are not called contested", async () => {
  const context = contextOf("many");
  for (const text of ["one", "two", "three"]) {
    for (let i = 0; i < 100; i++) {
      const converged = await converge(
        context,
        planOf(`x${i}`, { desired: () => ({ data: { text } }), inputs: { ...NO_INPUTS, vars: { text } } }),
      );
      expect(said(converged)).toBe("there Ready");
    }
    await look();
  }
  expect(warnings).toEqual([]);
});

describe("two units of a handler that want one object", () => {
  const units = ["first", "second"].map((unit) => unitKeeping(unit, () => true));

  test.for([
    { name: "owned", policy: POLICY },
    { name: "taken by force", policy: { ...POLICY, adopt: "force" as const } },
    { name: "without marks of the owner", policy: { ...POLICY, isOwned: false, adopt: "ifUnowned" as const } },
  ])("$name: one has it, the other names it, and nothing is written after the first time", async ({ policy }) => {
    const memory = new DependentsMemory();
    const operations: string[] = [];
    for (let i = 0; i < 6; i++) {
      for (const unit of ["first", "second"]) {
        const context = contextOf(unit, { units, memory });
        const desired = (): object => ({ data: { text: unit } });
        const converged = await converge(context, planOf("x", { policy, desired }));
        operations.push(`${unit} ${said(converged)} ${converged.operation.type}`);
        if (unit === "second") expect(converged.state.message).toContain('it belongs to unit "first" of the same Owner');
        await look();
      }
    }
    expect(operations.slice(0, 2)).toEqual(["first there Ready created", "second not yet NotOurs unchanged"]);
    expect(new Set(operations.slice(2))).toEqual(new Set(["first there Ready unchanged", "second not yet NotOurs unchanged"]));
  });

  test("the labels are removed by a user: the first unit has it again, and the second still names it", async () => {
    const memory = new DependentsMemory();
    const contexts = ["first", "second"].map((unit) => contextOf(unit, { units, memory }));
    for (const context of contexts) {
      await converge(context, planOf("x"));
      await look();
    }
    await client.patch(ConfigMap, { namespace: "ns", name: "x" }, { type: "merge", body: { metadata: { labels: null } } });
    await look();
    for (const context of contexts.toReversed()) {
      const converged = await converge(context, planOf("x"));
      expect(said(converged)).toBe(context.unit === "first" ? "there Ready" : "not yet NotOurs");
    }
  });
});

test("the objects of a unit are removed by its labels, but for those of other units", async () => {
  const units = ["first", "second"].map((unit) => unitKeeping(unit, () => false));
  await converge(contextOf("first", { units }), planOf("x"));
  await converge(contextOf("first", { units }), planOf("y"));
  await converge(contextOf("second", { units }), planOf("z"));
  await look();
  const removal = {
    policy: POLICY,
    keep: keptOf([{ namespace: "ns", name: "y" }]),
    known: () => [],
    namespaces: () => ["ns"],
    isLive: false,
  };
  const { left, deleted } = await remove(contextOf("first", { units }), removal);
  expect(deleted).toEqual([{ namespace: "ns", name: "x" }]);
  expect(left.map(({ name, reason }) => `${name} ${reason}`)).toEqual(["x Deleting"]);
  await look();
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(["y", "z"]);
});

test("a released object keeps its fields, loses the marks of its owner, and is not removed", async () => {
  const context = contextOf("page");
  await converge(context, planOf("x"));
  await look();
  const live = objects[0] as KubernetesObject;
  await release(context, POLICY, live);
  await look();
  const [{ metadata, ...rest }] = objects as [KubernetesObject];
  expect(rest).toMatchObject({ data: { text: "hello" } });
  expect([metadata.uid, metadata.labels ?? {}, metadata.annotations ?? {}, metadata.ownerReferences ?? []]).toEqual([
    live.metadata.uid,
    {},
    {},
    [],
  ]);
  expect((metadata.managedFields ?? []).filter(({ operation }) => operation === "Apply")).toEqual([]);
  const removal = {
    policy: POLICY,
    keep: NONE,
    known: () => [{ namespace: "ns", name: "x" }],
    namespaces: () => ["ns"],
    isLive: true,
  };
  expect((await remove(context, removal)).deleted).toEqual([]);
  expect(await release(context, POLICY, live)).toBeUndefined();
});
