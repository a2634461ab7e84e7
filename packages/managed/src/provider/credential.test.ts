import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Admission, Credential } from "./credential.ts";
import { MISSED_AFTER_MS } from "./line.ts";
import type { Rate } from "./rate.ts";

const POLL = { isUrgent: false };
const URGENT = { isUrgent: true };
const LIMITED = "waiting for a turn: the config allows 10 calls per second";

function afterOf(admission: Admission): number {
  return admission.type === "granted" ? 0 : admission.afterMs;
}

/** Asks and ends the pass. Returns the milliseconds to wait; 0: granted. */
function pass(credential: Credential, key: string, nowMs: number, given: { readonly isUrgent: boolean } = POLL): number {
  const after = afterOf(credential.ask(key, { ...given, nowMs }));
  credential.done(key, nowMs);
  return after;
}

/** Spends the tokens of the burst. */
function drain(credential: Credential, calls: number, nowMs = 0): void {
  for (let call = 0; call < calls; call++) expect(pass(credential, `drain-${call}`, nowMs)).toBe(0);
}

/** A binary heap would be faster, but the times of a run are buckets of one millisecond. */
class Agenda {
  readonly #at = new Map<number, (() => void)[]>();
  nowMs = 0;

  after(delayMs: number, run: () => void): void {
    const due = this.nowMs + Math.max(0, Math.ceil(delayMs));
    const list = this.#at.get(due);
    if (list === undefined) this.#at.set(due, [run]);
    else list.push(run);
  }

  run(untilMs: number): void {
    for (; this.nowMs <= untilMs && this.#at.size > 0; this.nowMs++) {
      for (let list = this.#at.get(this.nowMs); list !== undefined; list = this.#at.get(this.nowMs)) {
        this.#at.delete(this.nowMs);
        for (const each of list) each();
      }
    }
  }
}

