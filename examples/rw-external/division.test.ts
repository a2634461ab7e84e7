import { expect, test } from "vitest";
import { divide, parseDivision } from "./division.ts";

const b64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");

test.for([
  { dividend: "17", divisor: "5", quotient: "3", remainder: "2" },
  { dividend: "-17\n", divisor: " +5 ", quotient: "-3", remainder: "-2" },
  { dividend: "0", divisor: "-5", quotient: "0", remainder: "0" },
  { dividend: "100000000000000000000000", divisor: "3", quotient: "33333333333333333333333", remainder: "1" },
])("$dividend / $divisor = $quotient, remainder $remainder", ({ dividend, divisor, quotient, remainder }) => {
  const division = parseDivision({ dividend: b64(dividend), divisor: b64(divisor) });
  if ("problem" in division) throw new Error(division.problem);
  expect(divide(division)).toEqual({ quotient: b64(quotient), remainder: b64(remainder) });
});

test.for([
  { name: "nothing", data: undefined, reason: "MissingKey", problem: "has no dividend and no divisor" },
  { name: "one key", data: { dividend: b64("1") }, reason: "MissingKey", problem: "has no divisor" },
  { name: "a word", data: { dividend: b64("seven"), divisor: b64("1") }, reason: "NotAnInteger", problem: "has no integer as dividend" },
  { name: "a fraction", data: { dividend: b64("1"), divisor: b64("1.5") }, reason: "NotAnInteger", problem: "has no integer as divisor" },
  { name: "empty values", data: { dividend: "", divisor: "" }, reason: "NotAnInteger", problem: "has no integer as dividend and divisor" },
  {
    name: "binary garbage",
    data: { dividend: b64(Uint8Array.of(0, 255, 254, 195, 40)), divisor: "%%%" },
    reason: "NotAnInteger",
    problem: "has no integer as dividend and divisor",
  },
  {
    name: "a novel",
    data: { dividend: b64("9".repeat(100_000)), divisor: b64("1") },
    reason: "NotAnInteger",
    problem: "has no integer as dividend",
  },
])("$name is refused without being repeated", ({ data, reason, problem }) => {
  expect(parseDivision(data)).toEqual({ reason, problem });
});
