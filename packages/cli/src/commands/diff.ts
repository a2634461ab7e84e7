import type { ApplyFlags } from "../release/desired.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";
import { NAME, RENDER_FLAGS, SOURCES, WRITE_FLAGS } from "./release-flags.ts";

/** `treadle diff`. */
export const diff: CommandDeclaration = {
  name: "diff",
  summary: "show what apply would change, field by field",
  description:
    "Shows what apply would change, by dry runs of the server. It changes nothing. Values of Secrets are not shown. It ends with 0 without " +
    "differences, with 1 with differences, and with 2 if it could not find out, or if apply would be refused.",
  argument: [NAME, SOURCES],
  flags: [...RENDER_FLAGS, ...WRITE_FLAGS, OUTPUT],
  isOnCluster: true,
  examples: [
    { line: "diff shop ./deploy", does: "what would change?" },
    { line: "diff redis ./chart -f values.yaml -o json", does: "for a script" },
  ],
  run: async (words, flags, terminal) => (await import("../release/diff.ts")).runDiff(words, flags as ApplyFlags, terminal),
};
