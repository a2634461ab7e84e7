import { BUILD_FLAGS, type BuildFlags, runBuild } from "@treadle/build/unstable/command";
import { orInterrupted } from "../terminal/terminal.ts";
import type { CommandDeclaration } from "./command.ts";

/** `treadle build`. */
export const build: CommandDeclaration = {
  name: "build",
  summary: "build an operator into a folder that needs only Node",
  description:
    "Builds an operator into what runs in production: one folder that needs nothing but Node. It is the same command as treadle-build. " +
    "It ends with 1 if the program cannot be built.",
  argument: { syntax: "<entry>", description: "the program, such as src/main.ts" },
  flags: BUILD_FLAGS.map(({ name, value, isRepeatable, description }) => ({
    flags: `--${name} <${value.toLowerCase()}>`,
    description,
    isRepeatable,
  })),
  isOnCluster: false,
  examples: [
    { line: "build src/main.ts", does: "writes dist/; then: node dist/main.mjs" },
    { line: "build src/main.ts --out image --omit fsevents", does: "another folder, without a package" },
  ],
  run: ([entry = ""], flags, terminal) =>
    // Files are written in one go at the end, so an interrupted build leaves the former output.
    orInterrupted(
      runBuild(entry, flags as BuildFlags, {
        name: "treadle build",
        log: (text) => terminal.out(`${text}\n`),
        error: (text) => terminal.err(`${text}\n`),
      }),
      terminal.signal,
    ),
};
