import { expect, test } from "vitest";
import { queryTimeoutMs } from "./query-timeout.ts";

test.for<[string, number | undefined]>([
  ["/validate/a?timeout=10s", 10_000],
  ["/validate/a?timeout=1m30s", 90_000],
  ["/validate/a?timeout=500ms", 500],
  ["/validate/a?timeout=2.5s", 2_500],
  ["/validate/a?timeout=250%C2%B5s", 0.25],
  ["/validate/a?a=b&timeout=3s&timeout=9s", 3_000],
  ["/validate/a", undefined],
  ["/validate/a?", undefined],
  ["/validate/a?timeout=", undefined],
  ["/validate/a?timeout=0s", undefined],
  ["/validate/a?timeout=-5s", undefined],
  ["/validate/a?timeout=5", undefined],
  ["/validate/a?timeout=1e9s", undefined],
  ["/validate/a?timeout=Infinity", undefined],
  ["/validate/a?timeout=5s;drop", undefined],
  ["/validate/a?timeout=%zz", undefined],
  [`/validate/a?timeout=${"9".repeat(10_000)}s`, undefined],
  [`/validate/a?timeout=${"1s".repeat(5_000)}`, undefined],
])("the timeout of %s is %s", ([url, want]) => {
  expect(queryTimeoutMs(url)).toBe(want);
});
