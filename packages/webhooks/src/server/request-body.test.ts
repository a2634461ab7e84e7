import { expect, test } from "vitest";
import { ByteBudget } from "./request-body.ts";

test("conversions that have taken all of their bytes leave the rest to admission reviews", () => {
  const all = new ByteBudget(100);
  const conversions = new ByteBudget(60, all);
  conversions.take(60);
  expect(() => conversions.take(1)).toThrow("60 bytes");
  all.take(40);
  expect(() => all.take(1)).toThrow("100 bytes");
  conversions.give(60);
  all.take(60);
  expect(() => conversions.take(1)).toThrow("100 bytes");
});

test("a refused part of the whole takes nothing", () => {
  const all = new ByteBudget(10);
  const conversions = new ByteBudget(60, all);
  expect(() => conversions.take(11)).toThrow("10 bytes");
  conversions.take(10);
  conversions.give(10);
  all.take(10);
});
