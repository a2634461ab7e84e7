/** What a developer sees: which passes are shown, and their text at 80 and 40 columns. */
import { expect, test } from "vitest";
import type { DevEvent } from "./events.ts";
import type { PassMessage } from "./messages.ts";
import { PassFeed } from "./passes.ts";
import { eventText } from "./text.ts";

const PASS: PassMessage = {
  controller: "shops.example.dev",
  kind: "Shop",
  object: "default/a",
  cause: "Secret default/in was updated",
  outcome: "wait",
  steps: [
    { step: "config", phase: "do", result: "done", durationMs: 12 },
    { step: "ready", phase: "do", result: "wait", reason: "the Deployment has 0 of 1 ready replicas", durationMs: 1 },
  ],
  durationMs: 23,
  nextMs: 5_000,
};
const OF_PASS = { controller: "shops.example.dev", kind: "Shop", object: "default/a", reconcileID: "1" };

function fed(isAll = false) {
  const events: DevEvent[] = [];
  const feed = new PassFeed({ isAll, onEvent: (event) => void events.push(event), placeOf: () => "src/shop.ts:12:5" });
  return { feed, news: (): readonly DevEvent[] => events.splice(0) };
}

const line = (fields: object, text: string, level = "info") => ({ level, text, fields: { ...OF_PASS, ...fields } });

function changes(feed: PassFeed): void {
  feed.line(line({ change: "created", of: { kind: "Deployment.apps", name: "default/a" }, paths: ["spec.replicas"], by: "config" }, "x"));
  feed.line(line({ condition: "Ready", status: "False", reason: "NotReady", message: "0 of 1 ready" }, "x"));
  const ofEvent = { controller: "shops.example.dev", kind: "Shop", name: "a", namespace: "default" };
  feed.line({ level: "info", text: "made it", fields: { ...ofEvent, event: { type: "Normal", reason: "Created" } } });
  feed.line(line({ step: "config", size: 3 }, "looking"));
}

test("a pass has its writes, conditions, events and lines", () => {
  const { feed, news } = fed();
  changes(feed);
  feed.pass(PASS);
  expect(news()).toEqual([
    {
      type: "pass",
      controller: "shops.example.dev",
      object: { kind: "Shop", name: "default/a" },
      cause: "Secret default/in was updated",
      outcome: "wait",
      durationMs: 23,
      steps: PASS.steps,
      writes: [{ operation: "created", object: { kind: "Deployment", name: "default/a" }, paths: ["spec.replicas"], step: "config" }],
      conditions: [{ type: "Ready", status: "False", reason: "NotReady", message: "0 of 1 ready" }],
      events: [{ type: "Normal", reason: "Created", note: "made it" }],
      lines: [{ level: "info", text: "looking", fields: { step: "config", size: 3 } }],
      nextMs: 5_000,
    },
  ]);
});

test("passes that repeat the last one and change nothing are counted, and shown with --all", () => {
  const { feed, news } = fed();
  for (let i = 0; i < 4; i++) feed.pass(PASS);
  feed.pass({ ...PASS, object: "default/b" });
  expect(news().map((event) => (event.type === "quiet" ? event.passes : event.type))).toEqual(["pass", 3, "pass"]);
  feed.pass(PASS);
  feed.count();
  feed.count();
  expect(news()).toEqual([{ type: "quiet", passes: 1 }]);
  const all = fed(true);
  for (let i = 0; i < 3; i++) all.feed.pass(PASS);
  expect(all.news()).toHaveLength(3);
});

test("a pass with another outcome, or a write, is shown", () => {
  const { feed, news } = fed();
  feed.pass(PASS);
  feed.pass({ ...PASS, outcome: "done", steps: [] });
  feed.line(line({ change: "updated", of: { kind: "Shop.example.dev", name: "default/a" }, paths: ["status.text"] }, "x"));
  feed.pass({ ...PASS, outcome: "done", steps: [] });
  expect(news()).toHaveLength(3);
});

test("the same failure is shown once, with its place", () => {
  const { feed, news } = fed();
  for (let i = 0; i < 2; i++) {
    feed.line(line({ error: "boom", stack: "at ...", outcome: "failed" }, "pass failed", "error"));
    feed.pass({ ...PASS, outcome: "failed" });
  }
  expect(news()).toMatchObject([{ error: "boom", place: "src/shop.ts:12:5" }]);
});

test("lines outside of passes are shown if they are warnings", () => {
  const { feed, news } = fed();
  feed.line({ level: "info", text: "caches have synced", fields: {} });
  feed.line({ level: "warn", text: "slow", fields: { ms: 5 } });
  expect(news()).toEqual([{ type: "log", level: "warn", text: "slow", fields: { ms: 5 } }]);
});

