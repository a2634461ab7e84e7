import { expect, test } from "vitest";
import { readSteps } from "../peers/src/clients.ts";

test("lines of a script that are not steps are not results", () => {
  const output = "WARN something\nok create\nnot ok watch: not in 20 s: the events\nit is not ok at all\n";
  expect([...readSteps(output)]).toEqual([
    ["create", "passed"],
    ["watch", "failed: not in 20 s: the events"],
  ]);
});
