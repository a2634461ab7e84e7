import { fakeClock, systemRandom } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { FakePlugin } from "../../test/fake-plugins.ts";
import type { Origin } from "../connection.ts";
import { PluginError } from "../plugin-error.ts";
import { NO_METRICS } from "./metrics.ts";
import { Supervisor } from "./supervisor.ts";

function setUp(plugin: FakePlugin, origin: Origin = plugin.origin()) {
  const clock = fakeClock();
  const logs: string[] = [];
  const write = (_: object, text: string): void => void logs.push(text);
  const log = { debug: write, info: write, warn: write, error: write };
  let changes = 0;
  const supervisor = new Supervisor(origin, { clock, random: systemRandom, log, metrics: NO_METRICS, changed: () => void (changes += 1) });
  const state = (): string => supervisor.facts.state;
  return { clock, supervisor, logs, state, changes: () => changes };
}

test("a plugin is ready after its description", async () => {
  const { supervisor, state } = setUp(new FakePlugin("pg"));
  expect(state()).toBe("Starting");
  await supervisor.tried;
  expect(supervisor.facts).toMatchObject({ state: "Ready", message: "", offer: { category: "database", version: "1.2.3" } });
});

test("a plugin that ends is started again after 1 s, 2 s and 4 s, and after 1 s if it was ready for a minute", async () => {
  const pg = new FakePlugin("pg");
  const { clock, supervisor, state } = setUp(pg);
  await supervisor.tried;
  for (const [i, delay] of [1_000, 2_000, 4_000].entries()) {
    pg.kill();
    await clock.advance(0);
    expect(state()).toBe("Away");
    await clock.advance(delay - 1);
    expect(pg.starts).toBe(i + 1);
    await clock.advance(1);
    expect([pg.starts, state()]).toEqual([i + 2, "Ready"]);
  }
  await clock.advance(60_000);
  pg.kill();
  await clock.advance(1_000);
  expect(pg.starts).toBe(5);
});

test("five ends in a minute are a crash loop, which is tried again every 5 minutes", async () => {
  const pg = new FakePlugin("pg");
  pg.refuses = new PluginError("NotStarted", "it ended at once");
  const { clock, state, supervisor, logs } = setUp(pg);
  await clock.advance(15_000);
  expect([pg.starts, state()]).toEqual([5, "CrashLoop"]);
  expect(supervisor.facts.message).toBe("it ended at once");
  await clock.advance(299_999);
  expect(pg.starts).toBe(5);
  await clock.advance(1);
  expect([pg.starts, state()]).toEqual([6, "CrashLoop"]);
  // The first failure and the loop.
  expect(logs).toEqual(["plugin pg is not ready; it is started again in 1 s", "plugin pg is not ready; it is started again in 300 s"]);
});

test("a crash loop is over when the revision changes", async () => {
  const pg = new FakePlugin("pg");
  pg.refuses = new PluginError("NotStarted", "it ended at once");
  const { clock, state, supervisor } = setUp(pg);
  await clock.advance(20_000);
  pg.refuses = undefined;
  supervisor.offer(pg.origin({ revision: "2" }));
  await clock.advance(0);
  expect(state()).toBe("Ready");
});

test("a server that cannot be reached is no crash loop", async () => {
  const pg = new FakePlugin("pg");
  pg.refuses = new PluginError("Away", "connection refused");
  const { clock, state } = setUp(pg);
  await clock.advance(120_000);
  expect(state()).toBe("Away");
  pg.refuses = undefined;
  await clock.advance(60_000);
  expect(state()).toBe("Ready");
});