describe("turns", () => {
  test("a credential without a rate grants every call", () => {
    const credential = new Credential(undefined);
    for (let call = 0; call < 1000; call++) expect(credential.ask("a", { ...POLL, nowMs: 0 })).toEqual({ type: "granted" });
    expect(credential.floorMs()).toBe(0);
  });

  test("creates that fail again and again do not starve a poll", () => {
    const credential = new Credential({ perSecond: 5 });
    const agenda = new Agenda();
    const grants: Record<string, number> = {};
    const asks = (key: string, given: { readonly isUrgent: boolean }): void => {
      const waitMs = pass(credential, key, agenda.nowMs, given);
      if (waitMs === 0) grants[key] = (grants[key] ?? 0) + 1;
      agenda.after(waitMs === 0 ? 10_000 : waitMs, () => asks(key, given));
    };
    for (let i = 0; i < 100; i++) asks(`create-${i}`, URGENT);
    asks("poll", POLL);
    agenda.run(300_000);
    expect(grants["poll"]).toBeGreaterThan(2);
    expect(grants["create-0"], "they come first").toBeGreaterThan(2 * (grants["poll"] ?? 0));
  });

  test("objects without a token are told exactly their turn, first come first served", () => {
    const credential = new Credential({ perSecond: 10, burst: 2 });
    drain(credential, 2);
    expect(credential.ask("a", { ...POLL, nowMs: 0 })).toEqual({ type: "wait", reason: "RateLimited", message: LIMITED, afterMs: 100 });
    expect(pass(credential, "b", 0)).toBe(200);
    expect(pass(credential, "c", 0)).toBe(300);
    expect(pass(credential, "b", 50), "a repeated question does not change the turn").toBe(150);
    expect(pass(credential, "a", 100)).toBe(0);
    expect(pass(credential, "new", 150), "a token of another object is not free").toBe(250);
    expect(pass(credential, "b", 200)).toBe(0);
    expect(pass(credential, "c", 300)).toBe(0);
  });

  test("an urgent object comes before polls that already wait", () => {
    const credential = new Credential({ perSecond: 10, burst: 1 });
    drain(credential, 1);
    expect(pass(credential, "a", 0)).toBe(100);
    expect(pass(credential, "b", 0)).toBe(200);
    expect(pass(credential, "create", 0, URGENT)).toBe(100);
    expect(pass(credential, "delete", 0, URGENT)).toBe(200);
    expect(pass(credential, "a", 100), "two urgent objects and its own token").toBe(200);
    expect(pass(credential, "create", 100), "a place stays urgent when the pass begins with an observation").toBe(0);
    expect(pass(credential, "delete", 200)).toBe(0);
    expect(pass(credential, "a", 300)).toBe(0);
  });

  test("a poll that becomes urgent moves to the front", () => {
    const credential = new Credential({ perSecond: 10, burst: 1 });
    drain(credential, 1);
    for (const key of ["a", "b", "c"]) pass(credential, key, 0);
    expect(pass(credential, "c", 0, URGENT)).toBe(100);
    expect(pass(credential, "c", 100, URGENT)).toBe(0);
  });

  test("a pass that ran out of tokens gets all of them in its next turn", () => {
    const credential = new Credential({ perSecond: 10, burst: 3 });
    drain(credential, 2);
    expect(afterOf(credential.ask("a", { ...POLL, nowMs: 0 }))).toBe(0);
    expect(afterOf(credential.ask("a", { ...URGENT, nowMs: 0 })), "it needs two tokens when it starts over").toBe(200);
    credential.done("a", 0);
    expect(pass(credential, "other", 100), "the token is set aside").toBe(200);
    expect(afterOf(credential.ask("a", { ...POLL, nowMs: 200 }))).toBe(0);
    expect(pass(credential, "thief", 200, URGENT), "the second token is held for the pass").toBeGreaterThan(0);
    expect(afterOf(credential.ask("a", { ...URGENT, nowMs: 200 }))).toBe(0);
    credential.done("a", 200);
  });

  test("tokens that a pass did not need are free for others at its end", () => {
    const credential = new Credential({ perSecond: 10, burst: 2 });
    drain(credential, 1);
    credential.ask("a", { ...POLL, nowMs: 0 });
    expect(afterOf(credential.ask("a", { ...POLL, nowMs: 0 }))).toBe(200);
    credential.done("a", 0);
    expect(pass(credential, "a", 200), "the second token is not used").toBe(0);
    expect(pass(credential, "b", 200)).toBe(0);
  });

  test("a pass that needs more calls than the burst ends nevertheless", () => {
    const credential = new Credential({ perSecond: 10, burst: 1 });
    let nowMs = 0;
    let passes = 0;
    for (let calls = 0; calls < 3 && passes < 10; passes++) {
      calls = 0;
      let after = 0;
      while (calls < 3 && after === 0) {
        after = afterOf(credential.ask("a", { ...POLL, nowMs }));
        if (after === 0) calls++;
      }
      credential.done("a", nowMs);
      nowMs += after;
    }
    expect(passes).toBe(3);
    expect(pass(credential, "b", nowMs), "the overdrawn tokens are paid back").toBeGreaterThan(200);
  });

  test("an object that does not return blocks others for a short time only, and keeps its place", () => {
    const credential = new Credential({ perSecond: 10, burst: 1 });
    drain(credential, 1);
    for (const key of ["lost", "b", "c"]) pass(credential, key, 0);
    const passedMs = 100 + MISSED_AFTER_MS + 1;
    expect(pass(credential, "b", passedMs)).toBe(0);
    expect(pass(credential, "new", passedMs)).toBe(200);
    expect(pass(credential, "lost", passedMs), "it is before those that came later").toBe(100);
  });

  test("an object that returns late and then stays away blocks no other object", () => {
    const credential = new Credential({ perSecond: 10, burst: 1 });
    drain(credential, 1);
    pass(credential, "lost", 0);
    pass(credential, "b", 0);
    const passedMs = 200 + MISSED_AFTER_MS + 1;
    expect(pass(credential, "c", passedMs)).toBe(0);
    expect(pass(credential, "lost", passedMs), "its place counts again").toBe(100);
    expect(pass(credential, "d", passedMs + 200 + MISSED_AFTER_MS)).toBe(0);
  });

  test("a thousand objects that do not return do not block the next one", () => {
    const credential = new Credential({ perSecond: 10, burst: 5 });
    for (let key = 0; key < 1000; key++) pass(credential, `k${key}`, 0);
    expect(pass(credential, "new", 100_000 + MISSED_AFTER_MS)).toBe(0);
  });

  test("a forgotten object frees its place", () => {
    const credential = new Credential({ perSecond: 10, burst: 1 });
    drain(credential, 1);
    for (const key of ["a", "b", "c"]) pass(credential, key, 0);
    credential.forget("a");
    credential.forget("unknown");
    expect(pass(credential, "c", 0)).toBe(200);
    expect(pass(credential, "d", 0)).toBe(300);
  });

  test("10,000 objects are served at the rate, with one extra question each", () => {
    const credential = new Credential({ perSecond: 100, burst: 20 });
    const agenda = new Agenda();
    let served = 0;
    let asks = 0;
    let lastMs = 0;
    const ask = (key: string) => (): void => {
      asks += 1;
      const after = pass(credential, key, agenda.nowMs);
      if (after > 0) return agenda.after(after, ask(key));
      served += 1;
      lastMs = agenda.nowMs;
    };
    for (let key = 0; key < 10_000; key++) agenda.after(0, ask(`k${key}`));
    agenda.run(200_000);
    expect(served).toBe(10_000);
    expect(asks).toBeLessThanOrEqual(20_000);
    expect(lastMs).toBe(99_800);
    expect(credential.objects).toBe(10_000);
    expect(credential.floorMs()).toBe(100_000);
  });

  test("a create in the middle of 10,000 polls waits for a token at most, and costs each poll one question", () => {
    const credential = new Credential({ perSecond: 100, burst: 1 });
    const agenda = new Agenda();
    let asks = 0;
    let served = 0;
    const ask = (key: string) => (): void => {
      asks += 1;
      const after = pass(credential, key, agenda.nowMs);
      if (after > 0) agenda.after(after, ask(key));
      else served += 1;
    };
    let urgentMs = Number.NaN;
    agenda.after(50_005, () => {
      const after = pass(credential, "create", agenda.nowMs, URGENT);
      agenda.after(after, () => {
        expect(pass(credential, "create", agenda.nowMs)).toBe(0);
        urgentMs = agenda.nowMs - 50_005;
      });
    });
    for (let key = 0; key < 10_000; key++) agenda.after(0, ask(`k${key}`));
    agenda.run(200_000);
    expect(served).toBe(10_000);
    expect(urgentMs).toBeLessThanOrEqual(20);
    expect(asks).toBeLessThanOrEqual(26_000);
  });
});

