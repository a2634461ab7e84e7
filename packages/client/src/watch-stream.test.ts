import { isExpired, kind } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failure, scriptedTransport, socketError, stream } from "../test/scripted-transport.ts";
import { createClient } from "./create-client.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const added = (name: string) => ({ type: "ADDED", object: { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name } } });
const line = (event: object): string => `${JSON.stringify(event)}\n`;

async function watch(...chunks: readonly (string | Error)[]) {
  const client = createClient({ transport: scriptedTransport(stream(...chunks)), server: "https://api" });
  return client.watch(Widget);
}

/** The events before the stream ended, and what it ended with. */
async function read(events: AsyncIterable<unknown>): Promise<{ readonly events: readonly unknown[]; readonly error?: unknown }> {
  const seen: unknown[] = [];
  try {
    for await (const event of events) seen.push(event);
    return { events: seen };
  } catch (error) {
    return { events: seen, error };
  }
}

describe("a watch", () => {
  test("requests bookmarks and the given options", async () => {
    const transport = scriptedTransport(stream(""));
    const client = createClient({ transport });
    await client.watch(Widget, { namespace: "ns", labelSelector: { a: "b" }, resourceVersion: "7", timeoutSeconds: 300 });
    await client.watch(Widget, { sendInitialEvents: true, allowBookmarks: false });
    expect(transport.requests).toMatchObject([
      {
        path: "/apis/example.dev/v1/namespaces/ns/widgets?watch=true&allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersion=7&timeoutSeconds=300",
        stream: true,
      },
      {
        path: "/apis/example.dev/v1/widgets?watch=true&allowWatchBookmarks=false&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        stream: true,
      },
    ]);
  });

  // Invariant: how the bytes are cut into chunks changes nothing.
  test("gives the same events for any split of its text", async () => {
    const events = [added("a"), added("ümläut-🧵"), { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } }, added("b\\n")];
    const text = events.map(line).join("");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 12 }), async (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const chunks = edges.slice(1).map((end, index) => text.slice(edges[index], end));
        expect(await read(await watch(...chunks))).toEqual({ events });
      }),
    );
  });

  test("skips blank lines, and accepts a complete last event without a line end", async () => {
    expect(await read(await watch(`\n\r\n${line(added("a"))}\n`, JSON.stringify(added("b"))))).toEqual({
      events: [added("a"), added("b")],
    });
  });

  test("passes an ERROR on as an event", async () => {
    const error = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };
    expect(await read(await watch(line(error)))).toEqual({ events: [error] });
  });

  test.for([
    {
      name: "cut inside an event",
      chunks: [line(added("a")), '{"type":"ADDED","object":{"secret":"hunter2'],
      code: "ERR_STREAM_TRUNCATED",
    },
    { name: "broken by the connection", chunks: [line(added("a")), socketError("ECONNRESET")], code: "ERR_CONNECTION_LOST" },
    { name: "of other JSON", chunks: [line(added("a")), '{"hunter2":1}\n'], code: "ERR_INVALID_RESPONSE" },
    ...[
      "null",
      "[]",
      '"hunter2"',
      '{"type":"ADDED"}',
      '{"type":"ADDED","object":null}',
      '{"type":"MODIFIED","object":{}}',
      '{"type":"DELETED","object":{"metadata":null}}',
      '{"type":"BOOKMARK","object":[]}',
      '{"type":"ERROR","object":null}',
    ].map((text) => ({ name: `with ${text}`, chunks: [line(added("a")), `${text}\n`], code: "ERR_INVALID_RESPONSE" })),
  ])("$name gives the events before, then an error without its contents", async ({ chunks, code }) => {
    const { events, error } = await read(await watch(...chunks));
    expect(events).toEqual([added("a")]);
    expect(error).toMatchObject({ name: "ConnectionError", code });
    expect(String(error)).not.toContain("hunter2");
    expect(String(error)).toContain("ConnectionError: cannot watch Widget: ");
    expect(String(error)).toContain("https://api");
  });

  test("with an endless line ends at 16 MiB", async () => {
    const megabyte = "x".repeat(1024 * 1024);
    let given = 0;
    async function* endless(): AsyncGenerator<string> {
      for (; given < 100; given++) yield megabyte;
    }
    const client = createClient({ transport: scriptedTransport({ status: 200, headers: {}, stream: endless() }), server: "https://api" });
    const { events, error } = await read(await client.watch(Widget));
    expect([events, given]).toEqual([[], 16]);
    expect(error).toMatchObject({ code: "ERR_INVALID_RESPONSE", server: "https://api" });
  });

  test("that the server refuses is an API error, also when the refusal is streamed", async () => {
    const gone = failure(410, "Expired", "too old resource version: 1 (7)");
    const asStream = { ...stream(gone.body ?? ""), status: 410 };
    for (const reply of [gone, asStream]) {
      const client = createClient({ transport: scriptedTransport(reply) });
      const error = await client.watch(Widget, { namespace: "ns" }).catch((cause: unknown) => cause);
      expect(error).toSatisfy(isExpired);
      expect(error).toMatchObject({ message: "cannot watch Widget in namespace ns: too old resource version: 1 (7)" });
    }
  });
});

describe("leaving a watch", () => {
  function silent() {
    let isClosed = false;
    const events = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<string>>(() => {}),
        return: () => {
          isClosed = true;
          return Promise.resolve({ done: true as const, value: undefined });
        },
      }),
    };
    const client = createClient({ transport: scriptedTransport({ status: 200, headers: {}, stream: events }) });
    return { client, isClosed: () => isClosed };
  }

  test("by abort throws the signal's reason, also while the server is silent", async () => {
    const { client, isClosed } = silent();
    const controller = new AbortController();
    const reading = read(await client.watch(Widget, { signal: controller.signal }));
    const reason = new Error("boom");
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    expect(await reading).toEqual({ events: [], error: reason });
    expect(isClosed()).toBe(true);
  });

  test("by abort gives no event that was received already", async () => {
    const controller = new AbortController();
    const client = createClient({ transport: scriptedTransport(stream(line(added("a")) + line(added("b")))) });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of await client.watch(Widget, { signal: controller.signal })) {
        seen.push(event);
        controller.abort(new Error("boom"));
      }
    })();
    await expect(reading).rejects.toThrow("boom");
    expect(seen).toEqual([added("a")]);
  });

  test("by break closes the stream", async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield line(added("a"));
      } finally {
        isClosed = true;
      }
    }
    const client = createClient({ transport: scriptedTransport({ status: 200, headers: {}, stream: endless() }) });
    for await (const event of await client.watch(Widget)) {
      expect(event).toEqual(added("a"));
      break;
    }
    expect(isClosed).toBe(true);
  });
});
