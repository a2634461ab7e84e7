import { type ApiRequest, fakeClock, kind, seededRandom, type Transport } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { failure, json, type Reply, socketError, stream } from "../test/scripted-transport.ts";
import { createClient } from "./create-client.ts";
import { follow, type FollowEvent, type FollowOptions } from "./follow.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const object = (name: string, resourceVersion: string): object => ({ kind: "Widget", metadata: { name, resourceVersion } });
const list = (resourceVersion: string, ...items: readonly object[]): Reply =>
  json(200, { kind: "WidgetList", metadata: { resourceVersion }, items });
const line = (type: string, given: object): string => `${JSON.stringify({ type, object: given })}\n`;
const expired = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version: 2 (7)" };

/** Follows over a server that answers from a script, until the script is used up: the last watch then aborts it. */
async function told(script: readonly Reply[], options: FollowOptions = {}) {
  const clock = fakeClock();
  const requests: ApiRequest[] = [];
  const pauses: number[] = [];
  const controller = new AbortController();
  const end = new Error("the script is used up");
  const transport: Transport = {
    async request(request) {
      const reply = script[requests.length];
      requests.push(request);
      if (reply === undefined) {
        controller.abort(end);
        throw end;
      }
      const answer = typeof reply === "function" ? await reply(request) : reply;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: () => Promise.resolve(),
  };
  const client = createClient({ transport, clock, retry: false });
  const seen: string[] = [];
  const reading = (async () => {
    const given = {
      clock,
      random: seededRandom(1),
      signal: controller.signal,
      onInterruption: (_: unknown, ms: number) => pauses.push(ms),
      ...options,
    };
    for await (const event of follow(client, Widget, given)) seen.push(shown(event));
  })();
  let error: unknown;
  let isOver = false;
  void reading
    .catch((cause: unknown) => (error = cause))
    .finally(() => {
      isOver = true;
    });
  while (!isOver) await clock.advance(clock.nextDue() === undefined ? 0 : Math.max(0, (clock.nextDue() ?? 0) - clock.now()));
  return { seen, requests, pauses, error: error === end ? undefined : error };
}

function shown(event: FollowEvent<{ readonly metadata: { readonly name: string } }>): string {
  if (event.type === "SYNCED") return `SYNCED ${event.resourceVersion}`;
  return event.type === "RESTARTED" ? "RESTARTED" : `${event.type} ${event.object.metadata.name}`;
}

const versions = (requests: readonly ApiRequest[]): readonly string[] =>
  requests.map(({ path }) => {
    const query = new URLSearchParams(path.split("?")[1]);
    return query.has("watch") ? `watch ${query.get("resourceVersion")}` : `list ${query.get("continue") ?? ""}`.trim();
  });

describe("follow", () => {
  test("reports the current state, then changes, and continues where a watch ended", async () => {
    const { seen, requests, error } = await told([
      json(200, { kind: "WidgetList", metadata: { resourceVersion: "1", continue: "t" }, items: [object("a", "1")] }),
      list("1", object("b", "1")),
      stream(line("MODIFIED", object("a", "2")), line("BOOKMARK", object("", "5"))),
      socketError("ECONNRESET"),
      stream(line("DELETED", object("b", "6")), socketError("ECONNRESET")),
      failure(429, "TooManyRequests", "busy"),
      failure(500, "InternalError", "oh"),
      stream(line("ADDED", object("c", "7"))),
    ]);
    expect(error).toBeUndefined();
    expect(seen).toEqual(["ADDED a", "ADDED b", "SYNCED 1", "MODIFIED a", "DELETED b", "ADDED c"]);
    expect(versions(requests)).toEqual(["list", "list t", "watch 1", "watch 5", "watch 5", "watch 6", "watch 6", "watch 6", "watch 7"]);
  });

  test.for([
    { name: "in the stream", reply: stream(line("ERROR", expired)) },
    { name: "as the answer", reply: failure(410, "Expired", "too old") },
  ])("reports RESTARTED when the server no longer has the version ($name)", async ({ reply }) => {
    const { seen, requests, pauses } = await told([
      list("1", object("a", "1")),
      stream(line("MODIFIED", object("a", "2"))),
      reply,
      list("9"),
    ]);
    expect(seen).toEqual(["ADDED a", "SYNCED 1", "MODIFIED a", "RESTARTED", "SYNCED 9"]);
    expect(versions(requests)).toEqual(["list", "watch 1", "watch 2", "list", "watch 9"]);
    expect(pauses).toEqual([0]);
  });

  test("asks a server that loses every version less and less often", async () => {
    const gone = failure(410, "Expired", "too old");
    const { pauses } = await told([list("1"), gone, list("2"), gone, list("3"), gone]);
    expect(pauses.map((ms) => Math.floor(ms / 800))).toEqual([1, expect.any(Number), expect.any(Number)]);
    expect(pauses[1]).toBeGreaterThanOrEqual(1600);
    expect(pauses[2]).toBeGreaterThanOrEqual(3200);
  });

  test("reports RESTARTED and reads the state again when a list broke", async () => {
    const { seen } = await told([
      json(200, { kind: "WidgetList", metadata: { resourceVersion: "1", continue: "t" }, items: [object("a", "1")] }),
      failure(410, "Expired", "the token is too old"),
      list("2", object("a", "1"), object("b", "2")),
    ]);
    expect(seen).toEqual(["ADDED a", "RESTARTED", "ADDED a", "ADDED b", "SYNCED 2"]);
  });

  test("reports changes only when a version is given", async () => {
    const { seen, requests } = await told([stream(line("ADDED", object("a", "8")))], { resourceVersion: "7" });
    expect(seen).toEqual(["ADDED a"]);
    expect(versions(requests)).toEqual(["watch 7", "watch 8"]);
  });

  test("opens a watch that is silent for 90 s again at the same version", async () => {
    const silent: Reply = () => ({
      status: 200,
      headers: {},
      stream: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) },
    });
    const { seen, requests, pauses } = await told([list("1"), silent, stream(line("ADDED", object("a", "2")))]);
    expect(seen).toEqual(["SYNCED 1", "ADDED a"]);
    expect(versions(requests)).toEqual(["list", "watch 1", "watch 1", "watch 2"]);
    expect(pauses).toEqual([]);
  });

  test("waits as long as the server asks", async () => {
    const busy = json(429, { kind: "Status", message: "busy" }, { "retry-after": "60" });
    const { pauses } = await told([list("1"), busy, stream("")]);
    expect(pauses).toEqual([60_000]);
  });

  test.for([
    { name: "a kind that is not served", script: [failure(404, "NotFound", "no")], code: "ERR_KIND_NOT_SERVED" },
    { name: "a refusal", script: [failure(403, "Forbidden", "no")], code: "ERR_FORBIDDEN" },
    { name: "a refusal of the watch alone", script: [list("1"), failure(403, "Forbidden", "no")], code: "ERR_FORBIDDEN" },
    { name: "a bad selector", script: [failure(400, "BadRequest", "no")], code: "ERR_BAD_REQUEST" },
    { name: "a wrong certificate", script: [socketError("SELF_SIGNED_CERT_IN_CHAIN")], code: "ERR_TLS" },
  ])("ends with $name", async ({ script, code }) => {
    expect((await told(script)).error).toMatchObject({ code });
  });

  test("reads the state again after a refusal, less and less often, where onRefusal is given", async () => {
    const refusals: string[] = [];
    const onRefusal = (error: unknown, ms: number): void =>
      void refusals.push(`${(error as { readonly code: string }).code} ${Math.floor(ms / 800)}`);
    const forbidden = failure(403, "Forbidden", "no");
    const script = [forbidden, forbidden, list("1", object("a", "1")), forbidden, list("2"), stream(line("ADDED", object("b", "3")))];
    const { seen, requests, pauses, error } = await told(script, { onRefusal });
    expect(error).toBeUndefined();
    expect(seen).toEqual(["RESTARTED", "RESTARTED", "ADDED a", "SYNCED 1", "RESTARTED", "SYNCED 2", "ADDED b"]);
    expect(versions(requests)).toEqual(["list", "list", "list", "watch 1", "list", "watch 2", "watch 3"]);
    expect(refusals).toEqual(["ERR_FORBIDDEN 1", expect.stringMatching(/ [23]$/), expect.stringMatching(/ [4-7]$/)]);
    expect(pauses).toEqual([]);
  });

  test("waits while credentials or certificates that worked before fail", async () => {
    const { seen } = await told([
      list("1"),
      stream(line("ADDED", object("a", "2"))),
      socketError("CERT_HAS_EXPIRED"),
      failure(401, "Unauthorized", "no"),
      stream(line("ADDED", object("b", "3"))),
    ]);
    expect(seen).toEqual(["SYNCED 1", "ADDED a", "ADDED b"]);
  });
});
