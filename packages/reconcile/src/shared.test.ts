import { expect, test } from "vitest";
import { boom } from "../test/fixtures.ts";
import { Shared } from "./shared.ts";

const KEY = {};

test("a value is made once for each key, and keys are compared by identity", () => {
  const shared = new Shared();
  const made: object[] = [];
  const make = (): object => {
    made.push({});
    return made.at(-1) as object;
  };
  expect(shared.get(KEY, make)).toBe(shared.get(KEY, make));
  expect(shared.get({}, make)).not.toBe(shared.get(KEY, make));
  expect(made).toHaveLength(2);
});

test("a value whose make throws is made at the next use", () => {
  const shared = new Shared();
  const failing = (): object => {
    throw boom;
  };
  expect(() => shared.get(KEY, failing)).toThrow(boom);
  expect(shared.get(KEY, () => ["made"])).toEqual(["made"]);
});

test("values are disposed of once, also beside one that throws, one that rejects and one that needs no dispose", async () => {
  const shared = new Shared();
  const ended: string[] = [];
  const closing = (name: string, error?: Error): AsyncDisposable => ({
    async [Symbol.asyncDispose]() {
      ended.push(name);
      if (error !== undefined) throw error;
    },
  });
  const throwing = {
    [Symbol.asyncDispose]() {
      throw boom;
    },
  };
  for (const value of [throwing, closing("a"), closing("b", new Error("b stuck")), {}, closing("c")]) shared.get({}, () => value);
  const end = shared[Symbol.asyncDispose]();
  await expect(end).rejects.toMatchObject({
    errors: [boom, new Error("b stuck")],
    message: "2 shared values could not be disposed of: boom; b stuck",
  });
  await expect(shared[Symbol.asyncDispose]()).rejects.toThrow();
  expect(ended).toEqual(["a", "b", "c"]);
});

test("the error of one value is thrown as it is", async () => {
  const shared = new Shared();
  shared.get(KEY, () => ({ [Symbol.asyncDispose]: () => Promise.reject(boom) }));
  await expect(shared[Symbol.asyncDispose]()).rejects.toBe(boom);
});

test("no value is made or returned after the end", async () => {
  const shared = new Shared();
  shared.get(KEY, () => ({}));
  await shared[Symbol.asyncDispose]();
  expect(() => shared.get(KEY, () => ({}))).toThrow("the operator has ended");
  expect(() => shared.get({}, () => ({}))).toThrow("the operator has ended");
});
