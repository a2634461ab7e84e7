import type { StatusFlags } from "../release/status.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";
import { NAME } from "./release-flags.ts";

/** `treadle status`. */
export const status: CommandDeclaration = {
  name: "status",
  summary: "show a release and the health of its objects",
  description: "Shows the revision and state of a release, where it comes from, and how each of its objects is now.",
  argument: NAME,
  flags: [OUTPUT, { flags: "--exit-code", description: "end with 1 if the release or an object is not ready" }],
  isOnCluster: true,
  examples: [
    { line: "status shop", does: "is it healthy?" },
    { line: "status shop -o json --exit-code", does: "for a script" },
  ],
  run: async (words, flags, terminal) => (await import("../release/status.ts")).runStatus(words, flags as StatusFlags, terminal),
};