/** One event of each type. */
function everything(): readonly DevEvent[] {
  const { feed, news } = fed();
  changes(feed);
  feed.pass(PASS);
  feed.pass(PASS);
  feed.line(line({ error: "boom", stack: "at ..." }, "pass failed", "error"));
  const failed = { step: "ready", phase: "cleanup", result: "failed", reason: "boom", durationMs: 1_234 } as const;
  feed.pass({ ...PASS, cause: "Shop default/a was deleted", outcome: "failed", steps: [failed] });
  const passes = news();
  return [
    { type: "cluster", server: "https://127.0.0.1:6443", isInMemory: true, kubeconfig: "/home/me/my shop/.treadle/dev.kubeconfig" },
    { type: "loading", module: "src/main.ts", reason: "start", files: [] },
    { type: "failed", message: "Unexpected token\n  at src/shop.ts:12", isPreviousRunning: false },
    { type: "loading", module: "src/main.ts", reason: "edit", files: ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"] },
    { type: "applied", what: "crd", object: { kind: "CustomResourceDefinition", name: "shops.example.dev" }, operation: "created" },
    { type: "started", handlers: ["shops.example.dev"], durationMs: 640, pid: 4711 },
    { type: "applied", what: "sample", object: { kind: "Shop", name: "default/a" }, operation: "updated" },
    { type: "refused", message: "deploy/samples/b.yaml: apiVersion or kind is missing" },
    ...passes,
    { type: "output", stream: "stdout", text: "what the program prints" },
    { type: "log", level: "warn", text: "the event loop was blocked", fields: { ms: 500 } },
    { type: "note", message: "the webhooks of the program are not registered" },
    { type: "failed", message: "boom", isPreviousRunning: true },
    { type: "ended", how: "exit code 1", message: "boom", retryMs: 2_000 },
    { type: "loading", module: "src/main.ts", reason: "crash", files: [] },
    { type: "stopping" },
  ];
}

const textOf = (columns: number | undefined, hasColors = false): string =>
  everything()
    .map((event) => eventText(event, { columns, hasColors, time: () => "10:12:03" }))
    .join("");

test("the text of all events in 80 columns", () => {
  const text = textOf(80);
  expect(Math.max(...text.split("\n").map((each) => each.length))).toBeLessThanOrEqual(80);
  expect(text).toMatchInlineSnapshot(`
    "10:12:03 in-memory cluster at https://127.0.0.1:6443
      export KUBECONFIG='/home/me/my shop/.treadle/dev.kubeconfig'
    10:12:03 loading src/main.ts
    10:12:03 cannot start the operator: Unexpected token
      at src/shop.ts:12
      Waiting for an edit.
    10:12:03 loading src/main.ts: src/a.ts, src/b.ts, src/c.ts and 1 more were
      edited
    10:12:03 CRD shops.example.dev was created
    10:12:03 operator running after 640 ms: shops.example.dev
    10:12:03 sample Shop default/a was updated
    10:12:03 deploy/samples/b.yaml: apiVersion or kind is missing
    10:12:03 Shop default/a: Secret default/in was updated (23 ms)
      done   config, 12 ms
      waits  ready, 1 ms: the Deployment has 0 of 1 ready replicas
      created Deployment default/a by config: spec.replicas
      Ready is False (NotReady): 0 of 1 ready
      event Created: made it
      config info: looking {"size":3}
      next pass in 5 s
    10:12:03 1 pass changed nothing
    10:12:03 Shop default/a was deleted (23 ms)
      failed ready (cleanup), 1.2 s: boom
        at src/shop.ts:12:5
      next pass in 5 s
    | what the program prints
    10:12:03 warn: the event loop was blocked {"ms":500}
    10:12:03 the webhooks of the program are not registered
    10:12:03 cannot start the operator: boom
      The previous operator keeps running. Waiting for an edit.
    10:12:03 the operator ended with exit code 1
      boom
      Restarting in 2 s.
    10:12:03 loading src/main.ts again
    10:12:03 stopping; press Ctrl-C again to end at once
    "
  `);
});

test("the text of all events in 40 columns", () => {
  const text = textOf(40);
  const others = text.split("\n").filter((each) => !each.includes("export "));
  expect(Math.max(...others.map((each) => each.length))).toBeLessThanOrEqual(40);
  expect(text).toMatchInlineSnapshot(`
    "10:12:03 in-memory cluster at
      https://127.0.0.1:6443
      export KUBECONFIG='/home/me/my shop/.treadle/dev.kubeconfig'
    10:12:03 loading src/main.ts
    10:12:03 cannot start the operator:
      Unexpected token
      at src/shop.ts:12
      Waiting for an edit.
    10:12:03 loading src/main.ts: src/a.ts,
      src/b.ts, src/c.ts and 1 more
      were edited
    10:12:03 CRD shops.example.dev was
      created
    10:12:03 operator running after 640 ms:
      shops.example.dev
    10:12:03 sample Shop default/a was
      updated
    10:12:03 deploy/samples/b.yaml:
      apiVersion or kind is missing
    10:12:03 Shop default/a: Secret
      default/in was updated (23 ms)
      done   config, 12 ms
      waits  ready, 1 ms: the Deployment
        has 0 of 1 ready replicas
      created Deployment default/a by
        config: spec.replicas
      Ready is False (NotReady): 0 of 1
        ready
      event Created: made it
      config info: looking {"size":3}
      next pass in 5 s
    10:12:03 1 pass changed nothing
    10:12:03 Shop default/a was deleted (23
      ms)
      failed ready (cleanup), 1.2 s: boom
        at src/shop.ts:12:5
      next pass in 5 s
    | what the program prints
    10:12:03 warn: the event loop was
      blocked {"ms":500}
    10:12:03 the webhooks of the program are
      not registered
    10:12:03 cannot start the operator: boom
      The previous operator keeps running.
        Waiting for an edit.
    10:12:03 the operator ended with exit
      code 1
      boom
      Restarting in 2 s.
    10:12:03 loading src/main.ts again
    10:12:03 stopping; press Ctrl-C again to
      end at once
    "
  `);
});

test("in a pipe no line is broken and nothing is coloured, and a terminal has colours", () => {
  expect(textOf(undefined)).not.toContain("\u001B");
  expect(textOf(undefined)).toContain("  The previous operator keeps running. Waiting for an edit.\n");
  expect(textOf(80, true)).toContain("\u001B[31m");
});
