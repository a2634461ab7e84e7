import * as promClient from "prom-client";
import { expect, test } from "vitest";
import * as parts from "./prom-client-parts.ts";

test("the parts of prom-client are those of its index: metrics of a program's own go into the same registry", () => {
  const { Counter, Gauge, Histogram, Registry } = promClient;
  for (const [name, part] of Object.entries({ Counter, Gauge, Histogram, Registry })) expect(parts).toHaveProperty(name, part);
  expect(Object.keys(parts)).toHaveLength(4);
});
