import type { DeleteFlags } from "../release/delete.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";
import { NAME } from "./release-flags.ts";

/** `treadle delete`. */
export const deleteRelease: CommandDeclaration = {
  name: "delete",
  summary: "delete a release and its objects",
  description:
    "Deletes the objects of a release in reverse order, waits until they no longer exist, and then deletes the release. A CRD is not deleted " +
    "while others have instances of it. It ends with 1 if objects are left; the same command goes on.",
  argument: NAME,
  flags: [
    {
      flags: "--cascade <how>",
      description: "delete (default); orphan: the objects stay, and belong to nobody",
      choices: ["delete", "orphan"],
    },
    { flags: "--timeout <time>", description: "time to wait, such as 90s or 5m (default: 10m)" },
    { flags: "--ignore-not-found", description: "a release that does not exist is no failure" },
    OUTPUT,
  ],
  isOnCluster: true,
  examples: [
    { line: "delete shop", does: "the release with all its objects" },
    { line: "delete shop --cascade orphan", does: "only the release" },
  ],
  run: async (words, flags, terminal) => (await import("../release/delete.ts")).runDelete(words, flags as DeleteFlags, terminal),
};