test.for([
  {
    name: "another name",
    given: { name: "kube-postgres" },
    want: 'it describes itself as "kube-postgres", but its name is "pg": rename the file, or set the name of the source',
  },
  {
    name: "another major version",
    given: { apiVersions: { oldest: "2.0", newest: "2.4" } },
    want: "it supports the API versions 2.0 to 2.4, but the operator has 1.0: use another release of the plugin or of the operator",
  },
  {
    name: "an unreadable schema",
    given: { types: [{ name: "a", versions: [], parameterSchema: { type: "nonsense" } }] },
    want: 'the parameter schema of its type "a" cannot be read: Unsupported type: nonsense',
  },
])("a plugin with $name is refused and not started again", async ({ given, want }) => {
  const pg = new FakePlugin("pg", given);
  const { clock, supervisor } = setUp(pg);
  await clock.advance(3_600_000);
  expect(supervisor.facts).toMatchObject({ state: "Refused", message: want, running: undefined });
  expect([pg.starts, pg.closed]).toEqual([1, 1]);
  pg.description = new FakePlugin("pg").description;
  supervisor.offer(pg.origin({ revision: "2" }));
  await clock.advance(0);
  expect(supervisor.facts.state).toBe("Ready");
});

test("a plugin whose category changes after a restart is refused", async () => {
  const pg = new FakePlugin("pg");
  const { clock, supervisor } = setUp(pg);
  await supervisor.tried;
  pg.description = { ...pg.description, category: "queue" };
  pg.kill();
  await clock.advance(1_000);
  expect(supervisor.facts).toMatchObject({
    state: "Refused",
    message: 'its category was "database", and is "queue" after a restart: give the other category another name',
  });
});

test("a refused server is asked again after 5 minutes", async () => {
  const pg = new FakePlugin("pg", { name: "other" });
  const { clock, state } = setUp(pg, pg.origin({ isServer: true }));
  await clock.advance(0);
  expect(state()).toBe("Refused");
  pg.description = new FakePlugin("pg").description;
  await clock.advance(300_000);
  expect(state()).toBe("Ready");
});

test("a new revision takes over when it is ready, and the old one ends after its last call", async () => {
  const old = new FakePlugin("pg");
  const { promise, resolve } = Promise.withResolvers<void>();
  old.plan = async () => {
    await promise;
    return { type: "dependents", dependents: [] };
  };
  const { clock, supervisor } = setUp(old);
  await supervisor.tried;
  const request = {
    type: "postgresql",
    version: "",
    owner: { apiVersion: "v1", kind: "A", metadata: { name: "a" } },
    parameters: {},
    live: [],
  };
  const call = supervisor.facts.running?.plan(request, new AbortController().signal);
  const next = new FakePlugin("pg", { version: "2.0.0" });
  supervisor.offer(next.origin({ revision: "2" }));
  await clock.advance(0);
  expect(supervisor.facts.offer?.version).toBe("2.0.0");
  expect(old.closed).toBe(0);
  resolve();
  await expect(call).resolves.toEqual({ type: "dependents", dependents: [] });
  expect(old.closed).toBe(1);
  expect(supervisor.facts.state).toBe("Ready");
});

test("a new revision that fails leaves the old one, and the failure is shown", async () => {
  const old = new FakePlugin("pg");
  const { clock, supervisor } = setUp(old);
  await supervisor.tried;
  const next = new FakePlugin("pg");
  next.refuses = new PluginError("NotStarted", "it is no program");
  supervisor.offer(next.origin({ revision: "2" }));
  await clock.advance(15_000);
  expect([next.starts, old.closed]).toEqual([5, 0]);
  expect(supervisor.facts).toMatchObject({ state: "Ready", message: "it is no program" });
  old.kill();
  await clock.advance(0);
  expect([supervisor.facts.state, old.starts]).toEqual(["CrashLoop", 1]);
});

test("a failed health check ends a plugin", async () => {
  const pg = new FakePlugin("pg");
  const { clock, supervisor, state } = setUp(pg);
  await supervisor.tried;
  pg.check = () => Promise.reject(new PluginError("TooSlow", "no answer"));
  void supervisor.facts.running?.check();
  await clock.advance(0);
  expect([state(), pg.closed]).toEqual(["Away", 1]);
  expect(supervisor.facts.message).toBe("it ended: its health check failed: no answer");
});

test("a stopped plugin is closed and not started again, also while it starts", async () => {
  const pg = new FakePlugin("pg");
  const { clock, supervisor } = setUp(pg);
  await supervisor.stop();
  await clock.advance(600_000);
  expect([pg.starts, pg.closed, clock.nextDue()]).toEqual([1, 1, undefined]);
});
