import * as undici from "undici";
import { expect, test } from "vitest";
import * as parts from "./undici-parts.ts";

test("the parts of undici are those of its index, and none is missing", () => {
  const { Agent, Pool, ProxyAgent, buildConnector } = undici;
  expect({ ...parts }).toEqual({ Agent, Pool, ProxyAgent, buildConnector });
  expect(parts.Agent).toBe(undici.Agent);
  expect(new parts.Agent().request).toBeTypeOf("function");
});
