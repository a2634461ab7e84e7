import type { ListFlags } from "../release/list.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";

/** `treadle list`. */
export const list: CommandDeclaration = {
  name: "list",
  summary: "list releases",
  description: "Lists the releases that are stored in a namespace, with revision and state.",
  flags: [{ flags: "-A, --all-namespaces", description: "releases of all namespaces" }, OUTPUT],
  isOnCluster: true,
  examples: [
    { line: "list -A", does: "all releases of the cluster" },
    { line: "list -n data -o json", does: "for a script" },
  ],
  run: async (_words, flags, terminal) => (await import("../release/list.ts")).runList(flags as ListFlags, terminal),
};
