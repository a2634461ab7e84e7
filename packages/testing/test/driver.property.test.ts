/**
 * The controller and `fakeWorld` use one driver, so they run the same passes. For random schedules of events of the primary,
 * of others and of a kind that a step watches only at run time, failures, waits, requests by annotation, deletions and time, after each action:
 * - both ran passes of the same objects, with the same outcomes, at the same times;
 * - the next pass of each object is due at the same time.
 * In virtual time: in memory only.
 * @module-tag memory
 */
import {
  defineResource,
  type FakeClock,
  fakeClock,
  isAlreadyExists,
  isNotFound,
  keyOf,
  type ObjectOf,
  ownerLabels,
  ownership,
  seededRandom,
} from "@treadle/apimachinery";
import { ConfigMap, Lease } from "@treadle/apimachinery/kinds";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { createManager, generationChanged, type Manager } from "@treadle/controller";
import {
  type AnyHandler,
  conditions,
  handler,
  one,
  RECONCILE_REQUESTED_ANNOTATION,
  RetryAfterError,
  step,
  TerminalError,
} from "@treadle/reconcile";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { fakeWorld, type FakeWorld, type FakeWorldOptions } from "../src/index.ts";

const MODES = ["settled", "fail", "retry-later", "never", "wait", "wait-long", "revisit", "make", "watch"] as const;
type Mode = (typeof MODES)[number];

const Sample = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Sample",
  scope: "Namespaced",
  spec: z.object({ mode: z.enum(MODES), input: z.string().optional() }),
  status: z.object({ seen: z.string().optional() }),
});
type Sample = ObjectOf<typeof Sample>;

const work = step(Sample, {
  name: "work",
  conditions: ["Worked"],
  reads: { input: one(ConfigMap, (o) => o.spec.input), child: one(ConfigMap, (o) => `${o.metadata.name}-child`) },
  owns: [ConfigMap],
  async do(req) {
    const { metadata, spec, apiVersion, kind } = req.object;
    const seen = req.reads.input?.data?.["value"];
    if (seen !== undefined) req.status.seen = seen;
    switch (spec.mode) {
      case "settled":
        return req.conditions.true("Worked");
      case "fail":
        throw new Error("boom");
      case "retry-later":
        throw new RetryAfterError("later", 300);
      case "never":
        throw new TerminalError("never");
      case "wait":
        return req.conditions.false("Worked", "Waiting", "waits").wait();
      case "wait-long":
        return req.conditions.false("Worked", "Waiting", "waits").wait(700);
      case "revisit":
        req.revisit(400, "looks again");
        return req.conditions.true("Worked");
      case "make": {
        const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true };
        if (req.reads.child === undefined)
          await req.client.create(ConfigMap, { metadata: { name: `${metadata.name}-child`, ownerReferences: [owner] }, data: {} });
        return req.conditions.true("Worked");
      }
      case "watch": {
        const watch = req.watch(Lease);
        if (watch.type !== "synced") return req.conditions.false("Worked", "Listing", "lists").wait(900);
        const count = req.cache.list(Lease).filter((lease) => ownership(lease, req.object, req.handlerNames).type === "ours").length;
        return req.conditions.true("Worked", "Counted", `${count} leases`);
      }
    }
  },
  async cleanup(req) {
    if (req.object.spec.mode === "fail") throw new Error("boom");
    const { child } = req.reads;
    if (child !== undefined) await req.client.delete(ConfigMap, child.metadata);
  },
});
const samples = handler(Sample).step(conditions()).step(work).build();

