/** One lease and those who compete for it, in virtual time against the in-memory API server. */
import { type FakeClock, fakeClock, seededRandom } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { leaseTimes } from "../../src/leader-election/options.ts";
import { REF, type Replica, startReplica } from "./replica.ts";

interface Setting {
  readonly base: FakeClock;
  readonly server: ApiServer;
  readonly user: Client;
  start(identity: string, options?: Parameters<typeof startReplica>[1] | object): Replica;
  lease(): Promise<Lease | undefined>;
}

function setUp(seed = 1): Setting {
  const base = fakeClock();
  const random = seededRandom(seed);
  const server = createApiServer({ clock: base, random });
  const user = createClient({ transport: server.transport(), clock: base });
  const replicas: Replica[] = [];
  onTestFinished(async () => {
    const ended = Promise.allSettled(replicas.map(({ elector }) => elector.release()));
    for (const replica of replicas) replica.resume();
    await base.advance(20_000);
    await ended;
    await server.close();
  });
  return {
    base,
    server,
    user,
    start(identity, options = {}) {
      const replica = startReplica(identity, { server, base, random, ...options });
      replicas.push(replica);
      return replica;
    },
    lease: () => user.get(Lease, REF),
  };
}

describe("the lease", () => {
  test("is created as client-go writes it, and renewed every retryPeriod", async () => {
    const { base, start, lease } = setUp();
    const a = start("a");
    await base.advance(0);
    expect(a.elector.isLeading).toBe(true);
    expect((await lease())?.spec).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    await base.advance(6_000);
    expect((await lease())?.spec).toMatchObject({ acquireTime: "2026-01-01T00:00:00.000000Z", renewTime: "2026-01-01T00:00:06.000000Z" });
    expect(a.requests).toEqual(["GET", "POST", "PUT", "PUT", "PUT"]);
    expect(a.log).toEqual(["elected"]);
  });

  test("that is released is taken immediately, by a watch", async () => {
    const { base, start, lease } = setUp();
    const a = start("a");
    await base.advance(0);
    const b = start("b");
    await base.advance(2_500);
    expect([a.elector.isLeading, b.elector.isLeading, b.log]).toEqual([true, false, ["held by a"]]);
    await a.elector.release();
    expect(a.elector.isLeading).toBe(false);
    await base.advance(0);
    expect(b.elector.isLeading).toBe(true);
    expect((await lease())?.spec).toMatchObject({ holderIdentity: "b", leaseDurationSeconds: 15, leaseTransitions: 1 });
  });

  test("is released with no holder and one second, as Go programs expect", async () => {
    const { base, start, lease } = setUp();
    const a = start("a");
    await base.advance(1_000);
    await a.elector.release();
    expect((await lease())?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, renewTime: "2026-01-01T00:00:01.000000Z" });
  });

  test("of a holder that was killed is taken within its duration and a second", async () => {
    const { base, start } = setUp();
    const a = start("a");
    await base.advance(0);
    const b = start("b");
    await base.advance(7_900); // The last renewal was at 6 s.
    a.pause();
    await base.advance(13_100 - 100);
    expect(b.elector.isLeading).toBe(false);
    await base.advance(300);
    expect(b.elector.isLeading).toBe(true);
  });

  test.for([
    { name: "long ago by its own clock", renewTime: "2020-01-01T00:00:00.000000Z" },
    { name: "in the future", renewTime: "2030-01-01T00:00:00.000000Z" },
  ])("of an unknown holder that renewed $name is waited for as long as it lasts, from the first look", async ({ renewTime }) => {
    const { base, start, user } = setUp();
    await user.create(Lease, { metadata: REF, spec: { holderIdentity: "gone", leaseDurationSeconds: 30, renewTime, leaseTransitions: 7 } });
    const a = start("a");
    await base.advance(29_900);
    expect(a.elector.isLeading).toBe(false);
    await base.advance(200);
    expect(a.elector.isLeading).toBe(true);
    expect((await user.get(Lease, REF))?.spec?.leaseTransitions).toBe(8);
  });

  test("that names only its holder lasts as long as ours", async () => {
    const { base, start, user } = setUp();
    await user.create(Lease, { metadata: REF, spec: { holderIdentity: "gone" } });
    const a = start("a");
    await base.advance(14_900);
    expect(a.elector.isLeading).toBe(false);
    await base.advance(200);
    expect(a.elector.isLeading).toBe(true);
  });

  test("that a user labels is not renewed by that", async () => {
    const { base, start, user } = setUp();
    await user.create(Lease, { metadata: REF, spec: { holderIdentity: "gone", leaseDurationSeconds: 15 } });
    const a = start("a");
    await base.advance(10_000);
    await user.patch(Lease, REF, { type: "merge", body: { metadata: { labels: { seen: "yes" } } } });
    await base.advance(5_100);
    expect(a.elector.isLeading).toBe(true);
    expect((await user.get(Lease, REF))?.metadata.labels).toEqual({ seen: "yes" });
  });
});

