import type { AdoptFlags } from "../release/adopt.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";
import { NAME, WAIT_FLAGS } from "./release-flags.ts";

/** `treadle adopt`. */
export const adopt: CommandDeclaration = {
  name: "adopt",
  summary: "take existing objects, or a release of Helm, into a release",
  description:
    "Takes objects that exist into a release: those that you name, or those of a release of Helm. Without --yes it shows what would change, " +
    "and changes nothing. No object is deleted or created again.",
  argument: [NAME, { syntax: "[object...]", description: "KIND/NAME of objects in the namespace; the kind as in kubectl" }],
  flags: [
    { flags: "--from-helm <release>", description: "the objects of a release of Helm in the namespace" },
    { flags: "--yes", description: "adopt the objects" },
    ...WAIT_FLAGS,
    OUTPUT,
  ],
  isOnCluster: true,
  examples: [
    { line: "adopt shop deployment/web service/web", does: "what would change?" },
    { line: "adopt redis --from-helm redis -n data --yes", does: "take over a release of Helm" },
  ],
  run: async (words, flags, terminal) => (await import("../release/adopt.ts")).runAdopt(words, flags as AdoptFlags, terminal),
};
