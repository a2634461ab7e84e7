import type { ReleaseFlags } from "../release/session.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";
import { NAME } from "./release-flags.ts";

/** `treadle history`. */
export const history: CommandDeclaration = {
  name: "history",
  summary: "list the revisions of a release",
  description: "Lists the revisions of a release that are kept: when, by whom and from what they were made. `rollback` applies one again.",
  argument: NAME,
  flags: [OUTPUT],
  isOnCluster: true,
  examples: [
    { line: "history shop", does: "what was applied, and by whom?" },
    { line: "history shop -o json", does: "for a script" },
  ],
  run: async (words, flags, terminal) => (await import("../release/history.ts")).runHistory(words, flags as ReleaseFlags, terminal),
};
