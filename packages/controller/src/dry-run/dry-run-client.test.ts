import type { ApiRequest } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { expect, test } from "vitest";
import { dryRunClient } from "./dry-run-client.ts";

test.for([
  { name: "a read", method: "GET", path: "/api/v1/pods", isSent: true },
  { name: "a write", method: "PATCH", path: "/api/v1/pods/a", isSent: false },
  { name: "a write that the server only tries", method: "PATCH", path: "/api/v1/pods/a?fieldManager=a&dryRun=All", isSent: true },
  { name: "a write with another value of dryRun", method: "PATCH", path: "/api/v1/pods/a?dryRun=", isSent: false },
  { name: "a write with two values of dryRun", method: "PATCH", path: "/api/v1/pods/a?dryRun=&dryRun=All", isSent: false },
] as const)("a raw request of a dry run: $name, sent: $isSent", async ({ method, path, isSent }) => {
  const sent: string[] = [];
  const raw = async (request: ApiRequest): Promise<object> => {
    sent.push(request.path);
    return { status: 200, headers: {}, body: "{}" };
  };
  const client = dryRunClient({ raw } as unknown as Client, () => undefined); // All that is called.
  await client.raw({ method, path, headers: {} }).catch(() => undefined);
  expect(sent).toEqual(isSent ? [path] : []);
});
