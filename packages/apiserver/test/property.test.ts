import type { ApiRequest } from "@treadle/apimachinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import { harness, type Harness, type Json, WIDGETS, widget } from "./harness.ts";

const names = ["a", "b", "c"] as const;

type Op =
  | { readonly type: "create"; readonly name: string; readonly finalizer: boolean; readonly color: string }
  | { readonly type: "increment"; readonly name: string; readonly client: number }
  | { readonly type: "read"; readonly name: string; readonly client: number }
  | { readonly type: "color"; readonly name: string; readonly color: string }
  | { readonly type: "status"; readonly name: string; readonly phase: string }
  | { readonly type: "delete"; readonly name: string }
  | { readonly type: "release"; readonly name: string };

const name = fc.constantFrom(...names);
const color = fc.constantFrom("red", "blue");
const client = fc.integer({ min: 0, max: 2 });
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ type: fc.constant("create" as const), name, finalizer: fc.boolean(), color }),
  fc.record({ type: fc.constant("increment" as const), name, client }),
  fc.record({ type: fc.constant("read" as const), name, client }),
  fc.record({ type: fc.constant("color" as const), name, color }),
  fc.record({ type: fc.constant("status" as const), name, phase: fc.constantFrom("x", "y") }),
  fc.record({ type: fc.constant("delete" as const), name }),
  fc.record({ type: fc.constant("release" as const), name }),
);

/** Clients that read an object, wait, and write it with one changed field. */
class Clients {
  readonly #given: Harness;
  readonly #held = new Map<string, Json>();
  /** Number of increments that the server accepted, by uid. */
  readonly accepted = new Map<string, number>();

  constructor(given: Harness) {
    this.#given = given;
  }

  async run(step: Op): Promise<void> {
    const { call, merge } = this.#given;
    const path = `${WIDGETS}/${step.name}`;
    switch (step.type) {
      case "create": {
        const metadata = { labels: { color: step.color }, ...(step.finalizer ? { finalizers: ["x.y/z"] } : {}) };
        await call("POST", WIDGETS, widget(step.name, { metadata }));
        return;
      }
      case "read": {
        const { status, body } = await call("GET", path);
        if (status === 200) this.#held.set(`${step.client}/${step.name}`, body);
        return;
      }
      case "increment":
        return this.#increment(step.client, step.name, path);
      case "color":
        await merge(path, { metadata: { labels: { color: step.color } } });
        return;
      case "status":
        await merge(`${path}/status`, { status: { phase: step.phase } });
        return;
      case "delete":
        await call("DELETE", path);
        return;
      case "release":
        await merge(path, { metadata: { finalizers: null } });
        return;
    }
  }

  async #increment(of: number, object: string, path: string): Promise<void> {
    const held = this.#held.get(`${of}/${object}`);
    if (held === undefined) return;
    const { status } = await this.#given.call("PUT", path, { ...held, spec: { ...held["spec"], size: held["spec"].size + 1 } });
    if (status !== 200) return;
    const { uid } = held["metadata"];
    this.accepted.set(uid, (this.accepted.get(uid) ?? 0) + 1);
  }
}

/** Returns the state of a watcher that applies the events to an empty state. Fails for an impossible event. */
function replay(events: readonly Json[]): Map<string, Json> {
  const state = new Map<string, Json>();
  for (const { type, object } of events as readonly { type: string; object: Json }[]) {
    const key = object["metadata"].name;
    expect(state.has(key)).toBe(type !== "ADDED");
    if (type === "DELETED") state.delete(key);
    else state.set(key, object);
  }
  return state;
}

// 1. resourceVersions rise: over the events of a watch, and over the answers to writes.
// 2. A watch from the beginning, and one from any version between, lead to exactly what a list shows, with and without a selector.
// 3. Of writers that read, change and write back, no accepted change is ever lost.
// 4. generation rises only when the spec changed or the deletion began.
test("for any requests of several clients versions rise, watches agree with lists, and no update is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 40 }), fc.nat(), async (steps, at) => {
      const given = harness();
      const clients = new Clients(given);
      const all = await given.watch(`${WIDGETS}?watch=true`);
      const red = await given.watch(`${WIDGETS}?watch=true&labelSelector=color%3Dred`);
      const middle = at % steps.length;
      let halfway: { readonly list: Json; readonly version: string } | undefined;
      const sizes = new Map<string, number>();
      for (const [i, step] of steps.entries()) {
        await clients.run(step);
        for (const item of (await given.call("GET", WIDGETS)).body["items"]) sizes.set(item.metadata.uid, item.spec.size);
        if (i === middle) {
          const list = (await given.call("GET", WIDGETS)).body;
          halfway = { list, version: list["metadata"].resourceVersion };
        }
      }
      const items: readonly Json[] = (await given.call("GET", WIDGETS)).body["items"];
      const events = await all.take();
      const versions = events.map((event) => Number(event["object"].metadata.resourceVersion));
      expect(versions).toEqual([...new Set(versions)].toSorted((x, y) => x - y));
      expect([...replay(events).values()]).toEqual(expect.arrayContaining([...items]));
      expect(replay(events).size).toBe(items.length);
      const reds = items.filter((item) => item["metadata"].labels?.color === "red");
      const redState = replay(await red.take());
      expect(redState.size).toBe(reds.length);
      for (const item of reds) expect(redState.get(item["metadata"].name)).toEqual(item);
      // 2, from the middle: the list at that version and the changes since.
      const later = await given.watch(`${WIDGETS}?watch=true&resourceVersion=${halfway?.version}`);
      const start = halfway?.list["items"].map((object: Json) => ({ type: "ADDED", object }));
      const state = replay([...start, ...(await later.take())]);
      expect(state.size).toBe(items.length);
      for (const item of items) expect(state.get(item["metadata"].name)).toEqual(item);
      // 3
      for (const [uid, count] of clients.accepted) expect(sizes.get(uid)).toBe(1 + count);
      // 4
      checkGenerations(events);
      await given.server.close();
    }),
    { numRuns: 60 },
  );
});

