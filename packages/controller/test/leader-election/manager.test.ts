/** Replicas of an operator: one works, the others stand by; what happens when the leader goes, is lost, or must not be. */
import type { ApiResponse, Kind, Transport } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import type { Client, WriteOptions } from "@treadle/client";
import { type AnyHandler, handler, step } from "@treadle/reconcile";
import { clientFor } from "@treadle/reconcile/unstable/engine";
import { describe, expect, test } from "vitest";
import { createManager, isManagerError, type Runnable } from "../../src/index.ts";
import { Gadget, Widget, widget } from "../widget.ts";
import { LEASE, team, textsOf } from "./managers.ts";

const mirror = step(Widget, { name: "mirror", do: (req) => void (req.status.seen = req.object.spec.size) });
const widgets = handler(Widget).step(mirror).build();
const gadgets = handler(Gadget)
  .step(step(Gadget, { name: "idle", do() {} }))
  .build();
const ref = { name: "a", namespace: "default" };

describe("replicas", () => {
  test("one replica works; the others keep their caches up to date and write nothing", async () => {
    const { clock, user, join, lease } = team();
    await user.create(Widget, widget("a"));
    const [first, second] = [await join({ handlers: [widgets] }), await join({ handlers: [widgets] })];
    await clock.advance(100);
    const [leader, standby] = first.manager.status().leadership.type === "leading" ? [first, second] : [second, first];
    await user.create(Widget, widget("b"));
    await clock.advance(5_000);
    expect(leader.passes).toEqual(["a", "b"]);
    expect([standby.passes, standby.writes]).toEqual([[], []]);
    expect(standby.manager.informers?.get(Widget)?.list()).toHaveLength(2);
    const { state, leadership } = standby.manager.status();
    expect({ state, leadership }).toEqual({
      state: "running",
      leadership: { type: "standby", holder: (await lease())?.spec?.holderIdentity },
    });
  });

  test("another replica takes over when the leader stops, immediately and from its cache", async () => {
    const { clock, user, join } = team();
    for (const name of ["a", "b"]) await user.create(Widget, widget(name));
    const first = await join({ handlers: [widgets] });
    await clock.advance(0);
    const second = await join({ handlers: [widgets] });
    await clock.advance(3_000);
    await user.create(Widget, widget("gone"));
    await user.delete(Widget, { name: "gone", namespace: "default" });
    await clock.advance(0);
    const before = second.reads.length;
    await first.manager.stop();
    await clock.advance(0);
    expect(first.outcome).toBe("ended");
    expect(second.manager.status().leadership).toEqual({ type: "leading" });
    expect(second.passes.toSorted()).toEqual(["a", "b"]);
    expect(second.reads.length).toBe(before);
  });

  test("runnables start with the leadership; those that need no leader start in every replica", async () => {
    const { clock, join } = team();
    const said: string[] = [];
    const of = (who: string): Runnable[] => [
      { name: "work", start: () => void said.push(`${who} work`), stop: () => void said.push(`${who} no work`) },
      { name: "hook", needsLeader: false, start: () => void said.push(`${who} hook`), stop: () => void said.push(`${who} no hook`) },
    ];
    const first = await join({ handlers: [widgets], runnables: of("1") });
    await clock.advance(0);
    await join({ handlers: [widgets], runnables: of("2") });
    await clock.advance(100);
    expect(said).toEqual(["1 hook", "1 work", "2 hook"]);
    await first.manager.stop();
    await clock.advance(0);
    expect(said.slice(3)).toEqual(["1 no work", "1 no hook", "2 work"]);
  });

  test("a runnable that cannot start ends the process, which releases the lease", async () => {
    const { clock, join, lease } = team();
    const broken = { name: "billing", start: () => Promise.reject(new Error("no route")) };
    const member = await join({ handlers: [widgets], runnables: [broken] });
    await clock.advance(1_000);
    expect(member.outcome).toMatchObject({ code: "ERR_RUNNABLE", message: 'cannot start runnable "billing": no route' });
    expect((await lease())?.spec?.holderIdentity).toBe("");
  });
});

