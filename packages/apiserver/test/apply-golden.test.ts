/**
 * Random sequences against what a real server answered to them (recorded by `conformance/random-apply.ts --record`), so that a
 * drift shows where no real server is at hand.
 */
import { readFileSync } from "node:fs";
import { fakeClock } from "@treadle/apimachinery";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { digests } from "./conformance/random/golden.ts";
import { KINDS } from "./conformance/random/kinds.ts";
import { prepare } from "./conformance/random/prepare.ts";

const lines = readFileSync(new URL("fixtures/apply-golden.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");
// A clock that stands still: the order of managedFields follows whole seconds.
const server = createApiServer({ clock: fakeClock() });
const namespace = "random-golden";

beforeAll(() => prepare(server.transport(), namespace));
afterAll(() => server.close());

test.for(KINDS)("$name: the answers are those of the real server", async (kind) => {
  const golden = lines.filter((line) => line.startsWith(`${kind.name} `));
  expect(golden.length).toBeGreaterThan(20);
  for (const line of golden) {
    const [, seed = "", operations, ...wanted] = line.split(" ");
    const [made, ...given] = await digests(kind, Number(seed), { transport: server.transport(), namespace, name: `g${seed}` });
    expect(made, "the generator makes other operations now: record again").toBe(operations);
    // Built-in kinds are not validated, so a sequence ends where the real server refuses what is taken here.
    const end = wanted.findIndex((answer, i) => !kind.isCustom && answer.startsWith("422:") && answer !== given[i]);
    const compared = end < 0 ? wanted.length : end;
    expect(given.slice(0, compared), `seed ${seed}`).toEqual(wanted.slice(0, compared));
  }
});
