import type { CheckFlags } from "../check/run.ts";
import { type CommandDeclaration, OUTPUT } from "./command.ts";

/** `treadle check`. */
export const check: CommandDeclaration = {
  name: "check",
  summary: "find what a reviewer would refuse, and changes that break users",
  description:
    "Looks at the pipelines and CRDs of a module, for what works badly or is refused by the server. With an old version, it finds the changes of " +
    "CRDs that break stored objects or clients, each with its path. It ends with 1 if there are errors. The module is loaded, but no manager of it runs.",
  argument: { syntax: "<module>", description: "file that exports handlers, or runs a manager, such as ./main.ts" },
  flags: [
    {
      flags: "--against <old>",
      description: "CRDs of the old version: a YAML file, a folder, a module, or git:REV:FOLDER (default folder: deploy)",
    },
    { flags: "--against-cluster", description: "compare with the CRDs of the cluster" },
    { flags: "--ignore <rule>", description: "leave out a rule, or one place: RULE:WHERE; may be repeated", isRepeatable: true },
    { flags: "--strict", description: "end with 1 for warnings as well" },
    { flags: "--export <name>", description: "only the handlers of this export; may be repeated", isRepeatable: true },
    OUTPUT,
  ],
  isOnCluster: true,
  examples: [
    { line: "check src/main.ts", does: "before you release" },
    { line: "check src/main.ts --against git:v1.2.0:deploy/crds", does: "what breaks for users of v1.2.0?" },
    { line: "check src/main.ts --against-cluster --context prod", does: "can this cluster be upgraded?" },
    { line: "check src/main.ts --ignore field-without-description -o json", does: "for a script" },
  ],
  run: async ([module = ""], flags, terminal) => (await import("../check/run.ts")).runCheck(module, flags as CheckFlags, terminal),
};
