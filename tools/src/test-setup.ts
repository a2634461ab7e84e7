/** vitest.config.ts loads this file before each test file: long tests that are not in the part of this run are skipped. */
import { beforeEach, inject } from "vitest";
import { testPart } from "./test-part.ts";

const part = testPart(inject("part"));

beforeEach((context) => {
  context.part = part;
  const { task } = context;
  if (task.tags?.includes("long") === true && !part.has(task.fullTestName)) context.skip("not in the random part of the long tests");
});
