import type { ApiRequest } from "@treadle/apimachinery";
import type { Client, RawContext } from "@treadle/client";
import { expect, test } from "vitest";
import { leadersClient } from "../../src/leader-election/leadership.ts";

test.for(["GET", "POST"])("the description of a raw %s reaches the client", async (method) => {
  const told: (RawContext | undefined)[] = [];
  const raw = async (_: ApiRequest, about?: RawContext): Promise<{ readonly status: number; readonly headers: object }> => {
    told.push(about);
    return { status: 200, headers: {} };
  };
  const leadership = { isLeading: true, signal: new AbortController().signal, require: () => undefined };
  const client = leadersClient({ raw } as unknown as Client, leadership); // all that is called
  await client.raw({ method, path: "/x", headers: {} } as ApiRequest, { retry: false, verb: "evict" });
  expect(told).toEqual([{ retry: false, verb: "evict" }]);
});
