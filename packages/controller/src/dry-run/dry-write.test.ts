import { ConfigMap } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { type DryWrite, dryWrite, reporter } from "./dry-write.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test("a repeated write is reported once; a step that writes other values each time does not fill the memory", () => {
  const told: DryWrite[] = [];
  const report = reporter(quiet, (write) => void told.push(write));
  const write = (n: number): DryWrite =>
    dryWrite("patch", ConfigMap, { ref: { name: "a", namespace: "ns" }, change: { data: { n: `${n}` } } });
  for (const n of [1, 2, 1, 2]) report(write(n));
  expect(told).toEqual([write(1), write(2)]);
  for (let n = 3; n < 100; n++) report(write(n));
  report(write(1));
  expect(told.at(-1), "the first is forgotten by now").toEqual(write(1));
});