/**
 * Invariants, for objects that return when told or late, stay away, end their passes or not, and need 1 to 3 calls:
 * - no window has more than `burst + perSecond * seconds` calls, where `burst` counts at least the calls of one pass;
 * - an object that returns when told is served.
 */
test("no schedule makes more calls than the rate allows, and no object starves", () => {
  const object = fc.record({
    startMs: fc.nat(3000),
    calls: fc.integer({ min: 1, max: 3 }),
    isUrgent: fc.boolean(),
    lateMs: fc.constantFrom(0, 0, 0, 7, 900),
    staysAway: fc.constantFrom(false, false, true),
  });
  const rates = fc.record({ perSecond: fc.constantFrom(0.5, 3, 10, 40), burst: fc.constantFrom(1, 1.5, 3, 8) });
  fc.assert(
    fc.property(rates, fc.array(object, { minLength: 1, maxLength: 40 }), (rate: Rate, objects) => {
      const credential = new Credential(rate);
      const agenda = new Agenda();
      const callsMs: number[] = [];
      let unserved = 0;
      for (const [index, given] of objects.entries()) {
        const key = `k${index}`;
        if (!given.staysAway) unserved += 1;
        const run = (): void => {
          let after = 0;
          let made = 0;
          for (; made < given.calls && after === 0; ) {
            after = afterOf(credential.ask(key, { isUrgent: given.isUrgent, nowMs: agenda.nowMs }));
            if (after > 0) break;
            callsMs.push(agenda.nowMs);
            made += 1;
          }
          credential.done(key, agenda.nowMs);
          if (after > 0 && !given.staysAway) agenda.after(after + given.lateMs, run);
          if (after === 0 && !given.staysAway) unserved -= 1;
        };
        agenda.after(given.startMs, run);
      }
      agenda.run(2_000_000);
      expect(unserved).toBe(0);
      const burst = Math.max(rate.burst ?? 0, ...objects.map(({ calls }) => calls));
      for (const [first, fromMs] of callsMs.entries())
        for (let last = first; last < callsMs.length; last++)
          expect(last - first + 1).toBeLessThanOrEqual(burst + (((callsMs[last] ?? 0) - fromMs) / 1000) * rate.perSecond + 1e-3);
    }),
    { numRuns: 150 },
  );
});

