import { expect, test } from "vitest";
import { flagsIn } from "./flags.ts";

const old = (value: number): object => ({ given: `--max-old-space-size=${value}`, byDefault: "--max-old-space-size=0" });

test.for([
  { name: "nothing is given", execArgv: [], options: "", want: [] },
  { name: "a size of the command line", execArgv: ["--max-old-space-size=400"], options: "", want: [old(400)] },
  { name: "a size with underscores in NODE_OPTIONS", execArgv: [], options: "--max_old_space_size=400", want: [old(400)] },
  { name: "two words", execArgv: ["--max-old-space-size", "400"], options: "", want: [old(400)] },
  {
    name: "the command line counts before NODE_OPTIONS",
    execArgv: ["--max-old-space-size=2"],
    options: "--max-old-space-size=1",
    want: [old(2)],
  },
  { name: "a part of the memory", execArgv: ["--max-old-space-size-percentage=70"], options: "", want: [old(0)] },
  {
    name: "flags with another default",
    execArgv: ["--stack-trace-limit=50", "--expose-gc"],
    options: "",
    want: [
      { given: "--stack-trace-limit=50", byDefault: "--stack-trace-limit=10" },
      { given: "--expose-gc", byDefault: "--no-expose-gc" },
    ],
  },
  { name: "flags of Node are no flags of V8", execArgv: ["--conditions=x", "--enable-source-maps"], options: "", want: [] },
])("flagsIn: $name", ({ execArgv, options, want }) => {
  expect(flagsIn(execArgv, options)).toEqual(want);
});
