/** The short form of `npm run test:e2e -- --only faults`, and the proof that its auditor finds what is wrong. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createClient, httpTransport } from "@treadle/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { History } from "../faults/history.ts";
import type { Defect, Dump, Seen } from "../faults/messages.ts";
import { RECOVERY, type Scenario, SCENARIOS } from "../faults/scenarios.ts";
import { memoryServer, type Server } from "../faults/server.ts";
import { runScenario, Session } from "../faults/session.ts";
import { type Sample, trendProblems } from "../faults/trend.ts";
import { FIRST, LAST } from "../faults/widget.ts";
import { Writer } from "../faults/writer.ts";
import { root } from "./workspaces.ts";

const scenario = (name: string): Scenario => {
  const found = SCENARIOS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
};

describe("an operator's process behind faults", { timeout: 120_000 }, () => {
  let server: Server;
  beforeAll(async () => {
    server = await memoryServer();
  }, 60_000);
  afterAll(async () => await server[Symbol.asyncDispose]());

  // Each waits most of its time, for processes that start and for pauses.
  test.concurrent.for(["reset", "gone-event", "half-open"])(
    "%s: nothing is missed, invented or late",
    { tags: ["long"] },
    async (name, { expect }) => {
      const { problems, changes, passes } = await runScenario(scenario(name), { server });
      expect(problems).toEqual([]);
      expect(changes).toBeGreaterThan(20);
      expect(passes).toBeGreaterThan(5);
    },
  );

  test.concurrent.for<readonly [Defect, string]>([
    ["drops an event", "missed: an event of ConfigMap "],
    ["loses deletions", "missed: an event of "],
    ["invents an event", "invented: an event saw ConfigMap "],
    ["goes backwards", "backwards: an event saw "],
    ["never comes back", "missed: "],
    ["forgets to act", "not acted on: the status of Widget "],
  ])("an operator that %s is found", { tags: ["long"] }, async ([defect, found], { expect }) => {
    const { problems } = await runScenario(scenario("reset"), { server, defect, graceMs: 1_000 });
    expect(problems.filter((problem) => problem.startsWith(found))).not.toEqual([]);
  });
});

// Defect 27 of issue 10: on a loaded machine there was no deletion to lose.
test("the writer deletes and changes an object of each kind, however short its time is", { timeout: 60_000 }, async () => {
  await using server = await memoryServer();
  const written: string[] = [];
  const writer = new Writer({
    server,
    namespace: "short",
    random: seededRandom(1),
    onWrite: (kind, { key }) => written.push(`${kind} ${key}`),
  });
  const client = createClient({ transport: httpTransport(server.target) });
  try {
    await writer.furnish();
    writer.start();
    await writer.pause();
    expect(written.slice(-3)).toEqual([`Widget short/${FIRST}`, `ConfigMap short/${FIRST}`, `Secret short/${FIRST}`]);
    expect(await client.get(ConfigMap, { namespace: "short", name: LAST })).toBeUndefined();
    expect(written).toContain(`ConfigMap short/${LAST}`);
  } finally {
    await writer.close();
    await client.close();
  }
});

test("the soak counts timers that keep no process alive, too: all those of the framework are such", { timeout: 60_000 }, async () => {
  await using server = await memoryServer();
  await using session = await Session.start({ server, namespace: "timers", random: seededRandom(1) });
  expect((await session.stats()).timers).toBeGreaterThan(3);
});

describe("the history of a server and what was seen of it", () => {
  const state = (version: number, uid = "u") => ({ key: "ns/a", uid, version: String(version) });
  function story(): {
    readonly history: History;
    change(version: number, given?: object): void;
    see(version: number, given?: object): void;
  } {
    const history = new History();
    return {
      history,
      change: (version, given = {}) =>
        history.changed({ kind: "ConfigMap", ...state(version), isDeleted: false, content: String(version), at: version, ...given }),
      see: (version, given = {}) =>
        history.saw({ type: "event", kind: "ConfigMap", event: "updated", ...state(version), ...given } as Seen, version + 100),
    };
  }

  test("a later state stands for those before it, and the wait counts from the end of the fault", () => {
    const { history, change, see } = story();
    change(1);
    change(2);
    see(2);
    expect([history.missing(), history.problems(), history.slowest().ms]).toEqual([[], [], 101]);
    history.faultOver(90);
    expect(history.slowest().ms).toBe(12);
  });

  test("a state that nobody saw is missed, a status is not", () => {
    const { history, change, see } = story();
    change(1);
    see(1);
    change(2, { content: "1" });
    expect(history.missing()).toEqual([]);
    change(3);
    expect(history.missing()).toEqual(["an event of ConfigMap ns/a u@3"]);
  });

  test("a deletion has to be seen where the object was, also by what follows it", () => {
    const { history, change, see } = story();
    change(1);
    change(2, { isDeleted: true });
    expect(history.missing()).toEqual([]);
    see(1);
    expect(history.missing()).toEqual(["an event of ConfigMap ns/a u@2 (deleted)"]);
    change(3, { uid: "v" });
    see(3, { uid: "v" });
    expect(history.missing()).toEqual([]);
  });

  test("what the server never had, and what is older than before, are named", () => {
    const { history, change, see } = story();
    change(1);
    change(2);
    see(2);
    see(1);
    see(7);
    expect(history.problems()).toEqual([
      "backwards: an event saw ConfigMap ns/a u@1 after version 2",
      "invented: an event saw ConfigMap ns/a u@7, which the server never had",
    ]);
  });

  test("what may have been while the auditor was cut off is counted, not blamed", () => {
    const { history, change, see } = story();
    change(1);
    history.gap("1", "9");
    see(7);
    expect([history.problems(), history.unverified]).toEqual([[], 1]);
  });

  test("what changed while it was cut off may have been seen in an earlier state", () => {
    const { history, change } = story();
    const widget = (version: number) => ({ type: "event", kind: "Widget", event: "updated", ...state(version) }) as const;
    change(1, { kind: "Widget" });
    history.saw(widget(1), 1);
    history.gap("2", "9");
    change(9, { kind: "Widget", since: "2" });
    expect(history.missing()).toHaveLength(3);
    history.saw({ ...state(5), type: "pass", ConfigMap: null, Secret: null }, 2);
    expect(history.missing()).toEqual([]);
  });

  test("informers that hold something else are named", () => {
    const { history, change } = story();
    change(1);
    const dump = (...versions: readonly number[]): Dump => ({
      Widget: [],
      ConfigMap: versions.map((version) => state(version)),
      Secret: [],
    });
    expect(history.compare(dump(1))).toEqual([]);
    expect(history.compare(dump())).toEqual(["ConfigMap ns/a: the informer holds nothing, the server has u@1"]);
    expect(history.compare(dump(2))).toEqual(["ConfigMap ns/a: the informer holds u@2, the server has u@1"]);
  });

  test("what informers hold in between is no invention, and never older than before", () => {
    const { history, change } = story();
    const dump = (version: number): Dump => ({ Widget: [], ConfigMap: [state(version)], Secret: [] });
    change(1);
    change(2);
    history.held(dump(2));
    expect(history.problems()).toEqual([]);
    history.held(dump(1));
    history.held(dump(3));
    expect(history.problems()).toEqual([
      "backwards: an informer held ConfigMap ns/a u@1 after version 2",
      "invented: an informer held ConfigMap ns/a u@3, which the server never had",
    ]);
  });

  test("what was in order is forgotten, and what is there is not", () => {
    const { history, change, see } = story();
    change(1);
    see(1);
    history.forget();
    expect(history.missing()).toEqual([]);
    change(2);
    expect(history.missing()).toEqual(["an event of ConfigMap ns/a u@2"]);
  });
});

describe("the figures of a soak", () => {
  const samples = (figure: keyof Sample, values: readonly number[]): Sample[] =>
    values.map((value, index) => ({
      minutes: index,
      rssMb: 150,
      heapMb: 40,
      files: 30,
      sockets: 3,
      timers: 1,
      passes: index,
      failures: 0,
      [figure]: value,
    }));
  const growing = Array.from({ length: 20 }, (_, index) => index);

  test.for([
    {
      name: "memory that grows",
      given: samples(
        "rssMb",
        growing.map((step) => 150 + 10 * step),
      ),
      found: ["resident memory (MB) grow: "],
    },
    { name: "sockets that are left open", given: samples("sockets", growing), found: ["sockets grow: "] },
    {
      name: "a saw of garbage collections",
      given: samples(
        "rssMb",
        growing.map((step) => 150 + 100 * (step % 4)),
      ),
      found: [],
    },
    {
      name: "a warm-up",
      given: samples(
        "rssMb",
        growing.map((step) => (step < 4 ? 80 : 200)),
      ),
      found: [],
    },
    { name: "too few samples to tell", given: samples("rssMb", [100, 200, 300, 400]), found: [] },
  ])("$name", ({ given, found }, { expect }) => {
    expect(trendProblems(given).map((problem) => problem.replace(/: .*/, ": "))).toEqual(found);
  });
});

test("docs/operations.md promises the times that the suite demands", () => {
  const section = readFileSync(join(root, "docs/operations.md"), "utf8").split("## Recovery")[1]?.split("\n## ")[0] ?? "";
  const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].map(([, what = "", time = ""]) => [what, time]);
  const seconds = (ms: number): string => `${ms / 1_000} s`;
  const demanded = Object.entries(RECOVERY).map(([what, bound]) => {
    const [none, some, long] = [bound(0), bound(10_000), bound(3_600_000)];
    return [
      what,
      some === none
        ? seconds(none)
        : `${(some - none) / 10_000} times as long as it lasted, and ${seconds(none)}; at most ${seconds(long)}`,
    ];
  });
  expect(rows.filter(([what = ""]) => what in RECOVERY)).toEqual(demanded);
});
