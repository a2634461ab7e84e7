import type { UpgradeFlags } from "../upgrade/run.ts";
import type { CommandDeclaration } from "./command.ts";

/** `treadle upgrade`. */
export const upgrade: CommandDeclaration = {
  name: "upgrade",
  summary: "move a project to the templates of this version",
  description:
    "Moves the project of an operator to the templates of this version, by a three-way merge with your changes. Where both changed one place, " +
    "the file gets conflict marks as those of git, and the command ends with 1.",
  flags: [
    { flags: "--dry-run", description: "show what would change, and write nothing" },
    { flags: "--force", description: "also with uncommitted changes" },
    { flags: "--dir <dir>", description: "folder of the project (default: the current one, or one above it)" },
  ],
  isOnCluster: false,
  examples: [
    { line: "upgrade", does: "after npm install --save-dev @treadle/cli@latest" },
    { line: "upgrade --dry-run", does: "what would change?" },
  ],
  run: async (_, flags, terminal) => (await import("../upgrade/run.ts")).runUpgrade(flags as UpgradeFlags, terminal),
};
