/**
 * The order of a set, whatever fails and however long it takes.
 *
 * Invariants
 * - No object is created before every object of the earlier waves, and every object in its `after`, is ready.
 * - No object is deleted as long as an object exists that is removed before it.
 * - When the failures end, every object exists and the set is ready; when the owner is deleted, no object is left.
 */
import { ApiError, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Deployment } from "@treadle/apimachinery/kinds";
import { health } from "@treadle/apimachinery/health";
import { type FakeWorld, fakeWorld, type RecordedRequest } from "@treadle/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Manifest, object } from "../../src/index.ts";
import { condition, Platform, platform, platforms } from "./platforms.ts";

interface Given {
  readonly isServer: boolean;
  readonly apply: number;
  readonly remove: number;
  /** Which of the earlier objects it waits for. */
  readonly waitsFor: readonly number[];
  /** So many requests for it fail in a row. */
  readonly failures: number;
  /** A foreign finalizer delays its deletion. */
  readonly isHeld: boolean;
}

interface Part extends Given {
  readonly name: string;
  readonly after: readonly Part[];
}

const HOLD = "example.com/hold";

const givens = fc.array(
  fc.record({
    isServer: fc.boolean(),
    apply: fc.integer({ min: -1, max: 2 }),
    remove: fc.integer({ min: -1, max: 2 }),
    waitsFor: fc.array(fc.nat(), { maxLength: 2 }),
    failures: fc.nat({ max: 2 }),
    isHeld: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);

/** Edges lead to earlier objects of the same wave or an earlier one, so there is no circle. */
function partsOf(given: readonly Given[]): readonly Part[] {
  const parts: Part[] = [];
  for (const [i, each] of given.entries()) {
    const candidates = parts.filter(({ apply }) => apply <= each.apply);
    const after = candidates.length === 0 ? [] : each.waitsFor.flatMap((at) => candidates[at % candidates.length] ?? []);
    parts.push({ ...each, name: `part-${i}`, after: [...new Set(after)] });
  }
  return parts;
}

function manifestOf({ name, isServer, apply, remove, after }: Part): Manifest {
  const labels = { app: name };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "a" }] } },
  };
  const policies = { apply, remove, after: after.map(refOf) };
  return isServer ? object(Deployment, { metadata: { name }, spec }, policies) : object(ConfigMap, { metadata: { name } }, policies);
}

const refOf = ({ name, isServer }: Part): string => (isServer ? `Deployment.apps/${name}` : `ConfigMap/${name}`);
const kindOf = ({ isServer }: Part) => (isServer ? Deployment : ConfigMap);
const liveOf = async (world: FakeWorld, part: Part): Promise<KubernetesObject | undefined> => await world.get(kindOf(part), part.name);

async function isReady(world: FakeWorld, part: Part): Promise<boolean> {
  const live = await liveOf(world, part);
  return live !== undefined && health(live).type === "Ready";
}

/** What the rank of the kinds adds to `remove`: Deployments go before ConfigMaps. */
const isRemovedBefore = (a: Part, b: Part): boolean => a.remove < b.remove || (a.remove === b.remove && a.isServer && !b.isServer);

/** Fails requests as often as each object says, and notes each request that breaks the order. */
function observe(world: FakeWorld, parts: readonly Part[]): readonly string[] {
  const broken: string[] = [];
  const left = new Map(parts.map(({ name, failures }) => [name, failures]));
  world.onRequest(async ({ verb, name = "", resource }: Omit<RecordedRequest, "status">) => {
    const part = parts.find((each) => each.name === name && kindOf(each).plural === resource);
    if (part === undefined || (verb !== "apply" && verb !== "delete")) return;
    const others = verb === "apply" ? waitedFor(parts, part) : parts.filter((other) => isRemovedBefore(other, part));
    if (verb === "apply" && (await liveOf(world, part)) === undefined)
      for (const other of others) if (!(await isReady(world, other))) broken.push(`${name} is created before ${other.name} is ready`);
    if (verb === "delete")
      for (const other of others) if ((await liveOf(world, other)) !== undefined) broken.push(`${name} is deleted before ${other.name}`);
    const failures = left.get(name) ?? 0;
    left.set(name, failures - 1);
    if (failures > 0) throw new ApiError({ message: "boom", status: 403, reason: "Forbidden" });
    if (failures === 0) left.set(name, verb === "apply" ? -1 : 0);
  });
  return broken;
}

const waitedFor = (parts: readonly Part[], part: Part): readonly Part[] => [
  ...parts.filter(({ apply }) => apply < part.apply),
  ...part.after,
];

/** Runs what is due, then lets a user do one thing, until no thing is left to do. */
async function live(world: FakeWorld, act: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 100; i++) {
    await world.settled();
    const hasActed = await act();
    const dueInMs = world.dueIn("a") ?? world.dueIn("default/a");
    if (!hasActed && (dueInMs === undefined || dueInMs > 60_000)) return;
    if (dueInMs !== undefined && dueInMs <= 60_000) await world.advance(dueInMs);
  }
  throw new Error("the user and the operator do not come to an end");
}

test("no object is applied before those that it waits for, or removed before those that are removed first", {
  tags: ["part"],
  timeout: 600_000,
}, async ({ part }) => {
  await fc.assert(
    fc.asyncProperty(givens, fc.infiniteStream(fc.nat()), async (given, choices) => {
      const parts = partsOf(given);
      const choose = <T>(from: readonly T[]): T | undefined => from[(choices.next().value as number) % Math.max(1, from.length)];
      const world = fakeWorld(platforms({ objects: () => parts.map(manifestOf) }), { objects: [platform()] });
      const broken = observe(world, parts);
      await live(world, async () => {
        const slow: Part[] = [];
        for (const each of parts)
          if (each.isServer && (await liveOf(world, each)) !== undefined && !(await isReady(world, each))) slow.push(each);
        const next = choose(slow);
        if (next !== undefined) await world.makeReady(Deployment, next.name);
        return next !== undefined;
      });
      expect(await condition(world)).toMatchObject({ reason: "Ready" });
      for (const each of parts) expect(await isReady(world, each), each.name).toBe(true);

      for (const each of parts)
        if (each.isHeld) await world.update(kindOf(each), each.name, ({ metadata }) => void (metadata.finalizers = [HOLD]));
      await world.delete(Platform, "a");
      await live(world, async () => {
        const held: Part[] = [];
        for (const each of parts) if ((await liveOf(world, each))?.metadata.deletionTimestamp !== undefined) held.push(each);
        const next = choose(held);
        if (next !== undefined) await world.update(kindOf(next), next.name, ({ metadata }) => void delete metadata.finalizers);
        return next !== undefined;
      });
      for (const each of parts) expect(await liveOf(world, each), each.name).toBeUndefined();
      expect(await world.get(Platform, "a")).toBeUndefined();
      expect(broken).toEqual([]);
    }),
    part.runs(160),
  );
});