const name = fc.constantFrom("a", "b");
const mode = fc.constantFrom(...MODES);
const input = fc.constantFrom("in-1", "in-2", undefined);
const action = fc.oneof(
  fc.record({ type: fc.constant("create" as const), name, mode, input }),
  fc.record({ type: fc.constant("change" as const), name, mode, input }),
  fc.record({ type: fc.constant("label" as const), name, value: fc.constantFrom("x", "y") }),
  fc.record({ type: fc.constant("request" as const), name, value: fc.constantFrom("1", "2", "3") }),
  fc.record({ type: fc.constant("delete" as const), name }),
  fc.record({ type: fc.constant("set-input" as const), name: fc.constantFrom("in-1", "in-2"), value: fc.constantFrom("1", "2") }),
  fc.record({ type: fc.constant("drop" as const), name: fc.constantFrom("in-1", "in-2", "a-child", "b-child") }),
  fc.record({ type: fc.constant("lease" as const), name, owner: fc.boolean() }),
  fc.record({ type: fc.constant("drop-lease" as const), name }),
  fc.record({ type: fc.constant("time" as const), ms: fc.constantFrom(1, 10, 100, 1_000, 5_000) }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** What a schedule can be played on. */
interface Stage {
  readonly clock: FakeClock;
  readonly client: Pick<Client, "get" | "create" | "update"> & { delete(...of: Parameters<Client["delete"]>): Promise<unknown> };
  /** Delivers events and runs passes until none is due. */
  settled(): Promise<void>;
  advance(ms: number): Promise<void>;
  /** The passes since the last call: object, outcome, time. */
  passes(): readonly string[];
  /** When the next pass of each object is due, in milliseconds from now. */
  dues(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

interface Options {
  readonly predicate: boolean;
  readonly backoff: "cluster" | "external";
}

async function controllerStage(options: Options): Promise<Stage> {
  const clock = fakeClock();
  const server: ApiServer = createApiServer({ clock, random: seededRandom(1), resources: [Sample] });
  const passes: string[] = [];
  const manager: Manager = createManager({
    client: createClient({ transport: server.transport(), clock, random: seededRandom(2) }),
    clock,
    random: seededRandom(3),
    env: {},
    log: { debug() {}, info() {}, warn() {}, error() {} },
    probes: false,
    metrics: false,
    events: false,
    resyncMs: false,
    concurrency: 1,
    onPass: ({ ref, result }) => void passes.push(`${keyOf(ref)} ${result.outcome.type} at ${clock.elapsed()}`),
  }).add(samples as AnyHandler, schedulingOf(options));
  await manager.start();
  await manager.settled();
  return {
    clock,
    client: createClient({ transport: server.transport(), clock, fieldManager: "kubectl" }),
    settled: () => manager.settled(),
    advance: (ms) => clock.advance(ms),
    passes: () => passes.splice(0),
    dues() {
      const keys = manager.controllers[0]?.keys(Number.POSITIVE_INFINITY);
      return Object.fromEntries((keys?.delayed ?? []).map(({ key, inMs }) => [key, inMs]));
    },
    async close() {
      const stopped = manager.stop();
      await clock.advance(60_000);
      await stopped;
      await server.close();
    },
  };
}

function fakeStage(options: Options): Stage {
  const world: FakeWorld = fakeWorld(samples, {
    checkStatus: false,
    controller: schedulingOf(options) as NonNullable<FakeWorldOptions<Sample>["controller"]>,
  });
  const startMs = world.clock.now();
  let seen = 0;
  return {
    clock: world.clock,
    client: {
      get: async (kind, ref) => await world.get(kind, keyOf(ref)),
      create: (kind, object) => world.create(kind, object as never), // Objects of this test have a name.
      update: (kind, object) => world.update(kind, keyOf((object as Sample).metadata), (live) => void Object.assign(live, object)),
      delete: (kind, ref) => world.delete(kind, keyOf(ref)),
    } as Pick<Client, "get" | "create" | "update"> & Pick<Stage["client"], "delete">, // Objects of this test are whole.
    settled: () => world.settled(),
    advance: (ms) => world.advance(ms),
    passes() {
      const since = world.passes.slice(seen);
      seen = world.passes.length;
      return since.map((pass) => `${pass.key} ${pass.outcome.type} at ${pass.atMs - startMs}`);
    },
    dues() {
      const due = ["default/a", "default/b"].map((key) => [key, world.dueIn(key)] as const);
      return Object.fromEntries(due.filter((each): each is readonly [string, number] => each[1] !== undefined));
    },
    close: async () => undefined,
  };
}

function schedulingOf({ predicate, backoff }: Options) {
  return { backoff, ...(predicate ? { predicate: generationChanged } : {}) };
}

async function play(stage: Stage, step: Action): Promise<void> {
  const { client } = stage;
  switch (step.type) {
    case "create":
      await client.create(Sample, { metadata: at(step.name), spec: specOf(step) }).catch(unless(isAlreadyExists));
      break;
    case "change":
      await change(stage, step.name, (object) => ({ ...object, spec: specOf(step) }));
      break;
    case "label":
      await change(stage, step.name, (object) => ({ ...object, metadata: { ...object.metadata, labels: { some: step.value } } }));
      break;
    case "request":
      await change(stage, step.name, (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [RECONCILE_REQUESTED_ANNOTATION]: step.value } },
      }));
      break;
    case "delete":
      await client.delete(Sample, at(step.name)).catch(unless(isNotFound));
      break;
    case "set-input": {
      const known = await client.get(ConfigMap, at(step.name));
      if (known === undefined) await client.create(ConfigMap, { metadata: at(step.name), data: { value: step.value } });
      else await client.update(ConfigMap, { ...known, data: { value: step.value } });
      break;
    }
    case "drop":
      await client.delete(ConfigMap, at(step.name)).catch(unless(isNotFound));
      break;
    case "lease": {
      const owner = await client.get(Sample, at(step.name));
      const labels = owner === undefined || !step.owner ? {} : ownerLabels(owner, samples.name);
      await client.create(Lease, { metadata: { ...at(step.name), labels }, spec: {} }).catch(unless(isAlreadyExists));
      break;
    }
    case "drop-lease":
      await client.delete(Lease, at(step.name)).catch(unless(isNotFound));
      break;
    case "time":
      await passTime(stage, step.ms);
      break;
  }
  await stage.settled();
}

/** Lets time pass from one due pass to the next, as it does in an operator. */
async function passTime(stage: Stage, ms: number): Promise<void> {
  for (let rest = ms; ; ) {
    const next = Math.min(...Object.values(stage.dues()));
    if (next > rest) return await stage.advance(rest);
    await stage.advance(next);
    await stage.settled();
    rest -= next;
  }
}

async function change({ client }: Stage, of: string, make: (object: Sample) => object): Promise<void> {
  const object = await client.get(Sample, at(of));
  if (object !== undefined) await client.update(Sample, make(object) as Sample);
}

function at(of: string): { readonly name: string; readonly namespace: string } {
  return { name: of, namespace: "default" };
}

function specOf({ mode: wanted, input: from }: { readonly mode: Mode; readonly input: string | undefined }): Sample["spec"] {
  return from === undefined ? { mode: wanted } : { mode: wanted, input: from };
}

function unless(isExpected: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!isExpected(error)) throw error;
  };
}

test("the controller and fakeWorld run the same passes, and the next ones are due at the same times", { timeout: 120_000 }, async () => {
  const options = fc.record({ predicate: fc.boolean(), backoff: fc.constantFrom("cluster" as const, "external" as const) });
  await fc.assert(
    fc.asyncProperty(options, fc.array(action, { minLength: 3, maxLength: 25 }), async (given, actions) => {
      const [controller, fake] = [await controllerStage(given), fakeStage(given)];
      try {
        for (const each of actions) {
          await play(controller, each);
          await play(fake, each);
          // Objects that are due at the same time may come in any order.
          expect({ after: each, passes: fake.passes().toSorted(), dues: fake.dues() }).toEqual({
            after: each,
            passes: controller.passes().toSorted(),
            dues: controller.dues(),
          });
        }
      } finally {
        await controller.close();
        await fake.close();
      }
    }),
    { numRuns: 60 },
  );
});