/** Cuts the operator off from the leases only, so that what it would write elsewhere would arrive. */
function leasesOut(state: { isCut: boolean }): (transport: Transport) => Transport {
  return (transport) => ({
    request: (request) =>
      state.isCut && request.path.includes("/leases")
        ? Promise.reject(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))
        : transport.request(request),
    close: () => transport.close(),
  });
}

describe("a leader that cannot renew", () => {
  test("stops with an error that says why; passes in progress end, and their writes are not sent", async () => {
    const { clock, user, join } = team();
    const state = { isCut: false };
    const errors: unknown[] = [];
    const late = step(Widget, {
      name: "late",
      async do(req) {
        await new Promise<void>((resolve) => req.signal.addEventListener("abort", () => resolve()));
        await req.client.patch(Widget, "a", { type: "merge", body: {} }).catch((error: unknown) => void errors.push(error));
        req.status.seen = 1;
      },
    });
    const member = await join({ handlers: [handler(Widget).step(late).build()], intercept: leasesOut(state) });
    await user.create(Widget, widget("a"));
    await clock.advance(1_000);
    expect(member.manager.controllers[0]?.status().running).toBe(1);
    state.isCut = true;
    const written = member.writes.length;
    await clock.advance(9_000);
    expect(member.outcome).toMatchObject({
      code: "ERR_NOT_LEADER",
      message: expect.stringContaining(`lost the leadership of Lease default/${LEASE}: it could not be renewed for 10 s: `) as string,
    });
    expect(member.writes.length).toBe(written);
    expect(member.manager.status()).toMatchObject({ state: "stopped", leadership: { type: "over" } });
    expect((await user.get(Widget, ref))?.status?.seen).toBeUndefined();
  });

  test("sends no attempt of a write to another cluster", async () => {
    const { clock, user, join } = team();
    const state = { isCut: false };
    let attempt: (() => void) | undefined;
    const sending = (_kind: Kind, _object: unknown, options: WriteOptions): Promise<never> => {
      attempt = options.beforeAttempt;
      return new Promise((_, reject) => options.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    };
    const other = { create: sending } as unknown as Client; // All that is called.
    const remote = step(Widget, {
      name: "remote",
      async do(req) {
        const client = clientFor(req, { client: other, observe: () => undefined, observeDelete: () => undefined });
        await client.create(Gadget, { metadata: { name: "a" }, spec: {} });
      },
    });
    const member = await join({ handlers: [handler(Widget).step(remote).build()], intercept: leasesOut(state) });
    await user.create(Widget, widget("a"));
    await clock.advance(1_000);
    expect(() => attempt?.()).not.toThrow();
    state.isCut = true;
    await clock.advance(9_000);
    expect(member.outcome).toMatchObject({ code: "ERR_NOT_LEADER" });
    expect(() => attempt?.()).toThrow("lost the leadership");
  });

  test("does not start queued passes, and a write of its client is refused", async () => {
    const { clock, user, join } = team();
    const state = { isCut: false };
    const steps: string[] = [];
    let writing: Promise<unknown> | undefined;
    const gate = Promise.withResolvers<void>();
    const slow = step(Widget, {
      name: "slow",
      async do(req) {
        steps.push(req.object.metadata.name);
        await gate.promise;
        writing = req.client.create(Gadget, { metadata: { name: "late" }, spec: {} });
        await writing.catch(() => undefined);
      },
    });
    const busy = await join({
      handlers: [handler(Widget).step(slow).build()],
      intercept: leasesOut(state),
      leaderElection: { identity: "x", name: "busy" },
    });
    for (const name of ["a", "b", "c", "d", "e", "f"]) await user.create(Widget, widget(name));
    await clock.advance(1_000);
    expect(steps).toHaveLength(5);
    state.isCut = true;
    // As if the loop had been blocked: the time is over, and the step goes on before any timer fires.
    const advancing = clock.advance(9_100);
    await advancing;
    gate.resolve();
    await clock.advance(100);
    expect(steps).toHaveLength(5);
    expect(busy.writes).toEqual([]);
    expect(isManagerError(busy.outcome) && busy.outcome.code).toBe("ERR_NOT_LEADER");
  });
});

describe("stopping", () => {
  test("the lease is released last: after passes, runnables and watches", async () => {
    const { clock, user, join, server } = team();
    const said: string[] = [];
    const going = step(Widget, {
      name: "going",
      do: (req) =>
        new Promise<void>((resolve) => {
          req.signal.addEventListener("abort", () => {
            said.push("pass");
            resolve();
          });
        }),
    });
    const noting = (transport: Transport): Transport => ({
      async request(request): Promise<ApiResponse> {
        const isRelease = request.method === "PUT" && JSON.parse(request.body ?? "{}").spec.holderIdentity === "";
        if (isRelease) said.push(`lease, ${server.watchCount} watches`);
        return await transport.request(request);
      },
      close: () => (said.push("client"), transport.close()),
    });
    const member = await join({
      handlers: [handler(Widget).step(going).build()],
      runnables: [{ start() {}, stop: () => void said.push("runnable") }],
      intercept: noting,
    });
    await user.create(Widget, widget("a"));
    await clock.advance(0);
    const stopped = member.manager.stop();
    // Renewed while it stops.
    await clock.advance(19_000);
    expect(member.manager.status().leadership).toEqual({ type: "leading" });
    await clock.advance(1_000);
    await stopped;
    expect(said).toEqual(["pass", "runnable", "lease, 0 watches", "client"]);
  });

  test("the lease is not released while a step that ignores its signal still runs", async () => {
    const { clock, user, join, lease } = team();
    const deaf = step(Widget, { name: "deaf", do: () => new Promise<void>(() => undefined) });
    const member = await join({ handlers: [handler(Widget).step(deaf).build()], gracefulShutdownMs: 3_000 });
    await user.create(Widget, widget("a"));
    await clock.advance(0);
    const stopped = member.manager.stop().catch((error: unknown) => error);
    await clock.advance(3_000);
    expect(await stopped).toMatchObject({ code: "ERR_SHUTDOWN_TIMEOUT" });
    expect((await lease())?.spec?.holderIdentity).toBe("m0");
    expect(textsOf(member, "warn").at(-1)).toContain("the lease is not released");
  });

  test("neither a server that is silent, nor a connection that does not close, takes more than the time of the stop", async () => {
    const { clock, join } = team();
    let isSilent = false;
    const never = new Promise<never>(() => undefined);
    const member = await join({
      handlers: [widgets],
      gracefulShutdownMs: 3_000,
      intercept: (transport) => ({ request: (request) => (isSilent ? never : transport.request(request)), close: () => never }),
    });
    await clock.advance(0);
    isSilent = true;
    const stopped = member.manager.stop();
    await clock.advance(3_000);
    await stopped;
    expect(member.manager.status().state).toBe("stopped");
    expect(textsOf(member, "warn").at(-1)).toContain("the lease could not be released in the remaining time");
  });

  test("a runnable that does not stop in time is named, and the rest is stopped", async () => {
    const { clock, join, server } = team();
    const stuck = { name: "billing", start() {}, stop: () => new Promise<void>(() => undefined) };
    const member = await join({ handlers: [widgets], runnables: [stuck], gracefulShutdownMs: 30_000 });
    await clock.advance(0);
    const stopped = member.manager.stop().catch((error: unknown) => error);
    await clock.advance(28_000);
    expect(await stopped).toMatchObject({ code: "ERR_SHUTDOWN_TIMEOUT", message: expect.stringContaining('runnable "billing"') as string });
    expect(server.watchCount).toBe(0);
  });

  test("a standby stops immediately and does not modify the lease", async () => {
    const { clock, join, lease } = team();
    await join({ handlers: [widgets] });
    await clock.advance(0);
    const second = await join({ handlers: [widgets] });
    await clock.advance(100);
    await second.manager.stop();
    await clock.advance(0);
    expect([second.outcome, (await lease())?.spec?.holderIdentity]).toEqual(["ended", "m0"]);
  });
});

describe("leases: failures", () => {
  test("a missing right is logged once, and readiness reports it", async () => {
    const { clock, join } = team();
    const forbidding = (transport: Transport): Transport => ({
      ...transport,
      request: async (request) => {
        if (!request.path.includes("/leases")) return await transport.request(request);
        const message = 'leases.coordination.k8s.io "x" is forbidden: User "op" cannot get resource "leases"';
        const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Forbidden", code: 403, message };
        return { status: 403, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      },
    });
    const member = await join({ handlers: [widgets], intercept: forbidding, probes: { port: 0 }, host: "127.0.0.1" });
    await clock.advance(40_000);
    const [said, ...more] = textsOf(member, "error");
    expect(said).toContain(`cannot take or renew Lease default/${LEASE}`);
    expect(said).toContain("allow get, list, watch, create and update on leases of coordination.k8s.io in that namespace");
    expect(more.length).toBeLessThan(3);
    const response = await fetch(`${member.manager.addresses.probes?.url}/readyz`);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("[-]leader-election failed: cannot get Lease")]);
  });

  test("of two processes with one identity one works, and the other logs why it does not", async () => {
    const { clock, join } = team();
    const leaderElection = { identity: "twin" };
    const [first, second] = [await join({ handlers: [widgets], leaderElection }), await join({ handlers: [widgets], leaderElection })];
    await clock.advance(60_000);
    expect([first, second].map(({ manager }) => manager.status().leadership.type).sort()).toEqual(["leading", "standby"]);
    expect([...textsOf(first, "warn"), ...textsOf(second, "warn")]).toEqual([
      expect.stringContaining("is held by another process with the identity twin"),
    ]);
  });

  test("two operators with one lease: the one that waits names the other, and is not ready", async () => {
    const { clock, join } = team();
    await join({ handlers: [gadgets], leaderElection: { name: "shared", identity: "gadget-operator" } });
    await clock.advance(0);
    const options = { leaderElection: { name: "shared", identity: "widget-operator" }, probes: { port: 0 }, host: "127.0.0.1" };
    const second = await join({ handlers: [widgets], ...options });
    await clock.advance(0);
    const text =
      "Lease default/shared is held by gadget-operator of another operator (with gadgets.test.treadle.dev): they never work at the same time; give one of them another leaderElection.name";
    expect(textsOf(second, "warn")).toEqual([text]);
    const response = await fetch(`${second.manager.addresses.probes?.url}/readyz`);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining(text)]);
  });

  test.for([
    { name: "the lease of the handler", leaderElection: {} },
    { name: "a lease with a name of its own", leaderElection: { name: "shared" } },
  ])("a handler with another name: during the rollout old and new stand by, ready, for each other ($name)", async ({ leaderElection }) => {
    const { clock, join } = team();
    const named = (name: string, formerNames: readonly string[] = []): AnyHandler =>
      handler(Widget, { name, formerNames }).step(mirror).build();
    const [before, after] = [named("old-widgets"), named("new-widgets", ["old-widgets"])];
    const options = { probes: { port: 0 }, host: "127.0.0.1" };
    const old = await join({ ...options, handlers: [before], leaderElection: { ...leaderElection, identity: "old" } });
    await clock.advance(0);
    const young = await join({ ...options, handlers: [after], leaderElection: { ...leaderElection, identity: "new" } });
    await clock.advance(0);
    const readyz = async ({ manager }: typeof old): Promise<number> => (await fetch(`${manager.addresses.probes?.url}/readyz`)).status;
    expect([textsOf(young, "warn"), await readyz(young)], "a rollout waits until the new one is ready").toEqual([[], 200]);
    await old.manager.stop();
    await clock.advance(3_000);
    expect(young.manager.status().leadership.type).toBe("leading");
    const back = await join({ ...options, handlers: [before], leaderElection: { ...leaderElection, identity: "back" } });
    await clock.advance(0);
    expect([textsOf(back, "warn"), await readyz(back)], "so that it can be rolled back").toEqual([[], 200]);
  });

  test("the lease of a replaced operator is not reported as shared by mistake", async () => {
    const { clock, join } = team();
    await join({ handlers: [gadgets], leaderElection: { identity: "gadget-operator" } });
    await clock.advance(0);
    const replacing = handler(Widget, { takesOver: [{ lease: gadgets.name }] })
      .step(mirror)
      .build();
    const second = await join({ handlers: [replacing], leaderElection: {} });
    await clock.advance(0);
    expect(textsOf(second, "warn")).toEqual([]);
    expect(textsOf(second, "info")).toContain(`Lease default/${gadgets.name} is held by gadget-operator: standing by`);
  });

  test("the lease of a replaced operator is taken first, and held as well", async () => {
    const { clock, user, join, lease } = team();
    await user.create(Lease, {
      metadata: { name: "old-operator-lock", namespace: "default" },
      spec: { holderIdentity: "old-pod_1", leaseDurationSeconds: 15, leaseTransitions: 3 },
    });
    await user.create(Widget, widget("a"));
    const member = await join({ handlers: [widgets], leaderElection: { identity: "new", formerNames: ["old-operator-lock"] } });
    await clock.advance(10_000);
    expect([member.passes, await lease()]).toEqual([[], undefined]);
    expect(textsOf(member, "info")).toContain("Lease default/old-operator-lock is held by old-pod_1: standing by");
    await clock.advance(5_100);
    expect(member.passes).toEqual(["a"]);
    expect((await lease("old-operator-lock"))?.spec).toMatchObject({ holderIdentity: "new", leaseTransitions: 4 });
    expect((await lease())?.spec?.holderIdentity).toBe("new");
    await member.manager.stop();
    expect([(await lease())?.spec?.holderIdentity, (await lease("old-operator-lock"))?.spec?.holderIdentity]).toEqual(["", ""]);
  });

  test("a manager of several handlers must name its lease", async () => {
    const { clock, join } = team();
    const member = await join({ handlers: [widgets, gadgets], leaderElection: true });
    await clock.advance(0);
    expect(member.outcome).toMatchObject({
      code: "ERR_LEASE_NAME",
      message: expect.stringContaining("give leaderElection: { name }") as string,
    });
  });

  test.for([
    { given: { name: "No_Name" }, says: 'name "No_Name" is not a valid name of a Lease' },
    { given: { name: "a", formerNames: ["a"] }, says: "formerNames names a lease twice" },
    { given: { namespace: "a.b" }, says: 'namespace "a.b" is not a valid name' },
    { given: { identity: " " }, says: "identity is empty" },
    { given: { leaseDurationMs: 1_500 }, says: "whole seconds" },
    { given: { leaseDurationMs: 10_000 }, says: "must be less than leaseDurationMs" },
    { given: { retryPeriodMs: 9_000 }, says: "must be more than 1.2 times retryPeriodMs" },
    { given: { retryPeriodMs: Number.NaN }, says: "retryPeriodMs is NaN" },
  ])("$given is refused", ({ given, says }) => {
    expect(() => createManager({ leaderElection: given })).toThrow(says);
  });
});

test("the metrics of the election have controller-runtime's names", async () => {
  const { clock, join } = team();
  const members = [await join({ handlers: [widgets], metrics: { port: 0 }, host: "127.0.0.1" })];
  await clock.advance(0);
  members.push(await join({ handlers: [widgets], metrics: { port: 0 }, host: "127.0.0.1" }));
  const texts = await Promise.all(members.map(async ({ manager }) => (await manager.metrics()).metrics()));
  expect(texts[0]).toContain(`leader_election_master_status{name="${LEASE}"} 1\n`);
  expect(texts[1]).toContain(`leader_election_master_status{name="${LEASE}"} 0\n`);
  for (const text of texts) expect(text).toContain(`leader_election_slowpath_total{name="${LEASE}"} 0\n`);
});
