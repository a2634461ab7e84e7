/** Compares rules over the life of objects with the recorded answers of a kube-apiserver (`life.json`). */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";
import { type LifeAnswer, playLife } from "./life.ts";

const golden = JSON.parse(readFileSync(new URL("life.json", import.meta.url), "utf8")) as readonly LifeAnswer[];
const server = createApiServer();
const given = new Map((await playLife(server.transport())).map((answer) => [answer[0], answer]));
await server.close();

/** Sorts errors of different fields, because the real server walks maps in random order. */
function anyOrder([step, status, message, warning]: LifeAnswer): unknown {
  return [step, status, message.split(/[[\], ]+/).toSorted(), warning];
}

test.for(golden)("%s", (want) => {
  expect(anyOrder(given.get(want[0]) ?? ["absent", 0, "", ""])).toEqual(anyOrder(want));
});

test("each step is recorded", () => {
  expect([...given.keys()]).toEqual(golden.map(([step]) => step));
});
