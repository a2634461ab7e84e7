/** Operators that watch each other's objects: at rest, whatever fails when, and a fight between two is told. */
import { defineResource, isConflict, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, many, one, step } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { z } from "zod";
import { explored } from "./planted/explored.ts";

/** Asks for a number of seats. */
const Order = defineResource({
  group: "neighbours.treadle.dev",
  version: "v1",
  kind: "Order",
  scope: "Namespaced",
  spec: z.object({ seats: z.int32() }),
  status: z.object({ granted: z.int32(), room: z.string() }).partial(),
});
interface Order extends ObjectOf<typeof Order> {}

/** Has some, and shares them out among the Orders by their names. */
const Room = defineResource({
  group: "neighbours.treadle.dev",
  version: "v1",
  kind: "Room",
  scope: "Namespaced",
  spec: z.object({ seats: z.int32() }),
  status: z.object({ taken: z.int32(), orders: z.record(z.string(), z.int32()) }).partial(),
});
interface Room extends ObjectOf<typeof Room> {}

/** Reads the Room's status, and writes its own. */
const orders: AnyHandler = handler(Order)
  .step(conditions())
  .step(
    step(Order, {
      name: "granted",
      reads: { room: one(Room, () => "room") },
      do(req) {
        const granted = req.reads.room?.status?.orders?.[req.object.metadata.name];
        if (granted === undefined) return req.wait("the room has not answered yet");
        req.status.granted = granted;
        req.status.room = "room";
        return;
      },
    }),
  )
  .build();

/** Reads the Orders' specs, and what they have been told. */
const rooms: AnyHandler = handler(Room)
  .step(conditions())
  .step(
    step(Room, {
      name: "shares",
      reads: { orders: many(Order, () => ({ matchLabels: {} })) },
      do(req) {
        let free = req.object.spec.seats;
        const shares: Record<string, number> = {};
        for (const { metadata, spec } of req.reads.orders.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
          const share = Math.min(free, spec.seats);
          free -= share;
          shares[metadata.name] = share;
        }
        req.status.orders = shares;
        req.status.taken = req.reads.orders.reduce((sum, { status }) => sum + (status?.granted ?? 0), 0);
      },
    }),
  )
  .build();

test("two operators that read each other's status come to the same end with every fault", {
  timeout: 600_000,
  tags: ["memory", "part"],
}, async ({ part }) => {
  const { summary, points } = await explore(
    [orders, rooms],
    {
      async run(cluster) {
        await cluster.create(Room, { metadata: { name: "room" }, spec: { seats: 10 } });
        await cluster.create(Order, { metadata: { name: "a" }, spec: { seats: 4 } });
        await cluster.settled();
        await cluster.create(Order, { metadata: { name: "b" }, spec: { seats: 8 } });
        await cluster.settled();
        await cluster.update(Order, "a", (order) => {
          order.spec.seats = 7;
        });
      },
    },
    { points: part.points },
  );
  console.info(`two operators: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 50 : 0);
});

test("two separate operators settle and then write nothing", async () => {
  await using cluster = await startTestCluster({ kinds: [Order, Room] });
  const [one, other] = [await cluster.start(orders), await cluster.start(rooms)];
  await cluster.create(Room, { metadata: { name: "room" }, spec: { seats: 10 } });
  await cluster.create(Order, { metadata: { name: "a" }, spec: { seats: 4 } });
  await cluster.create(Order, { metadata: { name: "b" }, spec: { seats: 8 } });
  for (const operator of [one, other, one, other]) await operator.settled();
  expect((await cluster.get(Room, "room"))?.status).toMatchObject({ taken: 10, orders: { a: 4, b: 6 } });
  cluster.requests.clear();
  for (const { manager } of [one, other])
    for (const controller of manager.controllers)
      for (const name of controller.handler.kind.kind === "Room" ? ["room"] : ["a", "b"])
        controller.enqueue({ namespace: "default", name });
  for (const operator of [one, other, one]) await operator.settled({ horizonMs: 600_000 });
  expect(cluster.requests.filter().filter(({ verb }) => verb !== "watch")).toEqual([]);
});

/** Writes its own name into a ConfigMap that another writes its name into, too. */
const claims = (kind: typeof Order | typeof Room): AnyHandler =>
  handler(kind)
    .step(
      step(kind, {
        name: "claim",
        reads: { shared: one(ConfigMap, () => "shared") },
        async do(req) {
          const { shared } = req.reads;
          if (shared === undefined || shared.data?.["owner"] === kind.kind) return;
          try {
            await req.client.patch(ConfigMap, "shared", { type: "merge", body: { data: { owner: kind.kind } } });
          } catch (error) {
            if (!isConflict(error)) throw error;
          }
        },
      }),
    )
    .build();

test("two handlers that overwrite each other's field do not settle, and the reference names the objects", {
  timeout: 180_000,
  tags: ["memory"],
}, async () => {
  const { failures, points } = await explored([claims(Order), claims(Room)], {
    objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" } }],
    async run(cluster) {
      await cluster.create(Room, { metadata: { name: "room" }, spec: { seats: 1 } });
      await cluster.create(Order, { metadata: { name: "a" }, spec: { seats: 1 } });
    },
  });
  expect(points).toBe(0);
  expect(failures[0]).toMatchObject({ id: "reference", problems: [{ type: "not idle" }] });
  expect(failures[0]?.report).toContain('50 of the last 100 writes: patch configmaps default/shared {"data":{"owner":"Room"}}');
});