test("a count of transitions at its maximum does not prevent a takeover", async () => {
  const { base, start, user, lease } = setUp();
  await user.create(Lease, { metadata: REF, spec: { holderIdentity: "", leaseTransitions: 2 ** 31 - 1 } });
  const a = start("a");
  await base.advance(0);
  expect(a.elector.isLeading).toBe(true);
  expect((await lease())?.spec?.leaseTransitions).toBe(2 ** 31 - 1);
});

describe("a leader", () => {
  test("is one of two processes that have one identity by mistake; the other follows it like any", async () => {
    const { base, start } = setUp();
    const [a, b] = [start("a"), start("a")];
    await base.advance(60_000);
    expect([a.elector.isLeading, b.elector.isLeading].filter(Boolean)).toHaveLength(1);
    const [leader, other] = a.elector.isLeading ? [a, b] : [b, a];
    expect([leader.log, other.log]).toEqual([["elected"], ["held by a"]]);
    leader.pause();
    await base.advance(18_000);
    expect([leader.elector.isLeading, other.elector.isLeading]).toEqual([false, true]);
  });

  test("whose renewals are each answered after 4.6 s remains the leader", async () => {
    const { base, start } = setUp();
    const a = start("a");
    await base.advance(100);
    a.faults.answersAfterMs = 4_600;
    await base.advance(60_000);
    expect(a.log).toEqual(["elected"]);
  });

  test("whose writes are all refused as conflicts retries with pauses, and loses the leadership in the end", async () => {
    const { base, start } = setUp();
    const a = start("a");
    await base.advance(100);
    a.faults.isConflicting = true;
    a.requests.length = 0;
    await base.advance(8_000);
    expect(a.requests.length).toBeLessThan(60);
    expect(a.log.at(-1)).toContain("Conflict");
    await base.advance(3_000);
    expect(a.log.at(-1)).toBe("lost: it could not be renewed for 10 s");
  });

  test("whose lease is deleted creates it again immediately; a standby does not take it", async () => {
    const { base, start, user, lease } = setUp();
    const a = start("a");
    await base.advance(0);
    const b = start("b");
    await base.advance(3_100);
    await user.delete(Lease, REF);
    await base.advance(0);
    expect([a.elector.isLeading, b.elector.isLeading]).toEqual([true, false]);
    expect((await lease())?.spec?.holderIdentity).toBe("a");
  });

  test("that another process displaced learns it from the watch", async () => {
    const { base, start, user } = setUp();
    const a = start("a");
    await base.advance(100);
    await user.patch(Lease, REF, { type: "merge", body: { spec: { holderIdentity: "z" } } });
    await base.advance(0);
    expect(a.elector.isLeading).toBe(false);
    expect(a.log).toEqual(["elected", "held by z", "lost: z holds it now"]);
  });

  test("whose lease another writer changed renews it by the slow path", async () => {
    const { base, start, user, lease } = setUp();
    const a = start("a");
    a.faults.maxDelayMs = 0;
    await base.advance(0);
    // The write overtakes the watch: it is there when the renewal arrives.
    const renewing = base.advance(2_000);
    await user.patch(Lease, REF, { type: "merge", body: { metadata: { labels: { seen: "yes" } } } });
    await renewing;
    expect(a.elector.isLeading).toBe(true);
    expect((await lease())?.metadata.labels).toEqual({ seen: "yes" });
  });

  test.for([
    { awayMs: 5_000, survives: true },
    { awayMs: 7_500, survives: true },
    { awayMs: 12_000, survives: false },
    { awayMs: 60_000, survives: false },
  ])("without a server for $awayMs ms survives: $survives", async ({ awayMs, survives }) => {
    const { base, start } = setUp();
    const a = start("a");
    const b = start("b");
    await base.advance(100);
    const [leader, other] = a.elector.isLeading ? [a, b] : [b, a];
    for (const { faults } of [a, b]) faults.isCut = true;
    await base.advance(awayMs);
    for (const { faults } of [a, b]) faults.isCut = false;
    expect([leader.elector.isLeading, other.elector.isLeading]).toEqual([survives, false]);
    await base.advance(20_000);
    expect(other.elector.isLeading).toBe(!survives);
    if (!survives) expect(leader.log).toContain("lost: it could not be renewed for 10 s");
  });

  test("that slept past its deadline does not lead when it wakes, before any timer fires, and sends nothing", async () => {
    const { base, start } = setUp();
    const a = start("a");
    await base.advance(100);
    a.pause();
    await base.advance(60_000);
    expect(a.elector.isLeading).toBe(false);
    const before = a.requests.length;
    a.resume();
    await base.advance(30_000);
    expect(a.requests.length).toBe(before);
  });

  test("whose machine was suspended counts that time; a standby does not", async () => {
    const { base, start } = setUp();
    const a = start("a");
    await base.advance(0);
    const b = start("b");
    await base.advance(100);
    b.jump(3_600_000);
    await base.advance(5_000);
    expect([a.elector.isLeading, b.elector.isLeading]).toEqual([true, false]);
    a.jump(3_600_000);
    expect(a.elector.isLeading).toBe(false);
  });

  test("whose acquisition had no answer takes its own lease", async () => {
    const { base, start, lease } = setUp();
    const a = start("a");
    a.faults.lostAnswers = 1;
    await base.advance(0);
    a.faults.lostAnswers = 0;
    expect([a.elector.isLeading, (await lease())?.spec?.holderIdentity]).toEqual([false, undefined]);
    await base.advance(10_000);
    expect(a.elector.isLeading).toBe(true);
    expect((await lease())?.spec?.leaseTransitions).toBe(0);
  });

  test("that is stopped before it knows that it leads releases the lease", async () => {
    const { base, start, lease } = setUp();
    const a = start("a");
    a.faults.maxDelayMs = 400;
    // Past the look, with the write on its way.
    while (!a.requests.includes("POST")) await base.advance(10);
    a.faults.maxDelayMs = 0;
    await base.advance(400);
    const released = a.elector.release();
    await base.advance(1_000);
    await released;
    expect((await lease())?.spec?.holderIdentity ?? "").toBe("");
  });
});