function checkGenerations(events: readonly Json[]): void {
  const last = new Map<string, Json>();
  for (const event of events) {
    const object: Json = event["object"];
    const { uid, generation, deletionTimestamp } = object["metadata"];
    const before = last.get(uid);
    if (before !== undefined && event["type"] === "MODIFIED") {
      const isNewSpec = JSON.stringify(before["spec"]) !== JSON.stringify(object["spec"]);
      const isNewDeletion = deletionTimestamp !== undefined && before["metadata"].deletionTimestamp === undefined;
      expect(generation - before["metadata"].generation).toBe(isNewSpec || isNewDeletion ? 1 : 0);
    }
    last.set(uid, object);
  }
}

const METHODS: readonly ApiRequest["method"][] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const contentTypes = ["application/json", "application/merge-patch+json", "application/json-patch+json", "application/yaml", "text/plain"];
const paths = [
  WIDGETS,
  `${WIDGETS}/a`,
  `${WIDGETS}/a/status`,
  `${WIDGETS}/a/scale`,
  "/api/v1/namespaces/default/secrets",
  "/api/v1/namespaces",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
  "/apis/apps/v1/namespaces/default/deployments/d/scale",
];

/** Objects that are nearly valid: known field names with values of any type. */
const fields = [
  "apiVersion",
  "kind",
  "metadata",
  "spec",
  "status",
  "name",
  "labels",
  "finalizers",
  "managedFields",
  "versions",
  "names",
  "schema",
  "openAPIV3Schema",
  "properties",
  "items",
  "op",
  "path",
  "value",
  "__proto__",
  "constructor",
  "toString",
  "preconditions",
  "replicas",
  "fieldsV1",
  "f:spec",
  "conditions",
  "required",
  "default",
  "enum",
  "type",
  "x-kubernetes-list-map-keys",
];
const { nearly } = fc.letrec<{ nearly: unknown }>((tie) => ({
  nearly: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, "", "a", "example.com/v1", "Widget", "v1", "Secret", "array", "map", "object"),
    fc.array(tie("nearly"), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...fields), tie("nearly")), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
}));

// Each request gets an answer. The only 500 is that of the real server for a resourceVersion on create. Each failure is a Status, and the
// server continues to work.
test("no request makes the server crash", { tags: ["part"] }, async ({ part }) => {
  const given = harness();
  await given.call("POST", WIDGETS, widget("a"));
  const request = fc.record({
    method: fc.constantFrom(...METHODS),
    path: fc.oneof(
      fc.constantFrom(...paths),
      fc.string().map((text) => `/${text}`),
      fc.webPath().map((path) => `/apis${path}`),
    ),
    query: fc.oneof(
      fc.constant(""),
      fc.webQueryParameters(),
      fc.constantFrom("fieldManager=x", "dryRun=All", "limit=-1", "limit=1&continue=x", "labelSelector=,,", "fieldSelector=="),
    ),
    type: fc.constantFrom(...contentTypes),
    body: fc.oneof(
      nearly.map((value) => JSON.stringify(value)),
      fc.string(),
      fc.constant("[".repeat(5000)),
      fc.constant(`${"[".repeat(5000)}${"]".repeat(5000)}`),
    ),
    shape: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(request, nearly, async ({ method, path, query, type, body, shape }, part) => {
      // Half of the bodies have a valid kind, so that they pass the first check.
      const text = shape ? JSON.stringify({ ...widget("a"), spec: part, status: part }) : body;
      const response = await given.server.handle({
        method,
        path: query === "" ? path : `${path}?${query}`,
        headers: { "content-type": type },
        body: text,
      });
      if (response.stream !== undefined) return;
      if (response.status === 500) expect(response.body).toContain("resourceVersion should not be set");
      if (response.status >= 400 && response.headers["content-type"] === "application/json") {
        expect(JSON.parse(response.body)).toMatchObject({ kind: "Status", status: "Failure", code: response.status });
      }
    }),
    part.runs(1500),
  );
  expect((await given.call("GET", "/healthz")).text).toBe("ok");
  expect(Object.prototype).not.toHaveProperty("a");
});
