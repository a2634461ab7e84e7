import type { ObjectOf } from "@treadle/apimachinery";
import type { Secret } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { isNotConnected } from "./errors.ts";
import { secretText } from "./secret-text.ts";

const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");
const secret = (parts: {
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
}): ObjectOf<typeof Secret> => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "shop" },
  ...parts,
});

test.for([
  { name: "base64", given: secret({ data: { token: base64("pässword\n") } }), want: "pässword\n" },
  { name: "an empty value", given: secret({ data: { token: "" } }), want: "" },
  { name: "wrapped base64", given: secret({ data: { token: "cMOkc3\nN3b3Jk\n" } }), want: "pässword" },
  { name: "stringData of a test", given: secret({ stringData: { token: "x" } }), want: "x" },
  { name: "data before stringData", given: secret({ data: { token: base64("a") }, stringData: { token: "b" } }), want: "a" },
])("secretText reads $name", ({ given, want }) => {
  expect(secretText(given, "token")).toBe(want);
});

test.for([
  {
    name: "no Secret",
    given: undefined,
    message: 'cannot read key "token" of the Secret: the config names no Secret, or it does not exist',
  },
  { name: "no keys", given: secret({}), message: 'cannot read key "token" of Secret shop/s: it does not exist; the Secret has no keys' },
  {
    name: "another key",
    given: secret({ data: { tokn: base64("hidden"), user: "" } }),
    message: 'cannot read key "token" of Secret shop/s: it does not exist; the Secret has "tokn", "user"',
  },
  {
    name: "no base64",
    given: secret({ data: { token: "hidden value!" } }),
    message: 'cannot read key "token" of Secret shop/s: its value is not base64',
  },
  {
    name: "bytes",
    given: secret({ data: { token: base64(Buffer.from([0xff, 0xfe, 0x00])) } }),
    message: 'cannot read key "token" of Secret shop/s: its value is not a UTF-8 text',
  },
])("secretText names the Secret and the key, and never a value: $name", ({ given, message }) => {
  let thrown: unknown;
  try {
    secretText(given, "token");
  } catch (error) {
    thrown = error;
  }
  expect(isNotConnected(thrown)).toBe(true);
  expect(thrown).toMatchObject({ message });
  expect((thrown as Error).cause).toBeUndefined();
});

test("a key that every object inherits does not exist", () => {
  expect(() => secretText(secret({ data: {} }), "toString")).toThrow("does not exist");
});
