import type { TreeFlags } from "../tree/run.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";

/** `treadle tree`. */
export const tree: CommandDeclaration = {
  name: "tree",
  summary: "show what belongs to an object, with its health",
  description:
    "Shows an object, its owners, and everything below it: components, dependents, owned objects and what its spec names. Each line has the " +
    "health, the reason and the time since when it is so.",
  argument: { syntax: "<object...>", description: "KIND/NAME or KIND NAME; the kind as in kubectl, or release/NAME" },
  flags: [OUTPUT, { flags: "-w, --watch", description: "show the tree again after each change, until Ctrl-C" }],
  isOnCluster: true,
  examples: [
    { line: "tree deployment/web", does: "ReplicaSets and pods of a Deployment" },
    { line: "tree shops.example.dev/a -n shops --watch", does: "follow a rollout" },
    { line: "tree release/shop", does: "a release of treadle apply" },
    { line: "tree shop a -o json", does: "for a script" },
  ],
  run: async (words, flags, terminal) => (await import("../tree/run.ts")).runTree(words, flags as TreeFlags, terminal),
};
