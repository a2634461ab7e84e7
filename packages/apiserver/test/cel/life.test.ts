/** Rules over the life of objects: what a kube-apiserver answered (`life.json`), this server answers. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";
import { type LifeAnswer, playLife } from "./life.ts";

const golden = JSON.parse(readFileSync(new URL("life.json", import.meta.url), "utf8")) as readonly LifeAnswer[];
const server = createApiServer();
const given = new Map((await playLife(server.transport())).map((answer) => [answer[0], answer]));
await server.close();

/** The real server walks maps in random order, so errors of different fields come in any. */
function anyOrder([step, status, message, warning]: LifeAnswer): unknown {
  return [step, status, message.split(/[[\], ]+/).toSorted(), warning];
}

test.for(golden)("%s", (want) => {
  expect(anyOrder(given.get(want[0]) ?? ["absent", 0, "", ""])).toEqual(anyOrder(want));
});

test("each step is recorded", () => {
  expect([...given.keys()]).toEqual(golden.map(([step]) => step));
});
