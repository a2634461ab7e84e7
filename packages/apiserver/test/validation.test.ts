/** Compares valid and invalid objects of built-in kinds with the recorded answers of a real server (`conformance/record-validation.ts`). */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { validation } from "./conformance/scenarios/validation.ts";
import { verdicts } from "./conformance/verdicts.ts";

const golden = readFileSync(new URL("fixtures/validation.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");

test("built-in objects are accepted and refused as by the real server, with its texts", async () => {
  const server = createApiServer();
  try {
    expect(await verdicts(validation, server.transport(), "golden")).toEqual(golden);
  } finally {
    await server.close();
  }
});