describe("the pause after 429", () => {
  test("all objects wait until the time that the provider asked for", () => {
    const credential = new Credential(undefined);
    credential.throttled(0, 5000);
    expect(credential.ask("a", { ...POLL, nowMs: 1000 })).toEqual({
      type: "wait",
      reason: "RateLimited",
      message: "the provider asked for fewer calls, so all objects of the config wait",
      afterMs: 4000,
    });
    expect(pass(credential, "b", 1000), "objects do not return together").toBe(4010);
    expect(pass(credential, "a", 1000), "a repeated question does not change the time").toBe(4000);
    expect(pass(credential, "a", 5000)).toBe(0);
  });

  test("a pause without a time doubles from 1 s to 60 s, and a success makes it short again", () => {
    const credential = new Credential(undefined);
    const waits: number[] = [];
    let nowMs = 0;
    for (let round = 0; round < 8; round++) {
      credential.throttled(nowMs);
      credential.throttled(nowMs + 1); // A call that was sent before.
      credential.succeeded(nowMs + 1);
      waits.push(pass(credential, "a", nowMs, URGENT));
      nowMs += waits.at(-1) ?? 0;
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    credential.succeeded(nowMs);
    credential.throttled(nowMs);
    expect(pass(credential, "a", nowMs, URGENT)).toBe(1000);
  });
});

describe("the breaker after 401 and 403", () => {
  const refusedAt = (nowMs: number): Credential => {
    const credential = new Credential({ perSecond: 10, burst: 5 });
    pass(credential, "a", nowMs);
    credential.refused(nowMs);
    return credential;
  };

  test("all objects wait, then one probes while the others wait", () => {
    const credential = refusedAt(0);
    expect(credential.ask("a", { ...POLL, nowMs: 10 })).toEqual({
      type: "wait",
      reason: "CredentialsRefused",
      message: "the provider refused the credentials, so all objects of the config wait for a new Secret, or for the next try",
      afterMs: 59_990,
    });
    expect(pass(credential, "create", 10, URGENT)).toBe(59_990);
    expect(afterOf(credential.ask("a", { ...POLL, nowMs: 60_000 }))).toBe(0);
    expect(afterOf(credential.ask("a", { ...POLL, nowMs: 60_000 })), "the probe is one call").toBeGreaterThanOrEqual(1000);
    expect(pass(credential, "b", 60_000)).toBeGreaterThanOrEqual(1000);
    credential.succeeded(60_500);
    expect(pass(credential, "b", 60_500)).toBe(0);
  });

  test("a refused probe doubles the time up to 5 minutes; refusals of older calls do not", () => {
    const credential = refusedAt(0);
    credential.refused(1);
    credential.succeeded(2);
    const waits: number[] = [];
    let nowMs = 0;
    for (let round = 0; round < 5; round++) {
      waits.push(pass(credential, "a", nowMs, URGENT));
      nowMs += waits.at(-1) ?? 0;
      expect(afterOf(credential.ask("a", { ...URGENT, nowMs }))).toBe(0);
      credential.refused(nowMs);
      credential.done("a", nowMs);
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  test.for([
    { name: "ended without a result", reason: "a probe whose call was not made must not block", end: "done", nowMs: 60_001 },
    { name: "was forgotten", reason: "a deleted object must not block", end: "forget", nowMs: 60_001 },
    { name: "never reported", reason: "a hanging call must not block for long", end: undefined, nowMs: 120_000 },
  ] as const)("another object probes after a probe that $name", ({ reason, end, nowMs }) => {
    const credential = refusedAt(0);
    credential.ask("a", { ...POLL, nowMs: 60_000 });
    if (end === "done") credential.done("a", 60_001);
    if (end === "forget") credential.forget("a");
    expect(afterOf(credential.ask("b", { ...POLL, nowMs })), reason).toBe(0);
    expect(afterOf(credential.ask("c", { ...POLL, nowMs })), "again one probe").toBeGreaterThan(0);
  });

  test("a new version of the credentials closes the breaker at once", () => {
    const credential = refusedAt(0);
    credential.renewed();
    expect(pass(credential, "a", 1)).toBe(0);
    credential.refused(2);
    expect(pass(credential, "a", 2, URGENT), "the time is short again").toBe(60_000);
  });
});

test.for([
  { name: "pause of 10 s", stop: (credential: Credential) => credential.throttled(2000, 10_000), endMs: 12_000, rate: { perSecond: 100 } },
  { name: "refusal", stop: (credential: Credential) => credential.refused(2000), endMs: 62_000, rate: { perSecond: 100 } },
  { name: "refusal without a rate", stop: (credential: Credential) => credential.refused(2000), endMs: 62_000, rate: undefined },
])("after a $name 2,000 objects return one after the other, with few questions", ({ stop, endMs, rate }) => {
  const credential = new Credential(rate);
  const agenda = new Agenda();
  let asks = 0;
  let served = 0;
  let lastMs = 0;
  const busiest = new Map<number, number>();
  const ask = (key: string) => (): void => {
    asks += 1;
    const admission = credential.ask(key, { ...POLL, nowMs: agenda.nowMs });
    if (agenda.nowMs > 2000) busiest.set(agenda.nowMs, (busiest.get(agenda.nowMs) ?? 0) + 1);
    if (admission.type === "wait") {
      credential.done(key, agenda.nowMs);
      return agenda.after(admission.afterMs, ask(key));
    }
    served += 1;
    lastMs = agenda.nowMs;
    agenda.after(300, () => {
      credential.succeeded(agenda.nowMs);
      credential.done(key, agenda.nowMs);
    });
  };
  agenda.after(2000, () => stop(credential));
  for (let key = 0; key < 2000; key++) agenda.after(rate === undefined ? 2000 : 1000, ask(`k${key}`));
  agenda.run(300_000);
  expect(served).toBe(2000);
  expect(lastMs).toBeLessThanOrEqual(endMs + 23_000);
  expect(asks).toBeLessThanOrEqual(4 * 2000);
  expect(Math.max(...busiest.values()), "objects that ask in one millisecond").toBeLessThanOrEqual(5);
});

test("objects that were not seen are forgotten, but not those that were told to return later", () => {
  const credential = new Credential({ perSecond: 1, burst: 1 });
  credential.seen("old", 0);
  pass(credential, "served", 0);
  for (let key = 0; key < 200; key++) pass(credential, `waits-${key}`, 0);
  credential.seen("new", 150_000);
  credential.forgetUnseen(150_000);
  expect(credential.objects, "those with a turn from 150 s on, and the new one").toBe(52);
  expect(pass(credential, "next", 150_000)).toBeLessThan(53_000);
});

test.for([
  { name: "zero", rate: { perSecond: 0 }, fact: "rate.perSecond must be a positive number of calls per second, such as 10, not 0" },
  { name: "negative", rate: { perSecond: -1 }, fact: "not -1" },
  { name: "not a number", rate: { perSecond: Number.NaN }, fact: "not NaN" },
  { name: "infinite", rate: { perSecond: Number.POSITIVE_INFINITY }, fact: "not Infinity" },
  { name: "a text", rate: { perSecond: "10" }, fact: "not 10" },
  { name: "null", rate: null, fact: "not undefined" },
  { name: "a small burst", rate: { perSecond: 1, burst: 0.5 }, fact: "rate.burst must be a number of calls from 1, such as 20, not 0.5" },
])("a rate that is $name is refused with the fix", ({ rate, fact }) => {
  expect(() => new Credential(rate as Rate)).toThrow(TypeError);
  expect(() => new Credential(rate as Rate)).toThrow(fact);
});
