/**
 * Compares strategic merge patches with the recorded answers of a real server (`conformance/run.ts --record`), so that a
 * difference is found without a real server.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { recordDigests } from "./conformance/answer-digests.ts";
import { strategic } from "./conformance/scenarios/strategic.ts";

test("the answers to strategic merge patches are those of the real server", async () => {
  const golden = readFileSync(new URL("fixtures/strategic-golden.txt", import.meta.url), "utf8")
    .trim()
    .split("\n");
  expect(golden.length).toBeGreaterThan(250);
  const server = createApiServer();
  try {
    const given = (await recordDigests(strategic, server.transport(), "golden")).trim().split("\n");
    expect(given).toEqual(golden);
  } finally {
    await server.close();
  }
});