/**
 * Whatever happens to the processes and to their connections (requests and answers that take up to 2 s or are lost, a server
 * away, processes that stand still and go on, that are killed and replaced, clocks that jump):
 *  1. at no moment do two of them say that they lead;
 *  2. who says so was the last that the server gave the lease;
 *  3. when it is over, one leads within the lease's duration and the time of two looks.
 */
test.for(Array.from({ length: 12 }, (_, i) => i + 1))(
  "there are never two leaders at once, and one in the end (seed %i)",
  { tags: ["long"] },
  async (seed) => {
    const { base, start, server, lease } = setUp(seed);
    const random = seededRandom(seed * 7919);
    const chance = (p: number): boolean => random.next() < p;
    const times = leaseTimes({});
    let born = 0;
    const killed = new Set<Replica>();
    const replicas = Array.from({ length: 2 + (seed % 2) }, () => start(`r${born++}`, { server, base }));
    const leaders = (): string[] => replicas.filter((each) => !killed.has(each) && each.elector.isLeading).map(({ identity }) => identity);
    let led = 0;
    for (let step = 0; step < 1_200; step++) {
      for (const [i, replica] of replicas.entries()) {
        const { faults } = replica;
        if (chance(0.01)) faults.maxDelayMs = chance(0.5) ? 0 : random.next() * 2_000;
        if (chance(0.01)) faults.lostAnswers = chance(0.5) ? 0 : random.next() / 2;
        if (chance(faults.isCut ? 0.02 : 0.004)) faults.isCut = !faults.isCut;
        if (chance(replica.isPaused ? 0.02 : 0.003)) (replica.isPaused ? replica.resume : replica.pause)();
        if (chance(0.001)) replica.jump(random.next() * 20_000);
        if (chance(0.002) || (replica.log.some((line) => line.startsWith("lost")) && chance(0.02))) {
          // Killed: it never runs again, and another process takes its place.
          killed.add(replica);
          replica.pause();
          replicas[i] = start(`r${born++}`, { server, base });
        }
      }
      await base.advance(250);
      const now = leaders();
      led += now.length;
      expect(now.length, now.join()).toBeLessThanOrEqual(1);
      const holder = (await lease())?.spec?.holderIdentity;
      if (now.length === 1) expect([now[0], ""]).toContain(holder);
    }
    expect(led).toBeGreaterThan(100);
    for (const [i, replica] of replicas.entries()) {
      Object.assign(replica.faults, { isCut: false, lostAnswers: 0, maxDelayMs: 0 });
      replica.resume();
      await base.advance(0);
      if (replica.log.some((line) => line.startsWith("lost"))) replicas[i] = start(`r${born++}`, { server, base });
    }
    await base.advance(times.leaseDurationMs + 2 * times.retryPeriodMs * 2.2);
    expect(leaders()).toHaveLength(1);
  },
);
