import { expect, test } from "vitest";
import { omitEmpty } from "./omit-empty.ts";

test("fields that Go omits are removed at each depth, values and pointers stay", () => {
  const schema = {
    type: "object",
    id: "",
    nullable: false,
    required: [],
    properties: {
      id: { type: "string", pattern: "", default: "", enum: [""] },
      list: {
        type: "array",
        uniqueItems: false,
        items: { id: "", type: "object", properties: {}, "x-kubernetes-preserve-unknown-fields": false },
      },
      any: { anyOf: [{ id: "", format: "" }], not: { title: "" }, additionalProperties: false, minLength: 0 },
    },
  };
  omitEmpty(schema);
  expect(schema).toEqual({
    type: "object",
    properties: {
      id: { type: "string", default: "", enum: [""] },
      list: { type: "array", items: { type: "object", "x-kubernetes-preserve-unknown-fields": false } },
      any: { anyOf: [{}], not: {}, additionalProperties: false, minLength: 0 },
    },
  });
});
