/** The informer over the real client against the in-memory API server. */
import { createApiServer, type ApiServer } from "@treadle/apiserver";
import { type ApiRequest, fakeClock, type FakeClock, isTooManyRequests, kind, seededRandom, type Transport } from "@treadle/apimachinery";
import { type Client, createClient } from "@treadle/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createInformer, type Informer } from "../src/index.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = (name: string) => ({ name, namespace: "default" });

interface Cluster {
  readonly clock: FakeClock;
  readonly server: ApiServer;
  readonly client: Client;
  readonly informer: Informer<typeof Widget>;
  /** Events since the last call. */
  events(): string[];
  /** Lists and watches since the last call. */
  requests(): string[];
}

function cluster(options: { readonly isServed?: boolean; readonly pageSize?: number } = {}): Cluster {
  const clock = fakeClock();
  const random = seededRandom(1);
  let uids = 0;
  let seen: string[] = [];
  let asked: string[] = [];
  const server = createApiServer({
    clock,
    random,
    uid: () => `uid-${++uids}`,
    resources: options.isServed === false ? [] : [Widget],
    onRequest: (request: ApiRequest) => {
      if (request.method === "GET") asked.push(request.path.includes("watch") ? "watch" : "list");
    },
  });
  const client = createClient({ transport: server.transport(), clock, random });
  const { pageSize = 250 } = options;
  const informer = createInformer({ client, kind: Widget, clock, random, pageSize, onError: () => undefined });
  informer.onEvent((event) => void seen.push(`${event.type} ${event.object.metadata.name}`));
  const take = <T>(list: T[]): T[] => list.splice(0);
  return { clock, server, client, informer, events: () => take(seen), requests: () => take(asked) };
}

const body = (name: string, spec: object = {}) => ({ apiVersion: "example.dev/v1", kind: "Widget", metadata: ref(name), spec });

/** Lets requests, responses and events arrive. */
async function quiet({ clock }: Cluster): Promise<void> {
  for (let i = 0; i < 10; i++) await clock.advance(0);
}

test("an informer shows writes of others, from the first list on", async () => {
  const c = cluster();
  await c.client.create(Widget, body("a"));
  c.informer.start();
  await c.informer.synced();
  expect(c.events()).toEqual(["added a"]);
  const b = await c.client.create(Widget, body("b"));
  await c.client.update(Widget, { ...b, spec: { n: 1 } });
  await c.client.delete(Widget, ref("a"));
  await quiet(c);
  expect(c.events()).toEqual(["added b", "updated b", "deleted a"]);
  const { managedFields: _, ...metadata } = (await c.client.get(Widget, ref("b")))?.metadata ?? { name: "" };
  expect(c.informer.get(ref("b"))).toEqual({ ...body("b"), spec: { n: 1 }, metadata });
  await c.informer.stop();
  await quiet(c);
  expect(c.server.watchCount).toBe(0);
});

test("an idle informer sends only a new watch at the end of each watch within an hour", async () => {
  const c = cluster();
  c.informer.start();
  await c.informer.synced();
  c.requests();
  await c.clock.advance(3_600_000);
  const requests = c.requests();
  expect(new Set(requests)).toEqual(new Set(["watch"]));
  expect(requests.length).toBeLessThanOrEqual(12);
  expect(c.informer.progress()).toMatchObject({ hasSynced: true, lastError: undefined });
  expect(c.informer.progress().ageMs).toBeLessThanOrEqual(60_000);
  await c.client.create(Widget, body("a"));
  await quiet(c);
  expect(c.events()).toEqual(["added a"]);
  await c.informer.stop();
});

test("an informer lists a kind that is installed later", async () => {
  const c = cluster({ isServed: false });
  c.informer.start();
  await c.clock.advance(25_000);
  expect(c.informer.progress().lastError).toMatchObject({ code: "ERR_KIND_NOT_SERVED" });
  c.server.install(Widget);
  await c.client.create(Widget, body("a"));
  await c.clock.advance(10_000);
  await quiet(c);
  expect(c.informer.hasSynced).toBe(true);
  expect(c.events()).toEqual(["added a"]);
  await c.informer.stop();
});

