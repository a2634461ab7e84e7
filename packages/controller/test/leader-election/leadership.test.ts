import type { ApiRequest } from "@treadle/apimachinery";
import type { Client, RawContext } from "@treadle/client";
import { expect, test } from "vitest";
import { leadersFence } from "../../src/leader-election/leadership.ts";

test.for(["GET", "POST"])("the description of a raw %s reaches the client", async (method) => {
  const told: (RawContext | undefined)[] = [];
  const raw = async (_: ApiRequest, about?: RawContext): Promise<{ readonly status: number; readonly headers: object }> => {
    told.push(about);
    return { status: 200, headers: {} };
  };
  const leadership = { isLeading: true, signal: new AbortController().signal, require: () => undefined };
  const client = leadersFence(leadership)({ raw } as unknown as Client); // all that is called
  await client.raw({ method, path: "/x", headers: {} } as ApiRequest, { retry: false, verb: "evict" });
  expect(told).toEqual([{ retry: false, verb: "evict" }]);
});

test("the end of the leadership aborts a write of each client, and a later one is refused", async () => {
  const ended = new AbortController();
  const over = new Error("lost the leadership");
  const leadership = { isLeading: true, signal: ended.signal, require: () => ended.signal.throwIfAborted() };
  const fenced = leadersFence(leadership);
  const sent: string[] = [];
  const named = (name: string): Client =>
    fenced({
      raw: ({ signal }: ApiRequest) => {
        sent.push(name);
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
      },
    } as unknown as Client); // All that is called.
  const request: ApiRequest = { method: "POST", path: "/x", headers: {} };
  const clients = ["own", "other"].map(named);
  const writes = clients.map((client) => client.raw(request));
  ended.abort(over);
  expect(await Promise.allSettled(writes)).toEqual(writes.map(() => ({ status: "rejected", reason: over })));
  for (const client of clients) await expect(client.raw(request)).rejects.toBe(over);
  expect(sent).toEqual(["own", "other"]);
});
