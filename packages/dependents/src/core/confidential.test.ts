import { ApiError, isConflict } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { requireTexts, shownError } from "./confidential.ts";

test.for([
  { name: "a number", fields: { data: { pin: 12345678 } }, says: "data.pin of a Secret must be a text, not a number" },
  { name: "an object", fields: { stringData: { a: { b: "hunter2" } } }, says: "stringData.a of a Secret must be a text, not an object" },
  { name: "null", fields: { stringData: { a: null } }, says: "stringData.a of a Secret must be a text, not null" },
  { name: "a list", fields: { data: { a: ["hunter2"] } }, says: "data.a of a Secret must be a text, not a list" },
  { name: "no base64", fields: { data: { a: "hunter2" } }, says: "data.a of a Secret must be base64" },
  { name: "all of it", fields: { data: "hunter2" }, says: "data of a Secret must be an object" },
])("$name in a Secret is refused by its key, without its value", ({ fields, says }) => {
  expect(() => requireTexts("secret", Secret, fields)).toThrow(says);
  expect(() => requireTexts("secret", Secret, fields)).not.toThrow(/hunter2|12345678/);
  expect(() => requireTexts("page", ConfigMap, fields)).not.toThrow();
});

test("what a Secret can hold is accepted", () => {
  expect(() =>
    requireTexts("secret", Secret, { data: { a: "", b: "aGVs\nbG8=" }, stringData: { c: "any" }, type: "Opaque" }),
  ).not.toThrow();
});

test.for([
  "failed to create typed patch object (/v1, Kind=Secret): .data.pin: expected string, got &value.valueUnstructured{Value:12345678}",
  'Secret "a" is invalid: data.pin: Invalid value: "******": too short',
  'admission webhook "w" denied the request: 12345678 is no good password',
  "unable to decode: illegal text hunter2 in it",
])("a server that repeats values is not quoted: %s", (message) => {
  const details = { name: "a", causes: [{ field: "data.pin", message: `bad: ${message}`, reason: "FieldValueInvalid" }] };
  const error = new ApiError({ message, status: 422, reason: "Invalid", details });
  const body = { metadata: { name: "a" }, data: { pin: 12345678, word: "aHVudGVyMg==" } };
  const shown = shownError(Secret, body, error) as ApiError;
  expect(JSON.stringify([shown.message, shown.causes, shown.details])).not.toMatch(/12345678|hunter2/);
  expect(shown).toMatchObject({ status: 422, reason: "Invalid", code: error.code });
  expect(shown.message).toContain("data.pin");
  expect(shownError(ConfigMap, body, error)).toBe(error);
});

test("what repeats nothing is quoted, and a conflict stays one", () => {
  const denied = new ApiError({ message: 'secrets is forbidden: User "x" cannot patch', status: 403, reason: "Forbidden" });
  expect(shownError(Secret, { data: { a: "aHVudGVyMg==" } }, denied)).toBe(denied);
  const conflict = new ApiError({ message: "value changed", status: 409, reason: "Conflict" });
  expect(isConflict(shownError(Secret, { data: {} }, conflict))).toBe(true);
});
