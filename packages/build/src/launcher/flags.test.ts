import { expect, test } from "vitest";
import { sizesIn } from "./flags.ts";

test.for([
  { name: "nothing is given", execArgv: [], options: "", want: [] },
  { name: "a size of the command line", execArgv: ["--max-old-space-size=400"], options: "", want: [["max-old-space-size", "400"]] },
  { name: "a size with underscores in NODE_OPTIONS", execArgv: [], options: "--max_semi_space_size=8", want: [["max-semi-space-size", "8"]] },
  { name: "two words", execArgv: ["--max-old-space-size", "400"], options: "", want: [["max-old-space-size", "400"]] },
  {
    name: "the command line counts before NODE_OPTIONS",
    execArgv: ["--max-old-space-size=2"],
    options: "--max-old-space-size=1",
    want: [["max-old-space-size", "2"]],
  },
  { name: "a part of the memory", execArgv: ["--max-old-space-size-percentage=70"], options: "", want: [["max-old-space-size", "0"]] },
  { name: "other flags are not sizes", execArgv: ["--stack-trace-limit=50", "--expose-gc"], options: "", want: [] },
])("sizesIn: $name", ({ execArgv, options, want }) => {
  expect(sizesIn(execArgv, options)).toEqual(want);
});