test("own writes can be read at once and are not reported", async () => {
  const c = cluster();
  c.informer.start();
  await c.informer.synced();
  for (let n = 0; n < 5; n++) {
    const done = c.informer.expectWrite(ref("a"));
    const written =
      n === 0 ? await c.client.create(Widget, body("a")) : await c.client.patch(Widget, ref("a"), { type: "merge", body: { spec: { n } } });
    await quiet(c); // The echo is here before the response is.
    c.informer.observeWrite(written);
    done();
    expect(c.informer.get(ref("a"))?.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  }
  const { uid = "" } = c.informer.get(ref("a"))?.metadata ?? {};
  const done = c.informer.expectWrite(ref("a"));
  await c.client.delete(Widget, ref("a"));
  await quiet(c);
  c.informer.observeDelete(ref("a"), uid);
  done();
  expect(c.informer.get(ref("a"))).toBeUndefined();
  await quiet(c);
  expect(c.events()).toEqual([]);
  await c.informer.stop();
});

// Invariant: after any writes, lost history and cut connections, the store has the objects of the server, and so has a
// handler that applies events.
test("the store ends with the objects of the server", async () => {
  const act = fc.record({
    verb: fc.constantFrom("create", "update", "delete", "compact", "wait", "quiet"),
    name: fc.constantFrom("a", "b", "c"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      const c = cluster();
      const copy = new Map<string, string | undefined>();
      c.informer.onEvent(
        ({ type, object: { metadata } }) =>
          void (type === "deleted" ? copy.delete(metadata.name) : copy.set(metadata.name, metadata.resourceVersion)),
      );
      c.informer.start();
      for (const { verb, name } of acts) {
        if (verb === "create") await c.client.create(Widget, body(name)).catch(() => undefined);
        if (verb === "update")
          await c.client
            .patch(Widget, ref(name), { type: "merge", body: { spec: { at: c.server.resourceVersion } } })
            .catch(() => undefined);
        if (verb === "delete") await c.client.delete(Widget, ref(name));
        if (verb === "compact") c.server.compact();
        if (verb === "wait") await c.clock.advance(400_000);
        if (verb === "quiet") await quiet(c);
      }
      await c.clock.advance(60_000);
      await quiet(c);
      const has = (await c.client.list(Widget)).items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
      expect(
        c.informer
          .list()
          .map(({ metadata }) => [metadata.name, metadata.resourceVersion])
          .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      ).toEqual(has);
      expect([...copy].toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual(has);
      await c.informer.stop();
    }),
    { numRuns: 40 },
  );
});

test.for([
  ["15", [0, 15_000, 30_000, 45_000, 60_000, 75_000, 90_000, 105_000, 120_000]],
  ["86400", [0, 60_000, 120_000]],
] as const)(
  "a server that is too busy is reported as such, and asked again after just the time that it wants, a minute at most: %s s",
  async ([seconds, want]) => {
    const clock = fakeClock(0);
    const random = seededRandom(1);
    const asked: number[] = [];
    const status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 429, message: "slow down" };
    const transport: Transport = {
      request: async () => {
        asked.push(clock.now());
        return { status: 429, headers: { "retry-after": seconds }, body: JSON.stringify({ ...status, reason: "TooManyRequests" }) };
      },
      close: async () => undefined,
    };
    const errors: unknown[] = [];
    const client = createClient({ transport, clock, random });
    const informer = createInformer({ client, kind: Widget, clock, random, onError: (error) => void errors.push(error) });
    informer.start();
    for (let second = 0; second < 120; second++) await clock.advance(1000);
    expect(asked).toEqual(want);
    expect(errors).toHaveLength(want.length);
    expect(errors.every(isTooManyRequests)).toBe(true);
    expect(informer.progress().lastError).toMatchObject({ code: "ERR_TOO_MANY_REQUESTS", retryAfterMs: Number(seconds) * 1000 });
    await informer.stop();
  },
);
