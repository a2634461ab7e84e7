import type { WriteFlags } from "../release/desired.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";
import { NAME, WAIT_FLAGS, WRITE_FLAGS } from "./release-flags.ts";

/** `treadle rollback`. */
export const rollback: CommandDeclaration = {
  name: "rollback",
  summary: "apply a former revision of a release again",
  description:
    "Applies the objects of a former revision again, as a new revision. Nothing is rendered: the revision has its objects. Without a " +
    "number it is the last revision before the present one that was ready.",
  argument: [NAME, { syntax: "[revision]", description: "number of the revision, as in `history`" }],
  flags: [...WRITE_FLAGS, ...WAIT_FLAGS, OUTPUT],
  isOnCluster: true,
  examples: [
    { line: "rollback shop", does: "to the last revision that was ready" },
    { line: "rollback shop 3 --timeout 5m", does: "to revision 3" },
  ],
  run: async (words, flags, terminal) => (await import("../release/rollback.ts")).runRollback(words, flags as WriteFlags, terminal),
};
